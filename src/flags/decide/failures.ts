/** Error answers of requests for flags, in upstream's wording. */
import { MalformedRequest, Throttled, UnsupportedMedia } from '../../platform/errors.ts';
import { answerFor, type ErrorBody } from '../../platform/http/error-body.ts';
import { json, type Answer } from '../../platform/http/route.ts';

/** @returns undefined for an internal error */
export function answerForFailure(error: unknown): Answer | undefined {
  if (error instanceof Throttled) return tooManyRequests(error);
  if (error instanceof MalformedRequest) return undecodable(error, error.code);
  if (error instanceof UnsupportedMedia) return undecodable(error);
  return answerFor(error);
}

function undecodable({ message }: Error, code?: string): Answer | undefined {
  return answerFor(new MalformedRequest(`Failed to decode request: ${message}`, code));
}

function tooManyRequests({ retryAfterSeconds }: Throttled): Answer {
  const body: ErrorBody = {
    type: 'validation_error',
    code: 'rate_limit_exceeded',
    detail: 'Rate limit exceeded',
    attr: null,
  };
  return json(429, body, { 'Retry-After': String(Math.ceil(retryAfterSeconds)) });
}
