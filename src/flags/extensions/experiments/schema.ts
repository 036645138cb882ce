/** Experiments and holdouts on the wire. */
import { UserBody } from '../../../people/accounts/users.ts';
import { nullable, stringEnum, Type, type Static } from '../../../platform/schema.ts';
import { LinkedFlagBody } from '../../feature-flags/linked.ts';
import { TYPES } from './experiments.store.ts';
import { PHASES } from './phases.ts';

const Id = Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1 });
export const IdParams = Type.Object({ id: Id });

const Name = Type.String({ minLength: 1, maxLength: 400 });
const Description = nullable(Type.String({ maxLength: 10_000 }));
const Instant = Type.String({ format: 'date-time' });
const GivenInstant = nullable(Type.String({ description: 'ISO 8601; without a zone it is UTC.' }));
const Percentage = Type.Number({ minimum: 0, maximum: 100 });

const Variant = Type.Object({
  key: Type.String({ minLength: 1, maxLength: 400 }),
  name: Type.Optional(nullable(Type.String({ maxLength: 2000 }))),
  rollout_percentage: Percentage,
});

const Parameters = Type.Object(
  {
    feature_flag_variants: Type.Optional(
      nullable(Type.Array(Variant), { description: '2 to 10, `control` among them; of the flag.' }),
    ),
    aggregation_group_type_index: Type.Optional(nullable(Type.Integer({ minimum: 0, maximum: 4 }))),
    rollout_percentage: Type.Optional(
      nullable(Percentage, { description: 'Of those who take part, the holdout aside.' }),
    ),
  },
  { description: 'The first three are those of the flag; others are kept as they are.' },
);

const ExposureCriteria = Type.Object({
  multiple_variant_handling: Type.Optional(
    nullable(stringEnum(['exclude', 'first_seen'] as const), {
      description: 'Persons who saw more than one variant are left out, or count for the first.',
    }),
  ),
  filterTestAccounts: Type.Optional(nullable(Type.Boolean(), { description: 'Kept; projects have no test accounts.' })),
  exposure_config: Type.Optional(
    nullable(
      Type.Object({
        event: Type.Literal('$feature_flag_called', { description: 'Other exposures are not supported.' }),
      }),
    ),
  ),
});

/** Checked by `metrics.ts`, which says more than a schema could. */
const Metrics = Type.Optional(
  Type.Unknown({ description: 'A list, of 20 at most; docs/feature-flags.md says which there are.' }),
);

const given = {
  description: Type.Optional(Description),
  start_date: Type.Optional(GivenInstant),
  end_date: Type.Optional(GivenInstant),
  holdout_id: Type.Optional(nullable(Id)),
  parameters: Type.Optional(nullable(Parameters)),
  filters: Type.Optional(nullable(Type.Record(Type.String(), Type.Unknown()))),
  metrics: Metrics,
  metrics_secondary: Metrics,
  saved_metrics_ids: Type.Optional(nullable(Type.Array(Type.Unknown()))),
  exposure_criteria: Type.Optional(nullable(ExposureCriteria)),
  archived: Type.Optional(Type.Boolean()),
};

export const NewExperimentBody = Type.Object(
  {
    name: Name,
    feature_flag_key: Type.String({
      minLength: 1,
      description: 'Of a flag that has such variants, or of one to be made.',
    }),
    type: Type.Optional(nullable(stringEnum(TYPES))),
    ...given,
  },
  {
    title: 'NewExperiment',
    description: 'Without `start_date` it is a draft, and a flag that is made for it inactive.',
  },
);
export type NewExperimentBody = Static<typeof NewExperimentBody>;

export const ExperimentPatchBody = Type.Object(
  {
    name: Type.Optional(Name),
    feature_flag_key: Type.Optional(Type.String({ description: 'It stays.' })),
    ...given,
    deleted: Type.Optional(Type.Boolean({ description: 'It goes for good; its flag stays.' })),
  },
  {
    title: 'ExperimentPatch',
    description:
      'What is left out stays. Setting `start_date` launches it, `end_date` ends it; a date in the future has effect when it comes.',
  },
);
export type ExperimentPatchBody = Static<typeof ExperimentPatchBody>;

const HoldoutFilter = Type.Object({
  properties: Type.Optional(nullable(Type.Array(Type.Unknown(), { maxItems: 0 }))),
  rollout_percentage: Percentage,
  variant: Type.Optional(nullable(Type.String())),
});
const HoldoutFilters = Type.Array(HoldoutFilter, {
  minItems: 1,
  maxItems: 1,
  description: 'One, which says the percentage of all persons that is left out.',
});

export const NewHoldoutBody = Type.Object(
  { name: Name, description: Type.Optional(Description), filters: HoldoutFilters },
  { title: 'NewHoldout' },
);

export const HoldoutPatchBody = Type.Object(
  { name: Type.Optional(Name), description: Type.Optional(Description), filters: Type.Optional(HoldoutFilters) },
  { title: 'HoldoutPatch', description: 'What is left out stays; the flags of its experiments follow.' },
);

export const HoldoutBody = Type.Object(
  {
    id: Type.Integer(),
    name: Type.String(),
    description: Type.String(),
    filters: Type.Array(
      Type.Object({
        properties: Type.Array(Type.Unknown()),
        rollout_percentage: Percentage,
        variant: Type.String({ description: 'What those get who are left out.' }),
      }),
    ),
    created_by: nullable(UserBody),
    created_at: Instant,
    updated_at: Instant,
  },
  { title: 'Holdout' },
);

const Json = Type.Record(Type.String(), Type.Unknown());

export const ExperimentBody = Type.Object(
  {
    id: Type.Integer(),
    name: Type.String(),
    description: Type.String(),
    type: stringEnum(TYPES),
    start_date: nullable(Instant),
    end_date: nullable(Instant),
    status: stringEnum(PHASES, { description: 'By its dates and the time of the answer.' }),
    feature_flag_key: Type.String(),
    feature_flag: LinkedFlagBody,
    holdout: nullable(HoldoutBody),
    holdout_id: nullable(Type.Integer()),
    parameters: Json,
    filters: Json,
    metrics: Type.Array(Json),
    metrics_secondary: Type.Array(Json),
    saved_metrics: Type.Array(Json, { maxItems: 0 }),
    exposure_criteria: Json,
    archived: Type.Boolean(),
    deleted: Type.Boolean(),
    created_by: nullable(UserBody),
    created_at: Instant,
    updated_at: Instant,
  },
  { title: 'Experiment' },
);
export type ExperimentBody = Static<typeof ExperimentBody>;
export type HoldoutBody = Static<typeof HoldoutBody>;
