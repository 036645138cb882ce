import { Command } from 'commander';
import { createApi } from '../api.ts';
import { entriesOf, readConfig } from '../../platform/config.ts';
import { engineOptions, plannedProcesses } from '../engine-options.ts';
import { warnOfShortage } from '../../platform/db/connection-budget.ts';
import { startHttpServer } from '../../platform/http/server.ts';
import { stopSignals } from '../../platform/processes/stop-signals.ts';
import { createLogger } from '../../platform/telemetry/logger.ts';
import { openTraces } from '../../platform/telemetry/open-traces.ts';
import { createClientAddress } from '../../platform/wire/client-address.ts';
import { openGeoip } from '../../platform/wire/geoip.ts';
import { startMetricsServer } from './metrics-server.ts';
import { checkAddressLists } from '../address-lists.ts';
import { startSecretsCheck } from '../secrets-check.ts';

/** How long running requests may take after a signal to stop. */
const GRACE_MS = 10_000;

export function apiCommand(): Command {
  return new Command('api')
    .summary('serve HTTP: capture and the API')
    .description(
      'Serves capture and the API until SIGTERM, then finishes the requests in progress. /_livez answers while the process runs, /_readyz ' +
        'while the database, its schema and Temporal are available. Logs are JSON lines on stderr.',
    )
    .action(run);
}

async function run(): Promise<void> {
  const config = readConfig();
  checkAddressLists(config);
  const log = createLogger(config, 'api');
  const { SLUICE_HOST: host, SLUICE_PORT: port } = config;
  const publicUrl = config.SLUICE_PUBLIC_URL ?? `http://${host}:${port}`;
  const eventsPerSecond = {
    project: config.CAPTURE_PROJECT_EVENTS_PER_SECOND,
    key: config.CAPTURE_KEY_EVENTS_PER_SECOND,
  };
  const clientAddress = createClientAddress(entriesOf(config.TRUSTED_PROXIES));
  const locate = config.GEOIP_DB_PATH === undefined ? undefined : await openGeoip(config.GEOIP_DB_PATH);
  const { TEMPORAL_CODEC_TOKEN: token, TEMPORAL_UI_URL: uiUrl } = config;
  const codecAccess = token && uiUrl ? { token, origin: new URL(uiUrl).origin } : undefined;
  const traces = await openTraces(config, 'api', log);
  const options = { ...engineOptions(config, log), traces };
  const api = createApi({
    ...options,
    publicUrl,
    temporalUiUrl: uiUrl,
    eventsPerSecond,
    requestLimits: { perMinute: config.KEY_REQUESTS_PER_MINUTE, perHour: config.KEY_REQUESTS_PER_HOUR },
    flagRequestsPerSecond: config.FLAGS_PROJECT_REQUESTS_PER_SECOND,
    maxDistinctIds: config.PERSON_DISTINCT_IDS,
    clientAddress,
    locate,
    codecAccess: codecAccess,
  });
  const signals = stopSignals();
  const stopping = new AbortController();
  const secrets = await startSecretsCheck(api.pool, { ...options, signal: stopping.signal });
  void warnOfShortage(api.pool, plannedProcesses(config), { log, signal: stopping.signal });
  const server = await startHttpServer(api.application, { host, port, fastPath: config.SLUICE_FAST_PATH === 'on' });
  log.info({ url: server.url }, 'listening');
  const { metrics } = api;
  const metricsServer = await startMetricsServer(config, { port: config.SLUICE_METRICS_PORT, metrics, log });

  log.info({ reason: await Promise.race([signals.requested, secrets.failure]) }, 'stopping');
  stopping.abort();
  api.drain();
  await Promise.race([server.stop(GRACE_MS), signals.forced]);
  await metricsServer?.stop(0);
  await api.close();
  await traces?.close();
  log.info('stopped');
}
