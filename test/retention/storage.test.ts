/** How much of the database a project takes. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { createGatekeeper } from '../../src/people/access/gatekeeper.ts';
import { identityStores } from '../../src/people/stores.ts';
import { GROWING_TABLES } from '../../src/retention/growing-tables.ts';
import { createRetentionRoom, retentionRoutes } from '../../src/retention/room.ts';
import { storageStore, type TableStorage } from '../../src/retention/storage/storage.store.ts';
import { PROJECT_TABLES } from '../../src/retention/storage/project-tables.ts';
import { startApi, type Api } from '../support/api/api.ts';
import { buildPersonalKey, buildTenant, type Tenant } from '../support/api/identity.ts';
import { createExportRows, type ExportRows } from '../support/database/export-rows.ts';

const OLDEST = '2015-05-17T10:00:00.000000Z';
const HOUR = 3_600_000;
const intervalAt = (hours: number) => ({
  start: Date.parse(OLDEST) + hours * HOUR,
  end: Date.parse(OLDEST) + (hours + 1) * HOUR,
});

describe('the storage of a project', () => {
  let rows: ExportRows;
  let theirs: Tenant;
  let api: Api;
  before(async () => {
    rows = await createExportRows();
    theirs = await buildTenant(rows.db);
    api = await startApi({
      routes: retentionRoutes,
      collaborators: createRetentionRoom(rows.db).collaborators,
      gatekeeper: createGatekeeper(identityStores(rows.db)),
    });
    await insertPersons(rows.projectId, 5);
    await insertPersons(theirs.projectId, 40);
    const batchExport = await rows.buildExport();
    for (const hours of [0, 1, 2]) {
      const run = await rows.buildRun(batchExport, intervalAt(hours));
      await rows.db('batch_export_logs').insert({
        batch_export_id: batchExport.id,
        run_id: run.id,
        level: 'INFO',
        message: 'begun',
        timestamp: intervalAt(hours).start === Date.parse(OLDEST) ? OLDEST : new Date(),
      });
    }
    await rows.db.raw('analyze');
  });
  after(async () => {
    await api?.stop();
    await rows?.close();
  });

  async function insertPersons(projectId: number, count: number): Promise<void> {
    await rows.db('persons').insert(
      Array.from({ length: count }, (_, index) => ({
        project_id: projectId,
        id: randomUUID(),
        created_at: new Date(Date.parse(OLDEST) + index * HOUR),
        properties: {},
        is_identified: true,
      })),
    );
  }

  async function measured(table: string, maxCounted?: number): Promise<TableStorage> {
    const all = await storageStore(rows.db, maxCounted).measure(rows.projectId);
    return all.find((one) => one.table === table)!;
  }

  it('lists every growing table with rows of projects', async () => {
    const { rows: columns } = await rows.db.raw<{ rows: { name: string }[] }>(
      `select distinct table_name as name from information_schema.columns where table_schema = current_schema()
       and column_name in ('project_id', 'batch_export_id', 'run_id', 'backfill_id')`,
    );
    const owned = new Set(columns.map(({ name }) => name));
    const growing = Object.entries(GROWING_TABLES).filter(
      ([table, { grownBy }]) => owned.has(table) && !grownBy.startsWith('people, '),
    );
    assert.deepEqual(Object.keys(PROJECT_TABLES).sort(), growing.map(([table]) => table).sort());
  });

  it("counts the project's rows, with their bytes and the oldest", async () => {
    const { bytes, ...persons } = await measured('persons');
    assert.deepEqual(persons, { table: 'persons', rows: 5, rowsAreEstimated: false, oldest: OLDEST });
    const size = (
      await rows.db.raw<{ rows: [{ size: number }] }>("select pg_total_relation_size('persons')::int as size")
    ).rows[0].size;
    assert.equal(bytes, Math.round((size * 5) / 45));
    const { bytes: _, ...logs } = await measured('batch_export_logs');
    assert.deepEqual(logs, { table: 'batch_export_logs', rows: 3, rowsAreEstimated: false, oldest: OLDEST });
    assert.equal((await measured('batch_export_runs')).rows, 3);
    assert.deepEqual(await measured('groups'), {
      table: 'groups',
      rows: 0,
      rowsAreEstimated: false,
      bytes: 0,
      oldest: null,
    });
  });

  it('is estimated where there are more rows than are counted', async () => {
    const persons = await measured('persons', 4);
    assert.deepEqual([persons.rowsAreEstimated, persons.oldest], [true, OLDEST]);
    assert(persons.rows >= 5 && persons.rows < 45, `${persons.rows} of 5`);
    const logs = await measured('batch_export_logs', 2);
    assert.deepEqual([logs.rowsAreEstimated, logs.oldest, logs.rows >= 3], [true, null, true]);
  });

  it('is shown by the API to readers of the project, the largest table first', async () => {
    const path = `/api/projects/${rows.projectId}/storage/`;
    const { rows: owners } = await rows.db.raw<{ rows: Tenant[] }>(
      `select organization_id as "organizationId", id as "projectId",
              (select user_id from organization_memberships as m where m.organization_id = projects.organization_id) as "userId"
       from projects where id = ?`,
      [rows.projectId],
    );
    const answer = await api.request('GET', path, { key: await buildPersonalKey(rows.db, owners[0]!, 'project:read') });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    const body = answer.body as { bytes: number; tables: { table: string; rows: number; bytes: number }[] };
    assert.equal(body.tables.find(({ table }) => table === 'persons')?.rows, 5);
    assert.equal(
      body.bytes,
      body.tables.reduce((sum, { bytes }) => sum + bytes, 0),
    );
    assert.deepEqual(
      body.tables,
      body.tables.toSorted((a, b) => b.bytes - a.bytes || a.table.localeCompare(b.table)),
    );
    assert.equal((await api.request('GET', path, { key: await buildPersonalKey(rows.db, theirs, '*') })).status, 403);
  });
});
