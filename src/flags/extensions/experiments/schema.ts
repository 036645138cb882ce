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
const GivenInstant = nullable(Type.String({ description: 'An ISO 8601 datetime, in UTC if it has no time zone.' }));
const Percentage = Type.Number({ minimum: 0, maximum: 100 });

const Variant = Type.Object({
  key: Type.String({ minLength: 1, maxLength: 400 }),
  name: Type.Optional(nullable(Type.String({ maxLength: 2000 }))),
  rollout_percentage: Percentage,
});

const Parameters = Type.Object(
  {
    feature_flag_variants: Type.Optional(
      nullable(Type.Array(Variant), { description: 'The variants of the flag: 2 to 10, including `control`.' }),
    ),
    aggregation_group_type_index: Type.Optional(nullable(Type.Integer({ minimum: 0, maximum: 4 }))),
    rollout_percentage: Type.Optional(
      nullable(Percentage, {
        description: 'The percentage of persons who take part in the experiment, excluding the holdout.',
      }),
    ),
  },
  {
    description:
      'The settings of the flag: the variants, the group type and the rollout percentage. Other fields are ' +
      'stored unchanged.',
  },
);

const ExposureCriteria = Type.Object({
  multiple_variant_handling: Type.Optional(
    nullable(stringEnum(['exclude', 'first_seen'] as const), {
      description: 'Whether persons who saw more than one variant are excluded or counted for the first one.',
    }),
  ),
  filterTestAccounts: Type.Optional(
    nullable(Type.Boolean(), { description: 'Stored but without effect, since projects have no test accounts.' }),
  ),
  exposure_config: Type.Optional(
    nullable(
      Type.Object({
        event: Type.Literal('$feature_flag_called', {
          description: 'The exposure event; other events are not supported.',
        }),
      }),
    ),
  ),
});

/** Metrics of any form; `metrics.ts` checks them, with better errors than a schema could give. */
const Metrics = Type.Optional(
  Type.Unknown({ description: 'A list of at most 20 metrics, described in docs/feature-flags.md.' }),
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
      description: 'The key of an existing flag with suitable variants, or of a flag to create.',
    }),
    type: Type.Optional(nullable(stringEnum(TYPES))),
    ...given,
  },
  {
    title: 'NewExperiment',
    description: 'An experiment without `start_date` is a draft, and a flag created for it is inactive.',
  },
);
export type NewExperimentBody = Static<typeof NewExperimentBody>;

export const ExperimentPatchBody = Type.Object(
  {
    name: Type.Optional(Name),
    feature_flag_key: Type.Optional(Type.String({ description: 'The key of the flag, which cannot be changed.' })),
    ...given,
    deleted: Type.Optional(
      Type.Boolean({ description: 'True to delete the experiment permanently; its flag is kept.' }),
    ),
  },
  {
    title: 'ExperimentPatch',
    description:
      'Omitted fields keep their values. `start_date` launches the experiment and `end_date` ends it; a date in ' +
      'the future takes effect at that time.',
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
  description: 'A list of one filter with the percentage of all persons to hold out.',
});

export const NewHoldoutBody = Type.Object(
  { name: Name, description: Type.Optional(Description), filters: HoldoutFilters },
  { title: 'NewHoldout' },
);

export const HoldoutPatchBody = Type.Object(
  { name: Type.Optional(Name), description: Type.Optional(Description), filters: Type.Optional(HoldoutFilters) },
  {
    title: 'HoldoutPatch',
    description: 'Omitted fields keep their values; the flags of the experiments with this holdout are updated.',
  },
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
        variant: Type.String({ description: 'The variant for persons who are held out.' }),
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
    status: stringEnum(PHASES, {
      description: 'The status of the experiment, derived from its dates and the current time.',
    }),
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
