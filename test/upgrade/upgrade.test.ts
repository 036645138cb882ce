import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { createPool, type Pool } from '../../src/platform/db/connection.ts';
import { migrate } from '../../src/platform/db/migrate.ts';
import { TASK_QUEUES } from '../../src/exports/domain/task-queues.ts';
import { isoMicros, millisOf } from '../../src/exports/domain/instants.ts';
import { presentBatchExport } from '../../src/exports/batch-exports/present.ts';
import { createEmptyDatabase, type TestDatabase } from '../support/database/database.ts';
import { buildEvent, microseconds } from '../support/events/events.ts';
import { runsAfterBackfill, buildExportWorld, eventually, type ExportWorld } from '../support/exports/export-world.ts';
import { loadInstallation, readFacts, type Facts } from './installation.ts';
import { migrateUpTo } from './migrate-up-to.ts';

const FOLDER = fileURLToPath(new URL('./installation-0024/', import.meta.url));
const BEGINNING = millisOf('2015-05-17T00:00:00Z');
const at = (hours: number) => isoMicros(BEGINNING + hours * 3_600_000);
/** Rows of the hours that the fixture has. */
const ROWS = [5, 9, 7];

type Files = Record<string, { content: string; changedAt: number }>;

/** The destination's database has another address in each run of the tests; its user and password are the fixture's. */
async function moveDestination(databaseUrl: string, to: string): Promise<void> {
  const { hostname, port, pathname } = new URL(to);
  const moved = { host: hostname, port: Number(port), database: pathname.slice(1) };
  const pool = createPool({ url: databaseUrl, applicationName: 'test', maxConnections: 1 });
  await pool.query(
    `update batch_exports set destination_config = destination_config || $1 where destination_type = 'Postgres'`,
    [JSON.stringify(moved)],
  );
  await pool.end();
}

async function filesBelow(folder: string): Promise<Files> {
  const files: Files = {};
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = path.join(entry.parentPath, entry.name);
    const [content, { mtimeMs }] = await Promise.all([readFile(file, 'base64'), stat(file)]);
    files[path.relative(folder, file)] = { content, changedAt: mtimeMs };
  }
  return files;
}
describe('an installation made before exports had layouts and timelines, after its upgrade', () => {
  let facts: Facts;
  let world: ExportWorld;
  let destination: TestDatabase;
  let tables: Pool;
  let localRoot: string;
  let atUpgrade: Files;

  before(async function () {
    facts = await readFacts(FOLDER);
    localRoot = await mkdtemp(path.join(tmpdir(), 'sluice-test-upgrade-'));
    const database = await createEmptyDatabase();
    destination = await createEmptyDatabase();
    tables = createPool({ url: destination.url, applicationName: 'test-eyes', maxConnections: 2 });
    await migrateUpTo(database.url, facts.schema);
    await loadInstallation(FOLDER, { databaseUrl: database.url, destinationUrl: destination.url, localRoot });
    await moveDestination(database.url, destination.url);
    atUpgrade = await filesBelow(localRoot);
    this.timeout(300_000);
    await migrate(database.url);
    const { encryptionKeys, projectId } = facts;
    world = await buildExportWorld('silent', { installed: { database, localRoot, encryptionKeys, projectId } });
    await world.startWorker();
    await reconcileUntilSettled();
  });
  after(async () => {
    await world.close();
    await tables.end();
    await destination.drop();
    await rm(localRoot, { recursive: true, force: true });
  });

  const filesOf = (all: Files, directory: string) =>
    Object.fromEntries(Object.entries(all).filter(([key]) => key.startsWith(`${facts.projectId}/${directory}/`)));

  async function reconcile(): Promise<void> {
    const { workflow } = world.engine.temporal.client;
    await workflow.execute('reconcile', {
      workflowId: `reconcile-${randomUUID()}`,
      taskQueue: TASK_QUEUES.control,
      args: [],
    });
  }

  async function reconcileUntilSettled(): Promise<void> {
    await eventually(
      'every commit to be settled and every request to be answered',
      async () => {
        await reconcile();
        const { rows } = await world.engine.pool.query<{ open: string }>(
          `select (select count(*) from batch_export_intervals where state = 'committing')
             + (select count(*) from batch_export_requests where closed_at is null) as open`,
        );
        return Number(rows[0]!.open) === 0;
      },
      90,
    );
  }

  const exportOf = (name: string) => {
    const id = facts.exports[name];
    assert.ok(id !== undefined, name);
    return id;
  };
  const runsOf = async (name: string) => world.engine.stores.runs.list(facts.projectId, exportOf(name), { limit: 100 });
  /** The interval's newest run. */
  const newestRun = async (name: string, hour: number) => {
    const run = await world.engine.stores.runs.findNewestOfInterval(exportOf(name), at(hour + 1));
    assert.ok(run, name);
    return run;
  };
  const fixtureMadeAt = () => Math.max(...Object.values(atUpgrade).map(({ changedAt }) => changedAt));

  /** Reads as the documentation has it: the manifest, then the files that it names. */
  async function rowsDelivered(directory: string, hour: number): Promise<number> {
    const [from, to] = [hour, hour + 1].map((one) => at(one).replace(/[-:]|\.000000/g, ''));
    const root = path.join(localRoot, String(facts.projectId), directory);
    const manifest = JSON.parse(await readFile(path.join(root, `${from}-${to}_manifest.json`), 'utf8')) as {
      state: string;
      rows: number;
      files: { key: string }[];
    };
    assert.equal(manifest.state, 'complete');
    const contents = await Promise.all(manifest.files.map(({ key }) => readFile(path.join(localRoot, key), 'utf8')));
    const lines = contents.join('').split('\n').filter(Boolean);
    assert.equal(lines.length, manifest.rows);
    return lines.length;
  }
  const rowsInTable = async (table: string, hour: number) => {
    const { rows } = await tables.query<{ count: number }>(
      `select count(*)::int as count from ${table} where _sluice_interval_time = $1`,
      [at(hour)],
    );
    return rows[0]!.count;
  };

  for (const [name, directory] of [
    ['files', 'files'],
    ['numbered files', 'numbered'],
  ] as const) {
    it(`leaves delivered ${name} alone, to the last byte and name`, async () => {
      assert.deepEqual(filesOf(await filesBelow(localRoot), directory), filesOf(atUpgrade, directory));
      const runs = await runsOf(name);
      assert.equal(runs.length, 4);
      assert.ok(runs.every(({ createdAt }) => millisOf(createdAt) <= fixtureMadeAt()));
    });
  }

  it('leaves delivered rows of tables alone', async () => {
    assert.deepEqual(await Promise.all([0, 1, 2].map((hour) => rowsInTable('events_delivered', hour))), [5, 6, 7]);
    assert.equal((await runsOf('table')).length, 4);
  });

  it('finds a table’s commit that succeeded, and delivers nothing again', async () => {
    const run = await newestRun('table, interrupted after its commit', 1);
    assert.equal(run.status, 'Completed');
    assert.ok(millisOf(run.createdAt) <= fixtureMadeAt(), 'the run is the one that was interrupted');
    assert.equal(await rowsInTable('events_after', 1), ROWS[1]);
  });

  for (const [name, table] of [
    ['table, interrupted before its commit', 'events_before'],
    ['table, interrupted after its commit', 'events_after'],
  ] as const) {
    it(`delivers every row of a ${name} once`, async () => {
      assert.equal((await newestRun(name, 1)).status, 'Completed');
      assert.equal(await rowsInTable(table, 1), ROWS[1]);
    });
  }

  for (const [name, directory] of [
    ['first delivery interrupted', 'interrupted'],
    ['second delivery interrupted', 'replacing'],
  ] as const) {
    it(`completes an interval of files, ${name}`, async () => {
      assert.equal((await newestRun(`files, ${name}`, 1)).status, 'Completed');
      assert.equal(await rowsDelivered(directory, 1), ROWS[1]);
    });
  }

  it('shows nothing of an interval whose run was interrupted while staging, and delivers it when it is retried', async () => {
    assert.deepEqual(filesOf(await filesBelow(localRoot), 'staging'), {});
    const name = 'files, interrupted while staging';
    assert.equal((await newestRun(name, 1)).status, 'TimedOut');
    const { id } = await world.backfills.request(facts.projectId, exportOf(name), { startAt: at(1), endAt: at(2) });
    await runsAfterBackfill(world, exportOf(name), id);
    assert.equal(await rowsDelivered('staging', 1), ROWS[1]);
  });

  it('leaves no unfinished upload behind', async () => {
    const keys = Object.keys(await filesBelow(localRoot));
    assert.deepEqual(
      keys.filter((key) => key.endsWith('.tmp')),
      [],
    );
  });

  it('recognizes its own earlier deliveries when they are requested again, and changes no byte of equal ones', async () => {
    const { id } = await world.backfills.request(facts.projectId, exportOf('files'), { startAt: at(0), endAt: at(3) });
    const runs = await runsAfterBackfill(world, exportOf('files'), id);
    assert.deepEqual(
      [...new Set(runs.map(({ status, latestError }) => `${status} ${latestError ?? ''}`.trim()))],
      ['Completed'],
    );
    const [present, past] = [filesOf(await filesBelow(localRoot), 'files'), filesOf(atUpgrade, 'files')];
    const changed = Object.keys(present).filter((key) => present[key]!.content !== past[key]?.content);
    assert.ok(
      changed.every((key) => key.includes('20150517T010000Z-20150517T020000Z')),
      `only the hour that has more rows now changed: ${changed.join(', ')}`,
    );
    assert.notEqual(changed.length, 0);
  });

  it('continues under the names of its files, even when another setting of an export was changed', async () => {
    await world.store([buildEvent({ timestamp: microseconds('2015-05-17T05:30:00Z') })]);
    for (const [name, directory, suffix] of [
      ['files', 'files', '.jsonl.gz'],
      ['numbered files', 'numbered', '-0.jsonl'],
    ] as const) {
      const shownLayout = async () => {
        const { destination } = presentBatchExport(await world.batchExports.get(facts.projectId, exportOf(name)));
        return destination.config['layout'];
      };
      const keys = async () => Object.keys(filesOf(await filesBelow(localRoot), directory)).sort();
      assert.equal(await shownLayout(), 'stable');
      await world.batchExports.patch(facts.projectId, exportOf(name), {
        name: 'renamed',
        destination: { type: 'LocalFile', config: { csv_formula_safe: true } },
      });
      assert.equal(await shownLayout(), 'stable');
      const before = await keys();
      const { id } = await world.backfills.request(facts.projectId, exportOf(name), { startAt: at(1), endAt: at(6) });
      const runs = await runsAfterBackfill(world, exportOf(name), id);
      assert.ok(runs.every(({ status }) => status === 'Completed'));
      const stems = ['20150517T040000Z-20150517T050000Z', '20150517T050000Z-20150517T060000Z'];
      const added = [...stems.map((stem) => `${stem}_manifest.json`), `${stems[1]}${suffix}`];
      assert.deepEqual(
        await keys(),
        [...before, ...added.map((key) => `${facts.projectId}/${directory}/${key}`)].sort(),
      );
    }
  });

  it('recognizes its own earlier rows when they are requested again', async () => {
    const { id } = await world.backfills.request(facts.projectId, exportOf('table'), { startAt: at(0), endAt: at(3) });
    await runsAfterBackfill(world, exportOf('table'), id);
    assert.deepEqual(await Promise.all([0, 1, 2].map((hour) => rowsInTable('events_delivered', hour))), ROWS);
  });
});
