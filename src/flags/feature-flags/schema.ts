/** Feature flags on the wire. */
import { NEWEST, type Sdk } from '../definitions/sdk-differences.ts';
import { LEVELS } from '../../platform/http/access.ts';
import { UserBody } from '../../people/accounts/users.ts';
import { nullable, stringEnum, Type, type Static } from '../../platform/schema.ts';
import { IDENTIFIERS, RUNTIMES } from './feature-flags.store.ts';
import { IgnoredFields } from './checks/ignored-fields.ts';
import { Filters } from './filters.ts';
import { STATUSES } from './status.ts';

const Id = Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1 });
export const FlagParams = Type.Object({ id: Id });
/** The protected object that `FlagParams` name. */
export const FLAG_IN_PATH = { resource: 'feature_flag', param: 'id' } as const;

const Key = Type.String({
  minLength: 1,
  description: 'The key that SDKs use: at most 400 letters, digits, `-` and `_`.',
});
const Tags = Type.Array(Type.String({ minLength: 1, maxLength: 255 }), { maxItems: 100 });
const Contexts = nullable(Tags, {
  description: 'The evaluation contexts of the flag: requests that specify only other contexts do not receive it.',
});
const given = {
  name: Type.Optional(Type.String({ maxLength: 10_000, description: 'A description of the flag.' })),
  filters: Type.Optional(Filters),
  active: Type.Optional(Type.Boolean()),
  ensure_experience_continuity: Type.Optional(
    nullable(Type.Boolean(), { description: 'Whether a person keeps the same value after being identified.' }),
  ),
  evaluation_runtime: Type.Optional(nullable(stringEnum(RUNTIMES, { description: 'Which SDKs receive the flag.' }))),
  bucketing_identifier: Type.Optional(
    nullable(stringEnum(IDENTIFIERS, { description: 'The ID that rollout percentages are based on.' })),
  ),
  evaluation_contexts: Type.Optional(Contexts),
  evaluation_tags: Type.Optional(Contexts),
  tags: Type.Optional(nullable(Tags)),
  is_remote_configuration: Type.Optional(
    nullable(Type.Boolean(), {
      description: 'Whether the flag only provides a payload; a new remote configuration applies to everyone.',
    }),
  ),
  has_encrypted_payloads: Type.Optional(
    nullable(Type.Boolean(), {
      description:
        'Whether payloads are encrypted; they are masked in responses and readable only through `remote_config`.',
    }),
  ),
  rollout_percentage: Type.Optional(
    Type.Unknown({ description: 'Not accepted here; use `filters.groups[].rollout_percentage`.' }),
  ),
};

export const NewFlagBody = Type.Object({ key: Key, ...given }, { title: 'NewFeatureFlag' });
export type NewFlagBody = Static<typeof NewFlagBody>;

export const FlagPatchBody = Type.Object(
  {
    key: Type.Optional(Key),
    ...given,
    deleted: Type.Optional(
      Type.Boolean({
        description: 'Whether the flag is deleted. A deleted flag can be restored until its key is reused.',
      }),
    ),
    version: Type.Optional(
      Type.Integer({ description: 'The version of the flag that was read. It has no effect without `original_flag`.' }),
    ),
    original_flag: Type.Optional(
      nullable(Type.Record(Type.String(), Type.Unknown()), {
        description:
          'The flag as it was read at `version`. A field that differs from it and was changed to another value since ' +
          'then is a conflict (409).',
      }),
    ),
  },
  { title: 'FeatureFlagPatch', description: 'Omitted fields keep their values; `filters` is replaced as a whole.' },
);
export type FlagPatchBody = Static<typeof FlagPatchBody>;

export const FlagPutBody = Type.Object(
  { ...FlagPatchBody.properties, key: Key },
  { title: 'FeatureFlagPut', description: 'The same as for PATCH, with the key required.' },
);

const LocalEvaluation = Type.Object(
  {
    evaluable: Type.Boolean(),
    reason: nullable(
      Type.String({ description: 'Why SDKs must evaluate the flag on the server; null if they need not.' }),
    ),
    differing_sdks: Type.Array(
      Type.Object({
        sdk: stringEnum(Object.keys(NEWEST) as Sdk[]),
        versions: Type.String({
          description:
            'The affected versions, such as `<5.37.0`, or `<=3.23.2` if the newest known version is affected.',
        }),
        reason: Type.String(),
      }),
      { description: 'Released SDKs that evaluate the flag locally with a different result than the server.' },
    ),
  },
  { description: 'Whether SDKs can evaluate the flag locally, as of posthog-node 5.70 and posthog-python 7.91.' },
);
const Used = Type.Object({ id: Type.String({ format: 'uuid' }), name: Type.String() });

const Instant = Type.String({ format: 'date-time' });

/** Upstream's fields for features that do not exist here, with constant values, because clients may expect the fields. */
const unsupportedFields = {
  analytics_dashboards: Type.Array(Type.Integer(), { maxItems: 0 }),
  archived: Type.Literal(false),
  has_enriched_analytics: Type.Literal(false),
  is_used_in_replay_settings: Type.Literal(false),
  last_called_at: Type.Null({ description: 'Always null; see `/feature_flags/usage/`.' }),
  performed_rollback: Type.Null(),
  rollback_conditions: Type.Null(),
  usage_dashboard: Type.Null(),
};

export const FlagBody = Type.Object(
  {
    id: Type.Integer(),
    key: Type.String(),
    name: Type.String({ description: 'A description of the flag.' }),
    filters: Filters,
    active: Type.Boolean(),
    deleted: Type.Boolean(),
    version: Type.Integer({ description: 'The version number, incremented with every change.' }),
    created_at: Instant,
    updated_at: Instant,
    created_by: nullable(UserBody),
    last_modified_by: nullable(UserBody),
    ensure_experience_continuity: Type.Boolean(),
    evaluation_runtime: stringEnum(RUNTIMES),
    bucketing_identifier: stringEnum(IDENTIFIERS),
    evaluation_contexts: Tags,
    evaluation_tags: Tags,
    tags: Tags,
    is_remote_configuration: Type.Boolean(),
    has_encrypted_payloads: Type.Boolean({ description: 'Whether payloads are encrypted and masked in responses.' }),
    local_evaluation: LocalEvaluation,
    experiment_set: Type.Array(Type.Integer(), { description: 'The IDs of the experiments that use the flag.' }),
    experiment_set_metadata: Type.Array(
      Type.Object({ id: Type.Integer(), name: Type.String(), is_running: Type.Boolean() }),
    ),
    features: Type.Array(Type.Object({ ...Used.properties, stage: Type.String() }), {
      description: 'The early access features that use the flag.',
    }),
    surveys: Type.Array(Used, { description: 'The surveys that are linked to the flag.' }),
    ...unsupportedFields,
    status: stringEnum(STATUSES.map((status) => status.toUpperCase() as Uppercase<typeof status>)),
    can_edit: Type.Boolean(),
    ignored_members: IgnoredFields,
    user_access_level: stringEnum(LEVELS),
  },
  { title: 'FeatureFlag' },
);
export type FlagBody = Static<typeof FlagBody>;

export const FlagStatusBody = Type.Object({ status: stringEnum(STATUSES), reason: Type.String() });
