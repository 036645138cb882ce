import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { exportFigures } from '../../../src/exports/monitoring/figures.ts';
import { startHttpServer } from '../../../src/platform/http/server.ts';
import { createMetrics, metricsListener, type Metrics } from '../../../src/platform/telemetry/metrics.ts';
import { post } from '../../support/events/capture.ts';
import { createKnex, createPool, poolUses } from '../../../src/platform/db/connection.ts';
import { createTestDatabase } from '../../support/database/database.ts';
import { createExportRows } from '../../support/database/export-rows.ts';
import { buildTenant } from '../../support/api/identity.ts';
import { startSluice } from '../../support/servers/sluice.ts';
import { until } from '../../support/until.ts';

const HOUR = 3_600_000;

const others = async () => 'temporal_requests 1\n';

/** Lines about the use of a pool. */
const linesOfPool = (name: string, [open, limit, waiting]: number[]) => [
  `sluice_pool_connections{pool="${name}"} ${open}`,
  `sluice_pool_connections_limit{pool="${name}"} ${limit}`,
  `sluice_pool_waiting{pool="${name}"} ${waiting}`,
];

const linesOfBoth = (two: number[], one: number[]) =>
  [linesOfPool('pool of two', two), linesOfPool('knex of one', one)].flat().sort();

/** The lines of a metric, without those of its buckets. */
const linesOf = async (metrics: Metrics, name: string) =>
  (await metrics.text()).split('\n').filter((line) => line.startsWith(name) && !line.includes('_bucket'));

describe('metrics', () => {
  it('count runs, their rows, bytes and time', async () => {
    const metrics = createMetrics();
    const run = { destination: 'S3', interval: 'hour', rows: 500, bytes: 12_000, seconds: 2.5 };
    metrics.runEnded({ ...run, status: 'Completed' });
    metrics.runEnded({ ...run, status: 'Completed' });
    metrics.runEnded({ ...run, status: 'Failed', rows: 0, bytes: 0 });
    assert.deepEqual(await linesOf(metrics, 'sluice_run'), [
      'sluice_runs_total{destination="S3",interval="hour",status="Completed"} 2',
      'sluice_runs_total{destination="S3",interval="hour",status="Failed"} 1',
      'sluice_run_rows_total{destination="S3",interval="hour"} 1000',
      'sluice_run_bytes_total{destination="S3",interval="hour"} 24000',
      'sluice_run_duration_seconds_sum{destination="S3",interval="hour",status="Completed"} 5',
      'sluice_run_duration_seconds_count{destination="S3",interval="hour",status="Completed"} 2',
      'sluice_run_duration_seconds_sum{destination="S3",interval="hour",status="Failed"} 2.5',
      'sluice_run_duration_seconds_count{destination="S3",interval="hour",status="Failed"} 1',
    ]);
  });

  it('show the present state of all exports', async () => {
    const rows = await createExportRows();
    try {
      const metrics = createMetrics();
      metrics.registerExports(() => exportFigures(rows.stores));
      const one = await rows.buildExport({ paused: false });
      await rows
        .db('batch_exports')
        .where({ id: one.id })
        .update({ created_at: new Date(Date.now() - 3 * HOUR) });
      await rows.buildRun(one, { start: 0, end: HOUR });
      await rows.stores.runRequests.open(one.id, [{ start: 0, end: HOUR }], 'gap');
      const [lag] = await linesOf(metrics, 'sluice_export_lag_seconds');
      const [, labels, seconds] = /^sluice_export_lag_seconds\{(.*)\} (\d+)$/.exec(lag!)!;
      assert.equal(labels, `project_id="${rows.projectId}",batch_export_id="${one.id}"`);
      assert.ok(Number(seconds) > HOUR / 1000 && Number(seconds) <= (3 * HOUR) / 1000, seconds);
      assert.deepEqual(await linesOf(metrics, 'sluice_open_'), [
        'sluice_open_runs{status="Starting"} 1',
        'sluice_open_requests{kind="gap"} 1',
      ]);
      const interval = { exportId: one.id, start: new Date(0).toISOString(), end: new Date(HOUR).toISOString() };
      await rows.stores.troubles.begin(interval, 'gave_up');
      await rows.stores.rounds.recordRound(2.5, 1);
      assert.deepEqual(await linesOf(metrics, 'sluice_export_interval_troubles'), [
        `sluice_export_interval_troubles{${labels},kind="gave_up"} 1`,
      ]);
      const [age, took, failures] = await linesOf(metrics, 'sluice_reconciler_round_');
      assert.match(age!, /^sluice_reconciler_round_age_seconds [0-9.e-]+$/);
      assert.equal(took, 'sluice_reconciler_round_duration_seconds 2.5');
      assert.equal(failures, 'sluice_reconciler_round_failures 1');
      await rows.db.transaction(async (open) => {
        await open.raw('select pg_sleep(1.1)');
        const [oldest] = await linesOf(metrics, 'sluice_source_oldest_transaction_seconds');
        assert.ok(Number(oldest!.split(' ')[1]) > 1, oldest);
      });
      await rows.stores.runRequests.closeAll(one.id);
      assert.deepEqual(await linesOf(metrics, 'sluice_open_requests'), [], 'what is gone is not told');
    } finally {
      await rows.close();
    }
  });

  it('count what capture takes, and name no key', async () => {
    const sluice = await startSluice();
    try {
      const { apiToken: token } = await buildTenant(sluice.db);
      const send = (body: object) => post(`${sluice.url}/batch/`, body);
      const event = { event: 'seen', distinct_id: 'a' };
      assert.equal((await send({ api_key: token, batch: [event, event, { event: 'nobody' }] })).status, 200);
      assert.equal((await send({ api_key: randomUUID(), batch: [event] })).status, 401);
      assert.deepEqual(await linesOf(sluice.metrics, 'sluice_capture'), [
        'sluice_capture_events_total{outcome="accepted"} 2',
        'sluice_capture_events_total{outcome="rejected"} 1',
        'sluice_capture_requests_total{status="200"} 1',
        'sluice_capture_requests_total{status="401"} 1',
      ]);
      assert.ok(!(await sluice.metrics.text()).includes(token));
      const events = await linesOf(sluice.metrics, 'sluice_table_bytes{table="events"}');
      assert.ok(Number(events[0]?.split(' ')[1]) > 8192, 'the partitions count as their table');
      assert.equal((await linesOf(sluice.metrics, 'sluice_table_bytes{table="events_')).length, 0);
      assert.match((await linesOf(sluice.metrics, 'sluice_event_partitions_days')).join(), / \d{2,}$/);
      const [open, limit] = await linesOf(sluice.metrics, 'sluice_database_connections');
      assert.ok(Number(open!.split(' ')[1]) < Number(limit!.split(' ')[1]), `${open} ${limit}`);
    } finally {
      await sluice.stop();
    }
  });

  it('say how a pool of connections is used, and for what statements wait', async () => {
    const database = await createTestDatabase();
    const pool = createPool({ url: database.url, applicationName: 'pool of two', maxConnections: 2 });
    const db = createKnex({ url: database.url, applicationName: 'knex of one', maxConnections: 1 });
    const metrics = createMetrics();
    metrics.registerPools(poolUses);
    const lines = async () => (await linesOf(metrics, 'sluice_pool_')).filter((line) => line.includes(' of '));
    try {
      assert.deepEqual((await lines()).sort(), linesOfBoth([0, 2, 0], [0, 1, 0]));
      const held = await Promise.all([pool.connect(), pool.connect()]);
      const transaction = await db.transaction();
      const waiting = [pool.query('select 1'), pool.query('select 1'), db.raw('select 1').then()];
      await until('waiting statements', async () =>
        (await lines()).includes('sluice_pool_waiting{pool="knex of one"} 1'),
      );
      assert.deepEqual((await lines()).sort(), linesOfBoth([2, 2, 2], [1, 1, 1]));
      for (const client of held) client.release();
      await transaction.rollback();
      await Promise.all(waiting);
    } finally {
      await Promise.all([pool.end(), db.destroy()]);
      await database.drop();
    }
    assert.deepEqual(await lines(), [], 'what has ended is not reported');
  });

  it('are served at /metrics alone, with those of other sources', async () => {
    const metrics = createMetrics();
    const server = await startHttpServer(
      { listener: metricsListener(metrics, { readOtherMetrics: others }) },
      { host: '127.0.0.1', port: 0 },
    );
    try {
      const answer = await fetch(`${server.url}/metrics`);
      assert.equal(answer.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8');
      assert.match(await answer.text(), /^# HELP sluice_runs_total[^]*\ntemporal_requests 1\n$/);
      assert.equal((await fetch(`${server.url}/`)).status, 404);
      assert.equal((await fetch(`${server.url}/metrics`, { method: 'POST' })).status, 404);
      assert.equal((await fetch(`${server.url}/_readyz`)).status, 404, 'the API answers it elsewhere');
    } finally {
      await server.stop(0);
    }
  });

  it('are reported without those of Postgres while it does not answer', async () => {
    const rows = await createExportRows();
    const metrics = createMetrics();
    let isAway = false;
    metrics.registerExports(async () => {
      if (isAway) throw new Error('the database is away');
      return exportFigures(rows.stores);
    });
    const linesOfDatabase = async () =>
      (
        await Promise.all(
          ['sluice_database_up', 'sluice_deliveries_blocked', 'sluice_export_lag_seconds'].map((name) =>
            linesOf(metrics, name),
          ),
        )
      ).flat();
    try {
      const { id } = await rows.buildExport();
      metrics.runEnded({ status: 'Completed', destination: 'S3', interval: 'hour', rows: 1, bytes: 1, seconds: 1 });
      const lag = `sluice_export_lag_seconds{project_id="${rows.projectId}",batch_export_id="${id}"} 0`;
      const present = ['sluice_database_up 1', 'sluice_deliveries_blocked 0', lag];
      assert.deepEqual(await linesOfDatabase(), present);
      isAway = true;
      assert.deepEqual(await linesOfDatabase(), ['sluice_database_up 0']);
      assert.equal((await linesOf(metrics, 'sluice_runs_total')).length, 1);
      isAway = false;
      assert.deepEqual(await linesOfDatabase(), present);
    } finally {
      await rows.close();
    }
  });
});
