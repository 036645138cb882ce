/** For the answers of Azure: whether the same request would be refused for ever. Codes are those of its documentation. */
import assert from 'node:assert/strict';
import { consequenceOf } from '../../../../src/exports/destinations/azure-blob/errors.ts';

const ANSWERS: [code: string, status: number | undefined, consequence: 'final' | 'passes', advice: RegExp][] = [
  // Rotation of keys and of rights, which spread slowly.
  ['AuthenticationFailed', 403, 'passes', /account key or the shared access signature is wrong/],
  ['AuthorizationPermissionMismatch', 403, 'passes', /may not do this/],
  ['AuthorizationFailure', 403, 'passes', /firewall/],
  ['KeyBasedAuthenticationNotPermitted', 403, 'passes', /does not permit its keys/],
  ['AccountIsDisabled', 403, 'passes', /account is disabled/],
  ['403', 403, 'passes', /may not do this/],
  // A container that is being restored or made.
  ['ContainerNotFound', 404, 'passes', /container does not exist/],
  ['ContainerBeingDeleted', 409, 'passes', /being deleted/],
  ['PendingCopyOperation', 409, 'passes', /still copying/],
  // Load and network.
  ['ServerBusy', 503, 'passes', /throttling requests/],
  ['InternalError', 500, 'passes', /status 500/],
  ['OperationTimedOut', 500, 'passes', /waited too long/],
  ['Md5Mismatch', 400, 'passes', /did not arrive/],
  ['ECONNREFUSED', undefined, 'passes', /cannot be reached/],
  // An answer that is no answer, such as a redirect, which is not followed.
  ['302', 302, 'passes', /status 302/],
  // Requests that would be refused again.
  ['InvalidBlobType', 409, 'final', /another prefix/],
  ['RequestBodyTooLarge', 413, 'final', /larger than the store accepts/],
  ['InvalidResourceName', 400, 'final', /another prefix/],
  ['InvalidInput', 400, 'final', /status 400/],
];

describe('an answer of Azure', () => {
  for (const [code, status, consequence, advice] of ANSWERS) {
    it(`${code} (${status ?? 'no status'}) ${consequence === 'final' ? 'is final' : 'passes'}`, () => {
      const found = consequenceOf(code, status);
      assert.equal(found.final ? 'final' : 'passes', consequence);
      assert.match(found.advice, advice);
    });
  }
});
