/** Capture as `/api/schema/` describes it. It is answered before the router, so nothing is checked against these schemas. */
import { ErrorBody } from '../http/error-body.ts';
import type { DescribedRoute } from '../http/route.ts';
import { stringEnum, Type } from '../schema.ts';
import { LIMITS } from './limits.ts';
import { CAPTURE_PATHS } from './paths.ts';

const token = Type.String({ description: 'The public key of the project (`phc_…`); `token` is read too.' });
const values = Type.Record(Type.String(), Type.Unknown());

const CapturedEvent = Type.Object(
  {
    api_key: Type.Optional(token),
    event: Type.String({ minLength: 1, maxLength: LIMITS.eventNameLength }),
    distinct_id: Type.String({
      minLength: 1,
      description: `Who it is about; cut after ${LIMITS.distinctIdLength} characters.`,
    }),
    properties: Type.Optional(values),
    timestamp: Type.Optional(
      Type.String({ format: 'date-time', description: 'When it happened; without it, when it arrived.' }),
    ),
    uuid: Type.Optional(
      Type.String({ format: 'uuid', description: 'An event that is sent again under it is stored once.' }),
    ),
    $set: Type.Optional(values),
    $set_once: Type.Optional(values),
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

const Stored = Type.Object(
  {
    status: Type.Literal(1),
    rejected: Type.Optional(
      Type.Array(Type.Intersect([Type.Object({ index: Type.Integer() }), ErrorBody]), {
        description: 'Events that were not stored, by their place in the request; all others were.',
      }),
    ),
    warnings: Type.Optional(Type.Array(Type.Object({ code: Type.String(), detail: Type.String() }))),
  },
  { title: 'Stored' },
);

const hints = {
  compression: Type.Optional(
    stringEnum(['gzip', 'gzip-js', 'base64', 'b64', 'lz64', 'lz-string'] as const, {
      description: 'Only lz64 has to be named.',
    }),
  ),
  token: Type.Optional(token),
  _: Type.Optional(
    Type.Integer({ description: 'When it was sent by the client’s clock, in milliseconds since 1970.' }),
  ),
  beacon: Type.Optional(stringEnum(['1'] as const, { description: 'Answer with 204 and no body.' })),
};
const answers = { 200: Stored, 204: null };
const access = { public: true } as const;

const description =
  'The body is JSON: an event, an array of events, or a batch. Plain or in gzip, whatever its content type; also in base64 or ' +
  'lz64, and those as the field `data` of a form.';

export const captureRoutes: readonly DescribedRoute[] = CAPTURE_PATHS.flatMap((path): DescribedRoute[] => [
  {
    method: 'post',
    path: `${path}/`,
    access,
    tag: 'capture',
    errors: [400, 401, 403, 413, 415, 429],
    query: Type.Object(hints),
    example: { api_key: 'phc_project', event: 'bought', distinct_id: 'user-1', properties: { cups: 2 } },
    body: Type.Union([CapturedEvent, Type.Array(CapturedEvent), CapturedBatch]),
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
