/** Starts everything on one machine in order (servers, schema, demo, API and worker), and stops it in reverse order. */
import { createHmac } from 'node:crypto';
import type { Config } from '../../platform/config.ts';
import { CommandFailed } from '../../platform/errors.ts';
import { prepareDatabase } from '../prepare-database.ts';
import type { StopMode } from '../../platform/processes/stop-mode.ts';
import type { StopSignals } from '../../platform/processes/stop-signals.ts';
import { buildConsole } from './console.ts';
import { clientHost } from './running-up.ts';
import { prepareDemo } from './demo.ts';
import { apiPort, checkPortsDiffer } from './ports.ts';
import { findEncryptionKeys } from './key-ring.ts';
import { findBlockReason, waitUntilReady } from './ready.ts';
import { removeReport, writeReport, type Report } from './report.ts';
import { startRoles, type Roles } from './roles.ts';
import { startServers, type Servers } from './servers.ts';
import { createSignInUrl } from './sign-in.ts';
import { takeStateFolder, type StateFolder } from './state-folder.ts';

export type UpOptions = {
  config: Config;
  signals: StopSignals;
  /** Receives messages about progress, faults and restarts. */
  onProgress: (message: string) => void;
  onReady: (report: Report) => void;
  /** Called when API and worker have been started. */
  onRoles?: (roles: Pick<Roles, 'restart'>) => void;
};

/** Parts that have been started, to be stopped in reverse order. */
type Running = { stop(mode?: StopMode): Promise<void> }[];

/**
 * Runs until a signal to stop, and then stops everything; a second signal stops immediately.
 * @throws CommandFailed with advice if a part cannot start, or a server ends unexpectedly
 */
export async function up(options: UpOptions): Promise<void> {
  const { signals, onProgress } = options;
  const state = await takeStateFolder(options.config.SLUICE_STATE_DIR);
  const running: Running = [];
  const stopping = new AbortController();
  let isInterrupted = false;
  void signals.requested.then(() => {
    isInterrupted = true;
    stopping.abort();
  });
  void signals.forced.then(() => Promise.all(running.map((part) => part.stop('immediate'))));
  try {
    await removeReport(state);
    await run(options, { state, running, signal: stopping.signal });
  } catch (error) {
    // Errors after an interruption are its consequence.
    if (!isInterrupted) throw error;
  } finally {
    stopping.abort();
    if (isInterrupted) onProgress('Stopping; Ctrl-C again ends everything at once');
    await removeReport(state);
    for (const part of running.toReversed()) await part.stop();
    await state.release();
  }
}

type Context = { state: StateFolder; running: Running; signal: AbortSignal };

async function run(options: UpOptions, { state, running, signal }: Context): Promise<void> {
  const { config, signals, onProgress, onReady } = options;
  checkPortsDiffer(config);
  const port = await apiPort(config);
  const keys = await findEncryptionKeys(config, state);
  const apiUrl = `http://${clientHost(config.SLUICE_HOST)}:${port}`;
  const codecToken = config.TEMPORAL_CODEC_TOKEN ?? codecTokenOf(keys);
  const codecEndpoint = `${apiUrl}/_codec/${codecToken}`;
  const consoleBuilt = buildConsole(onProgress);
  const servers = await startServers({ config, state, codecEndpoint, onProgress, signal });
  running.push(servers);
  const brokenDown = rejectWhenServerEnds(servers, state);

  const demo = await prepareDatabaseAndDemo({ state, servers, apiUrl, codecEndpoint, onProgress });
  await consoleBuilt;
  signal.throwIfAborted();
  const roles = await startRoles({ config, state, servers, keys, codecToken, apiPort: port, apiUrl, onProgress });
  running.push(roles);
  options.onRoles?.(roles);
  const addresses = { apiUrl, temporalAddress: servers.temporalAddress };
  const ready = waitUntilReady({ ...addresses, namespace: config.TEMPORAL_NAMESPACE, signal });
  await Promise.race([ready, roles.failure, brokenDown]);

  const { databaseUrl } = servers;
  // Created last, because the sign-in link's ten minutes begin now.
  const report = { ...demo, sign_in_url: await createSignInUrl({ databaseUrl, apiUrl, email: demo.email }) };
  await writeReport(state, report);
  onReady(report);
  const blocked = await findBlockReason(apiUrl, signal);
  if (blocked !== undefined) onProgress(blocked);
  await Promise.race([signals.requested, brokenDown]);
}

/** Derives the token from the keys, so the codec's URL is the same at every start. */
function codecTokenOf(keys: string): string {
  return createHmac('sha256', keys).update('codec token').digest('base64url');
}

/** Rejects when an embedded server ends unexpectedly. */
function rejectWhenServerEnds(servers: Servers, state: StateFolder): Promise<never> {
  const serverFailure = servers.ended.then((name) => {
    throw new CommandFailed(
      `${name} ended by itself; its log is in ${state.file('')}. Start again: what was stored is kept.`,
    );
  });
  // Also rejects when the servers are stopped on purpose; without this handler, that rejection would end the process.
  serverFailure.catch(() => {});
  return serverFailure;
}

type Prepare = Pick<UpOptions, 'onProgress'> & {
  state: StateFolder;
  servers: Servers;
  apiUrl: string;
  codecEndpoint: string;
};

/** Prepares the schema and the demo. */
async function prepareDatabaseAndDemo({
  state,
  servers,
  apiUrl,
  codecEndpoint,
  onProgress,
}: Prepare): Promise<Omit<Report, 'sign_in_url'>> {
  const { applied } = await prepareDatabase(servers.databaseUrl);
  if (applied.length > 0) onProgress(`Database: ${applied.length} migrations applied`);
  const demo = await prepareDemo(servers.databaseUrl, state);
  const { projectId, projectApiKey, personalApiKey, email, password, shareToken } = demo;
  return {
    api_url: apiUrl,
    temporal_ui_url: servers.temporalUiUrl,
    temporal_address: servers.temporalAddress,
    temporal_codec_endpoint: codecEndpoint,
    database_url: servers.databaseUrl,
    project_id: projectId,
    project_api_key: projectApiKey,
    personal_api_key: personalApiKey,
    email,
    password,
    shared_dashboard_url: shareToken === null ? null : `${apiUrl}/shared/${shareToken}`,
  };
}
