/** Descriptions of decide for `/api/schema/`. A raw handler answers it, so requests are not checked against these schemas. */
import type { DescribedRoute } from '../../platform/http/route.ts';
import { nullable, Type } from '../../platform/schema.ts';
import { LIMITS } from './limits.ts';

const values = Type.Record(Type.String(), Type.Unknown());

const Request = Type.Object(
  {
    api_key: Type.String({ description: 'The public key of the project (`phc_…`); also accepted as `token`.' }),
    distinct_id: Type.String({
      description: `The distinct ID of the person to evaluate flags for; truncated to ${LIMITS.distinctIdLength} characters.`,
    }),
    groups: Type.Optional(Type.Record(Type.String(), Type.String(), { description: 'Group keys by group type.' })),
    person_properties: Type.Optional(
      Type.Intersect([values], { description: 'Person properties that override the stored ones.' }),
    ),
    group_properties: Type.Optional(
      Type.Record(Type.String(), values, {
        description: 'Group properties by group type, which override the stored ones.',
      }),
    ),
    $anon_distinct_id: Type.Optional(
      Type.String({
        description:
          'The previous, anonymous distinct ID of the person, used by flags with experience continuity to keep their ' +
          'answer. Also accepted in `person_properties`.',
      }),
    ),
    $device_id: Type.Optional(Type.String()),
    flag_keys_to_evaluate: Type.Optional(
      Type.Array(Type.String(), { description: 'The keys of the flags to evaluate; all flags by default.' }),
    ),
    evaluation_contexts: Type.Optional(
      Type.Array(Type.String(), {
        description:
          'The evaluation contexts of the request: flags that are restricted to contexts are returned only if one of ' +
          'theirs is listed.',
      }),
    ),
    evaluation_runtime: Type.Optional(
      Type.String({
        description: 'The runtime of the caller: `client` or `server`; any other value means `all`.',
        examples: ['server'],
      }),
    ),
    geoip_disable: Type.Optional(
      Type.Boolean({ description: 'If true, the IP address of the request is not used for location properties.' }),
    ),
    disable_flags: Type.Optional(
      Type.Boolean({ description: 'If true, the response has the configuration but no flags.' }),
    ),
  },
  { title: 'DecideRequest' },
);

const Details = Type.Object(
  {
    key: Type.String(),
    enabled: Type.Boolean(),
    variant: nullable(Type.String()),
    reason: Type.Object({
      code: Type.String(),
      condition_index: nullable(Type.Integer()),
      description: Type.String(),
    }),
    metadata: Type.Object({
      id: Type.Integer(),
      version: Type.Integer(),
      description: Type.Null(),
      payload: nullable(Type.String({ description: 'The payload as JSON text; null if there is none.' })),
      has_experiment: Type.Boolean(),
    }),
    failed: Type.Optional(
      Type.Literal(true, { description: 'True if the flag could not be evaluated; absent otherwise.' }),
    ),
  },
  { title: 'FlagDetails' },
);

const envelope = {
  errorsWhileComputingFlags: Type.Boolean({
    description:
      'True if some flags could not be evaluated; clients should keep their previous values for these flags.',
  }),
  requestId: Type.String({ format: 'uuid' }),
  evaluatedAt: Type.Integer({ description: 'The time of the evaluation, in milliseconds since 1970.' }),
  quotaLimited: Type.Optional(Type.Array(Type.Literal('feature_flags'))),
};

const configuration = {
  config: Type.Optional(Type.Object({ enable_collect_everything: Type.Boolean() })),
  toolbarParams: Type.Optional(values),
  isAuthenticated: Type.Optional(Type.Boolean()),
  supportedCompression: Type.Optional(Type.Array(Type.String())),
};

const Values = Type.Object(
  {
    featureFlags: Type.Union(
      [Type.Record(Type.String(), Type.Union([Type.Boolean(), Type.String()])), Type.Array(Type.String())],
      {
        description:
          'Flag values by key: true, false or the key of a variant. `v=2` of decide omits disabled flags; `v=1` is a ' +
          'list of the keys of enabled flags.',
      },
    ),
    featureFlagPayloads: Type.Optional(
      Type.Record(Type.String(), Type.String(), {
        description: 'Payloads as JSON text, by flag key; included in decide from `v=3`.',
      }),
    ),
    ...envelope,
    ...configuration,
  },
  { title: 'FlagValues' },
);

const AllDetails = Type.Object(
  { flags: Type.Record(Type.String(), Details), ...envelope, ...configuration },
  { title: 'FlagsDetails' },
);

/** Answer to a request with `disable_flags`. */
const Configured = Type.Required(Type.Object(configuration), { title: 'ConfigurationOnly' });

const access = { public: true } as const;
const version = Type.Optional(
  Type.String({
    description: 'The version of the response format, a number; any other value means 1.',
    examples: ['2'],
  }),
);

const refusals = [400, 401, 402, 405, 413, 415, 429, 500, 503];
const example = { api_key: 'phc_project', distinct_id: 'user-1', person_properties: { plan: 'free' } };

export const decideRoutes: readonly DescribedRoute[] = [
  {
    method: 'get',
    path: '/flags/',
    access,
    refusals,
    answers: { 200: Type.Object({ ...configuration }, { title: 'MinimalConfiguration' }) },
    summary: 'Retrieve a minimal configuration without a project or flags',
    description: 'For SDKs that check whether the server is available.',
  },
  {
    method: 'post',
    path: '/decide/',
    access,
    query: Type.Object({ v: version }),
    body: Request,
    example,
    refusals,
    answers: { 200: Type.Union([Values, AllDetails, Configured]) },
    summary: 'Evaluate feature flags and retrieve the configuration',
    description:
      '`v=3` returns values and payloads, `v=4` details. An IP address in the `HTTP_X_FORWARDED_FOR` or ' +
      '`X-Forwarded-For` header determines location properties in place of the stored ones.',
  },
  {
    method: 'post',
    path: '/flags/',
    access,
    query: Type.Object({
      v: version,
      config: Type.Optional(
        Type.String({
          description: '`true` or `1` to include the configuration.',
          examples: ['true'],
        }),
      ),
    }),
    body: Request,
    example,
    refusals,
    answers: { 200: Type.Union([AllDetails, Values, Configured]) },
    summary: 'Evaluate feature flags',
    description:
      '`v=2` and above return details, `v=1` returns values and payloads. Without `v` and `config`, the response ' +
      'has details and the configuration.',
  },
];
