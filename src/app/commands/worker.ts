import { Command } from 'commander';
import { createActivities } from '../../../activities/index.ts';
import { readConfig } from '../../platform/config.ts';
import { createEngine, type ComposedEngine, type EngineOptions } from '../engine.ts';
import { engineOptions, plannedProcesses } from '../engine-options.ts';
import { warnOfShortage } from '../../platform/db/connection-budget.ts';
import { freePort } from '../../platform/processes/port.ts';
import { answerPings } from '../../platform/processes/liveness.ts';
import { stopSignals } from '../../platform/processes/stop-signals.ts';
import { createLogger } from '../../platform/telemetry/logger.ts';
import { openTraces } from '../../platform/telemetry/open-traces.ts';
import { forLog } from '../../platform/temporal/failures.ts';
import { ensureNamespace } from '../../platform/temporal/namespace.ts';
import { retryUntilAnswered } from '../../platform/temporal/until-answered.ts';
import { endRuntime, installRuntime, startExportWorker, type ExportWorker } from '../../exports/temporal/worker.ts';
import { startMetricsServer } from './metrics-server.ts';
import { checkAddressLists } from '../address-lists.ts';
import { startSecretsCheck } from '../secrets-check.ts';

export function workerCommand(): Command {
  return new Command('worker')
    .summary('run exports: workflows and the activities that move rows')
    .description(
      'Takes work from Temporal until it is stopped. Any number of workers may run. If one is killed or hangs, another takes over its ' +
        'work. A worker that starts before Temporal waits for it. SLUICE_WORKER_CONCURRENCY limits the parts that one worker exports at once.',
    )
    .action(run);
}

async function run(): Promise<void> {
  answerPings();
  const stopping = new AbortController();
  void stopSignals().requested.then(() => stopping.abort());
  const config = readConfig();
  checkAddressLists(config);
  const log = createLogger(config, 'worker');
  const traces = await openTraces(config, 'worker', log);
  const options = { ...engineOptions(config, log), traces };
  const temporalMetrics = config.SLUICE_WORKER_METRICS_PORT === undefined ? undefined : `127.0.0.1:${await freePort()}`;
  installRuntime(options.log, temporalMetrics);
  const engine = createEngine(options);
  const secrets = await startSecretsCheck(engine.pool, { ...options, signal: stopping.signal });
  const setReadyGauge = engine.metrics.registerWorker();
  let isReady = false;
  function reportReady(ready: boolean): void {
    isReady = ready;
    setReadyGauge(ready);
  }
  const metricsServer = await startMetricsServer(config, {
    port: config.SLUICE_WORKER_METRICS_PORT,
    metrics: engine.metrics,
    log: options.log,
    isReady: () => isReady,
    readOtherMetrics: async () => (await fetch(`http://${temporalMetrics}/metrics`)).text(),
  });
  void warnOfShortage(engine.pool, plannedProcesses(config), { log: options.log, signal: stopping.signal });
  try {
    const worker = await Promise.race([startWhenTemporalAnswers(engine, options, stopping.signal), secrets.failure]);
    // The first delivery would check, too, but after a restore the operator should be told immediately.
    await engine.timeline.blockReason();
    engine.log.info('worker ready');
    reportReady(true);
    const shutdown = () => {
      reportReady(false);
      worker.shutdown();
    };
    if (stopping.signal.aborted) shutdown();
    else stopping.signal.addEventListener('abort', shutdown);
    await Promise.race([worker.stopped, secrets.failure]);
  } catch (error) {
    // A stop that ended the wait for Temporal is not a failure.
    if (error !== stopping.signal.reason) throw error;
    await endRuntime();
  } finally {
    await metricsServer?.stop(0);
    await engine.close();
    await traces?.close();
  }
}

/**
 * Starts taking work as soon as Temporal answers, even if Temporal starts after this process, or hangs while it starts.
 * @throws permanent errors, such as a missing permission for the namespace; the signal's reason
 */
async function startWhenTemporalAnswers(
  engine: ComposedEngine,
  { temporal, partsAtOnce, traces, log }: EngineOptions,
  signal: AbortSignal,
): Promise<ExportWorker> {
  const { address, namespace } = temporal;
  const onFailure = (error: unknown) =>
    log.warn({ ...forLog(error), address, namespace }, 'waiting for Temporal, which does not answer');
  const attempt = async () => {
    await ensureNamespace(engine.temporal.client);
    await engine.schedules.ensureReconciler();
    return startExportWorker({ activities: createActivities(engine), log, temporal, partsAtOnce, traces });
  };
  return retryUntilAnswered(attempt, { signal, onFailure });
}
