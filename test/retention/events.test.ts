/** Events that are hidden and deleted because of their age, and batch exports that delay it. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expireEvents, hideExpired, type ExpiringEngine } from '../../activities/rounds/expire-events.ts';
import { eventStore } from '../../src/events/records/events.store.ts';
import { eventReader } from '../../src/events/reading/read.ts';
import { emptyPartitions, truncateEmpty } from '../../src/events/table/empty-partitions.ts';
import { hideEvents, measureDeletionBacklog } from '../../src/events/table/expiry.ts';
import { createSealer } from '../../src/events/table/seal.ts';
import { unfilteredContent } from '../../src/conditions/rows/content.ts';
import { environmentWith } from '../../src/platform/config.ts';
import { createPool, type Pool } from '../../src/platform/db/connection.ts';
import { measureFreshness } from '../../src/exports/monitoring/freshness.ts';
import { createLogger } from '../../src/platform/telemetry/logger.ts';
import { buildTenant } from '../support/api/identity.ts';
import { until } from '../support/until.ts';
import { createExportRows, type ExportRows } from '../support/database/export-rows.ts';

const SLUICE = fileURLToPath(new URL('../../bin/sluice', import.meta.url));
const DAY_MS = 86_400_000;
const KEPT_DAYS = 100;
/** Beginning of the current hour. */
const hour = () => Math.floor(Date.now() / 3_600_000) * 3_600_000;

describe('events past their retention', () => {
  let rows: ExportRows;
  let pool: Pool;
  let engine: ExpiringEngine;
  let project: number;
  before(async () => {
    rows = await createExportRows();
    pool = createPool({ url: rows.url, applicationName: 'test' });
    engine = { pool, stores: rows.stores, retention: {}, log: createLogger({ LOG_LEVEL: 'silent' }, 'test') };
    project = rows.projectId;
  });
  after(async () => {
    await pool?.end();
    await rows?.close();
  });
  beforeEach(async () => {
    await sql('truncate batch_exports, event_retention, events, event_ids, import_ranges cascade');
    await setDays(KEPT_DAYS);
  });

  const { signal } = new AbortController();
  const sql = async <Row extends object>(text: string, values: unknown[] = []) =>
    (await pool.query<Row>(text, values)).rows;
  const setDays = async (days: number | null, id = project) =>
    sql('update projects set event_retention_days = $2 where id = $1', [id, days]);

  const lateDays = async (id: string) =>
    Math.round((await measureFreshness(rows.stores, [id]))[0]!.freshness.lagSeconds / 86_400);

  /** Stores history: events that happened at noon so many days ago, with claims and an import range for each. */
  async function store(daysAgo: number[], id = project): Promise<void> {
    await sql(
      `with clock as (select ingest_now() as now), imported as (
         select gen_random_uuid() as uuid, date_trunc('day', now, 'UTC') + interval '12 hours' - make_interval(days => days) as at, now
         from clock, unnest($2::int[]) as days
       ), claims as (
         insert into event_ids select $1, uuid from imported
       ), ranges as (
         insert into import_ranges select distinct $1::int, at, at + interval '1 microsecond', now from imported
       )
       insert into events select $1, uuid, 'pageview', 'someone', uuid, '{}', '{}', '', at, now, now, at, 100 from imported`,
      [id, daysAgo],
    );
  }
  const countOf = async (table: string, id = project) =>
    (await sql<{ count: number }>(`select count(*)::int as count from ${table} where project_id = $1`, [id]))[0]!.count;
  const counts = async (id = project) =>
    Promise.all(['events', 'event_ids', 'import_ranges'].map(async (table) => countOf(table, id)));
  const expire = async (installationDays = 0) => {
    await sql(`update event_retention set checked_at = '-infinity'`);
    const retention = { RETENTION_EVENT_DAYS: installationDays };
    return expireEvents({ ...engine, retention }, { beginWithinMs: 60_000, signal });
  };
  const retainedSeconds = async (id = project) => {
    const [found] = await sql<{ seconds: number }>(
      `select extract(epoch from clock_timestamp() - retained_from)::float8 as seconds from event_retention where project_id = $1`,
      [id],
    );
    return found?.seconds;
  };
  const retainedDays = async () => Math.floor(((await retainedSeconds()) ?? NaN) / 86_400);

  /** An export that was made so many days ago, and has delivered each hour from a day before that up to so many days ago. */
  async function buildExport(madeDaysAgo: number, deliveredUntilDaysAgo: number, overrides = {}): Promise<string> {
    const { id } = await rows.buildExport({ paused: false, ...overrides });
    await sql('update batch_exports set created_at = now() - make_interval(days => $2) where id = $1', [
      id,
      madeDaysAgo,
    ]);
    await deliver(id, madeDaysAgo + 1, deliveredUntilDaysAgo);
    return id;
  }
  async function deliver(id: string, fromDaysAgo: number, untilDaysAgo: number): Promise<void> {
    const run = await rows.buildRun((await rows.stores.batchExports.find(id))!, { start: 0, end: 3_600_000 });
    await sql(
      `insert into batch_export_intervals
       select $1, start, start + interval '1 hour', 1, 'delivered', $2, '{"rows":0}' from generate_series($3::timestamptz, $4, '1 hour') as start`,
      [id, run.id, new Date(hour() - fromDaysAgo * DAY_MS), new Date(hour() - untilDaysAgo * DAY_MS)],
    );
    await sql(`update batch_export_runs set status = 'Completed', finished_at = now() where id = $1`, [run.id]);
  }
  const notices = async (id: string) =>
    (await sql<{ message: string }>('select message from batch_export_logs where batch_export_id = $1', [id])).map(
      ({ message }) => message,
    );

  const setClock = async (ahead: string) =>
    sql(
      `create or replace function wall_clock() returns timestamptz language sql volatile as 'select clock_timestamp() + interval ''${ahead}'''`,
    );
  const retentionCommand = async (...options: string[]) =>
    new Promise<string>((resolve, reject) => {
      const env = environmentWith({ DATABASE_URL: rows.url });
      execFile(process.execPath, [SLUICE, 'retention', ...options], { env }, (error, stdout, stderr) =>
        error ? reject(new Error(stderr)) : resolve(stdout),
      );
    });

  it('are deleted with their claims and import ranges, by the days of their own project', async () => {
    const { projectId: other } = await buildTenant(rows.db);
    await store([...Array.from({ length: 4_500 }, (_, n) => 102 + (n % 500)), 99, 1]);
    await store([400], other);
    assert.ok((await expire()) > 4_500);
    assert.deepEqual(await counts(), [2, 2, 2]);
    assert.deepEqual(await counts(other), [1, 1, 1]);
    assert.equal(await expire(), 0);
    assert.ok((await expire(300)) > 0, 'a project without days of its own has those of the installation');
    assert.deepEqual(await counts(other), [0, 0, 0]);
    await setDays(0);
    await store([400]);
    assert.equal(await expire(50), 0, 'a project may keep them for ever');
    assert.equal(await countOf('events'), 3);
  });

  it('are hidden before any of them is deleted, and stay hidden where more days are set later', async () => {
    await store([101, 150]);
    await hideExpired(engine, signal);
    assert.deepEqual(await counts(), [2, 2, 2]);
    assert.equal(Math.round((await measureDeletionBacklog(pool)) / 86_400), 150 - KEPT_DAYS);
    const end = new Date(Date.now() - 149 * DAY_MS).toISOString();
    const cutoff = await createSealer(pool).seal();
    const slice = { projectId: project, start: new Date(Date.now() - 151 * DAY_MS).toISOString(), end, cutoff };
    await assert.rejects(eventReader(pool).digest({ ...slice, content: unfilteredContent('events') }), {
      code: 'source_expired',
    });
    assert.deepEqual(await eventStore(rows.db).list(project, {}, { limit: 10 }), []);
    assert.equal(await retainedDays(), KEPT_DAYS);
    await setDays(200);
    await expire();
    assert.equal(await measureDeletionBacklog(pool), 0);
    assert.equal(await retainedDays(), KEPT_DAYS, 'what was hidden stays hidden');
  });

  it('stay as long as the clocks of the database and of this process differ', async () => {
    await store([99]);
    await setClock('3 days');
    try {
      await assert.rejects(expire(), /clocks .* differ/);
    } finally {
      await setClock('0 days');
    }
    assert.deepEqual(await counts(), [1, 1, 1]);
  });

  it('are held back until an export has delivered them, with one notice to its owners', async () => {
    const id = await buildExport(200, 120);
    await store([102, 115, 125, 135]);
    assert.ok((await expire()) > 0);
    assert.equal(await countOf('events'), 2);
    assert.equal(await retainedDays(), 119);
    await expire();
    await setDays(0);
    await expire();
    assert.deepEqual(await rows.stores.health.listExportsWith('expiring'), [], 'nothing expires without a retention');
    await setDays(KEPT_DAYS);
    const [message, ...others] = await notices(id);
    assert.deepEqual(others, []);
    assert.match(
      message!,
      /^The data interval that begins at \S+Z is not delivered, .* the 100 days .* deleted at \S+Z at the latest\.$/,
    );
    await deliver(id, 119.96, 90);
    await expire();
    assert.equal(await countOf('events'), 0);
    assert.deepEqual(await rows.stores.health.listExportsWith('expiring'), []);
  });

  it('are held back for 30 days and a week after the notice at most, and then no longer count as late', async () => {
    const id = await buildExport(200, 190);
    assert.equal(await lateDays(id), 190);
    await store([115, 129, 131]);
    await expire();
    assert.equal(await countOf('events'), 3, 'its owners were notified just now');
    await sql(`update batch_export_health set expiring_since = expiring_since - interval '7 days'`);
    await expire();
    assert.equal(await countOf('events'), 2);
    assert.equal(await retainedDays(), KEPT_DAYS + 30);
    assert.equal(await lateDays(id), KEPT_DAYS + 30);
  });

  it('are not held back by exports that are paused, deleted, or of persons, but by one that was paused because it failed', async () => {
    const pause = async (id: string) =>
      sql(
        `insert into batch_export_pauses (batch_export_id, paused_at, paused_by) select id, created_at + interval '1 day', 'user' from batch_exports where id = $1`,
        [id],
      );
    await pause(await buildExport(200, 190, { paused: true }));
    await rows.stores.batchExports.markDeleted(await buildExport(200, 190));
    await buildExport(200, 190, { model: 'persons' });
    await store([115]);
    await expire();
    assert.equal(await retainedDays(), KEPT_DAYS);
    await sql('truncate event_retention');
    await pause(await buildExport(200, 190, { paused: true, pausedReason: 'It failed too often.' }));
    await expire();
    assert.equal(await retainedDays(), KEPT_DAYS + 30);
  });

  it('are not held back by an interval that has expired, or that was delivered before its last run failed', async () => {
    const batchExport = (await rows.stores.batchExports.find(await buildExport(200, 90)))!;
    for (const daysAgo of [120, 105]) {
      const start = hour() - daysAgo * DAY_MS;
      const { id } = await rows.buildRun(batchExport, { start, end: start + 3_600_000 });
      await sql(`update batch_export_runs set status = 'Failed', finished_at = now() where id = $1`, [id]);
    }
    await sql('delete from batch_export_intervals where data_interval_start = $1', [new Date(hour() - 120 * DAY_MS)]);
    await hideEvents(pool, project, new Date(hour() - 110 * DAY_MS).toISOString());
    await expire();
    assert.equal(await retainedDays(), KEPT_DAYS);
  });

  it('are held back for sessions, which may begin a day before their interval', async () => {
    const id = await buildExport(200, 110, { model: 'sessions' });
    await expire();
    assert.equal(await retainedDays(), 110);
    const [start, deletedAt] = (await notices(id))[0]!.match(/\d{4}-\S+Z/g)!.map(Date.parse);
    assert.equal(deletedAt! - start!, (KEPT_DAYS + 30 - 1) * DAY_MS);
    const { stores } = rows;
    for (const hours of [12, 30])
      await sql(
        `insert into batch_export_troubles (batch_export_id, data_interval_start, data_interval_end, kind)
         select $1, at, at + interval '1 hour', 'gave_up' from event_retention, lateral (select retained_from + make_interval(hours => $2) as at) as due`,
        [id, hours],
      );
    await stores.troubles.prune();
    assert.equal((await stores.troubles.listSummaries([id])).get(id)!.counts.gave_up, 1);
    await sql('delete from batch_export_troubles');
    await hideEvents(pool, project, new Date(hour() - 105 * DAY_MS).toISOString());
    assert.equal(await lateDays(id), 104, 'sessions of the first day may lack events');
  });

  it('are held back by a long interval that has not ended, also of an export that was paused because it failed', async () => {
    await setDays(7);
    const end = new Date(Date.now() + 2 * 3_600_000);
    const week = {
      model: 'sessions',
      interval: 'week',
      offsetDay: end.getUTCDay(),
      offsetHour: end.getUTCHours(),
    } as const;
    const id = await buildExport(1, 1, { ...week, paused: true, pausedReason: 'It failed too often.' });
    await expire();
    assert.equal(Math.floor((await retainedSeconds())! / 3_600), 190);
    assert.deepEqual(await notices(id), [], 'it is not late');
  });

  it('free their space once their month has no events, and no older transaction can read them', async () => {
    const { projectId: other } = await buildTenant(rows.db);
    await store(Array.from({ length: 300 }, () => 160));
    await store([160], other);
    const [month] = await sql<{ name: string }>('select distinct tableoid::regclass::text as name from events');
    const truncate = async () => truncateEmpty(pool, month!.name);
    const reader = await pool.connect();
    try {
      await reader.query('begin isolation level repeatable read; select 1');
      await expire();
      assert.equal(await truncate(), false, 'another project has an event');
      assert.equal(await countOf('events', other), 1);
      await sql('delete from events where project_id = $1', [other]);
      assert.equal(await truncate(), false, 'a transaction is older');
    } finally {
      reader.release(true);
    }
    await until('the transaction to end', truncate);
    const [size] = await sql<{ bytes: string }>('select pg_relation_size($1) as bytes', [month!.name]);
    assert.equal(Number(size!.bytes), 0);
    await store([160], other);
    await emptyPartitions(pool);
    assert.equal(await countOf('events', other), 1);
  });

  it('are deleted in smaller slices where one takes too long, and in a later round where one fails', async () => {
    const { projectId: other } = await buildTenant(rows.db);
    await setDays(KEPT_DAYS, other);
    await store([...Array.from({ length: 300 }, () => 110), 1]);
    await store([110], other);
    await sql(
      `create function refuse() returns trigger language plpgsql as $$ begin
         if (select count(*) from gone) > 250 then raise exception 'too long' using errcode = '57014'; end if;
         if exists (select from gone where project_id = ${other}) then raise exception 'broken'; end if;
         return null;
       end $$;
       create trigger refuse after delete on events referencing old table as gone for each statement execute function refuse()`,
    );
    try {
      await expire();
      assert.deepEqual([await countOf('events'), await countOf('events', other)], [1, 1]);
    } finally {
      await sql('drop function refuse cascade');
    }
    await expire();
    assert.equal(await countOf('events', other), 0);
  });

  it('are listed and deleted by the command', async () => {
    await buildExport(200, 120);
    await store([125, 115, 50]);
    const listed = await retentionCommand('--dry-run');
    assert.match(
      listed,
      new RegExp(`^events of project ${project}: 1 row to delete before \\S+Z \\(kept for 100 days\\), from `, 'm'),
    );
    assert.match(
      listed,
      /^ {4}later ones held back, for 30 days at most, by batch export test \(\S+\), .* data interval from \S+Z$/m,
    );
    assert.equal(await countOf('events'), 3);
    const deleted = await retentionCommand('--yes');
    assert.match(deleted, /^ {4}RETENTION_EVENT_DAYS=0 \(projects may have an event_retention_days of their own\)$/m);
    assert.match(deleted, /^events and import ranges: 2 rows deleted$/m);
    assert.equal(await countOf('events'), 2);
  });
});
