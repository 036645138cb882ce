import { Command } from 'commander';
import { createActivities } from '../../activities/index.ts';
import { readConfig } from '../config.ts';
import { createEngine } from '../engine.ts';
import { engineOptions } from '../engine-options.ts';
import { freePort } from '../processes/port.ts';
import { stopSignals } from '../processes/stop-signals.ts';
import { createLogger } from '../telemetry/logger.ts';
import { ensureNamespace } from '../temporal/namespace.ts';
import { installRuntime, startExportWorker } from '../temporal/worker.ts';
import { startMetricsServer } from './metrics-server.ts';

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
  const temporalMetrics = config.SLUICE_WORKER_METRICS_PORT === undefined ? undefined : `127.0.0.1:${await freePort()}`;
  installRuntime(options.log, temporalMetrics);
  const engine = createEngine(options);
  const metricsServer = await startMetricsServer(config, {
    port: config.SLUICE_WORKER_METRICS_PORT,
    metrics: engine.metrics,
    log: options.log,
    others: async () => (await fetch(`http://${temporalMetrics}/metrics`)).text(),
  });
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
    await metricsServer?.stop(0);
    await engine.close();
  }
}
