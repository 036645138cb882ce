/** Decide as `/api/schema/` describes it. It is answered before the router, so nothing is checked against these schemas. */
import type { DescribedRoute } from '../../platform/http/route.ts';
import { nullable, Type } from '../../platform/schema.ts';
import { LIMITS } from './limits.ts';

const values = Type.Record(Type.String(), Type.Unknown());

const Request = Type.Object(
  {
    api_key: Type.String({ description: 'The public key of the project (`phc_…`); `token` is read too.' }),
    distinct_id: Type.String({ description: `Who asks; cut after ${LIMITS.distinctIdLength} characters.` }),
    groups: Type.Optional(Type.Record(Type.String(), Type.String(), { description: 'Keys by types of groups.' })),
    person_properties: Type.Optional(Type.Intersect([values], { description: 'Over those that are stored.' })),
    group_properties: Type.Optional(
      Type.Record(Type.String(), values, { description: 'By types of groups; over those that are stored.' }),
    ),
    $anon_distinct_id: Type.Optional(
      Type.String({
        description:
          'Under which the person was known before: flags that keep their answer do. Also read in `person_properties`.',
      }),
    ),
    $device_id: Type.Optional(Type.String()),
    flag_keys_to_evaluate: Type.Optional(Type.Array(Type.String(), { description: 'Only these.' })),
    evaluation_contexts: Type.Optional(
      Type.Array(Type.String(), { description: 'Of flags that are for some contexts only, those for one of these.' }),
    ),
    evaluation_runtime: Type.Optional(
      Type.String({ description: '`client` or `server`; any other text is `all`.', examples: ['server'] }),
    ),
    geoip_disable: Type.Optional(Type.Boolean({ description: 'The address that headers give says nothing.' })),
    disable_flags: Type.Optional(Type.Boolean({ description: 'Only the configuration.' })),
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
      payload: nullable(Type.String({ description: 'JSON.' })),
      has_experiment: Type.Boolean(),
    }),
    failed: Type.Optional(Type.Literal(true, { description: 'It could not be decided.' })),
  },
  { title: 'FlagDetails' },
);

const around = {
  errorsWhileComputingFlags: Type.Boolean({ description: 'Flags could not be decided: keep what you have of them.' }),
  requestId: Type.String({ format: 'uuid' }),
  evaluatedAt: Type.Integer({ description: 'Milliseconds since 1970.' }),
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
          'On, off or a variant. `v=2` of decide leaves out what is off; `v=1` is a list of keys that are on.',
      },
    ),
    featureFlagPayloads: Type.Optional(
      Type.Record(Type.String(), Type.String(), { description: 'From `v=3` of decide on.' }),
    ),
    ...around,
    ...configuration,
  },
  { title: 'FlagValues' },
);

const AllDetails = Type.Object(
  { flags: Type.Record(Type.String(), Details), ...around, ...configuration },
  { title: 'FlagsDetails' },
);

/** With `disable_flags`. */
const Configured = Type.Required(Type.Object(configuration), { title: 'ConfigurationOnly' });

const access = { public: true } as const;
const version = Type.Optional(
  Type.String({ description: 'Of the answer, a number; anything else counts as 1.', examples: ['2'] }),
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
    summary: 'Tell a configuration that names no project and no flags',
    description: 'What SDKs ask that only want to know whether the server is there.',
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
    summary: 'Decide flags, with the configuration',
    description:
      '`v=3` answers values and payloads, `v=4` details. The header `HTTP_X_FORWARDED_FOR`, or `X-Forwarded-For`, gives the ' +
      'address whose place counts instead of the stored one.',
  },
  {
    method: 'post',
    path: '/flags/',
    access,
    query: Type.Object({
      v: version,
      config: Type.Optional(
        Type.String({
          description: '`true` or `1`: with the configuration; anything else: without.',
          examples: ['true'],
        }),
      ),
    }),
    body: Request,
    example,
    refusals,
    answers: { 200: Type.Union([AllDetails, Values, Configured]) },
    summary: 'Decide flags',
    description:
      '`v=2` and above answer details, `v=1` values and payloads; neither `v` nor `config`: details and configuration.',
  },
];
