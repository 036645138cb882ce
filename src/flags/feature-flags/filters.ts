/** Schema of a flag's `filters`, on the wire and in the table. */
import { nullable, Type, type Static } from '../../platform/schema.ts';

const Percentage = Type.Number({ minimum: 0, maximum: 100 });
const GroupTypeIndex = nullable(Type.Integer({ minimum: 0, maximum: 4 }), {
  description: 'The index of the group type whose groups are evaluated; null for persons.',
});
const Text = nullable(Type.String({ maxLength: 2000 }));
/** Fields that upstream's clients send and its exports contain. */
const StoredForClients = Type.Optional(
  Type.Unknown({ description: 'Stored for clients; has no effect on decisions.' }),
);

const Property = Type.Object({
  key: Type.Unsafe<string | number>({
    type: ['string', 'integer'],
    description: 'The name of a property, `id` for a cohort, or the ID of another flag.',
  }),
  type: Type.Optional(
    nullable(
      Type.String({
        description: 'The type of the condition: `person`, `person_metadata`, `group`, `cohort` or `flag`.',
      }),
    ),
  ),
  operator: Type.Optional(
    nullable(Type.String({ description: 'The comparison operator; by default `exact`, or `in` for cohorts.' })),
  ),
  value: Type.Optional(Type.Unknown()),
  group_type_index: Type.Optional(GroupTypeIndex),
  negation: Type.Optional(nullable(Type.Boolean())),
  label: StoredForClients,
  cohort_name: StoredForClients,
  group_key_names: StoredForClients,
  dependency_chain: StoredForClients,
  conditionHash: StoredForClients,
  bytecode: StoredForClients,
});
export type Property = Static<typeof Property>;

const ConditionSet = Type.Object({
  properties: Type.Optional(
    nullable(Type.Array(Property, { maxItems: 1000 }), {
      description: 'The conditions of the set, all of which must match.',
    }),
  ),
  rollout_percentage: Type.Optional(
    nullable(Percentage, {
      description: 'The percentage of matching persons or groups for whom the flag is enabled; null for all.',
    }),
  ),
  variant: Type.Optional(
    nullable(Type.String(), {
      description: 'The key of the variant for persons or groups that match; null to choose one by percentage.',
    }),
  ),
  aggregation_group_type_index: Type.Optional(GroupTypeIndex),
  description: Type.Optional(Text),
  sort_key: StoredForClients,
  users_affected: StoredForClients,
});
export type ConditionSet = Static<typeof ConditionSet>;

const Variant = Type.Object({
  key: Type.String({ minLength: 1, maxLength: 400 }),
  name: Type.Optional(Text),
  rollout_percentage: Percentage,
});
export type Variant = Static<typeof Variant>;

export const Filters = Type.Object(
  {
    groups: Type.Optional(
      Type.Array(ConditionSet, {
        maxItems: 1000,
        description: 'The condition sets, in order; the first one that matches determines the value.',
      }),
    ),
    multivariate: Type.Optional(
      nullable(
        Type.Object({
          variants: Type.Optional(
            Type.Array(Variant, { maxItems: 100, description: 'The variants, whose percentages must add up to 100.' }),
          ),
        }),
      ),
    ),
    aggregation_group_type_index: Type.Optional(GroupTypeIndex),
    payloads: Type.Optional(
      nullable(Type.Record(Type.String(), Type.Unknown()), {
        description:
          'Payloads by variant key, or under `true` for a flag without variants, as JSON values or JSON text.',
      }),
    ),
    super_groups: Type.Optional(
      nullable(
        Type.Array(ConditionSet, {
          maxItems: 10,
          description: 'Condition sets for enrollment, which take precedence for persons with the enrollment property.',
        }),
      ),
    ),
    feature_enrollment: Type.Optional(
      nullable(
        Type.Boolean({
          description: 'Whether the person property `$feature_enrollment/<key>`, if set, determines the value.',
        }),
      ),
    ),
    holdout: Type.Optional(
      nullable(Type.Object({ id: Type.Integer({ minimum: 1 }), exclusion_percentage: Percentage }), {
        description: 'The share of persons excluded from experiments.',
      }),
    ),
    holdout_groups: Type.Optional(nullable(Type.Array(ConditionSet, { maxItems: 10 }))),
    early_exit: Type.Optional(
      nullable(
        Type.Boolean({
          description:
            'If true, a person who matches a condition set but is outside its rollout percentage is not evaluated ' +
            'against the following sets.',
        }),
      ),
    ),
  },
  { title: 'FlagFilters' },
);
/** Filters in a request. */
export type GivenFilters = Static<typeof Filters>;

/** Stored filters: with condition sets, and payloads as JSON text. */
export type FlagFilters = Omit<GivenFilters, 'groups' | 'payloads'> & {
  groups: ConditionSet[];
  payloads?: Record<string, string>;
};

/** Default filters, which match everybody. */
export const MATCH_EVERYBODY: FlagFilters = { groups: [{ properties: [], rollout_percentage: 100 }] };

/** Filters of a new remote configuration: a percentage of 0, which upstream's clients send, becomes 100, because it applies to everybody. */
export function withFullRollout(filters: FlagFilters): FlagFilters {
  const groups = filters.groups.map((set) => ({ ...set, rollout_percentage: set.rollout_percentage || 100 }));
  return { ...filters, groups: groups.length > 0 ? groups : MATCH_EVERYBODY.groups };
}

export function variantsOf({ multivariate }: Pick<GivenFilters, 'multivariate'>): readonly Variant[] {
  return multivariate?.variants ?? [];
}

/** All conditions of the condition sets, each with its path, such as `filters__groups__0__properties__1`. */
export function conditionsOf({ groups }: Pick<FlagFilters, 'groups'>) {
  return groups.flatMap((set, i) =>
    (set.properties ?? []).map((property, j) => ({
      set,
      property,
      attr: `filters__groups__${i}__properties__${j}`,
    })),
  );
}
