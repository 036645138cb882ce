/** Runs the API and the worker as child processes. */
import { mkdir, open } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { environmentWith, type Config } from '../../platform/config.ts';
import { CommandFailed } from '../../platform/errors.ts';
import { LIVENESS, askOverChannel, askOverHttp } from '../../platform/processes/liveness.ts';
import { superviseChild } from '../../platform/processes/supervised-child.ts';
import type { StopMode } from '../../platform/processes/stop-mode.ts';
import type { Servers } from './servers.ts';
import type { StateFolder } from './state-folder.ts';

/** Folder of the LocalFile destination, in the state folder. */
export const EXPORTS_FOLDER = 'exports';

const LAUNCHER = fileURLToPath(new URL('../../../bin/sluice', import.meta.url));
const ROLES = ['api', 'worker'] as const;
/** How long a role may take to stop; longer than either role gives itself. */
const GRACE_MS = 15_000;
/** How often a role may end before everything is ready, until that counts as a permanent fault. */
const ENDS_TO_GIVE_UP = 3;
const LOG_TAIL_BYTES = 4_096;

export type Roles = {
  /** Rejects when a role ends repeatedly before everything is ready. */
  failure: Promise<never>;
  stop(mode?: StopMode): Promise<void>;
  /** Restarts both, with the current sources. */
  restart(): void;
};

type Start = {
  config: Config;
  state: StateFolder;
  servers: Servers;
  keys: string;
  /** Token with which Temporal's UI requests the decryption of payloads. */
  codecToken: string;
  apiPort: number;
  apiUrl: string;
  onProgress: (message: string) => void;
};

/** Starts both roles. Each is restarted when it ends unexpectedly, or is killed because it does not answer. */
export async function startRoles(start: Start): Promise<Roles> {
  const { state, apiUrl, onProgress } = start;
  const env = await environment(start);
  const failure = Promise.withResolvers<never>();
  // After the start, a rejection has no handler.
  failure.promise.catch(() => {});

  const supervise = (role: (typeof ROLES)[number]) => {
    let endCount = 0;
    const logFile = state.file(`${role}.log`);
    return superviseChild({
      command: process.execPath,
      args: [LAUNCHER, role],
      env,
      logFile,
      graceMs: GRACE_MS,
      liveness: { ...LIVENESS, ask: role === 'api' ? askOverHttp(`${apiUrl}/_livez/`) : askOverChannel },
      onRestart({ code, signal, delayMs, unanswered }) {
        const reason = unanswered ? `it did not answer ${unanswered} times in a row` : (signal ?? `exit code ${code}`);
        onProgress(
          `The ${role} ended (${reason}) and starts again${delayMs ? ` in ${delayMs / 1000} s` : ''}; see ${logFile}`,
        );
        endCount += 1;
        if (endCount === ENDS_TO_GIVE_UP)
          void lastLine(logFile).then((line) => failure.reject(startError(role, logFile, line)));
      },
    });
  };
  const children = await Promise.all(ROLES.map(supervise));
  return {
    failure: failure.promise,
    restart() {
      for (const child of children) child.restart();
    },
    async stop(mode) {
      await Promise.all(children.map((child) => child.stop(mode)));
    },
  };
}

async function environment({
  config,
  state,
  servers,
  keys,
  codecToken,
  apiPort,
  apiUrl,
}: Start): Promise<NodeJS.ProcessEnv> {
  const exportRoot = config.EXPORT_LOCAL_ROOT ?? state.file(EXPORTS_FOLDER);
  await mkdir(exportRoot, { recursive: true, mode: 0o750 });
  return environmentWith({
    DATABASE_URL: servers.databaseUrl,
    TEMPORAL_ADDRESS: servers.temporalAddress,
    TEMPORAL_NAMESPACE: config.TEMPORAL_NAMESPACE,
    TEMPORAL_UI_URL: servers.temporalUiUrl ?? undefined,
    TEMPORAL_CODEC_TOKEN: codecToken,
    SLUICE_HOST: config.SLUICE_HOST,
    SLUICE_PORT: String(apiPort),
    SLUICE_PUBLIC_URL: apiUrl,
    SLUICE_ENCRYPTION_KEYS: keys,
    EXPORT_LOCAL_ROOT: exportRoot,
  });
}

function startError(role: string, logFile: string, line: string): CommandFailed {
  return new CommandFailed(`The ${role} does not start. The last line of ${logFile}:\n${line}`);
}

async function lastLine(file: string): Promise<string> {
  const log = await open(file);
  try {
    const { size } = await log.stat();
    const tail = Buffer.alloc(Math.min(size, LOG_TAIL_BYTES));
    await log.read(tail, 0, tail.length, size - tail.length);
    return tail.toString().trim().split('\n').at(-1) ?? '';
  } finally {
    await log.close();
  }
}
