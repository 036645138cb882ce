/** Serves `/metrics` on a separate port, and whether a worker lives and is ready. */
import type { Config } from '../../platform/config.ts';
import { poolUses } from '../../platform/db/connection.ts';
import { startHttpServer, type HttpServer } from '../../platform/http/server.ts';
import type { Logger } from '../../platform/telemetry/logger.ts';
import { metricsListener, type Metrics } from '../../platform/telemetry/metrics.ts';

type Options = {
  port: number | undefined;
  metrics: Metrics;
  log: Logger;
  /** Returns further metrics to append. */
  readOtherMetrics?: () => Promise<string>;
  /** Absent: the API answers health checks on its own port. */
  isReady?: () => boolean;
};

/**
 * @returns undefined without a port
 * @throws CommandFailed when it cannot listen there
 */
export async function startMetricsServer(
  { SLUICE_METRICS_HOST: host }: Config,
  { port, metrics, log, ...answers }: Options,
): Promise<HttpServer | undefined> {
  if (port === undefined) return undefined;
  metrics.registerProcess();
  metrics.registerPools(poolUses);
  const server = await startHttpServer({ listener: metricsListener(metrics, answers) }, { host, port });
  log.info({ url: `${server.url}/metrics` }, 'metrics');
  return server;
}
