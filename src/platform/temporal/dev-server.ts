/** A Temporal server of our own with its UI: for `sluice up` (state kept in a file) and for tests (in memory). */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { chmod, mkdir, open, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { CommandFailed } from '../errors.ts';
import { endLeftover } from '../processes/leftover.ts';
import { freePort, isPortFree } from '../processes/port.ts';
import type { StopMode } from '../processes/stop-mode.ts';
import { temporalProgram } from './dev-server-program.ts';

const run = promisify(execFile);
const START_TIMEOUT_MS = 60_000;
/** The server ends in two seconds, unless a call is still open. A kill loses nothing: its state is in SQLite. */
const STOP_TIMEOUT_MS = 5_000;
/** `--namespace` alone keeps histories for 24 hours. */
const RETENTION = '30d';
const DYNAMIC_CONFIG = [
  // One history shard is polled 20 times a second by default: every task then waits 40-50 ms for its dispatch.
  ...['transfer', 'timer', 'visibility'].map((queue) => `history.${queue}ProcessorMaxPollRPS=1000`),
  // A worker gets an activity of the workflow's own task queue in the answer that schedules it, which saves a second call to the server.
  'system.enableActivityEagerExecution=true',
];

export type TemporalDevServer = {
  /** host:port for clients and workers. */
  address: string;
  uiUrl: string;
  /** Resolves with the exit code when the server ends, however it ends. */
  exited: Promise<number | null>;
  stop(mode?: StopMode): Promise<void>;
};

export type TemporalDevServerOptions = {
  /** Folder for its log, its process id and, when persistent, its state; created when missing. */
  directory: string;
  /** 0 takes any free port. */
  port: number;
  uiPort: number;
  namespace: string;
  /** Endpoint that decrypts payloads for its UI; absent: the UI shows them encrypted. */
  codecEndpoint?: string;
  /** Keeps schedules and histories in a file; otherwise they end with the server. */
  persistent: boolean;
  /** More of Temporal's dynamic configuration, `key=value`. */
  dynamicConfig?: readonly string[];
  /** Gets steps that take time (building the server). */
  onProgress?: (message: string) => void;
  /** Ends a start that is under way. */
  signal?: AbortSignal;
};

/**
 * Starts the server, ending one that an earlier, killed start left behind; ready when the namespace is there.
 * @throws CommandFailed with the reason and a way out: no program, a taken port, state that it cannot read
 */
export async function startTemporalDevServer(options: TemporalDevServerOptions): Promise<TemporalDevServer> {
  const directory = path.resolve(options.directory);
  await mkdir(directory, { recursive: true });
  // The server writes its database readable by all of the machine; a folder of an earlier start is open, too.
  await chmod(directory, 0o700);
  const program = await temporalProgram(options);
  const pidFile = path.join(directory, 'temporal.pid');
  await stopLeftover(pidFile, directory);

  const port = await requireFreePort(options.port, 'SLUICE_TEMPORAL_PORT');
  const uiPort = await requireFreePort(options.uiPort, 'SLUICE_TEMPORAL_UI_PORT');
  const server = await launch(program, { ...options, directory, port, uiPort });
  const address = `127.0.0.1:${port}`;
  try {
    await writeFile(pidFile, String(server.child.pid));
    await prepareNamespace({ ...options, program, directory, address }, server);
  } catch (error) {
    await stop(server, 'immediate');
    throw error;
  }
  return {
    address,
    uiUrl: `http://127.0.0.1:${uiPort}`,
    exited: server.exited,
    async stop(mode = 'graceful') {
      await stop(server, mode);
      await rm(pidFile, { force: true });
    },
  };
}

async function stopLeftover(pidFile: string, directory: string): Promise<void> {
  const pid = Number(await readFile(pidFile, 'utf8').catch(() => ''));
  await endLeftover({ pid, commandHolds: ['start-dev', directory], signal: 'SIGTERM', what: 'A Temporal server' });
  await rm(pidFile, { force: true });
}

async function requireFreePort(port: number, variable: string): Promise<number> {
  if (port === 0) return freePort();
  if (await isPortFree(port)) return port;
  throw new CommandFailed(
    `Port ${port} on 127.0.0.1 is taken. Stop what listens there, or set ${variable} to another port.`,
  );
}

type Server = { child: ChildProcess; exited: Promise<number | null>; logFile: string };
type Launch = Omit<TemporalDevServerOptions, 'onProgress' | 'signal'>;

async function launch(program: string, options: Launch): Promise<Server> {
  const { namespace, port, uiPort } = options;
  const args = [
    ...`server start-dev --namespace ${namespace} --log-level warn`.split(' '),
    ...`--ip 127.0.0.1 --port ${port} --ui-ip 127.0.0.1 --ui-port ${uiPort}`.split(' '),
    ...[...DYNAMIC_CONFIG, ...(options.dynamicConfig ?? [])].flatMap((value) => ['--dynamic-config-value', value]),
    ...(options.codecEndpoint === undefined ? [] : ['--ui-codec-endpoint', options.codecEndpoint]),
    ...(options.persistent ? ['--db-filename', path.join(options.directory, 'temporal.db')] : []),
  ];
  const logFile = path.join(options.directory, 'temporal.log');
  const log = await open(logFile, 'w', 0o600);
  const child = spawn(program, args, {
    cwd: options.directory,
    env: serverEnv(options.directory),
    stdio: ['ignore', log.fd, log.fd],
    // Own process group, because a Ctrl-C goes to the whole group, and the supervisor decides when Temporal stops.
    detached: true,
  });
  const exited = new Promise<number | null>((resolve) => {
    child.once('exit', (code) => resolve(code));
    child.once('error', () => resolve(null));
  });
  await log.close();
  return { child, exited, logFile };
}

type Namespace = { program: string; directory: string; address: string; namespace: string; signal?: AbortSignal };

/** Sets how long histories are kept. Success also proves that the server and the namespace are there. */
async function prepareNamespace(options: Namespace, server: Server): Promise<void> {
  const { program, directory, address, namespace, signal } = options;
  const args = ['operator', 'namespace', 'update', '--retention', RETENTION, '-n', namespace, '--address', address];
  const deadline = Date.now() + START_TIMEOUT_MS;
  let hasEnded = false;
  void server.exited.then(() => (hasEnded = true));
  for (;;) {
    const failure = await run(program, args, { env: serverEnv(directory), timeout: 10_000 }).then(
      () => undefined,
      (error: Error & { stderr?: string }) => error,
    );
    signal?.throwIfAborted();
    if (hasEnded) throw await startFailure(server, directory);
    if (!failure) return;
    if (Date.now() > deadline)
      throw new CommandFailed(
        `Temporal was not ready after ${START_TIMEOUT_MS / 1000} s: ${(failure.stderr ?? failure.message).trim()}`,
      );
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function startFailure({ logFile }: Server, directory: string): Promise<CommandFailed> {
  const log = await readFile(logFile, 'utf8').catch(() => '');
  return new CommandFailed(
    `Temporal stopped while starting on ${directory}: ${log.trim().split('\n').slice(-3).join('\n')}\n` +
      'If this folder is damaged, move it away: the next start makes a new, empty one.',
  );
}

async function stop({ child, exited }: Server, mode: StopMode): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  child.kill(mode === 'graceful' ? 'SIGTERM' : 'SIGKILL');
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
  await exited;
  clearTimeout(timer);
}

/** Leaves out our own variables, because TEMPORAL_ADDRESS, TEMPORAL_TLS and others would change how Temporal runs. */
function serverEnv(home: string): NodeJS.ProcessEnv {
  return { PATH: '/usr/bin:/bin', HOME: home, TZ: 'UTC' };
}
