/**
 * As many files as a plan may have, delivered for real: `npm run test:limits`, some minutes. The stage tables are in
 * `test/activities/runs/plan-limits.test.ts`.
 */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import type { NewExport } from '../../src/exports/batch-exports/batch-exports.ts';
import { stopTestDatabases } from '../support/database/database.ts';
import { runsAfterBackfill, buildExport, buildExportWorld, type ExportWorld } from '../support/exports/export-world.ts';
import { storeParts } from '../support/exports/many-parts.ts';
import { createTestBucket, OBJECT_STORE_KEYS, stopTestObjectStore } from '../support/servers/object-store.ts';
import { stopTestTemporal } from '../support/servers/temporal.ts';

const { values } = parseArgs({
  options: {
    files: { type: 'string', default: '10000' },
    only: { type: 'string', default: '' },
    minutes: { type: 'string', default: '60' },
  },
});
const FILES = Number(values.files);

async function bucket(): Promise<NewExport['destination']> {
  const { endpoint, bucket: name, region } = await createTestBucket();
  return {
    type: 'S3',
    config: {
      bucket_name: name,
      region,
      endpoint_url: endpoint,
      prefix: 'many',
      aws_access_key_id: OBJECT_STORE_KEYS.accessKeyId,
      aws_secret_access_key: OBJECT_STORE_KEYS.secretAccessKey,
      max_file_size_mb: 1,
    },
  };
}

async function deliver(
  world: ExportWorld,
  destination: NewExport['destination'],
  hour: { startAt: string; endAt: string },
) {
  const startedMs = performance.now();
  let committing = startedMs;
  let memory = 0;
  const watching = setInterval(() => (memory = Math.max(memory, process.memoryUsage().rss)), 500);
  world.onStep = async ({ name }) => {
    if (name === 'before-committing') committing = performance.now();
  };
  const { id } = await world.batchExports.create(world.projectId, buildExport({ destination, paused: true }));
  const backfill = await world.backfills.request(world.projectId, id, hour);
  const [run] = await runsAfterBackfill(world, id, backfill.id, Number(values.minutes) * 60);
  const ended = performance.now();
  clearInterval(watching);
  const { status, latestError, recordsCompleted, receipt, workflowId } = run!;
  assert.deepEqual([status, latestError, recordsCompleted], ['Completed', null, FILES]);
  assert.equal(receipt?.files?.length, FILES);
  const handle = world.engine.temporal.client.workflow.getHandle(workflowId);
  await handle.result();
  const { historyLength } = await handle.describe();
  const history = JSON.stringify(await handle.fetchHistory()).length;
  console.log(
    `${destination.type}: ${FILES} files staged in ${seconds(committing - startedMs)}, committed in ${seconds(ended - committing)}; ` +
      `${historyLength} events of history, about ${Math.ceil(history / 1024)} KiB; receipt ${Math.ceil(JSON.stringify(receipt).length / 1024)} KiB; ` +
      `${Math.ceil(memory / 1024 / 1024)} MiB of memory at most`,
  );
}

const seconds = (milliseconds: number) => `${(milliseconds / 1000).toFixed(1)} s`;

const world = await buildExportWorld();
try {
  await world.startWorker();
  const hour = await storeParts(world, FILES);
  if (values.only !== 'S3')
    await deliver(world, { type: 'LocalFile', config: { directory: randomUUID(), max_file_size_mb: 1 } }, hour);
  if (values.only !== 'LocalFile') await deliver(world, await bucket(), hour);
} finally {
  await world.close();
  await Promise.all([stopTestDatabases(), stopTestTemporal(), stopTestObjectStore()]);
}
