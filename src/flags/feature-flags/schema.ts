/** Feature flags on the wire. */
import { NEWEST, type Sdk } from '../definitions/sdk-differences.ts';
import { LEVELS } from '../../platform/http/access.ts';
import { UserBody } from '../../people/accounts/users.ts';
import { nullable, stringEnum, Type, type Static } from '../../platform/schema.ts';
import { IDENTIFIERS, RUNTIMES } from './feature-flags.store.ts';
import { IgnoredMembers } from './checks/check-members.ts';
import { Filters } from './filters.ts';
import { STATUSES } from './status.ts';

const Id = Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1 });
export const FlagParams = Type.Object({ id: Id });
/** The flag of `FlagParams`, as it is protected. */
export const ONE_FLAG = { resource: 'feature_flag', param: 'id' } as const;

const Key = Type.String({ minLength: 1, description: 'How SDKs call it: letters, digits, `-` and `_`; 400 at most.' });
const Tags = Type.Array(Type.String({ minLength: 1, maxLength: 255 }), { maxItems: 100 });
const Contexts = nullable(Tags, { description: 'Where the flag counts: requests that name others do not get it.' });
const given = {
  name: Type.Optional(Type.String({ maxLength: 10_000, description: 'Describes the flag.' })),
  filters: Type.Optional(Filters),
  active: Type.Optional(Type.Boolean()),
  ensure_experience_continuity: Type.Optional(
    nullable(Type.Boolean(), { description: 'People keep their answer when they are identified.' }),
  ),
  evaluation_runtime: Type.Optional(nullable(stringEnum(RUNTIMES, { description: 'Which SDKs get it.' }))),
  bucketing_identifier: Type.Optional(nullable(stringEnum(IDENTIFIERS, { description: 'What percentages are of.' }))),
  evaluation_contexts: Type.Optional(Contexts),
  evaluation_tags: Type.Optional(Contexts),
  tags: Type.Optional(nullable(Tags)),
  is_remote_configuration: Type.Optional(
    nullable(Type.Boolean(), { description: 'Read for its payload; a new one by everybody.' }),
  ),
  has_encrypted_payloads: Type.Optional(
    nullable(Type.Boolean(), { description: 'The payload is masked, and readable by `remote_config` only.' }),
  ),
  rollout_percentage: Type.Optional(
    Type.Unknown({ description: 'Refused: percentages are those of condition sets, `filters.groups[]`.' }),
  ),
};

export const NewFlagBody = Type.Object({ key: Key, ...given }, { title: 'NewFeatureFlag' });
export type NewFlagBody = Static<typeof NewFlagBody>;

export const FlagPatchBody = Type.Object(
  {
    key: Type.Optional(Key),
    ...given,
    deleted: Type.Optional(Type.Boolean({ description: 'A deleted flag can be restored until its key is taken.' })),
    version: Type.Optional(
      Type.Integer({ description: 'That was read. Alone it refuses nothing: see `original_flag`.' }),
    ),
    original_flag: Type.Optional(
      nullable(Type.Record(Type.String(), Type.Unknown()), {
        description:
          'The flag as it was read, where `version` is an older one: a field that is to be another than there, and was changed since, is a conflict (409).',
      }),
    ),
  },
  { title: 'FeatureFlagPatch', description: 'What is left out stays; `filters` is replaced as a whole.' },
);
export type FlagPatchBody = Static<typeof FlagPatchBody>;

export const FlagPutBody = Type.Object(
  { ...FlagPatchBody.properties, key: Key },
  { title: 'FeatureFlagPut', description: 'Like a PATCH that has to say the key.' },
);

const LocalEvaluation = Type.Object(
  {
    evaluable: Type.Boolean(),
    reason: nullable(Type.String({ description: 'Why SDKs must ask the server.' })),
    differing_sdks: Type.Array(
      Type.Object({
        sdk: stringEnum(Object.keys(NEWEST) as Sdk[]),
        versions: Type.String({ description: '`<5.37.0`; `<=3.23.2`: up to the newest that is known.' }),
        reason: Type.String(),
      }),
      { description: 'Released SDKs that decide it otherwise than the server, and do not ask.' },
    ),
  },
  { description: 'Whether SDKs can evaluate it by themselves, as of posthog-node 5.70 and posthog-python 7.91.' },
);
const Used = Type.Object({ id: Type.String({ format: 'uuid' }), name: Type.String() });

const Instant = Type.String({ format: 'date-time' });

/** Fields of upstream's, for what is not done here, or asked elsewhere: clients may rely on their being there. */
const elsewhere = {
  analytics_dashboards: Type.Array(Type.Integer(), { maxItems: 0 }),
  archived: Type.Literal(false),
  has_enriched_analytics: Type.Literal(false),
  is_used_in_replay_settings: Type.Literal(false),
  last_called_at: Type.Null({ description: 'See `/feature_flags/usage/`.' }),
  performed_rollback: Type.Null(),
  rollback_conditions: Type.Null(),
  usage_dashboard: Type.Null(),
};

export const FlagBody = Type.Object(
  {
    id: Type.Integer(),
    key: Type.String(),
    name: Type.String({ description: 'Describes the flag.' }),
    filters: Filters,
    active: Type.Boolean(),
    deleted: Type.Boolean(),
    version: Type.Integer({ description: 'Rises with every change.' }),
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
    has_encrypted_payloads: Type.Boolean({ description: 'The payload is shown masked.' }),
    local_evaluation: LocalEvaluation,
    experiment_set: Type.Array(Type.Integer(), { description: 'Ids of experiments.' }),
    experiment_set_metadata: Type.Array(
      Type.Object({ id: Type.Integer(), name: Type.String(), is_running: Type.Boolean() }),
    ),
    features: Type.Array(Type.Object({ ...Used.properties, stage: Type.String() }), {
      description: 'Early access features.',
    }),
    surveys: Type.Array(Used, { description: 'Those that are linked to it.' }),
    ...elsewhere,
    status: stringEnum(STATUSES.map((one) => one.toUpperCase() as Uppercase<typeof one>)),
    can_edit: Type.Boolean(),
    ignored_members: IgnoredMembers,
    user_access_level: stringEnum(LEVELS),
  },
  { title: 'FeatureFlag' },
);
export type FlagBody = Static<typeof FlagBody>;

export const FlagStatusBody = Type.Object({ status: stringEnum(STATUSES), reason: Type.String() });
