import assert from 'node:assert/strict';
import { ensureHardToGuess, hashPassword, isPassword } from '../../../src/platform/secrets/passwords.ts';

describe('passwords', () => {
  it('are kept as what only they lead to', async () => {
    const hash = await hashPassword('grüße, Jürgen');
    assert.match(hash, /^\$scrypt\$ln=14,r=8,p=5\$[\w+/]{22}\$[\w+/]{43}$/);
    assert.ok(await isPassword('grüße, Jürgen'.normalize('NFD'), hash));
    assert.ok(!(await isPassword('grusse, Jurgen', hash)));
  });

  it('take as long where there is none, and never fit', async () => {
    assert.ok(!(await isPassword('', null)));
    await assert.rejects(isPassword('x', 'none'), /unknown form/);
  });

  it('are checked a few at a time: who comes when many wait is sent away', async () => {
    const cheap = '$scrypt$ln=1,r=1,p=1$AAAA$AAAA';
    const tries = await Promise.allSettled(Array.from({ length: 150 }, () => isPassword('x', cheap)));
    const refused = tries.flatMap((one) => (one.status === 'rejected' ? [String(one.reason)] : []));
    assert.equal(refused.length, 48);
    assert.match(refused[0]!, /Too many passwords/);
    assert.ok(!(await isPassword('x', cheap)));
  });

  it('are not too easy', async () => {
    const cases: [password: string, code: string][] = [
      ['seven77', 'password_too_short'],
      ['12345678', 'password_entirely_numeric'],
    ];
    for (const [password, code] of cases) {
      await assert.rejects(ensureHardToGuess(password, 'password'), { code, attr: 'password' });
    }
    await ensureHardToGuess('eight888 tables', 'password');
  });
});
