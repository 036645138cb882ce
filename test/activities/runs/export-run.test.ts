import assert from 'node:assert/strict';
import path from 'node:path';
import { Worker } from '@temporalio/worker';
import pino from 'pino';
import { installRuntime } from '../../../src/exports/temporal/worker.ts';
import { openTraces } from '../../../src/platform/telemetry/open-traces.ts';
import type { Traces } from '../../../src/platform/telemetry/traces.ts';
import { dataConverter } from '../../../src/platform/temporal/payload-codec.ts';
import { workflowBundle } from '../../../src/platform/temporal/workflow-bundle.ts';
import { deliveredManifests, deliveredRows } from '../../support/exports/delivered-files.ts';
import { buildEvent, microseconds } from '../../support/events/events.ts';
import { startOtlpReceiver, type OtlpReceiver } from '../../support/telemetry/otlp-receiver.ts';
import {
  eventually,
  runsAfterBackfill,
  buildExport,
  buildExportWorld,
  type ExportWorld,
} from '../../support/exports/export-world.ts';

describe('a run', () => {
  let collector: OtlpReceiver;
  let traces: Traces;
  let world: ExportWorld;
  before(async () => {
    collector = await startOtlpReceiver();
    const log = pino({ level: 'silent' });
    traces = (await openTraces({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }, 'worker', log))!;
    world = await buildExportWorld(process.argv.includes('--debug-engine') ? 'debug' : 'silent', { traces });
    await world.startWorker();
  });
  after(async () => {
    await world.close();
    await traces.close();
    await collector.stop();
  });

  it('delivers the rows of its data interval to a file, and is recorded as completed', async () => {
    const events = Array.from({ length: 50 }, (_, index) =>
      buildEvent({ timestamp: microseconds(`2015-05-17T10:${String(index).padStart(2, '0')}:30Z`) }),
    );
    await world.store(events);
    await world.store([buildEvent({ timestamp: microseconds('2015-05-17T11:00:00Z') })]);
    const { id } = await world.batchExports.create(
      world.projectId,
      buildExport({ destination: { type: 'LocalFile', config: { directory: 'hourly' } } }),
    );
    const backfill = await world.backfills.request(world.projectId, id, {
      startAt: '2015-05-17T09:00:00Z',
      endAt: '2015-05-17T12:00:00Z',
    });
    const runs = await runsAfterBackfill(world, id, backfill.id);

    assert.deepEqual(
      runs.map(({ status, kind, recordsCompleted, recordsTotalCount, latestError }) => ({
        status,
        kind,
        recordsCompleted,
        recordsTotalCount,
        latestError,
      })),
      [0, 50, 1].map((rows) => ({
        status: 'Completed',
        kind: 'backfill',
        recordsCompleted: rows,
        recordsTotalCount: rows,
        latestError: null,
      })),
    );
    const folder = path.join(world.folder, 'hourly');
    assert.equal((await deliveredManifests(folder)).length, 3);
    const uuids = (await deliveredRows<{ uuid: string }>(folder)).map(({ uuid }) => uuid);
    assert.equal(uuids.length, 51);
    assert.equal(new Set([...uuids, ...events.map(({ uuid }) => uuid)]).size, 51);

    const figures = await world.engine.metrics.text();
    const labels = 'destination="LocalFile",interval="hour"';
    assert.match(figures, new RegExp(`^sluice_runs_total{${labels},status="Completed"} 3$`, 'm'));
    assert.match(figures, new RegExp(`^sluice_run_rows_total{${labels}} 51$`, 'm'));
    assert.match(figures, /^sluice_seal_duration_seconds_count 3$/m);
  });

  it('is one trace from its schedule to its receipt, without any of its data', async () => {
    await world.store([
      buildEvent({
        event: 'evil',
        distinctId: 'evil',
        properties: '{"evil":"evil"}',
        timestamp: microseconds('2015-05-18T10:30:00Z'),
      }),
    ]);
    const { id } = await world.batchExports.create(
      world.projectId,
      buildExport({ name: 'evil', destination: { type: 'LocalFile', config: { directory: 'evil' } } }),
    );
    const backfill = await world.backfills.request(world.projectId, id, {
      startAt: '2015-05-18T10:00:00Z',
      endAt: '2015-05-18T11:00:00Z',
    });
    const [run] = await runsAfterBackfill(world, id, backfill.id);
    const workflow = await eventually('the trace', async () => {
      await traces.openTelemetry.processor.forceFlush();
      return collector.spans.find(
        ({ name, attributes }) =>
          name === 'RunWorkflow:exportRun' && attributes['temporal.run_id'] === run!.workflowRunId,
      );
    });
    assert.deepEqual([workflow.service, workflow.parentSpanId, workflow.isFailed], ['sluice-worker', '', false]);
    assert.deepEqual(workflow.attributes, {
      'temporal.workflow_id': run!.workflowId,
      'temporal.run_id': run!.workflowRunId,
      'temporal.schedule_id': id,
      'temporal.scheduled_at': '2015-05-18T11:00:00.000Z',
    });

    const spans = collector.spans.filter(({ traceId }) => traceId === workflow.traceId);
    const nameOf = (spanId: string) => spans.find((span) => span.spanId === spanId)?.name;
    const tree = Object.fromEntries(spans.map(({ name, parentSpanId }) => [name, nameOf(parentSpanId)]));
    assert.deepEqual(tree, {
      'RunWorkflow:exportRun': undefined,
      'StartActivity:prepareRun': 'RunWorkflow:exportRun',
      'StartActivity:exportPart': 'RunWorkflow:exportRun',
      'StartActivity:finishRun': 'RunWorkflow:exportRun',
      'RunActivity:prepareRun': 'StartActivity:prepareRun',
      'RunActivity:exportPart': 'StartActivity:exportPart',
      'RunActivity:finishRun': 'StartActivity:finishRun',
      plan: 'RunActivity:prepareRun',
      stage: 'RunActivity:exportPart',
      commit: 'RunActivity:finishRun',
      verify: 'RunActivity:finishRun',
      receipt: 'RunActivity:finishRun',
    });
    assert.deepEqual(spans.find(({ name }) => name === 'commit')!.attributes, {
      'sluice.project_id': world.projectId,
      'sluice.export_id': id,
      'sluice.run_id': run!.id,
      'sluice.interval_end': run!.end,
      'sluice.destination_type': 'LocalFile',
      'sluice.attempt': 1,
      'sluice.rows': 1,
      'sluice.bytes': run!.bytesExported,
      'temporal.workflow_id': run!.workflowId,
      'temporal.run_id': run!.workflowRunId,
    });
    assert.ok(!collector.bytes().includes('evil'));

    const { client } = world.engine.temporal;
    const history = await client.workflow.getHandle(run!.workflowId, run!.workflowRunId).fetchHistory();
    assert.ok(JSON.stringify(history).includes('_tracer-data'));
    const converter = dataConverter(world.options.temporal.codec);
    const untraced = await workflowBundle(installRuntime(world.options.log));
    // Turning traces off while a run is under way must not break it.
    await Worker.runReplayHistory({ workflowBundle: untraced, dataConverter: converter }, history);
  });
});
