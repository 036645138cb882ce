import assert from 'node:assert/strict';
import { createKnex, type Knex } from '../../src/platform/db/connection.ts';
import { seedDemo } from '../../src/people/demo.store.ts';
import { keyStore } from '../../src/people/keys/keys.store.ts';
import { hashOf } from '../../src/people/keys/keys.ts';
import { createProjectLookup } from '../../src/people/projects/project-tokens.ts';
import { projectStore } from '../../src/people/projects/projects.store.ts';
import { createTestDatabase, type TestDatabase } from '../support/database/database.ts';
import { buildTenant } from '../support/api/identity.ts';

describe('the demo', () => {
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

  it('is made once, also by four first starts at once', async () => {
    const demos = await Promise.all(Array.from({ length: 4 }, () => seedDemo(db)));
    assert.equal(new Set(demos.map(({ projectId }) => projectId)).size, 1);
    const [{ count } = { count: '' }] = await db('projects').count({ count: '*' });
    assert.equal(Number(count), 1);
  });

  it('keeps the key that is known and replaces one that is lost', async () => {
    const first = await seedDemo(db);
    assert.deepEqual(await seedDemo(db, first.personalApiKey), first);
    const again = await seedDemo(db);
    assert.notEqual(again.personalApiKey, first.personalApiKey);
    assert.equal(await keyStore(db).findCaller(hashOf(first.personalApiKey)), undefined);
    assert.equal((await keyStore(db).list({ userId: first.userId })).length, 1);
  });

  it('has a project whose public key may place events in the past', async () => {
    const { projectId, projectApiKey } = await seedDemo(db);
    const project = await createProjectLookup(projectStore(db))(projectApiKey);
    assert.deepEqual([project?.id, project?.historicalFromProjectKey], [projectId, true]);
  });
});

describe('project tokens', () => {
  it('are looked up once in a while, hits and misses alike, and again after a failure', async () => {
    const database = await createTestDatabase();
    const db = createKnex({ url: database.url, applicationName: 'test' });
    const { apiToken, projectId } = await buildTenant(db);
    const store = projectStore(db);
    const lookedUp: string[] = [];
    let clock = 0;
    let broken = false;
    const find = createProjectLookup(
      {
        ...store,
        async findByToken(token) {
          lookedUp.push(token);
          if (broken) throw new Error('away');
          return store.findByToken(token);
        },
      },
      () => clock,
    );
    const both = await Promise.all([find(apiToken), find(apiToken)]);
    assert.deepEqual(
      both.map((project) => project?.id),
      [projectId, projectId],
    );
    assert.equal(await find('phc_unknown'), undefined);
    assert.equal(await find('phc_unknown'), undefined);
    assert.equal(await find('nothing like a token'), undefined);
    assert.deepEqual(lookedUp, [apiToken, 'phc_unknown']);

    clock = 60_000;
    broken = true;
    await assert.rejects(find(apiToken), /away/);
    broken = false;
    assert.equal((await find(apiToken))?.id, projectId);
    await db.destroy();
    await database.drop();
  });
});
