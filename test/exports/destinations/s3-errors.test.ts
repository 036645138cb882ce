/** For the answers of S3 and of stores like it: whether the same request would be refused for ever. */
import assert from 'node:assert/strict';
import { consequenceOf } from '../../../src/exports/destinations/s3/errors.ts';

const ANSWERS: [code: string, status: number | undefined, consequence: 'final' | 'passes', advice: RegExp][] = [
  // Rotation of keys and of policies, which spread slowly.
  ['AccessDenied', 403, 'passes', /credentials are wrong or may not do this/],
  ['InvalidAccessKeyId', 403, 'passes', /access key id does not exist/],
  ['SignatureDoesNotMatch', 403, 'passes', /secret access key/],
  ['ExpiredToken', 400, 'passes', /expired/],
  ['InvalidToken', 400, 'passes', /not valid/],
  ['KMS.DisabledException', 400, 'passes', /KMS key/],
  ['403', 403, 'passes', /credentials are wrong or may not do this/],
  ['401', 401, 'passes', /credentials are wrong or may not do this/],
  // A bucket that is being restored or made.
  ['NoSuchBucket', 404, 'passes', /bucket does not exist/],
  ['NotFound', 404, 'passes', /does not know the bucket/],
  ['TemporaryRedirect', 307, 'passes', /being created/],
  ['OperationAborted', 409, 'passes', /status 409/],
  // Load and network.
  ['SlowDown', 503, 'passes', /throttling requests/],
  ['InternalError', 500, 'passes', /status 500/],
  ['TooManyRequests', 429, 'passes', /throttling requests/],
  ['RequestTimeout', 400, 'passes', /waited too long/],
  ['IncompleteBody', 400, 'passes', /did not arrive/],
  ['BadDigest', 400, 'passes', /did not arrive/],
  ['ECONNREFUSED', undefined, 'passes', /cannot be reached/],
  // Clocks.
  ['RequestTimeTooSkewed', 403, 'passes', /clock/],
  // Another place, or a store of another kind.
  ['PermanentRedirect', 301, 'final', /another region/],
  ['301', 301, 'final', /redirects to another address/],
  ['308', 308, 'final', /redirects to another address/],
  ['AuthorizationHeaderMalformed', 400, 'final', /another region/],
  ['MethodNotAllowed', 405, 'final', /multipart/],
  ['NotImplemented', 501, 'final', /multipart/],
  ['InvalidRequest', 400, 'final', /status 400/],
  ['EntityTooLarge', 400, 'final', /larger than the store accepts/],
  ['KeyTooLongError', 400, 'final', /shorter prefix/],
];

describe('an answer of S3', () => {
  for (const [code, status, consequence, advice] of ANSWERS) {
    it(`${code} (${status ?? 'no status'}) ${consequence === 'final' ? 'is final' : 'passes'}`, () => {
      const found = consequenceOf(code, status);
      assert.equal(found.final ? 'final' : 'passes', consequence);
      assert.match(found.advice, advice);
    });
  }
});
