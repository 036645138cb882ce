/** Deleting the rows of erased persons: killed in the middle, and with a large erasure beside a small one. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { eraseRows, type ErasingRowsEngine } from '../../activities/rounds/erase-persons.ts';
import { erasureStore } from '../../src/events/records/erasures.store.ts';
import { createPool, type Pool } from '../../src/platform/db/connection.ts';
import { inTransaction } from '../../src/platform/db/transactions.ts';
import { createLogger } from '../../src/platform/telemetry/logger.ts';
import { buildTenant } from '../support/api/identity.ts';
import { createExportRows, type ExportRows } from '../support/database/export-rows.ts';
import { until } from '../support/until.ts';

const PROGRAM = fileURLToPath(new URL('./erasing-process.ts', import.meta.url));
/** Five slices, which delete up to 200 rows each. */
const EVENTS = 1_000;
/** Key of the lock at which the killed process waits. */
const GATE = 7_001;
const { signal } = new AbortController();

describe('deleting the rows of erased persons', () => {
  let rows: ExportRows;
  let pool: Pool;
  let engine: ErasingRowsEngine;
  before(async () => {
    rows = await createExportRows();
    pool = createPool({ url: rows.url, applicationName: 'test' });
    engine = { pool, stores: rows.stores, log: createLogger({ LOG_LEVEL: 'fatal' }, 'test') };
  });
  after(async () => {
    await pool?.end();
    await rows?.close();
  });
  beforeEach(async () => void (await pool.query('truncate erasures, events cascade')));

  /** Stores events of a person, one every ten seconds up to an hour ago, and requests their erasure. @returns its id */
  async function request(projectId: number, distinctId: string, count: number): Promise<string> {
    await pool.query(
      `insert into events select $1, gen_random_uuid(), 'paid', $2, gen_random_uuid(), '{}', '{}', '', at, ingest_now(), ingest_now(), at, 100
       from (select now() - interval '1 hour' - n * interval '10 seconds' as at from generate_series(1, $3::int) as n) as instants`,
      [projectId, distinctId, count],
    );
    const { erasure } = await inTransaction(rows.db, async (tx) =>
      erasureStore(tx).request(projectId, { distinctIds: [distinctId] }),
    );
    return erasure.id;
  }

  const erase = async () => eraseRows(engine, { beginWithinMs: 60_000, signal });

  /** The effects of an erasure: its counts, the rows that it recorded for deliveries, and the events that are left. */
  async function outcome(projectId: number, id: string) {
    const { state, eventsDeleted } = await erasureStore(rows.db).get(projectId, id);
    const { rows: deliveries } = await pool.query<{ rows: string }>(
      `select data_interval_start, rows from erased_deliveries where erasure_id = $1 order by 1`,
      [id],
    );
    const { rows: left } = await pool.query('select from events where project_id = $1', [projectId]);
    return { state, eventsDeleted, deliveries, left: left.length };
  }

  const recorded = ({ deliveries }: Awaited<ReturnType<typeof outcome>>) =>
    deliveries.reduce((sum, delivery) => sum + Number(delivery.rows), 0);

  it('goes on after a process was killed in the middle of a slice, and ends as if it had not been', async () => {
    const projects = [rows.projectId, (await buildTenant(rows.db)).projectId] as const;
    for (const projectId of projects) await rows.buildExport({ projectId });
    const [killed, whole] = projects;
    const id = await request(killed, 'ada', EVENTS);
    await pool.query(
      `create function wait_at_gate() returns trigger language plpgsql as $$ begin
         if (select events_deleted from erasures where id = '${id}') >= 400 then perform pg_advisory_xact_lock(${GATE}); end if;
         return null;
       end $$;
       create trigger wait_at_gate after delete on events for each statement execute function wait_at_gate()`,
    );
    const gate = await pool.connect();
    await gate.query('select pg_advisory_lock($1)', [GATE]);
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', PROGRAM, rows.url], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const exited = once(child, 'exit');
    const waiting = `select pid from pg_locks where locktype = 'advisory' and not granted and objid = ${GATE}`;
    await until('the process to wait', async () => (await pool.query(waiting)).rows.length > 0);
    child.kill('SIGKILL');
    assert.deepEqual(await exited, [null, 'SIGKILL']);
    // The server notices the end of its client at last when it goes on, and takes the slice back.
    await gate.query('select pg_advisory_unlock($1)', [GATE]);
    gate.release();
    const sessions = `select from pg_stat_activity where application_name = 'test-erasing'`;
    await until('its sessions to end', async () => (await pool.query(sessions)).rows.length === 0);
    await pool.query('drop function wait_at_gate cascade');
    const half = await outcome(killed, id);
    assert.deepEqual([half.state, half.eventsDeleted, half.left], ['deleting', 400, EVENTS - 400]);

    assert.equal(await erase(), EVENTS - 400);
    const ended = await outcome(killed, id);
    assert.deepEqual([ended.state, ended.eventsDeleted, ended.left], ['redelivering', EVENTS, 0]);
    const other = await request(whole, 'ada', EVENTS);
    await erase();
    const uninterrupted = await outcome(whole, other);
    assert.deepEqual([uninterrupted.eventsDeleted, uninterrupted.left], [EVENTS, 0]);
    assert.deepEqual(
      [recorded(ended), recorded(uninterrupted)],
      [EVENTS, EVENTS],
      'no slice is counted twice, or not at all',
    );
  });

  it('ends a small erasure of one project while a large one of another goes on', async () => {
    const { projectId } = await buildTenant(rows.db);
    const large = await request(rows.projectId, 'ada', 3 * EVENTS);
    const small = await request(projectId, 'bob', 1);
    // The large one is first in the order of requests: this is how far it was when the small one ended.
    await pool.query(
      `create table progress (deleted bigint);
       create function note_progress() returns trigger language plpgsql as $$ begin
         insert into progress select events_deleted from erasures where id = '${large}'; return null;
       end $$;
       create trigger note_progress after update of rows_deleted_at on erasures for each row when (new.id = '${small}')
         execute function note_progress()`,
    );
    try {
      await erase();
      const { rows: progress } = await pool.query<{ deleted: string }>('select deleted from progress');
      assert.equal(progress.length, 1);
      assert.ok(
        Number(progress[0]!.deleted) < EVENTS,
        `${progress[0]!.deleted} rows of the large one were deleted before`,
      );
      for (const [project, id] of [
        [rows.projectId, large],
        [projectId, small],
      ] as const)
        assert.deepEqual((await outcome(project, id)).state, 'redelivering');
    } finally {
      await pool.query('drop function note_progress cascade; drop table progress');
    }
  });
});
