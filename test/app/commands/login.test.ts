import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { createKnex, type Knex } from '../../../src/platform/db/connection.ts';
import { identityStores } from '../../../src/people/stores.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts';
import { buildTenant } from '../../support/api/identity.ts';

const SLUICE = fileURLToPath(new URL('../../../bin/sluice', import.meta.url));

describe('sluice login', () => {
  let database: TestDatabase;
  let db: Knex;
  let state: string;
  let email: string;
  let userId: number;

  before(async () => {
    database = await createTestDatabase();
    db = createKnex({ url: database.url, applicationName: 'test' });
    state = await mkdtemp(path.join(tmpdir(), 'sluice-login-'));
    ({ userId } = await buildTenant(db));
    ({ email } = await identityStores(db).accounts.get(userId));
  });
  after(async () => {
    await db.destroy();
    await database.drop();
    await rm(state, { recursive: true });
  });

  const login = (words: string[], variables: Record<string, string> = {}) =>
    new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
      const here = { DATABASE_URL: database.url, SLUICE_STATE_DIR: state, SLUICE_HOST: '127.0.0.1' };
      const env = { ...process.env, ...here, SLUICE_PORT: '8123', ...variables };
      execFile(process.execPath, [SLUICE, 'login', ...words], { env }, (error, stdout, stderr) =>
        resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
      );
    });

  it('prints a link for a user, to the API on this machine', async () => {
    const { links } = identityStores(db);
    const printed = await login([email.toUpperCase()]);
    assert.equal(printed.code, 0, printed.stderr);
    assert.match(printed.stderr, /once, within ten minutes/);
    const [, token] = /^http:\/\/127\.0\.0\.1:8123\/#sign-in=([\w-]{43})\n$/.exec(printed.stdout) ?? [];
    assert.equal(await links.take('sign-in', token ?? ''), userId);
    const everywhere = await login([email, '--json'], { SLUICE_HOST: '0.0.0.0' });
    const { url } = JSON.parse(everywhere.stdout) as { url: string };
    assert.ok(url.startsWith('http://127.0.0.1:8123/#sign-in='));
  });

  it('says why there is no link, and the way out', async () => {
    const cases: [words: string[], variables: Record<string, string>, saying: RegExp][] = [
      [[], {}, /Give the email address of a user/],
      [['nobody@example.com'], {}, /no user nobody@example\.com who may log in/],
      [[email], { SLUICE_HOST: '192.0.2.1' }, /set SLUICE_HOST to 127\.0\.0\.1 .* `sluice users password`/],
    ];
    for (const [words, variables, saying] of cases) {
      const { code, stdout, stderr } = await login(words, variables);
      assert.deepEqual([code, stdout], [1, '']);
      assert.match(stderr, saying);
    }
  });
});
