/** Descriptions of OFREP for `/api/schema/`. A raw handler answers it, so requests are not checked against these schemas. */
import type { DescribedRoute } from '../../platform/http/route.ts';
import { stringEnum, Type } from '../../platform/schema.ts';
import { EVENT_STREAM_PATH } from './event-streams.ts';
import { EVALUATE_PATH } from './paths.ts';

const values = Type.Record(Type.String(), Type.Unknown());
const keys = Type.Record(Type.String(), Type.Union([Type.String(), Type.Number()]), {
  description: 'Group keys by group type.',
});

const Request = Type.Object(
  {
    context: Type.Object(
      {
        targetingKey: Type.String({ description: 'The distinct ID of the person.' }),
        groups: Type.Optional(keys),
        group_properties: Type.Optional(Type.Record(Type.String(), values)),
      },
      { description: 'The evaluation context; all other fields are person properties.' },
    ),
  },
  { title: 'OfrepRequest' },
);

const Result = Type.Object(
  {
    key: Type.String(),
    reason: stringEnum(['STATIC', 'TARGETING_MATCH', 'SPLIT', 'DISABLED'] as const),
    value: Type.Optional(
      Type.Union([Type.Boolean(), Type.String()], {
        description: 'The value of the flag; if absent, the default in the code applies.',
      }),
    ),
    variant: Type.String({ description: 'The value as text; empty if there is no value.' }),
    metadata: Type.Object({
      id: Type.Integer(),
      version: Type.Integer(),
      reason: Type.String({ description: 'The reason as in decide responses.' }),
      condition_index: Type.Optional(Type.Integer()),
      payload: Type.Optional(Type.String({ description: 'The payload as JSON text; absent if there is none.' })),
    }),
  },
  { title: 'OfrepResult' },
);

const Failure = Type.Object(
  {
    key: Type.String(),
    errorCode: stringEnum([
      'PARSE_ERROR',
      'TARGETING_KEY_MISSING',
      'INVALID_CONTEXT',
      'FLAG_NOT_FOUND',
      'GENERAL',
    ] as const),
    errorDetails: Type.String(),
  },
  { title: 'OfrepFailure' },
);

const Results = Type.Object(
  {
    flags: Type.Array(Type.Union([Result, Failure])),
    eventStreams: Type.Array(
      Type.Object({
        type: Type.Literal('sse'),
        url: Type.String({ format: 'uri' }),
        inactivityDelaySec: Type.Integer(),
      }),
    ),
  },
  { title: 'OfrepResults' },
);

const access = { public: true } as const;
const security = ['projectKey', 'projectKeyHeader'] as const;
/** Refusals before the protocol's own errors apply. */
const Refused = Type.Object({ errorDetails: Type.String() }, { title: 'OfrepRefused' });
const refusals = { 401: Refused, 403: Refused, 405: Refused, 429: Refused, 500: Refused, 503: Refused };
const Unread = Type.Object(
  { errorCode: Failure.properties.errorCode, errorDetails: Type.String() },
  { title: 'OfrepUnread' },
);
const example = { context: { targetingKey: 'user-1', plan: 'free' } };
const description =
  'OpenFeature Remote Evaluation Protocol. The key of the project, `phc_…` or `phs_…`, is sent as `Authorization: Bearer` or ' +
  '`X-API-Key`. Errors follow the protocol.';

export const ofrepRoutes: readonly DescribedRoute[] = [
  {
    method: 'post',
    path: `${EVALUATE_PATH}/`,
    access,
    security,
    example,
    query: Type.Object({
      flagConfigEtag: Type.Optional(Type.String({ description: 'The ETag from the event that announced a change.' })),
    }),
    body: Request,
    refusals: [],
    answers: { 200: Results, 304: null, 400: Unread, ...refusals },
    summary: 'Evaluate all flags (OFREP)',
    description,
  },
  {
    method: 'post',
    path: `${EVALUATE_PATH}/:key/`,
    access,
    security,
    example,
    operationId: 'ofrep_v1_evaluate_flag_create',
    params: Type.Object({ key: Type.String({ description: 'The key of the flag.' }) }),
    body: Request,
    refusals: [],
    answers: { 200: Result, 400: Failure, 404: Failure, ...refusals },
    summary: 'Evaluate a flag (OFREP)',
    description,
  },
  {
    method: 'get',
    path: `${EVENT_STREAM_PATH}/`,
    access,
    query: Type.Object({
      token: Type.String({ description: 'The token from the URL in a bulk evaluation response.' }),
      since: Type.Optional(Type.String({ description: 'The version of the definitions that the client has.' })),
    }),
    refusals: [],
    answers: { 200: Type.String(), 401: Refused, 405: Refused, 429: Refused, 500: Refused, 503: Refused },
    produces: 'text/event-stream',
    summary: 'Subscribe to flag changes (OFREP)',
    description:
      'A stream of server-sent events at the URL from a bulk evaluation response. `{"type": ' +
      '"refetchEvaluation"}` means that the flags should be evaluated again.',
  },
];
