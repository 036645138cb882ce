/** The shape of what a flag is decided by: its `filters`, on the wire and in the table. */
import { nullable, Type, type Static } from '../../platform/schema.ts';

const Percentage = Type.Number({ minimum: 0, maximum: 100 });
const GroupTypeIndex = nullable(Type.Integer({ minimum: 0, maximum: 4 }), {
  description: 'Whose groups are counted: the index of a group type; null: persons.',
});
const Text = nullable(Type.String({ maxLength: 2000 }));
/** Members that upstream's clients send as well, and its exports hold. */
const KeptForClients = Type.Optional(Type.Unknown({ description: 'Kept for clients: it decides nothing.' }));

const Property = Type.Object({
  key: Type.Unsafe<string | number>({
    type: ['string', 'integer'],
    description: 'The name of a property; `id` of cohorts; of another flag its id.',
  }),
  type: Type.Optional(
    nullable(Type.String({ description: '`person`, `person_metadata`, `group`, `cohort` or `flag`.' })),
  ),
  operator: Type.Optional(nullable(Type.String({ description: '`exact` when it is left out; `in` of cohorts.' }))),
  value: Type.Optional(Type.Unknown()),
  group_type_index: Type.Optional(GroupTypeIndex),
  negation: Type.Optional(nullable(Type.Boolean())),
  label: KeptForClients,
  cohort_name: KeptForClients,
  group_key_names: KeptForClients,
  dependency_chain: KeptForClients,
  conditionHash: KeptForClients,
  bytecode: KeptForClients,
});
export type Property = Static<typeof Property>;

const ConditionSet = Type.Object({
  properties: Type.Optional(nullable(Type.Array(Property, { maxItems: 1000 }), { description: 'All of them match.' })),
  rollout_percentage: Type.Optional(nullable(Percentage, { description: 'Of those that match; null: all.' })),
  variant: Type.Optional(nullable(Type.String(), { description: 'The variant of those that match.' })),
  aggregation_group_type_index: Type.Optional(GroupTypeIndex),
  description: Type.Optional(Text),
  sort_key: KeptForClients,
  users_affected: KeptForClients,
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
      Type.Array(ConditionSet, { maxItems: 1000, description: 'Condition sets: the first that matches decides.' }),
    ),
    multivariate: Type.Optional(
      nullable(
        Type.Object({
          variants: Type.Optional(Type.Array(Variant, { maxItems: 100, description: 'Their percentages sum to 100.' })),
        }),
      ),
    ),
    aggregation_group_type_index: Type.Optional(GroupTypeIndex),
    payloads: Type.Optional(
      nullable(Type.Record(Type.String(), Type.Unknown()), {
        description: 'JSON, as text or as it is, by variant; of a flag without variants by `true`.',
      }),
    ),
    super_groups: Type.Optional(
      nullable(Type.Array(ConditionSet, { maxItems: 10, description: 'Enrollment: decides those that it knows.' })),
    ),
    feature_enrollment: Type.Optional(
      nullable(
        Type.Boolean({ description: 'The person property `$feature_enrollment/<key>` decides, where it is set.' }),
      ),
    ),
    holdout: Type.Optional(
      nullable(Type.Object({ id: Type.Integer({ minimum: 1 }), exclusion_percentage: Percentage }), {
        description: 'Who is left out of experiments.',
      }),
    ),
    holdout_groups: Type.Optional(nullable(Type.Array(ConditionSet, { maxItems: 10 }))),
    early_exit: Type.Optional(
      nullable(
        Type.Boolean({ description: 'Who matches a condition set but not its percentage is not asked the next.' }),
      ),
    ),
  },
  { title: 'FlagFilters' },
);
/** As it is given. */
export type GivenFilters = Static<typeof Filters>;

/** As it is stored: with condition sets, and payloads as JSON texts. */
export type FlagFilters = Omit<GivenFilters, 'groups' | 'payloads'> & {
  groups: ConditionSet[];
  payloads?: Record<string, string>;
};

/** Filters of a flag that says nothing: everybody gets it. */
export const EVERYBODY: FlagFilters = { groups: [{ properties: [], rollout_percentage: 100 }] };

/** Filters of a new flag that is read for its payload: clients of upstream leave its percentage at 0 and mean everybody. */
export function rolledOut(filters: FlagFilters): FlagFilters {
  const groups = filters.groups.map((set) => ({ ...set, rollout_percentage: set.rollout_percentage || 100 }));
  return { ...filters, groups: groups.length > 0 ? groups : EVERYBODY.groups };
}

export function variantsOf({ multivariate }: Pick<GivenFilters, 'multivariate'>): readonly Variant[] {
  return multivariate?.variants ?? [];
}

/** Each condition of the condition sets, and where it stands: `filters__groups__0__properties__1`. */
export function conditionsOf({ groups }: Pick<FlagFilters, 'groups'>) {
  return groups.flatMap((set, i) =>
    (set.properties ?? []).map((property, j) => ({
      set,
      property,
      attr: `filters__groups__${i}__properties__${j}`,
    })),
  );
}
