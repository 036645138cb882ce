/** Rows that are deleted because of their age: which, and what holds others back. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { BatchExport } from '../../src/exports/batch-exports/batch-export.ts';
import { isoMicros } from '../../src/exports/domain/instants.ts';
import { DESTINATION_TYPES } from '../../src/exports/destinations/index.ts';
import { environmentWith } from '../../src/platform/config.ts';
import { createPool, type Pool } from '../../src/platform/db/connection.ts';
import { NAMING_ONE_RUN, NAMING_SEVERAL_RUNS } from '../../src/retention/expiring-tables.ts';
import type { RetentionDays } from '../../src/retention/growing-table.ts';
import { GROWING_TABLES } from '../../src/retention/growing-tables.ts';
import { deleteAll, deleteSome, limitedTables, measure } from '../../src/retention/retention.ts';
import { createExportRows, type ExportRows } from '../support/database/export-rows.ts';
import { until } from '../support/until.ts';

const SLUICE = fileURLToPath(new URL('../../bin/sluice', import.meta.url));
/** Days for which the tests keep rows, and the age of old and of young rows. */
const [KEPT, OLD, YOUNG] = [100, 200, 50];
const SETTINGS: Required<RetentionDays> = {
  RETENTION_EXPORT_LOG_DAYS: KEPT,
  RETENTION_RUN_DETAIL_DAYS: KEPT,
  RETENTION_RUN_DAYS: KEPT,
  RETENTION_FLAG_REQUEST_DAYS: KEPT,
  RETENTION_AUDIT_LOG_DAYS: KEPT,
  RETENTION_EVENT_DAYS: 0,
};
const HOUR = 3_600_000;
const START = Date.parse('2015-05-17T10:00:00Z');
const TEN = { start: START, end: START + HOUR };
const intervalAt = (hours: number) => ({ start: START + hours * HOUR, end: START + (hours + 1) * HOUR });
const NOT_REPLACED = 'the last delivery of their data interval at its place, or no delivery since that is as old';

const limited = (table: string, settings: RetentionDays = SETTINGS) =>
  limitedTables(settings).find((one) => one.table === table)!;

describe('retention', () => {
  let rows: ExportRows;
  let pool: Pool;
  let of: BatchExport;
  before(async () => {
    rows = await createExportRows();
    pool = createPool({ url: rows.url, applicationName: 'test' });
  });
  after(async () => {
    await pool?.end();
    await rows?.close();
  });
  beforeEach(async () => {
    await sql('truncate batch_exports, activity_log, flag_requests, retention_positions cascade');
    of = await rows.buildExport();
  });

  const sql = async <Row extends object>(text: string, values: unknown[] = []) =>
    (await pool.query<Row>(text, values)).rows;

  async function deleteFrom(table: string): Promise<number> {
    let deleted = 0;
    for await (const count of deleteAll(pool, limited(table))) deleted += count;
    return deleted;
  }

  type RunSeed = {
    interval?: { start: number; end: number };
    daysAgo?: number;
    status?: string;
    epoch?: number | null;
    keySpace?: string;
    type?: string;
    /** Id of the run that the receipt names: `own`, another, or none as in receipts of earlier versions. */
    named?: string | null;
    isPinned?: boolean;
  };

  /** A run that ended; as one that delivered unless the seed says otherwise. */
  async function addRun(seed: RunSeed = {}): Promise<string> {
    const { interval = TEN, daysAgo = OLD, status = 'Completed', epoch = 1, named = 'own', isPinned = true } = seed;
    const { id } = await rows.buildRun(of, interval);
    const { type = 'LocalFile', keySpace = 'here' } = seed;
    const destination = { type, place: 'place', keySpace, config: { at: randomUUID() } };
    const isOpen = status === 'Running';
    await sql(
      `update batch_export_runs set status = $2, epoch = $3, plan = $4, receipt = $5, created_at = now() - make_interval(days => $6),
         finished_at = case when $7 then null else now() - make_interval(days => $6) end where id = $1`,
      [
        id,
        status,
        epoch,
        epoch === null ? null : JSON.stringify({ rows: 1, parts: [], ...(isPinned && { destination }) }),
        status === 'Completed' ? JSON.stringify({ rows: 1, run_id: named === 'own' ? id : named }) : null,
        daysAgo,
        isOpen,
      ],
    );
    return id;
  }

  async function setLedger(runId: string, state: string, interval = TEN): Promise<void> {
    await sql(
      `insert into batch_export_intervals (batch_export_id, data_interval_start, data_interval_end, epoch, state, run_id)
       select batch_export_id, data_interval_start, data_interval_end, coalesce(epoch, 1), $2, id from batch_export_runs where id = $1
       on conflict (batch_export_id, data_interval_start, data_interval_end) do update
         set epoch = excluded.epoch, state = excluded.state, run_id = excluded.run_id`,
      [runId, state],
    );
    assert.ok(interval.start < interval.end);
  }

  const addLine = async (runId: string | null, daysAgo: number, message = 'line') =>
    sql(
      `insert into batch_export_logs (batch_export_id, run_id, level, message, timestamp)
       values ($1, $2, 'INFO', $3, now() - make_interval(days => $4))`,
      [of.id, runId, message, daysAgo],
    );
  const runIds = async () =>
    (await sql<{ id: string }>('select id from batch_export_runs order by created_at, id')).map(({ id }) => id);

  const addParts = async (runId: string, daysAgo: number) => {
    await sql(
      `insert into batch_export_parts (run_id, part, staged, staged_at) values ($1, $2, '{}', now() - make_interval(days => $2))`,
      [runId, daysAgo],
    );
    await sql(
      `insert into batch_export_plan_parts (run_id, part, rows, planned_at) values ($1, $2, 1, now() - make_interval(days => $2))`,
      [runId, daysAgo],
    );
  };
  const isWaiting = async () =>
    until('a session to wait for a lock', async () => {
      const waiting = await sql(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      return waiting.length > 0;
    });
  const environment = () =>
    environmentWith({
      DATABASE_URL: rows.url,
      RETENTION_AUDIT_LOG_DAYS: '0',
      RETENTION_EXPORT_LOG_DAYS: String(KEPT),
    });
  const addLines = async (lines: number) =>
    sql(
      `insert into batch_export_logs (batch_export_id, level, message, timestamp)
       select $1, 'INFO', 'line', now() - interval '${OLD} days' + line * interval '1 second' from generate_series(1, $2::int) as line`,
      [of.id, lines],
    );
  const lines = async () => (await sql('select from batch_export_logs')).length;

  const run = (...words: string[]) =>
    new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
      const env = environment();
      execFile(process.execPath, [SLUICE, 'retention', ...words], { env }, (error, stdout, stderr) =>
        resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
      );
    });

  it('has a row for every table, and no row for another', async () => {
    const tables = await sql<{ name: string }>(
      `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
         and not relispartition and relname not like 'schema\\_migrations%' order by relname`,
    );
    assert.deepEqual(Object.keys(GROWING_TABLES).sort(), tables.map(({ name }) => name).sort());
  });

  it('finds old rows by an index: by the clock, or by the clock within each owner', async () => {
    for (const { table, expiry } of limitedTables(SETTINGS)) {
      const first = [...(expiry.owners ? [expiry.owners.column] : []), expiry.clock].join(', ');
      const found = await sql('select from pg_indexes where tablename = $1 and strpos(indexdef, $2) > 0', [
        table,
        `btree (${first}`,
      ]);
      assert.ok(found.length > 0, `${table} has no index that begins with ${first}`);
    }
  });

  it('knows of every type of destination whether it may name an earlier run', () => {
    const known = [...NAMING_ONE_RUN, ...NAMING_SEVERAL_RUNS];
    assert.deepEqual(
      DESTINATION_TYPES.filter((type) => !known.includes(type)),
      [],
    );
  });

  it('deletes nothing of tables without a limit', async () => {
    await addLine(null, 10_000);
    const settings = { ...SETTINGS, RETENTION_EXPORT_LOG_DAYS: 0 };
    const signal = new AbortController().signal;
    assert.equal(await measure(pool, limited('batch_export_logs', settings)), undefined);
    assert.equal(await deleteSome(pool, settings, { beginWithinMs: 60_000, signal }), 0);
    assert.equal(await deleteSome(pool, {}, { beginWithinMs: 60_000, signal }), 0);
    assert.equal((await sql('select from batch_export_logs')).length, 1);
  });

  it('deletes log lines, attempts, entries and counts that are old enough, and lists the same before', async () => {
    const open = await addRun({ status: 'Running' });
    const ended = await addRun();
    for (const runId of [open, ended]) {
      for (const [attempt, daysAgo] of [OLD, YOUNG].entries())
        await sql(
          `insert into batch_export_attempts (run_id, attempt, step, started_at)
           values ($1, $2, 'plan', now() - make_interval(days => $3))`,
          [runId, attempt + 1, daysAgo],
        );
      for (const daysAgo of [OLD, YOUNG]) await addLine(runId, daysAgo);
    }
    await addLine(null, OLD);
    for (const daysAgo of [OLD, YOUNG]) {
      await sql(
        `insert into activity_log (id, organization_id, scope, item_id, activity, detail, created_at)
         select $1, organization_id, 'Project', '1', 'updated', '{}', now() - make_interval(days => $2) from projects where id = $3`,
        [randomUUID(), daysAgo, rows.projectId],
      );
      await sql(
        `insert into flag_requests (project_id, day, kind, key, sdk, requests)
         values ($1, current_date - $2::int, 'decide', 'phc_...', 'web/1', 1)`,
        [rows.projectId, daysAgo],
      );
    }
    const expected = {
      activity_log: { rows: 1, held: {}, left: 1 },
      batch_export_attempts: { rows: 1, held: { 'runs in progress': 1 }, left: 3 },
      batch_export_logs: { rows: 2, held: { 'runs in progress': 1 }, left: 3 },
      flag_requests: { rows: 1, held: {}, left: 1 },
    };
    for (const [table, { rows: count, held, left }] of Object.entries(expected)) {
      const old = (await measure(pool, limited(table)))!;
      assert.deepEqual({ rows: old.rows, held: old.held }, { rows: count, held }, table);
      const age = Date.now() - Date.parse(old.oldest!);
      assert.ok(Math.abs(age / (24 * HOUR) - OLD) < 2 && old.newest! >= old.oldest!, `${table}: ${old.oldest}`);
      assert.equal(await deleteFrom(table), count, table);
      assert.equal((await sql(`select from ${table}`)).length, left, table);
      assert.equal((await measure(pool, limited(table)))!.rows, 0, table);
    }
    const lines = await sql<{ run_id: string }>(
      `select run_id from batch_export_logs where "timestamp" < now() - interval '150 days'`,
    );
    assert.deepEqual(lines, [{ run_id: open }]);
  });

  it('deletes staged parts and parts of plans, but not while their run may still commit them', async () => {
    const delivered = await addRun();
    await setLedger(delivered, 'delivered');
    const open = await addRun({ status: 'Running', interval: intervalAt(1) });
    await setLedger(open, 'open');
    const brokenOff = await addRun({ status: 'TimedOut', interval: intervalAt(2) });
    await setLedger(brokenOff, 'committing');
    const failed = await addRun({ status: 'Failed', interval: intervalAt(3) });
    await setLedger(failed, 'open');
    const fenced = await addRun({ status: 'Failed', interval: intervalAt(4) });
    await setLedger(await addRun({ interval: intervalAt(4), epoch: 2 }), 'delivered');
    const interrupted = await addRun({ interval: intervalAt(5) });
    await setLedger(await addRun({ status: 'Failed', interval: intervalAt(5), epoch: 2 }), 'open');
    for (const runId of [delivered, open, brokenOff, failed, fenced, interrupted])
      for (const daysAgo of [OLD, YOUNG]) await addParts(runId, daysAgo);
    for (const table of ['batch_export_parts', 'batch_export_plan_parts']) {
      const { rows: free, held } = (await measure(pool, limited(table)))!;
      assert.deepEqual({ free, held }, { free: 2, held: { 'runs in progress': 1, 'undelivered data intervals': 3 } });
      assert.equal(await deleteFrom(table), 2);
      const left = await sql<{ id: string }>(`select run_id as id from ${table} where part = ${OLD}`);
      assert.deepEqual(left.map(({ id }) => id).sort(), [open, brokenOff, failed, interrupted].sort(), table);
      assert.equal((await sql(`select from ${table} where part = ${YOUNG}`)).length, 6);
    }
  });

  it('keeps parts while the manifest names no run, as in earlier versions, and until another does', async () => {
    const unnamed = await addRun({ named: null });
    await setLedger(unnamed, 'delivered');
    const unpinned = await addRun({ named: null, isPinned: false, interval: intervalAt(1) });
    await setLedger(await addRun({ interval: intervalAt(1), epoch: 2 }), 'delivered');
    for (const runId of [unnamed, unpinned]) await addParts(runId, OLD);
    const { held } = (await measure(pool, limited('batch_export_parts')))!;
    assert.deepEqual(held, { 'deliveries whose manifest may name no run': 2 });
    await setLedger(await addRun({ epoch: 2, keySpace: 'elsewhere' }), 'delivered');
    assert.equal(await deleteFrom('batch_export_parts'), 0);
    await setLedger(await addRun({ epoch: 3 }), 'delivered');
    assert.equal(await deleteFrom('batch_export_parts'), 1);
    assert.deepEqual(await sql('select run_id from batch_export_parts'), [{ run_id: unpinned }]);
  });

  it('leaves locked rows, and a table whose rows it would wait for, to the next round', async () => {
    await addLines(2);
    const earlier = await addRun();
    await addRun({ daysAgo: OLD - 1, epoch: 2 });
    await addLine(earlier, YOUNG, 'locked');
    const round = async () =>
      deleteSome(
        pool,
        { RETENTION_EXPORT_LOG_DAYS: KEPT, RETENTION_RUN_DAYS: KEPT },
        { beginWithinMs: 60_000, signal: new AbortController().signal },
      );
    const other = await pool.connect();
    try {
      await other.query('begin');
      await other.query(
        `select from batch_export_logs where message = 'locked' or id = (select min(id) from batch_export_logs) for update`,
      );
      assert.equal(await round(), 1, 'the line that is not locked');
    } finally {
      await other.query('rollback');
      other.release();
    }
    assert.equal(await round(), 2);
  });

  it('deletes answered requests, but not while a backfill counts them', async () => {
    const { backfills, runRequests } = rows.stores;
    const tiling = await rows.stores.batchExports.getTiling(of.id);
    const addBackfill = async (hours: number): Promise<string> => {
      const interval = { start: START + hours * HOUR, end: START + (hours + 1) * HOUR };
      const header = { projectId: rows.projectId, batchExportId: of.id, kind: 'backfill', ...interval } as const;
      const id = await backfills.open({ ...header, wanted: [interval], totalRuns: 1 });
      await backfills.writeRequests(id, tiling);
      const runId = await addRun({ interval, status: 'Failed' });
      await sql(
        `update batch_export_requests set run_id = $2, closed_at = now() - make_interval(days => $3)
         where id in (select request_id from batch_export_backfill_requests where backfill_id = $1)`,
        [id, runId, OLD],
      );
      return id;
    };
    const [live, justEnded, ended] = [await addBackfill(0), await addBackfill(1), await addBackfill(2)];
    for (const [id, daysAgo] of [
      [justEnded, YOUNG],
      [ended, OLD],
    ] as const)
      await sql(
        `update batch_export_backfills set finished_at = now() - make_interval(days => $2), finished_runs = 1, failed_runs = 1 where id = $1`,
        [id, daysAgo],
      );
    await runRequests.open(of.id, [{ start: START + 5 * HOUR, end: START + 6 * HOUR }], 'gap');
    const { rows: free, held } = (await measure(pool, limited('batch_export_requests')))!;
    assert.deepEqual({ free, held }, { free: 1, held: { 'backfills in progress, or ended since': 2 } });
    assert.equal(await deleteFrom('batch_export_requests'), 1);
    const links = await sql<{ id: string }>('select backfill_id as id from batch_export_backfill_requests');
    assert.deepEqual(links.map(({ id }) => id).sort(), [live, justEnded].sort());
    assert.equal((await sql('select from batch_export_requests')).length, 3);

    const [run] = await sql<{ id: string }>(
      `select request.run_id as id from batch_export_requests as request join batch_export_backfill_requests as link
         on link.request_id = request.id where backfill_id = $1`,
      [justEnded],
    );
    await backfills.clearResults(run!.id);
    const resultOf = async (id: string) => backfills.get(rows.projectId, of.id, id);
    assert.equal((await resultOf(justEnded)).status, 'Failed');
    assert.equal((await resultOf(ended)).status, 'Failed', 'its result stays, although its requests are gone');
    assert.deepEqual([(await resultOf(ended)).finishedRuns, (await resultOf(ended)).failedRuns], [1, 1]);
  });

  it('leaves the result of a backfill as it is when some of its requests are gone', async () => {
    const { backfills } = rows.stores;
    const interval = { start: START, end: START + 2 * HOUR };
    const header = { projectId: rows.projectId, batchExportId: of.id, kind: 'backfill', ...interval } as const;
    const id = await backfills.open({ ...header, wanted: [interval], totalRuns: 2 });
    await backfills.writeRequests(id, await rows.stores.batchExports.getTiling(of.id));
    const runId = await addRun({ status: 'Failed' });
    await sql('update batch_export_requests set run_id = $1, closed_at = now()', [runId]);
    await sql('update batch_export_backfills set finished_at = now(), finished_runs = 2, failed_runs = 2');
    await sql('delete from batch_export_requests where data_interval_start = $1', [isoMicros(START)]);
    await backfills.clearResults(runId);
    assert.equal((await backfills.get(rows.projectId, of.id, id)).status, 'Failed', 'it would run for ever');
  });

  describe('of runs', () => {
    /** A delivery that replaces those before it. */
    const addLater = async (seed: RunSeed = {}) => addRun({ daysAgo: OLD - 1, epoch: 2, ...seed });

    it('deletes a run and what belongs to it once a later run has delivered its interval', async () => {
      const [earlier, later] = [await addRun(), await addLater()];
      await setLedger(later, 'delivered');
      for (const runId of [earlier, later]) await addLine(runId, YOUNG);
      assert.deepEqual((await measure(pool, limited('batch_export_runs')))!.rows, 1);
      assert.equal(await deleteFrom('batch_export_runs'), 1);
      assert.deepEqual(await runIds(), [later]);
      assert.deepEqual(await sql('select run_id from batch_export_logs'), [{ run_id: later }]);
      assert.equal((await sql('select from batch_export_intervals')).length, 1);
    });

    const KEPT_RUNS: Record<string, () => Promise<unknown>> = {
      'has not ended': async () => addRun({ status: 'Running' }),
      'delivered to another place': async () => addRun({ keySpace: 'elsewhere' }),
      'has a plan that pins no place': async () => addRun({ isPinned: false }),
      'delivered files that name it for ever': async () => addRun({ type: 'Iceberg' }),
      'delivered another interval': async () => addRun({ interval: { start: START - HOUR, end: START } }),
      'has files to delete': async () =>
        sql(
          `insert into superseded_files (batch_export_id, data_interval_start, data_interval_end, key, run_id, epoch)
           select batch_export_id, data_interval_start, data_interval_end, 'key', id, epoch from batch_export_runs where id = $1`,
          [await addRun()],
        ),
      'has uploads to remove': async () =>
        sql(
          `insert into batch_export_artifacts (id, batch_export_id, data_interval_start, data_interval_end, epoch, artifact)
           select id, batch_export_id, data_interval_start, data_interval_end, epoch, '{}' from batch_export_runs where id = $1`,
          [await addRun()],
        ),
      'is the ledger’s': async () => setLedger(await addRun(), 'delivered'),
      'has an interval with a foreign delivery': async () =>
        sql(
          `insert into foreign_deliveries (batch_export_id, data_interval_start, data_interval_end, epoch, receipt)
           select batch_export_id, data_interval_start, data_interval_end, 7, '{}' from batch_export_runs where id = $1`,
          [await addRun()],
        ),
      'answered a request that is kept': async () =>
        sql(
          `insert into batch_export_requests (id, batch_export_id, data_interval_start, data_interval_end, kind, closed_at, run_id)
           select id, batch_export_id, data_interval_start, data_interval_end, 'retry', now(), id from batch_export_runs where id = $1`,
          [await addRun()],
        ),
    };
    for (const [reason, add] of Object.entries(KEPT_RUNS))
      it(`keeps one that ${reason}`, async () => {
        await add();
        await addLater(reason.includes('name it') ? { type: 'Iceberg' } : {});
        const before = await runIds();
        assert.equal(before.length, 2);
        assert.equal(await deleteFrom('batch_export_runs'), 0);
        assert.deepEqual(await runIds(), before);
      });

    const NO_REPLACEMENTS: Record<string, RunSeed> = {
      failed: { status: 'Failed' },
      'found the earlier run’s delivery unchanged': { named: randomUUID() },
      'has a receipt of an earlier version': { named: null },
      'ended not long ago': { daysAgo: YOUNG },
      'is older': { daysAgo: OLD + 50 },
      'has a lower epoch': { epoch: 0 },
    };
    for (const [reason, seed] of Object.entries(NO_REPLACEMENTS))
      it(`keeps one whose later run ${reason}`, async () => {
        await addRun();
        await addLater(seed);
        assert.equal(await deleteFrom('batch_export_runs'), 0);
        assert.equal((await runIds()).length, 2);
        const { held } = (await measure(pool, limited('batch_export_runs')))!;
        assert.ok(held[NOT_REPLACED]! >= 1);
      });

    it('deletes failures before a delivery, also those that were never planned, and none after it', async () => {
      await addRun({ status: 'Failed', epoch: null, daysAgo: OLD + 3 });
      await addRun({ status: 'FailedRetryable', epoch: 1, daysAgo: OLD + 2 });
      const delivered = await addRun({ epoch: 2, daysAgo: OLD + 1 });
      const failed = await addRun({ status: 'Failed', epoch: null, daysAgo: OLD });
      assert.equal(await deleteFrom('batch_export_runs'), 2);
      assert.deepEqual(await runIds(), [delivered, failed]);
    });

    it('leaves out a run that a transaction is about to refer to, and its delivery', async () => {
      const earlier = await addRun();
      await addLater();
      const other = await pool.connect();
      try {
        await other.query('begin');
        await other.query(
          `insert into batch_export_intervals (batch_export_id, data_interval_start, data_interval_end, epoch, state, run_id)
           select batch_export_id, data_interval_start, data_interval_end, 3, 'delivered', id from batch_export_runs where id = $1`,
          [earlier],
        );
        const deletion = deleteFrom('batch_export_runs');
        // Without the locks, the deletion waits for this transaction, and then deletes what it referred to.
        await Promise.race([deletion, isWaiting()]);
        await other.query('commit');
        assert.equal(await deletion, 0);
      } finally {
        other.release();
      }
      assert.equal((await runIds()).length, 2);
      assert.equal((await sql('select from batch_export_intervals')).length, 1);
    });

    it('looks through them from where the round before has stopped', async () => {
      const exports = [of];
      for (let index = 0; index < 2; index++) exports.push(await rows.buildExport());
      await sql(
        `insert into batch_export_runs (id, project_id, batch_export_id, data_interval_start, data_interval_end, kind, status,
           workflow_id, workflow_run_id, epoch, plan, receipt, created_at, finished_at)
         select id, $1, export, $3::timestamptz + hour * interval '1 hour', $3::timestamptz + (hour + 1) * interval '1 hour', 'scheduled',
           'Completed', id, id, epoch, '{"destination": {"type": "S3", "place": "", "keySpace": "", "config": {}}}',
           jsonb_build_object('run_id', id), at, at
         from (
           select gen_random_uuid() as id, export, hour, epoch,
             now() - interval '300 days' + epoch * interval '1 day' as at
           from unnest($2::uuid[]) as export, generate_series(1, 450) as hour, generate_series(1, 2) as epoch
         ) as new`,
        [rows.projectId, exports.map(({ id }) => id), isoMicros(START)],
      );
      const counts: number[] = [];
      const signal = new AbortController().signal;
      for (let round = 0; round < 3; round++)
        counts.push(await deleteSome(pool, { RETENTION_RUN_DAYS: KEPT }, { beginWithinMs: 60_000, signal }));
      assert.ok(counts[0]! > 0 && counts[0]! < 1_000, counts.join(', '));
      assert.equal(counts[0]! + counts[1]! + counts[2]!, 1_350);
      assert.deepEqual(await sql('select from retention_positions'), [], 'the next round begins again');
      assert.equal((await runIds()).length, 1_350);
    });
  });

  describe('by the command', () => {
    it('lists what it would delete, what is held back and what has no limit', async () => {
      await addLine(await addRun({ status: 'Running' }), OLD);
      await addLines(1_500);
      const { code, stdout, stderr } = await run('--dry-run');
      assert.equal(code, 0, stderr);
      assert.match(
        stdout,
        /^batch_export_logs: 1,500 rows to delete older than 100 days \(RETENTION_EXPORT_LOG_DAYS\), from \S+Z to \S+Z\n {4}1 row held back by runs in progress$/m,
      );
      assert.match(stdout, /^activity_log: kept \(RETENTION_AUDIT_LOG_DAYS is 0\)$/m);
      assert.match(stdout, /^person_versions: a re-delivery reads it again/m);
      assert.equal(await lines(), 1_501);
    });

    it('continues after it was killed in the middle', async () => {
      await addLines(2_500);
      await sql(
        `create function wait_for_test() returns trigger language plpgsql as 'begin perform pg_advisory_xact_lock(7); return old; end';
         create trigger waits before delete on batch_export_logs for each row when (old.message = 'waits') execute function wait_for_test();
         update batch_export_logs set message = 'waits' where id = (select id from batch_export_logs order by id offset 1700 limit 1)`,
      );
      const other = await pool.connect();
      try {
        await other.query('select pg_advisory_lock(7)');
        const child = spawn(process.execPath, [SLUICE, 'retention', '--yes'], { env: environment(), stdio: 'ignore' });
        const exited = once(child, 'exit');
        await until('the first slice to be deleted', async () => (await lines()) === 1_500);
        child.kill('SIGKILL');
        await exited;
        assert.equal(await lines(), 1_500, 'a slice goes as a whole');
      } finally {
        other.release(true);
        await sql('drop function wait_for_test cascade');
      }
      const { code, stdout, stderr } = await run('--yes');
      assert.equal(code, 0, stderr);
      assert.match(stdout, /^Limits in force, .*\n {4}RETENTION_AUDIT_LOG_DAYS=0\n/);
      assert.match(stdout, /^batch_export_logs: [\d,]+ rows deleted$/m);
      assert.equal(await lines(), 0);
    });

    it('deletes nothing without a terminal or --yes, because it may have other limits than the workers', async () => {
      await addLines(1);
      const { code, stdout, stderr } = await run();
      assert.equal(code, 1);
      assert.match(stdout, /^ {4}RETENTION_EXPORT_LOG_DAYS=100$/m);
      assert.match(stderr, /say --yes if these are the limits of the workers/);
      assert.equal(await lines(), 1);
    });

    it('deletes nothing while deliveries are blocked', async () => {
      await addLines(1);
      await sql(`update timeline set blocked = 'differs'`);
      const { code, stderr } = await run('--yes');
      await sql('update timeline set blocked = null');
      assert.equal(code, 1);
      assert.match(stderr, /run `sluice recover` first/);
      assert.equal(await lines(), 1);
    });
  });
});
