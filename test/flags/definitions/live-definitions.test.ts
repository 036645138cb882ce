import assert from 'node:assert/strict';
import { createKnex, type Knex } from '../../../src/platform/db/connection.ts';
import { Unavailable } from '../../../src/platform/errors.ts';
import { createLiveDefinitions, type LiveDefinitions } from '../../../src/flags/definitions/live-definitions.ts';
import { type ProjectFlags } from '../../../src/flags/definitions/project-flags.ts';
import { generateKey } from '../../../src/people/keys/keys.ts';
import { createLogger } from '../../../src/platform/telemetry/logger.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts';
import { buildFlag } from '../../support/database/flag-rows.ts';
import { startGate, type Gate } from '../../support/servers/gate.ts';
import { buildTenant, type Tenant } from '../../support/api/identity.ts';
import { leastMs } from '../../support/durations.ts';
import { until } from '../../support/until.ts';

const log = createLogger({ LOG_LEVEL: 'silent' }, 'test');
/** Beyond all patience: what is known earlier was told. */
const NEVER_MS = 1_000_000;
const LISTENERS = `from pg_stat_activity where application_name = 'sluice-listener' and datname = current_database()`;

/** Of a project that is in memory. */
function findLoaded(live: LiveDefinitions, tenant: Tenant): ProjectFlags {
  const project = live.find(tenant.apiToken);
  assert(project && 'definitions' in project, 'it is not in memory');
  return project;
}

const isActive = (live: LiveDefinitions, tenant: Tenant) => findLoaded(live, tenant).definitions.flags[0]!.active;

describe('live definitions', () => {
  let database: TestDatabase;
  let db: Knex;
  let gate: Gate;
  const opened: LiveDefinitions[] = [];

  before(async () => {
    database = await createTestDatabase();
    db = createKnex({ url: database.url, applicationName: 'test' });
    gate = await startGate(database.url);
  });
  afterEach(async () => {
    gate.open();
    await Promise.all(opened.splice(0).map((live) => live.close()));
  });
  after(async () => {
    gate.close();
    await db.destroy();
    await database.drop();
  });

  function open(options: { databaseUrl?: string; checkEveryMs?: number } = {}): LiveDefinitions {
    const live = createLiveDefinitions({ databaseUrl: database.url, checkEveryMs: NEVER_MS, log, ...options });
    opened.push(live);
    return live;
  }

  async function listening(count: number): Promise<void> {
    await until('listeners', async () => {
      const { rows } = await db.raw<{ rows: object[] }>(`select 1 ${LISTENERS} and query ilike 'listen%'`);
      return rows.length === count;
    });
  }

  it('finds a project by its token or its id, reads it once, and has it at once from then on', async () => {
    const tenant = await buildTenant(db);
    await buildFlag(db, tenant.projectId, { key: 'b' });
    await buildFlag(db, tenant.projectId, { key: 'a' });
    await buildFlag(db, tenant.projectId, { key: 'deleted', deleted: true });
    const live = open();
    const [project, same] = await Promise.all([live.find(tenant.apiToken), live.find(tenant.apiToken)]);
    assert.equal(project, same);
    assert.deepEqual(
      project?.definitions.flags.map(({ key }) => key),
      ['a', 'b'],
    );
    assert.equal(live.find(tenant.apiToken), project);
    assert.equal(live.findById(tenant.projectId), project);
  });

  it('finds nothing for what is no token, and remembers for a while which projects there are not', async () => {
    const live = open();
    assert.equal(live.find('phx_secret'), undefined);
    for (const find of [() => live.find(generateKey('phc')), () => live.findById(999_999)]) {
      assert.equal(await find(), undefined);
    }
    const missing = generateKey('phc');
    await live.find(missing);
    assert.equal(live.find(missing), undefined);
  });

  it('has a change in every process within 100 ms, and announces it then', async () => {
    const tenant = await buildTenant(db);
    const id = await buildFlag(db, tenant.projectId);
    const processes = [open(), open()];
    await Promise.all(processes.map(async (live) => live.find(tenant.apiToken)));
    await listening(2);
    const notified: [project: number, active: boolean][] = [];
    let notifiedAt = 0;
    for (const live of processes) {
      live.onChange((project) => {
        notified.push([project, isActive(live, tenant)]);
        notifiedAt = performance.now();
      });
    }
    async function change(active: boolean): Promise<number> {
      notified.length = 0;
      await db('feature_flags').where({ id }).update({ active });
      const changedAt = performance.now();
      await until('both to tell', () => notified.length >= 2);
      assert.deepEqual(notified, [
        [tenant.projectId, active],
        [tenant.projectId, active],
      ]);
      return notifiedAt - changedAt;
    }
    for (const active of [false, true]) await change(active);
    const took = await leastMs(100, (time) => change(time % 2 === 1));
    assert.ok(took < 100, `${took} ms`);
  });

  it('announces changes to a listener until that unsubscribes', async () => {
    const tenant = await buildTenant(db);
    const live = open();
    await live.find(tenant.apiToken);
    await listening(1);
    const callCounts = { first: 0, second: 0 };
    const end = live.onChange(() => (callCounts.first += 1));
    live.onChange(() => (callCounts.second += 1));
    end();
    await buildFlag(db, tenant.projectId);
    await until('the second', () => callCounts.second === 1);
    assert.equal(callCounts.first, 0);
  });

  it('opens a project by its new token, and no longer by the one before', async () => {
    const tenant = await buildTenant(db);
    const live = open();
    await live.find(tenant.apiToken);
    await listening(1);
    const token = generateKey('phc');
    assert.equal(await live.find(token), undefined);
    await db('projects').where({ id: tenant.projectId }).update({ api_token: token });
    await until('the new token', () => (live.findById(tenant.projectId) as ProjectFlags).token === token);
    assert.equal(findLoaded(live, { ...tenant, apiToken: token }).projectId, tenant.projectId);
    assert.equal(await live.find(tenant.apiToken), undefined);
  });

  it('hears of changes again after its connection was lost, also of those meanwhile', async () => {
    const tenant = await buildTenant(db);
    const id = await buildFlag(db, tenant.projectId);
    const live = open();
    await live.find(tenant.apiToken);
    await listening(1);
    await db.transaction(async (transaction) => {
      await transaction.raw(`select pg_terminate_backend(pid) ${LISTENERS}`);
      await transaction('feature_flags').where({ id }).update({ active: false });
    });
    await until('what was missed', () => !isActive(live, tenant));
    await listening(1);
    await db('feature_flags').where({ id }).update({ active: true });
    await until('what is told', () => isActive(live, tenant));
  });

  it('finds missed changes when it compares versions, also that a project is gone', async () => {
    const [tenant, gone] = [await buildTenant(db), await buildTenant(db)];
    const id = await buildFlag(db, tenant.projectId);
    const live = open({ checkEveryMs: 50 });
    await live.find(tenant.apiToken);
    await live.find(gone.apiToken);
    await db.transaction(async (transaction) => {
      await transaction.raw('set local session_replication_role = replica');
      await transaction('feature_flags').where({ id }).update({ active: false });
      await transaction('flag_definitions').where({ project_id: tenant.projectId }).increment('version');
    });
    await db('projects').where({ id: gone.projectId }).delete();
    await until('what was not told', () => !isActive(live, tenant));
    await until('the project to be gone', async () => (await live.find(gone.apiToken)) === undefined);
  });

  it('serves what it has while Postgres is away, says of others that they cannot be had, and catches up', async () => {
    const [tenant, other] = [await buildTenant(db), await buildTenant(db)];
    const id = await buildFlag(db, tenant.projectId);
    const live = open({ databaseUrl: gate.url, checkEveryMs: 50 });
    await live.find(tenant.apiToken);
    await listening(1);
    gate.shut();
    await db('feature_flags').where({ id }).update({ active: false });
    await assert.rejects(async () => live.find(other.apiToken), Unavailable);
    await assert.rejects(async () => live.findById(other.projectId), Unavailable);
    await live.refresh(tenant.projectId);
    assert.equal(isActive(live, tenant), true);
    gate.open();
    await until('what was missed', () => !isActive(live, tenant));
    assert.equal((await live.find(other.apiToken))?.projectId, other.projectId);
  });

  it('has what is committed when it is refreshed', async () => {
    const tenant = await buildTenant(db);
    const id = await buildFlag(db, tenant.projectId);
    const live = open();
    await live.find(tenant.apiToken);
    for (const active of [false, true, false]) {
      await db('feature_flags').where({ id }).update({ active });
      await live.refresh(tenant.projectId);
      assert.equal(isActive(live, tenant), active);
    }
  });

  it('reads settings, cohorts, group types and experiments with the flags', async () => {
    const tenant = await buildTenant(db);
    const { projectId } = tenant;
    await db('projects').where({ id: projectId }).update({ timezone: 'Asia/Tokyo', property_matching_version: 2 });
    await db.raw('select ensure_group_types(?, ?)', [projectId, ['company', 'site']]);
    const live = open();
    const project = await live.find(tenant.apiToken);
    assert.deepEqual(project?.definitions, {
      flags: [],
      cohorts: [],
      groupTypes: new Map([
        [0, 'company'],
        [1, 'site'],
      ]),
      timeZone: 'Asia/Tokyo',
      matchingVersion: 2,
    });
  });
});
