/** Workers in the process of the benchmark: one as users have it, and one for the bare workflows that runs are compared with. */
import { fileURLToPath } from 'node:url';
import { NativeConnection, Worker } from '@temporalio/worker';
import { createActivities } from '../../activities/index.ts';
import { installRuntime, startExportWorker } from '../../src/exports/temporal/worker.ts';
import type { Installation } from '../installation.ts';

export const BARE_QUEUE = 'bench-bare';

/** Does the work with a worker as users have it, in this process. */
export async function withWorker<T>({ engine, options }: Installation, work: () => Promise<T>): Promise<T> {
  const { temporal, log, partsAtOnce } = options;
  const worker = await startExportWorker({ activities: createActivities(engine), log, temporal, partsAtOnce });
  try {
    return await work();
  } finally {
    worker.shutdown();
    await worker.stopped;
  }
}

/** Does the work with a worker for bare workflows, in this process. */
export async function withBareWorker<T>(
  { options: { temporal, log } }: Installation,
  work: () => Promise<T>,
): Promise<T> {
  installRuntime(log);
  const connection = await NativeConnection.connect({ address: temporal.address });
  const bare = await Worker.create({
    connection,
    namespace: temporal.namespace,
    taskQueue: BARE_QUEUE,
    workflowsPath: fileURLToPath(new URL('../bare-workflow.ts', import.meta.url)),
    activities: { nothing: async () => {} },
  });
  const bareEnded = bare.run();
  try {
    // Without the race, work would wait for ever for a worker that has ended.
    return await Promise.race([work(), bareEnded.then(() => Promise.reject(new Error('the worker ended')))]);
  } finally {
    bareEnded.catch(() => {});
    if (bare.getState() === 'RUNNING') bare.shutdown();
    await bareEnded.catch(() => {});
    await connection.close();
  }
}
