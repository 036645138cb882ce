/** Answers of failures to an HTTP client: the status, and the envelope `{type, code, detail, attr}`. */
import {
  Conflict,
  InvalidInput,
  LimitReached,
  MalformedRequest,
  MethodNotAllowed,
  NotAuthenticated,
  NotFound,
  PermissionDenied,
  QuotaExceeded,
  Stale,
  Throttled,
  TooLarge,
  Unavailable,
  UnsupportedMedia,
} from '../errors.ts';
import { stringEnum, Type, nullable, type Static, type TSchema } from '../schema.ts';
import { json, type Answer } from './route.ts';

export const ErrorBody = Type.Object(
  {
    type: stringEnum([
      'validation_error',
      'authentication_error',
      'invalid_request',
      'throttled_error',
      'quota_limited',
      'server_error',
    ] as const),
    code: Type.String({ description: 'The error code, for programs.' }),
    detail: Type.String({ description: 'A description of the error, for people.' }),
    attr: nullable(
      Type.String({
        description: 'The name of the invalid field, with nested names joined by `__`; null if there is none.',
      }),
    ),
  },
  { title: 'Error' },
);
export type ErrorBody = Static<typeof ErrorBody>;

/** Allows an error in upstream's own form next to the envelope of other refusals. */
export function orEnvelope<S extends TSchema>(other: S) {
  return Type.Union([other, ErrorBody]);
}

/** @returns the answer for a failure that the caller can act on; undefined for an internal one */
export function answerFor(error: unknown): Answer | undefined {
  if (error instanceof InvalidInput) return envelope(400, 'validation_error', error.code, error, {}, error.attr);
  if (error instanceof MalformedRequest) return envelope(400, 'invalid_request', error.code, error);
  if (error instanceof NotAuthenticated) {
    return envelope(401, 'authentication_error', error.code, error, { 'WWW-Authenticate': 'Bearer' });
  }
  if (error instanceof QuotaExceeded) return envelope(402, 'quota_limited', 'payment_required', error);
  if (error instanceof PermissionDenied) return envelope(403, 'authentication_error', error.code, error);
  if (error instanceof NotFound) return envelope(404, 'invalid_request', 'not_found', error);
  if (error instanceof MethodNotAllowed) {
    return envelope(405, 'invalid_request', 'method_not_allowed', error, { Allow: error.allow.join(', ') });
  }
  // Upstream's type, though it is not the server that is wrong.
  if (error instanceof Conflict) {
    const answer = envelope(409, 'server_error', 'conflict', error, {}, error.fault?.field);
    return { ...answer, body: { ...(answer.body as ErrorBody), ...error.extraFields } };
  }
  if (error instanceof Stale) return envelope(412, 'invalid_request', 'precondition_failed', error);
  if (error instanceof TooLarge) return envelope(413, 'invalid_request', 'payload_too_large', error);
  if (error instanceof UnsupportedMedia) return envelope(415, 'invalid_request', 'unsupported_media_type', error);
  // Upstream's type for limits, too.
  if (error instanceof LimitReached) return envelope(429, 'server_error', error.code, error);
  if (error instanceof Throttled) return envelope(429, 'throttled_error', 'throttled', error, retryAfter(error));
  if (error instanceof Unavailable) return envelope(503, 'server_error', 'unavailable', error, retryAfter(error));
  return undefined;
}

/** Answer of an internal failure, whose cause is only logged. */
export const serverError: Answer = json(500, {
  type: 'server_error',
  code: 'error',
  detail: 'A server error occurred.',
  attr: null,
} satisfies ErrorBody);

function envelope(
  status: number,
  type: ErrorBody['type'],
  code: string,
  { message }: Error,
  headers: Record<string, string> = {},
  attr: string | null = null,
): Answer {
  return json(status, { type, code, detail: message, attr } satisfies ErrorBody, headers);
}

function retryAfter({ retryAfterSeconds }: { retryAfterSeconds: number }): Record<string, string> {
  return { 'Retry-After': String(Math.ceil(retryAfterSeconds)) };
}
