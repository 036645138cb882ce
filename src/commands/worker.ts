import { Command } from 'commander';
import { createActivities } from '../../activities/index.ts';
import { readConfig } from '../config.ts';
import { createEngine } from '../engine.ts';
import { engineOptions } from '../engine-options.ts';
import { stopSignals } from '../processes/stop-signals.ts';
import { createLogger } from '../telemetry/logger.ts';
import { ensureNamespace } from '../temporal/namespace.ts';
import { startExportWorker } from '../temporal/worker.ts';

export function workerCommand(): Command {
  return new Command('worker')
    .summary('run exports: workflows and the activities that move rows')
    .description(
      'Takes work from Temporal until it is stopped. Any number of workers may run; one that is killed or frozen loses ' +
        'nothing: another one does its work. SLUICE_WORKER_CONCURRENCY bounds the parts that one worker moves at once.',
    )
    .action(run);
}

async function run(): Promise<void> {
  const config = readConfig();
  const options = engineOptions(config, createLogger(config, 'worker'));
  const engine = createEngine(options);
  try {
    await ensureNamespace(engine.temporal.client);
    await engine.schedules.ensureReconciler();
    const { temporal, partsAtOnce } = options;
    const worker = await startExportWorker({
      activities: createActivities(engine),
      log: options.log,
      temporal,
      partsAtOnce,
    });
    engine.log.info('worker ready');
    void stopSignals().requested.then(() => worker.shutdown());
    await worker.stopped;
  } finally {
    await engine.close();
  }
}
