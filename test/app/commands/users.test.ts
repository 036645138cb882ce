import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { createKnex, type Knex } from '../../../src/platform/db/connection.ts';
import { keyStore } from '../../../src/people/keys/keys.store.ts';
import { addUser } from '../../../src/people/accounts/operator.ts';
import { identityStores } from '../../../src/people/stores.ts';
import { isPassword } from '../../../src/platform/secrets/passwords.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts';
import { buildSession, buildTenant } from '../../support/api/identity.ts';

const SLUICE = fileURLToPath(new URL('../../../bin/sluice', import.meta.url));

describe('sluice users', () => {
  let database: TestDatabase;
  let db: Knex;

  before(async () => {
    database = await createTestDatabase();
    db = createKnex({ url: database.url, applicationName: 'test' });
  });
  after(async () => {
    await db.destroy();
    await database.drop();
  });

  const users = (...words: string[]) =>
    new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
      const env = { ...process.env, DATABASE_URL: database.url };
      execFile(process.execPath, [SLUICE, 'users', ...words], { env }, (error, stdout, stderr) =>
        resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
      );
    });

  it('makes the owner of a new organization, and gives them another password', async () => {
    const { accounts, organizations } = identityStores(db);
    const made = await users('create', '--email', 'ann@example.com', '--organization', 'Shop', '--json');
    assert.equal(made.code, 0, made.stderr);
    const { id, password } = JSON.parse(made.stdout) as { id: number; password: string };
    const [own] = await organizations.listByUser(id);
    assert.deepEqual([own?.name, own?.role], ['Shop', 'owner']);
    await buildSession(db, { userId: id });
    await keyStore(db).create({ userId: id }, { label: 'hers', scopes: ['*'] });
    const reset = await users('password', '--email', 'Ann@example.com');
    const left = async (table: string) => (await db(table).where({ user_id: id })).length;
    assert.deepEqual([await left('sessions'), await left('api_keys')], [0, 1], 'keys stay, as its help says');
    const hash = (await accounts.get(id)).passwordHash;
    assert.deepEqual([await isPassword(password, hash), await isPassword(reset.stdout.trim(), hash)], [false, true]);
    const logged = await db('activity_log').where({ scope: 'User', item_id: String(id) });
    assert.deepEqual(
      logged.map(({ user_id: user }: { user_id: number | null }) => user),
      [null],
      'nobody who is known did it',
    );
  });

  it('adds members to existing organizations, and reports what it cannot do', async () => {
    const identity = identityStores(db);
    const { organizationId } = await buildTenant(db, { name: 'Twice' });
    await buildTenant(db, { name: 'Twice' });
    const add = (organization: string) =>
      addUser(identity, { email: 'bob@example.com', organization, role: 'member', password: 'long enough' });
    await assert.rejects(add('Twice'), /Several organizations are called Twice/);
    assert.equal((await add(organizationId)).organizationId, organizationId);
    await assert.rejects(add(organizationId), /There is already a user bob@example\.com/);
    const joined = await users('create', '--email', 'eve@example.com', '--organization', organizationId);
    assert.match(joined.stderr, /^Made eve@example\.com, member of the organization /);
    const listed = await users('list');
    assert.match(listed.stdout, /bob@example\.com\n/);
    assert.ok(!(listed.stdout + listed.stderr).includes('scrypt'));
  });
});
