import assert from 'node:assert/strict';
import { createShareTokens } from '../../../src/analytics/sharing/share-tokens.ts';
import { createKeyRing, generateKeyRing } from '../../../src/platform/secrets/key-ring.ts';

const CLAIMS = { share_password_id: 1, team_id: 2, access_token: 'link' };
const DAY_MS = 86_400_000;

describe('the token of a shared page’s password', () => {
  let now = Date.parse('2026-01-01T00:00:00Z');
  const ring = createKeyRing(generateKeyRing());
  const tokens = createShareTokens(ring, () => now);

  it('holds what was signed, for a day', () => {
    const token = tokens.issue(CLAIMS);
    now += DAY_MS - 1000;
    assert.deepEqual(tokens.read(token), CLAIMS);
    now += 1000;
    assert.equal(tokens.read(token), undefined);
  });

  it('is worth nothing with other claims, another signature, or that of another ring or purpose', () => {
    const [header, claims, ...signature] = tokens.issue(CLAIMS).split('.');
    const changed = Buffer.from(JSON.stringify({ ...CLAIMS, share_password_id: 9, exp: now })).toString('base64url');
    const others = createShareTokens(createKeyRing(generateKeyRing()), () => now);
    for (const token of [
      [header, changed, ...signature].join('.'),
      [header, claims, 'k1', Buffer.alloc(32).toString('base64url')].join('.'),
      [header, claims, 'none'].join('.'),
      [header, claims, ring.sign(`${header}.${claims}`, 'another purpose')].join('.'),
      others.issue(CLAIMS),
      '',
      'a.b.c',
    ]) {
      assert.equal(tokens.read(token), undefined, token);
    }
  });
});
