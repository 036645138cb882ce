import assert from 'node:assert/strict';
import { createKnex, type Knex } from '../../../src/db/connection.ts';
import { createLiveDefinitions, type LiveDefinitions } from '../../../src/flags/definitions/live-definitions.ts';
import { createLogger } from '../../../src/telemetry/logger.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { buildFlag } from '../../support/flag-rows.ts';
import { buildTenant } from '../../support/identity.ts';

const log = createLogger({ LOG_LEVEL: 'silent' }, 'test');

/** Waits until it is true. @throws when it is not true in time */
async function within(ms: number, isTrue: () => boolean): Promise<void> {
  const deadline = performance.now() + ms;
  while (!isTrue()) {
    assert(performance.now() < deadline, `not within ${ms} ms`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

describe('live definitions', () => {
  let database: TestDatabase;
  let db: Knex;
  const opened: LiveDefinitions[] = [];

  before(async () => {
    database = await createTestDatabase();
    db = createKnex({ url: database.url, applicationName: 'test' });
  });
  after(async () => {
    await Promise.all(opened.map((live) => live.close()));
    await db.destroy();
    await database.drop();
  });

  function open(checkEveryMs?: number): LiveDefinitions {
    const live = createLiveDefinitions({ databaseUrl: database.url, log, ...(checkEveryMs && { checkEveryMs }) });
    opened.push(live);
    return live;
  }

  it('finds a project by its token and its id, then at once', async () => {
    const tenant = await buildTenant(db);
    await buildFlag(db, tenant.projectId, { key: 'b' });
    await buildFlag(db, tenant.projectId, { key: 'a' });
    await buildFlag(db, tenant.projectId, { key: 'gone', deleted: true });
    const live = open();
    const [project, same] = await Promise.all([live.find(tenant.apiToken), live.find(tenant.apiToken)]);
    assert.equal(project, same);
    assert.deepEqual(
      project?.stored.map(({ key }) => key),
      ['a', 'b'],
    );
    assert.equal(live.find(tenant.apiToken), project);
    assert.equal(live.findById(tenant.projectId), project);
  });

  it('has a change in every process within 100 ms', async () => {
    const tenant = await buildTenant(db);
    const id = await buildFlag(db, tenant.projectId);
    const processes = [open(), open()];
    const flagIn = (live: LiveDefinitions) => {
      const project = live.find(tenant.apiToken);
      assert(project && 'stored' in project);
      return project.stored[0]!;
    };
    await Promise.all(processes.map(async (live) => live.find(tenant.apiToken)));
    const told = processes.map(() => [] as number[]);
    processes.forEach((live, index) => live.onChange((projectId) => told[index]!.push(projectId)));

    await db('feature_flags').where({ id }).update({ active: false });
    await within(100, () => processes.every((live) => !flagIn(live).active));
    assert.deepEqual(told, [[tenant.projectId], [tenant.projectId]]);
  });
});
