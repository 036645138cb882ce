import assert from 'node:assert/strict';
import * as errors from '../../../src/platform/errors.ts';
import { answerFor } from '../../../src/platform/http/error-body.ts';

const { InvalidInput, MalformedRequest, NotAuthenticated, PermissionDenied } = errors;

const headersOf = (error: Error) => answerFor(error)?.headers;

describe('the envelope of a failure', () => {
  for (const [error, status, type, code, attr = null] of [
    [new InvalidInput('No.', 'name'), 400, 'validation_error', 'invalid_input', 'name'],
    [new InvalidInput('No.', null, 'required'), 400, 'validation_error', 'required'],
    [new MalformedRequest('No.'), 400, 'invalid_request', 'parse_error'],
    [new NotAuthenticated('No.'), 401, 'authentication_error', 'not_authenticated'],
    [new NotAuthenticated('No.', 'authentication_failed'), 401, 'authentication_error', 'authentication_failed'],
    [new PermissionDenied('No.'), 403, 'authentication_error', 'permission_denied'],
    [new errors.NotFound('No.'), 404, 'invalid_request', 'not_found'],
    [new errors.MethodNotAllowed('PUT', ['GET']), 405, 'invalid_request', 'method_not_allowed'],
    [new errors.Conflict('No.'), 409, 'server_error', 'conflict'],
    [new errors.Stale('No.'), 412, 'invalid_request', 'precondition_failed'],
    [new errors.UnsupportedMedia('No.'), 415, 'invalid_request', 'unsupported_media_type'],
    [new errors.Throttled(59), 429, 'throttled_error', 'throttled'],
  ] as const) {
    it(`of a ${error.name} (${code}) is ${status}, ${type}`, () => {
      const answer = answerFor(error);
      assert.deepEqual([answer?.status, answer?.body], [status, { type, code, detail: error.message, attr }]);
    });
  }

  it('says how to authenticate, how long to wait, and what is allowed', () => {
    assert.deepEqual(headersOf(new NotAuthenticated()), { 'WWW-Authenticate': 'Bearer' });
    assert.deepEqual(headersOf(new errors.Throttled(2.5)), { 'Retry-After': '3' });
    assert.deepEqual(headersOf(new errors.MethodNotAllowed('PUT', ['GET', 'HEAD'])), { Allow: 'GET, HEAD' });
  });

  it('is none for what the caller cannot act on', () => {
    assert.equal(answerFor(new Error('connect db.internal')), undefined);
  });
});
