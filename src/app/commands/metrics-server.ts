/** Serves `/metrics` on a separate port. */
import type { Config } from '../../platform/config.ts';
import { startHttpServer, type HttpServer } from '../../platform/http/server.ts';
import type { Logger } from '../../platform/telemetry/logger.ts';
import { metricsListener, type Metrics } from '../../platform/telemetry/metrics.ts';

type Options = { port: number | undefined; metrics: Metrics; log: Logger; readOtherMetrics?: () => Promise<string> };

/**
 * @param options `readOtherMetrics` returns further metrics to append
 * @returns undefined without a port
 * @throws CommandFailed when it cannot listen there
 */
export async function startMetricsServer(
  { SLUICE_METRICS_HOST: host }: Config,
  { port, metrics, log, readOtherMetrics }: Options,
): Promise<HttpServer | undefined> {
  if (port === undefined) return undefined;
  metrics.registerProcess();
  const server = await startHttpServer({ listener: metricsListener(metrics, readOtherMetrics) }, { host, port });
  log.info({ url: `${server.url}/metrics` }, 'metrics');
  return server;
}
