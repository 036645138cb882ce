/** Postgres and Temporal: the servers named in the environment, or else embedded ones that are started here. */
import type { Config } from '../../platform/config.ts';
import { startEmbeddedPostgres } from '../../platform/db/embedded-postgres.ts';
import type { StopMode } from '../../platform/processes/stop-mode.ts';
import { connectTemporal } from '../../platform/temporal/connection.ts';
import { startTemporalDevServer } from '../../platform/temporal/dev-server.ts';
import { ensureNamespace } from '../../platform/temporal/namespace.ts';
import { retryUntilAnswered } from '../../platform/temporal/until-answered.ts';
import type { StateFolder } from './state-folder.ts';

export type Servers = {
  databaseUrl: string;
  temporalAddress: string;
  /** URL of Temporal's UI; null if it is unknown. */
  temporalUiUrl: string | null;
  /** Resolves with the name of an embedded server that ended unexpectedly. */
  ended: Promise<string>;
  stop(mode?: StopMode): Promise<void>;
};

type Start = {
  config: Config;
  state: StateFolder;
  /** Endpoint that decrypts payloads for Temporal's UI. */
  codecEndpoint: string;
  onProgress: (message: string) => void;
  signal: AbortSignal;
};
type Server = { ended: Promise<string>; stop(mode?: StopMode): Promise<void> };
type Postgres = Server & Pick<Servers, 'databaseUrl'>;
type Temporal = Server & Pick<Servers, 'temporalAddress' | 'temporalUiUrl'>;

/** An external server, whose end is not observed, and which is not stopped. */
const EXTERNAL: Server = { ended: new Promise<never>(() => {}), stop: async () => {} };

/**
 * Starts both servers concurrently. If one fails to start, the other is stopped.
 * @throws CommandFailed from the server that could not start
 */
export async function startServers(start: Start): Promise<Servers> {
  const failure = new AbortController();
  const signal = AbortSignal.any([start.signal, failure.signal]);
  const stopTheOther = (error: unknown) => {
    failure.abort(error);
    throw error;
  };
  const results = await Promise.allSettled([
    startPostgres(start).catch(stopTheOther),
    startTemporal({ ...start, signal }).catch(stopTheOther),
  ]);
  const [postgres, temporal] = results;
  if (postgres.status === 'fulfilled' && temporal.status === 'fulfilled')
    return combineServers(postgres.value, temporal.value);
  for (const result of results) if (result.status === 'fulfilled') await result.value.stop();
  throw failure.signal.reason;
}

function combineServers(postgres: Postgres, temporal: Temporal): Servers {
  return {
    ...postgres,
    ...temporal,
    ended: Promise.race([postgres.ended, temporal.ended]),
    async stop(mode) {
      await Promise.all([temporal.stop(mode), postgres.stop(mode)]);
    },
  };
}

async function startPostgres({ config, state, onProgress }: Start): Promise<Postgres> {
  if (config.DATABASE_URL) return { ...EXTERNAL, databaseUrl: config.DATABASE_URL };
  const server = await startEmbeddedPostgres({
    directory: state.file('postgres'),
    port: config.SLUICE_POSTGRES_PORT,
    durable: true,
    onProgress: (message) => onProgress(`Postgres: ${message}`),
  });
  onProgress(`Postgres is ready on port ${server.port}`);
  return { databaseUrl: server.url, ended: server.exited.then(() => 'Postgres'), stop: server.stop };
}

async function startTemporal({ config, state, codecEndpoint, onProgress, signal }: Start): Promise<Temporal> {
  if (config.TEMPORAL_ADDRESS) return useTemporal({ config, onProgress, signal }, config.TEMPORAL_ADDRESS);
  const server = await startTemporalDevServer({
    directory: state.file('temporal'),
    port: config.SLUICE_TEMPORAL_PORT,
    uiPort: config.SLUICE_TEMPORAL_UI_PORT,
    namespace: config.TEMPORAL_NAMESPACE,
    persistent: true,
    codecEndpoint,
    onProgress: (message) => onProgress(`Temporal: ${message}`),
    signal,
  });
  onProgress(`Temporal is ready on ${server.address}`);
  return {
    temporalAddress: server.address,
    temporalUiUrl: server.uiUrl,
    ended: server.exited.then(() => 'Temporal'),
    stop: server.stop,
  };
}

/** Waits for an external server, which may start later. */
async function useTemporal(
  { config, onProgress, signal }: Pick<Start, 'config' | 'onProgress' | 'signal'>,
  address: string,
): Promise<Temporal> {
  const { client, close } = connectTemporal({ address, namespace: config.TEMPORAL_NAMESPACE });
  let isWaiting = false;
  const onFailure = () => {
    if (!isWaiting) onProgress(`Temporal: waiting for ${address}, which does not answer`);
    isWaiting = true;
  };
  try {
    await retryUntilAnswered(async () => ensureNamespace(client), { signal, onFailure });
  } finally {
    await close();
  }
  return { ...EXTERNAL, temporalAddress: address, temporalUiUrl: config.TEMPORAL_UI_URL ?? null };
}
