/** For the answers of Google: whether the same request would be refused for ever. Reasons are those of its documentation. */
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { consequenceOf } from '../../../../src/exports/destinations/gcs/errors.ts';
import { parseServiceAccountKey } from '../../../../src/exports/destinations/gcs/service-account.ts';
import { InvalidInput } from '../../../../src/platform/errors.ts';
import { serviceAccountKey } from '../../../support/servers/gcs/fake-gcs.ts';

const ANSWERS: [reason: string, status: number, consequence: 'final' | 'passes', advice: RegExp][] = [
  ['notFound', 404, 'passes', /bucket does not exist/],
  ['authError', 401, 'passes', /access token/],
  ['required', 401, 'passes', /access token/],
  ['forbidden', 403, 'passes', /Storage Object User/],
  ['', 403, 'passes', /Storage Object User/],
  ['accountDisabled', 403, 'passes', /billing/],
  ['retentionPolicyNotMet', 403, 'passes', /retention policy/],
  ['rateLimitExceeded', 429, 'passes', /throttling/],
  ['userRateLimitExceeded', 403, 'passes', /throttling/],
  ['backendError', 503, 'passes', /status 503/],
  ['conditionNotMet', 412, 'passes', /status 412/],
  ['userProjectMissing', 400, 'final', /paid for/],
  ['uploadTooLarge', 413, 'final', /larger than the store accepts/],
  ['', 307, 'final', /not followed/],
  ['invalid', 400, 'final', /status 400/],
];

describe('an answer of Google', () => {
  for (const [reason, status, consequence, advice] of ANSWERS) {
    it(`${reason} (${status}) ${consequence === 'final' ? 'is final' : 'passes'}`, () => {
      const found = consequenceOf(reason, status);
      assert.equal(found.final ? 'final' : 'passes', consequence);
      assert.match(found.advice, advice);
    });
  }
});

const keyOf = (modulusLength: number, publicExponent = 65_537) =>
  generateKeyPairSync('rsa', { modulusLength, publicExponent }).privateKey;
const pemOf = (bits: number, exponent?: number) => keyOf(bits, exponent).export({ type: 'pkcs8', format: 'pem' });
const jwkOf = (bits: number) => ({ key: keyOf(bits).export({ format: 'jwk' }), format: 'jwk' });

describe('the key of a service account', () => {
  const WHOLE = serviceAccountKey('https://oauth2.googleapis.com/token');
  const changed = (change: Record<string, unknown>) => JSON.stringify({ ...(JSON.parse(WHOLE) as object), ...change });

  it('may leave out where access tokens come from', () => {
    assert.equal(
      parseServiceAccountKey(changed({ token_uri: undefined })).tokenUri,
      'https://oauth2.googleapis.com/token',
    );
  });

  for (const [name, key, sentence] of [
    ['that is no JSON', 'canary', /the whole content of the key file/],
    ['that is null', 'null', /the whole content of the key file/],
    ['of a user', changed({ type: 'authorized_user' }), /service_account/],
    ['without an address', changed({ client_email: 'canary' }), /client_email/],
    ['without a private key', changed({ private_key: undefined }), /private_key/],
    ['with a private key that is none', changed({ private_key: 'canary' }), /private_key/],
    ['with a private key that is no text', changed({ private_key: jwkOf(2048) }), /RSA key in PEM/],
    ['with a short private key', changed({ private_key: pemOf(1024) }), /2048 to 4096 bits/],
    ['with a private key whose signatures take seconds', changed({ private_key: pemOf(2048, 2 ** 31 - 1) }), /65537/],
    ['with a token_uri that is no address', changed({ token_uri: 'canary' }), /token_uri/],
    ['with a token_uri that is no address of the web', changed({ token_uri: 'file:///canary' }), /token_uri/],
    ['with a token_uri that is no text', changed({ token_uri: 7 }), /token_uri/],
  ] as const) {
    it(`${name} is refused, and not repeated`, () => {
      assert.throws(
        () => parseServiceAccountKey(key),
        (error) =>
          error instanceof InvalidInput &&
          error.attr === 'service_account_key' &&
          sentence.test(error.message) &&
          !error.message.includes('canary'),
      );
    });
  }
});
