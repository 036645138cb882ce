/** Tries to log in, counted by all processes together. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { createKnex, type Knex } from '../../../src/platform/db/connection.ts';
import { Throttled, Unavailable } from '../../../src/platform/errors.ts';
import { createLogin, type Login } from '../../../src/people/accounts/login.ts';
import { loginTryStore, type TryLimit } from '../../../src/people/accounts/login-tries.store.ts';
import { createSessions } from '../../../src/people/accounts/sessions.ts';
import { identityStores } from '../../../src/people/stores.ts';
import { PUBLIC_URL } from '../../support/api/api.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts';

const THREE: TryLimit = { kind: 'account', cost: 60, burst: 180 };

function processOf(over: Knex): Login {
  const identity = identityStores(over);
  return createLogin({ identity, sessions: createSessions({ ...identity, publicUrl: PUBLIC_URL }) });
}

async function codeOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'done',
    (error: Error) => error.constructor.name,
  );
}

describe('tries to log in', () => {
  let database: TestDatabase;
  let db: Knex;
  let otherDb: Knex;

  before(async () => {
    database = await createTestDatabase();
    db = createKnex({ url: database.url, applicationName: 'test' });
    otherDb = createKnex({ url: database.url, applicationName: 'test-other' });
  });
  after(async () => {
    await Promise.all([db.destroy(), otherDb.destroy()]);
    await database.drop();
  });

  it('of one account are as many in several processes as in one', async () => {
    const [one, other] = [processOf(db), processOf(otherDb)];
    const email = `${randomUUID()}@example.com`;
    const attempt = (through: Login, n: number) =>
      codeOf(through.logIn({ email, password: 'wrong', address: `192.0.2.${n}`, headers: {} }));
    const answers: string[] = [];
    for (let n = 0; n < 24; n += 1) answers.push(await attempt(n % 2 === 0 ? one : other, n));
    assert.equal(answers.filter((code) => code === 'InvalidInput').length, 20);
    assert.deepEqual(new Set(answers.slice(20)), new Set(['Throttled']));
    assert.equal(await attempt(processOf(db), 99), 'Throttled', 'nor by a process that was just started');
    const account = { email: email.toUpperCase(), passwordHash: null } as Parameters<Login['isOwnPassword']>[0];
    assert.equal(await codeOf(processOf(db).isOwnPassword(account, 'wrong')), 'Throttled', 'nor by who is logged in');
  });

  it('of one account are one, however its address is written that Postgres finds it by', async () => {
    const name = randomUUID();
    // With a Kelvin sign, a long s and a dotted capital I, which databases fold like the plain letters.
    const spellings = ['kiss', 'KISS', '\u212aiss', 'ki\u017fs', 'k\u0130ss'].map(
      (word) => `${word}-${name}@example.com`,
    );
    const answers: string[] = [];
    for (let n = 0; n < 25; n += 1) {
      const attempt = { email: spellings[n % 5]!, password: 'wrong', address: `198.51.100.${n}`, headers: {} };
      answers.push(await codeOf(processOf(db).logIn(attempt)));
    }
    assert.deepEqual(new Set(answers.slice(20)), new Set(['Throttled']));
  });

  it('come back with time, and say when', async () => {
    const tries = loginTryStore(db);
    for (let n = 0; n < 3; n += 1) await tries.charge(THREE, 'ann');
    const refused = await tries.charge(THREE, 'ann').catch((error: unknown) => error);
    assert.ok(refused instanceof Throttled);
    assert.ok(refused.retryAfterSeconds > 50 && refused.retryAfterSeconds <= 60, String(refused.retryAfterSeconds));
    await tries.charge(THREE, 'bob');
    await tries.charge({ ...THREE, kind: 'address' }, 'ann');
    await db.raw(`update login_tries set paid_at = paid_at - interval '61 seconds'`);
    await tries.charge(THREE, 'ann');
    await assert.rejects(tries.charge(THREE, 'ann'), Throttled);
  });

  it('at the same instant are counted one by one', async () => {
    const stores = [loginTryStore(db), loginTryStore(otherDb)];
    const all = await Promise.all(
      Array.from({ length: 12 }, (_, n) => codeOf(stores[n % 2]!.charge(THREE, 'at once'))),
    );
    assert.equal(all.filter((code) => code === 'done').length, 3);
  });

  it('are kept in few rows: those that owe most', async () => {
    await db('login_tries').delete();
    await db.raw(`
      insert into login_tries select sha256(n::text::bytea), now() + make_interval(secs => 20 + n / 1000.0)
      from generate_series(1, 50500) as n`);
    await db.raw(`
      insert into login_tries select sha256(('old' || n)::bytea), now() - interval '1 second'
      from generate_series(1, 100) as n`);
    await loginTryStore(db).charge(THREE, 'one more');
    const kept = await db.raw<{ rows: { count: number; old: number }[] }>(`
      select count(*)::int,
        count(*) filter (where paid_at < now())::int as old
      from login_tries`);
    assert.ok(kept.rows[0]!.count <= 50_001, JSON.stringify(kept.rows));
    assert.equal(kept.rows[0]!.old, 0);
    await assert.rejects(
      (async () => {
        for (let n = 0; n < 4; n += 1) await loginTryStore(db).charge(THREE, 'one more');
      })(),
      Throttled,
    );
  });

  it('are refused, soon, while they cannot be counted', async () => {
    await loginTryStore(db).charge(THREE, 'held');
    await otherDb.transaction(async (holding) => {
      await holding.raw('lock table login_tries in access exclusive mode');
      const before = performance.now();
      await assert.rejects(loginTryStore(db).charge(THREE, 'held'), Unavailable);
      assert.ok(performance.now() - before < 15_000);
    });
    await loginTryStore(db).charge(THREE, 'held');
  });
});
