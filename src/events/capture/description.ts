/** Capture as `/api/schema/` describes it. These schemas check no request, because capture answers before the router. */
import { ErrorBody } from '../../platform/http/error-body.ts';
import type { DescribedRoute } from '../../platform/http/route.ts';
import { nullable, stringEnum, Type } from '../../platform/schema.ts';
import { LIMITS } from './limits.ts';
import { CAPTURE_PATHS, CSP_PATH, REPLAY_PATH, V1_PATH } from './paths.ts';

const token = Type.String({ description: 'The public key of the project (`phc_…`); also accepted as `token`.' });
const queryToken = Type.String({
  description: 'The public key of the project, if not in the body; also accepted as `api_key`.',
});
const AnyObject = Type.Record(Type.String(), Type.Unknown());

const CapturedEvent = Type.Object(
  {
    api_key: Type.Optional(token),
    event: Type.String({
      minLength: 1,
      description: `The name of the event; truncated to ${LIMITS.eventNameLength} characters.`,
    }),
    distinct_id: Type.String({
      minLength: 1,
      description: `The distinct ID of the person; truncated to ${LIMITS.distinctIdLength} characters.`,
    }),
    properties: Type.Optional(AnyObject),
    timestamp: Type.Optional(
      Type.String({
        format: 'date-time',
        description:
          'The time of the event in ISO 8601; seconds or milliseconds since 1970, RFC 2822 and `11/20/2026` are also ' +
          'accepted. The time of arrival is used if it is missing, invalid or more than 23 hours in the future.',
      }),
    ),
    offset: Type.Optional(
      Type.Number({
        description: 'The number of milliseconds between the event and its arrival; takes precedence over `timestamp`.',
      }),
    ),
    uuid: Type.Optional(
      Type.String({
        format: 'uuid',
        description: 'The UUID of the event; events sent repeatedly with the same UUID are stored once.',
      }),
    ),
    $set: Type.Optional(AnyObject),
    $set_once: Type.Optional(AnyObject),
    $unset: Type.Optional(Type.Array(Type.String(), { description: 'The names of person properties to remove.' })),
  },
  { title: 'CapturedEvent' },
);

const CapturedBatch = Type.Object(
  {
    api_key: token,
    batch: Type.Array(CapturedEvent, { minItems: 1, maxItems: LIMITS.eventsPerRequest }),
    sent_at: Type.Optional(
      Type.String({
        format: 'date-time',
        description: 'The time of sending by the clock of the client, used to correct timestamps.',
      }),
    ),
    historical_migration: Type.Optional(
      Type.Boolean({
        description:
          'If true, stores the events by their timestamps as historical data. Requires a bearer key with the scope ' +
          'event:write, or a project setting.',
      }),
    ),
  },
  { title: 'CapturedBatch' },
);

const CaptureBody = Type.Union([CapturedEvent, Type.Array(CapturedEvent), CapturedBatch]);

const EngagedEvent = Type.Object(
  { ...CapturedEvent.properties, event: Type.Optional(CapturedEvent.properties.event) },
  { title: 'EngagedEvent' },
);
const EngagedBatch = Type.Object(
  {
    ...CapturedBatch.properties,
    batch: Type.Array(EngagedEvent, { minItems: 1, maxItems: LIMITS.eventsPerRequest }),
  },
  { title: 'EngagedBatch' },
);
const EngageBody = Type.Union([EngagedEvent, Type.Array(EngagedEvent), EngagedBatch]);

const StoredAnswer = Type.Object(
  {
    status: Type.Literal(1),
    rejected: Type.Optional(
      Type.Array(Type.Intersect([Type.Object({ index: Type.Integer() }), ErrorBody]), {
        description: 'The events that were not stored, by their index in the request; all others were stored.',
      }),
    ),
    warnings: Type.Optional(
      Type.Array(Type.Object({ code: Type.String(), detail: Type.String() }), {
        description: 'Changes that were made to all events of the request before they were stored.',
      }),
    ),
  },
  { title: 'Stored' },
);

const sharedQuery = {
  compression: Type.Optional(
    stringEnum(['gzip', 'gzip-js', 'base64', 'b64', 'lz64', 'lz-string'] as const, {
      description: 'The compression of the body; only lz64 must be specified.',
    }),
  ),
  token: Type.Optional(queryToken),
  _: Type.Optional(
    Type.Integer({
      description: 'The time of sending by the clock of the client, in milliseconds since 1970, if not in the body.',
    }),
  ),
  beacon: Type.Optional(stringEnum(['1'] as const, { description: 'If set, the response is 204 without a body.' })),
};
const answers = { 200: StoredAnswer, 204: null };
const access = { public: true } as const;

const description =
  'The body is JSON, whatever its content type: an event, an array of events, or a batch. It may be compressed with gzip or as ' +
  '`Content-Encoding` says (gzip, deflate, br, zstd), or encoded as base64 or lz64, also as the field `data` of a form.';

const v0Routes = CAPTURE_PATHS.flatMap((path): DescribedRoute[] => [
  {
    method: 'post',
    path: `${path}/`,
    access,
    tag: 'capture',
    errors: [400, 401, 403, 413, 415, 429],
    query: Type.Object(sharedQuery),
    example: { api_key: 'phc_project', event: 'bought', distinct_id: 'user-1', properties: { cups: 2 } },
    body: path === '/engage' ? EngageBody : CaptureBody,
    answers,
    summary: 'Capture events',
    description: path === '/engage' ? `${description} An event without a name is \`$identify\`.` : description,
  },
  {
    method: 'get',
    path: `${path}/`,
    access,
    tag: 'capture',
    errors: [400, 401, 403, 413, 415, 429],
    query: Type.Object({
      data: Type.String({
        description: 'The body, as text.',
        examples: ['{"api_key":"phc_project","event":"bought","distinct_id":"user-1"}'],
      }),
      ...sharedQuery,
    }),
    answers,
    summary: 'Capture events from query parameters',
  },
]);

const OptionalFlag = nullable(Type.Boolean());

const BatchV1 = Type.Object(
  {
    batch: Type.Array(
      Type.Object({
        event: CapturedEvent.properties.event,
        uuid: Type.String({
          format: 'uuid',
          description: 'The UUID of the event, unique in the batch; results refer to it.',
        }),
        distinct_id: CapturedEvent.properties.distinct_id,
        timestamp: CapturedEvent.properties.timestamp,
        session_id: Type.Optional(nullable(Type.String())),
        window_id: Type.Optional(nullable(Type.String())),
        options: Type.Optional(
          Type.Object({
            cookieless_mode: Type.Optional(OptionalFlag),
            disable_skew_correction: Type.Optional(OptionalFlag),
            process_person_profile: Type.Optional(OptionalFlag),
            product_tour_id: Type.Optional(nullable(Type.String())),
          }),
        ),
        properties: Type.Optional(AnyObject),
      }),
      { minItems: 1, maxItems: LIMITS.eventsPerRequest },
    ),
    created_at: Type.Optional(
      Type.String({
        format: 'date-time',
        description: 'The time at which the SDK created the batch; `PostHog-Request-Timestamp` takes precedence.',
      }),
    ),
    historical_migration: Type.Optional(
      Type.Boolean({
        description:
          'If true, stores the events by their timestamps as historical data, provided that the project permits this ' +
          'for its public key.',
      }),
    ),
  },
  { title: 'CapturedBatchV1' },
);

const ResultsV1 = Type.Object(
  {
    results: Type.Record(
      Type.String(),
      Type.Object({
        result: stringEnum(['ok', 'warning', 'drop'] as const, {
          description: '`ok`: stored. `warning`: stored with changes. `drop`: not stored and not to be sent again.',
        }),
        details: Type.Optional(
          Type.String({
            description: 'The code of an ingestion warning, such as `ignored_invalid_timestamp`; absent for `ok`.',
          }),
        ),
      }),
      { description: 'Results by event UUID.' },
    ),
  },
  { title: 'CaptureResults' },
);

const v1Route: DescribedRoute = {
  method: 'post',
  path: `${V1_PATH}/`,
  access,
  tag: 'capture',
  errors: [400, 401, 413, 415, 429],
  security: ['projectKey'],
  body: BatchV1,
  example: {
    created_at: '2026-11-20T10:05:03Z',
    batch: [
      {
        event: 'bought',
        uuid: '01a1fb4f-740a-709c-bc99-d4a204c30c55',
        distinct_id: 'user-1',
        timestamp: '2026-11-20T10:05:00Z',
        options: { process_person_profile: true },
        properties: { cups: 2 },
      },
    ],
  },
  answers: { 200: ResultsV1 },
  summary: 'Capture events with a result for each event',
  description:
    'Used by SDKs with `POSTHOG_CAPTURE_MODE=v1` or `capture_mode="v1"`. The body is JSON, optionally ' +
    'compressed with gzip, deflate, br or zstd. Headers: the key of the project as `Authorization: Bearer`, ' +
    'the time of sending by the clock of the client as `PostHog-Request-Timestamp`, and `$lib` and ' +
    '`$lib_version` as `PostHog-Sdk-Info: posthog-node/5.70.0`.',
};

const cspRoute: DescribedRoute = {
  method: 'post',
  path: `${CSP_PATH}/`,
  access,
  tag: 'capture',
  errors: [400, 401, 413, 415, 429],
  query: Type.Object({
    token: Type.String({ description: 'The public key of the project; also accepted as `api_key`.' }),
    distinct_id: Type.Optional(Type.String({ description: 'The distinct ID of the person; anonymous if omitted.' })),
    session_id: Type.Optional(Type.String({ description: 'The ID of the session; generated if omitted.' })),
    v: Type.Optional(Type.String({ description: 'The version of the policy, stored as `$csp_version`.' })),
    sample_rate: Type.Optional(
      Type.Number({
        description:
          'The share of reports to keep, from 0 to 1; for each document and minute, all reports are kept or none. ' +
          'Invalid values keep all reports.',
      }),
    ),
  }),
  body: Type.Union([
    Type.Object({ 'csp-report': AnyObject }),
    Type.Array(
      Type.Object({ type: Type.String(), url: Type.Optional(Type.String()), body: Type.Optional(Type.Unknown()) }),
    ),
  ]),
  example: {
    'csp-report': {
      'document-uri': 'https://shop.example/basket',
      'effective-directive': 'script-src-elem',
      'blocked-uri': 'https://ads.example/ad.js',
    },
  },
  answers: { 204: null },
  summary: 'Capture Content-Security-Policy violations',
  description:
    'For the directives `report-uri` and `report-to`: each violation is stored as a `$csp_violation` event ' +
    'with properties named `$csp_…`. The body is `application/csp-report` or `application/reports+json`; ' +
    'reports of other types are ignored.',
};

const replayRoute: DescribedRoute = {
  method: 'post',
  path: `${REPLAY_PATH}/`,
  access,
  tag: 'capture',
  errors: [400, 413, 415, 429],
  body: AnyObject,
  example: { api_key: 'phc_project', batch: [] },
  answers: { 200: Type.Object({ status: Type.Literal(1) }) },
  summary: 'Accept and discard session replay data',
  description: 'An ingestion warning is recorded once a day.',
};

export const captureRoutes: readonly DescribedRoute[] = [...v0Routes, v1Route, cspRoute, replayRoute];
