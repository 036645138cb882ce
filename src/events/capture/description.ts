/** Capture as `/api/schema/` describes it. It is answered before the router, so nothing is checked against these schemas. */
import { ErrorBody } from '../../platform/http/error-body.ts';
import type { DescribedRoute } from '../../platform/http/route.ts';
import { nullable, stringEnum, Type } from '../../platform/schema.ts';
import { LIMITS } from './limits.ts';
import { CAPTURE_PATHS, CSP_PATH, REPLAY_PATH, V1_PATH } from './paths.ts';

const token = Type.String({ description: 'The public key of the project (`phc_…`); `token` is read too.' });
const tokenOfQuery = Type.String({
  description: 'The public key of the project, where the body names none; `api_key` is read too.',
});
const values = Type.Record(Type.String(), Type.Unknown());

const CapturedEvent = Type.Object(
  {
    api_key: Type.Optional(token),
    event: Type.String({ minLength: 1, description: `Its name; cut after ${LIMITS.eventNameLength} characters.` }),
    distinct_id: Type.String({
      minLength: 1,
      description: `Who it is about; cut after ${LIMITS.distinctIdLength} characters.`,
    }),
    properties: Type.Optional(values),
    timestamp: Type.Optional(
      Type.String({
        format: 'date-time',
        description:
          'When it happened; without it, when it arrived, and so where it cannot be read or is more than 23 hours ahead. Seconds and ' +
          'milliseconds since 1970, RFC 2822 and `11/20/2026` are read too.',
      }),
    ),
    offset: Type.Optional(
      Type.Number({
        description: 'How many milliseconds before its arrival it happened. Counts instead of `timestamp`.',
      }),
    ),
    uuid: Type.Optional(
      Type.String({ format: 'uuid', description: 'An event that is sent again under it is stored once.' }),
    ),
    $set: Type.Optional(values),
    $set_once: Type.Optional(values),
    $unset: Type.Optional(Type.Array(Type.String(), { description: 'Names of properties that its person loses.' })),
  },
  { title: 'CapturedEvent' },
);

const CapturedBatch = Type.Object(
  {
    api_key: token,
    batch: Type.Array(CapturedEvent, { minItems: 1, maxItems: LIMITS.eventsPerRequest }),
    sent_at: Type.Optional(
      Type.String({ format: 'date-time', description: 'By the client’s clock: shows how wrong its timestamps are.' }),
    ),
    historical_migration: Type.Optional(
      Type.Boolean({
        description:
          'Places the events by their timestamps. Needs a key with the scope event:write as bearer, or the project’s permission.',
      }),
    ),
  },
  { title: 'CapturedBatch' },
);

const Captured = Type.Union([CapturedEvent, Type.Array(CapturedEvent), CapturedBatch]);

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
const Engaged = Type.Union([EngagedEvent, Type.Array(EngagedEvent), EngagedBatch]);

const Stored = Type.Object(
  {
    status: Type.Literal(1),
    rejected: Type.Optional(
      Type.Array(Type.Intersect([Type.Object({ index: Type.Integer() }), ErrorBody]), {
        description: 'Events that were not stored, by their place in the request; all others were.',
      }),
    ),
    warnings: Type.Optional(
      Type.Array(Type.Object({ code: Type.String(), detail: Type.String() }), {
        description: 'Why all of the events were stored otherwise than they were sent.',
      }),
    ),
  },
  { title: 'Stored' },
);

const hints = {
  compression: Type.Optional(
    stringEnum(['gzip', 'gzip-js', 'base64', 'b64', 'lz64', 'lz-string'] as const, {
      description: 'Only lz64 has to be named.',
    }),
  ),
  token: Type.Optional(tokenOfQuery),
  _: Type.Optional(
    Type.Integer({
      description:
        'When it was sent by the client’s clock, in milliseconds since 1970, where the body does not say so.',
    }),
  ),
  beacon: Type.Optional(stringEnum(['1'] as const, { description: 'Answer with 204 and no body.' })),
};
const answers = { 200: Stored, 204: null };
const access = { public: true } as const;

const description =
  'The body is JSON: an event, an array of events, or a batch; whatever its content type. Plain, in gzip, or compressed as ' +
  '`Content-Encoding` says (gzip, deflate, br, zstd); also in base64 or lz64, and those as the field `data` of a form.';

const v0Routes = CAPTURE_PATHS.flatMap((path): DescribedRoute[] => [
  {
    method: 'post',
    path: `${path}/`,
    access,
    tag: 'capture',
    errors: [400, 401, 403, 413, 415, 429],
    query: Type.Object(hints),
    example: { api_key: 'phc_project', event: 'bought', distinct_id: 'user-1', properties: { cups: 2 } },
    body: path === '/engage' ? Engaged : Captured,
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
      ...hints,
    }),
    answers,
    summary: 'Capture events from a query',
  },
]);

const option = nullable(Type.Boolean());

const BatchV1 = Type.Object(
  {
    batch: Type.Array(
      Type.Object({
        event: CapturedEvent.properties.event,
        uuid: Type.String({ format: 'uuid', description: 'Its own: the answer names it.' }),
        distinct_id: CapturedEvent.properties.distinct_id,
        timestamp: CapturedEvent.properties.timestamp,
        session_id: Type.Optional(nullable(Type.String())),
        window_id: Type.Optional(nullable(Type.String())),
        options: Type.Optional(
          Type.Object({
            cookieless_mode: Type.Optional(option),
            disable_skew_correction: Type.Optional(option),
            process_person_profile: Type.Optional(option),
            product_tour_id: Type.Optional(nullable(Type.String())),
          }),
        ),
        properties: Type.Optional(values),
      }),
      { minItems: 1, maxItems: LIMITS.eventsPerRequest },
    ),
    created_at: Type.Optional(
      Type.String({ format: 'date-time', description: 'SDKs send it; `PostHog-Request-Timestamp` counts instead.' }),
    ),
    historical_migration: Type.Optional(
      Type.Boolean({
        description: 'Places the events by their timestamps, where the project permits it to its public key.',
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
          description:
            '`ok`: stored. `warning`: stored otherwise than it was sent. `drop`: not stored, and not to be sent again.',
        }),
        details: Type.Optional(
          Type.String({
            description: 'Why it is not `ok`: a code of the ingestion warnings, such as `ignored_invalid_timestamp`.',
          }),
        ),
      }),
      { description: 'By the uuids of the events.' },
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
  summary: 'Capture events, each with an answer of its own',
  description:
    'Where SDKs send when they are told to: `POSTHOG_CAPTURE_MODE=v1`, `capture_mode="v1"`. JSON, plain or in gzip, deflate, br or ' +
    'zstd. The key of the project is given as `Authorization: Bearer`, when it was sent by the client’s clock as ' +
    '`PostHog-Request-Timestamp`, `$lib` and `$lib_version` as `PostHog-Sdk-Info: posthog-node/5.70.0`.',
};

const cspRoute: DescribedRoute = {
  method: 'post',
  path: `${CSP_PATH}/`,
  access,
  tag: 'capture',
  errors: [400, 401, 413, 415, 429],
  query: Type.Object({
    token: Type.String({ description: 'The public key of the project; `api_key` is read too.' }),
    distinct_id: Type.Optional(Type.String({ description: 'Whom it is about; without it, nobody who is known.' })),
    session_id: Type.Optional(Type.String({ description: 'In which session it was; made up without it.' })),
    v: Type.Optional(Type.String({ description: 'Of the policy: `$csp_version`.' })),
    sample_rate: Type.Optional(
      Type.Number({
        description:
          'How much is kept, from 0 to 1: of each minute all reports of a document or none. What is no number keeps all.',
      }),
    ),
  }),
  body: Type.Union([
    Type.Object({ 'csp-report': values }),
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
  summary: 'Capture violations of a Content-Security-Policy',
  description:
    'For the directives `report-uri` and `report-to` of a page: each violation is an event `$csp_violation`, whose properties are ' +
    'named `$csp_…`. The body is `application/csp-report` or `application/reports+json`; reports of other kinds are ignored.',
};

const replayRoute: DescribedRoute = {
  method: 'post',
  path: `${REPLAY_PATH}/`,
  access,
  tag: 'capture',
  errors: [400, 413, 415, 429],
  body: values,
  example: { api_key: 'phc_project', batch: [] },
  answers: { 200: Type.Object({ status: Type.Literal(1) }) },
  summary: 'Take session replay, which is not kept',
  description: 'An ingestion warning tells the project once a day.',
};

export const captureRoutes: readonly DescribedRoute[] = [...v0Routes, v1Route, cspRoute, replayRoute];
