import assert from 'node:assert/strict';
import { InvalidInput } from '../../../src/platform/errors.ts';
import { ensureHardToGuess } from '../../../src/platform/secrets/passwords.ts';
import { leastProcessorMs } from '../../support/durations.ts';

const ADA = ['ada.lovelace@analytical-engines.example', 'Ada', 'Lovelace'];

const WEAK: [password: string, code: string][] = [
  ['short', 'password_too_short'],
  ['8271639402', 'password_entirely_numeric'],
  ['password', 'password_too_common'],
  ['Password1!', 'password_too_common'],
  ['P@ssw0rd', 'password_too_common'],
  ['12345678a', 'password_too_common'],
  ['qwertyuiop', 'password_too_common'],
  ['iloveyou1', 'password_too_common'],
  ['aaaaaaaaaaaaaaaaaaaaaaaa', 'password_too_common'],
  ['passwordpasswordpasswordpassword', 'password_too_common'],
  ['lovelace1', 'password_too_common'],
  ['analytical', 'password_too_common'],
  ['sluicesluice', 'password_too_common'],
];

describe('a new password', () => {
  for (const [password, code] of WEAK) {
    it(`is not ${password}: ${code}`, async () => {
      await assert.rejects(ensureHardToGuess(password, 'password', ADA), (error: unknown) => {
        assert.ok(error instanceof InvalidInput);
        assert.deepEqual([error.attr, error.code], ['password', code]);
        return true;
      });
    });
  }

  for (const password of [
    'rusty kettle 41',
    'correct horse battery',
    'x7Qk-9fLm',
    'ключ от сарая',
    'дом дом дом ключ',
  ]) {
    it(`is ${password}`, () => ensureHardToGuess(password, 'password', ADA));
  }

  it('is looked at in little time, whatever stands in it', async () => {
    // Once, for what it reads.
    await ensureHardToGuess('rusty kettle 41', 'password');
    const hostile = ['p4$$w0rd!1', '4@8({[<$5', '1234567890a', 'password', 'a'].map((text) =>
      text.repeat(200).slice(0, 200),
    );
    const known = ['p4$$w0rd@'.repeat(100), ...Array.from({ length: 1_000 }, (_, i) => `name${i}`)];
    for (const password of hostile) {
      // Easy to guess it may be; that nothing could look at it would take no time either.
      const look = () =>
        ensureHardToGuess(password, 'password', known).catch((error: unknown) => {
          if (!(error instanceof InvalidInput)) throw error;
        });
      const spent = await leastProcessorMs(1_000, look);
      assert.ok(spent < 1_000, `${password.slice(0, 12)}: ${spent} ms`);
    }
  });
});
