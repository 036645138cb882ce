import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { createKnex, type Knex } from '../../../src/platform/db/connection.ts';
import { keyStore } from '../../../src/people/keys/keys.store.ts';
import { hashOf } from '../../../src/people/keys/keys.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts';
import { buildTenant, type Tenant } from '../../support/api/identity.ts';

const SLUICE = fileURLToPath(new URL('../../../bin/sluice', import.meta.url));

describe('sluice keys', () => {
  let database: TestDatabase;
  let db: Knex;
  let tenant: Tenant;

  before(async () => {
    database = await createTestDatabase();
    db = createKnex({ url: database.url, applicationName: 'test' });
    tenant = await buildTenant(db);
  });
  after(async () => {
    await db.destroy();
    await database.drop();
  });

  const keys = (...words: string[]) =>
    new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
      const env = { ...process.env, DATABASE_URL: database.url };
      execFile(process.execPath, [SLUICE, 'keys', ...words], { env }, (error, stdout, stderr) =>
        resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
      );
    });
  const project = () => ['--project', String(tenant.projectId)];

  it('makes a project’s key that works, lists it without the key, and deletes it', async () => {
    const words = ['create', ...project(), '--label', 'importer', '--scope', 'event:write,batch_export:read', '--json'];
    const made = await keys(...words);
    assert.equal(made.code, 0, made.stderr);
    const printed = JSON.parse(made.stdout) as { value: string; id: string; last4: string };
    assert.equal('key' in printed, false, 'as the API says it');
    const { value: key, id, last4 } = printed;
    assert.match(key, /^phs_/);
    const caller = await keyStore(db).findCaller(hashOf(key));
    assert.deepEqual(caller, {
      keyId: id,
      scopes: ['event:write', 'batch_export:read'],
      onlyProjects: null,
      onlyOrganizations: null,
      session: null,
      userId: null,
      projectId: tenant.projectId,
    });

    const listed = await keys('list', ...project());
    assert.match(listed.stdout, new RegExp(`^${id}  …${last4}  importer  \\(event:write, batch_export:read\\)`));
    assert.ok(!listed.stdout.includes(key));

    assert.equal((await keys('delete', id)).code, 0);
    assert.equal(await keyStore(db).findCaller(hashOf(key)), undefined);
    assert.equal((await keys('delete', id)).code, 1);
  });

  it('makes a user’s key and prints nothing but it', async () => {
    const { email } = (await db('users').where({ id: tenant.userId }).first('email')) as { email: string };
    const { stdout } = await keys('create', '--user', email.toUpperCase(), '--label', 'mine', '--scope', '*');
    assert.match(stdout, /^phx_[0-9A-Za-z]{49}\n$/);
    assert.equal((await keyStore(db).findCaller(hashOf(stdout.trim())))?.userId, tenant.userId);
  });

  it('makes a key that ends and opens less, and gives it a new value', async () => {
    const { email } = (await db('users').where({ id: tenant.userId }).first('email')) as { email: string };
    const [project, organization] = [String(tenant.projectId), tenant.organizationId];
    const limits = ['--expires', '2099-01-01', '--only-project', project, '--only-organization', organization];
    const made = await keys('create', '--user', email, '--label', 'less', '--scope', '*', ...limits, '--json');
    const { id, value: key } = JSON.parse(made.stdout) as { id: string; value: string };
    assert.partialDeepStrictEqual(JSON.parse(made.stdout), {
      expires_at: '2099-01-01T00:00:00.000000Z',
      scoped_teams: [tenant.projectId],
      scoped_organizations: [organization],
    });

    const elsewhere = await keys('create', '--user', email, '--label', 'x', '--scope', '*', '--only-project', '999999');
    assert.deepEqual([elsewhere.code, /--only-project/.test(elsewhere.stderr)], [1, true], elsewhere.stderr);

    const { stdout } = await keys('roll', id, '--grace', '60');
    assert.match(stdout, /^phx_[0-9A-Za-z]{49}\n$/);
    for (const value of [key, stdout.trim()]) assert.ok(await keyStore(db).findCaller(hashOf(value)));
    const listed = await keys('list', '--user', email);
    assert.match(listed.stdout, new RegExp(`expires: 2099-01-01T.*  only: ${project}, ${organization}\n`));
  });

  for (const [what, words, message] of [
    ['no owner', ['create', '--label', 'x', '--scope', '*'], /either --user or --project/],
    ['two owners', ['list', '--user', 'a@example.com', '--project', '1'], /either --user or --project/],
    ['a user who is not there', ['list', '--user', 'a@example.com'], /no user a@example\.com/],
    ['a project that is not there', ['list', '--project', '999999'], /no project 999999/],
    ['no scope', ['create', '--project', '1', '--label', 'x'], /required option '--scope/],
    [
      'an end that is over',
      ['create', '--project', '1', '--label', 'x', '--scope', '*', '--expires', '2020-01-01'],
      /still to come/,
    ],
    ['an unknown scope', ['create', '--project', '1', '--label', 'x', '--scope', 'all'], /no scope 'all'/],
  ] as const) {
    it(`refuses ${what}`, async () => {
      const { code, stderr } = await keys(...words);
      assert.equal(code, 1);
      assert.match(stderr, message);
    });
  }
});
