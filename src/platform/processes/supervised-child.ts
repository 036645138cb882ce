/** A role of Sluice as a child process that is started again whenever it ends or hangs, until it is told to stop. */
import { spawn, type ChildProcess } from 'node:child_process';
import { open, rename, type FileHandle } from 'node:fs/promises';
import { waitUntilHung, type Liveness } from './liveness.ts';
import type { StopMode } from './stop-mode.ts';

/** Lifetime below which a child that ends on its own probably has a fault that the next start would meet, too. */
const SHORT_LIFE_MS = 5_000;
const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 15_000;

export type SupervisedChild = {
  /** SIGTERM, and SIGKILL after the grace; resolves when it has ended. `immediate` kills at once. */
  stop(mode?: StopMode): Promise<void>;
  /** Stops the child and starts it again at once; also ends the wait before a restart. */
  restart(): void;
};

export type ChildOptions = {
  command: string;
  args: readonly string[];
  env: NodeJS.ProcessEnv;
  /** File for all output; the output of the previous start is kept as `<logFile>.1`. */
  logFile: string;
  graceMs: number;
  /** Check for a hang, after which the child is killed. Absent: hangs go unnoticed. */
  liveness?: Liveness;
  /** Called when the child ended on its own or was killed for not answering, with the milliseconds until the restart. */
  onRestart: (ended: ChildExit) => void;
};

export type ChildExit = {
  code: number | null;
  signal: NodeJS.Signals | null;
  delayMs: number;
  /** Number of unanswered pings in a row before the kill; undefined: the child ended on its own. */
  unanswered: number | undefined;
};

/** Starts the child; it has an IPC channel, whose end tells it that we are gone (see stop-signals.ts). */
export async function superviseChild(options: ChildOptions): Promise<SupervisedChild> {
  await rename(options.logFile, `${options.logFile}.1`).catch(() => {});
  const log = await open(options.logFile, 'a', 0o600);
  let child: ChildProcess | undefined;
  let restart: NodeJS.Timeout | undefined;
  let shortLives = 0;
  let isStopping = false;
  let isReplacing = false;
  let watching = new AbortController();

  const start = () => {
    const startedAt = performance.now();
    const launched = (child = launch(options, log));
    let unanswered: number | undefined;
    watching = new AbortController();
    if (options.liveness) {
      void waitUntilHung(launched, options.liveness, watching.signal).then((missed) => {
        if (missed === undefined) return;
        unanswered = missed;
        // A process that does not answer ends by SIGKILL only.
        launched.kill('SIGKILL');
      });
    }
    launched.once('error', () => {});
    launched.once('exit', (code, signal) => {
      watching.abort();
      if (isStopping) return;
      if (isReplacing) {
        isReplacing = false;
        shortLives = 0;
        start();
        return;
      }
      // Only an early end of the child itself suggests a fault; an outside kill does not.
      const isFaulty = signal === null && performance.now() - startedAt < SHORT_LIFE_MS;
      shortLives = isFaulty ? shortLives + 1 : 0;
      const delayMs = restartDelay(shortLives);
      options.onRestart({ code, signal, delayMs, unanswered });
      restart = setTimeout(start, delayMs);
    });
  };
  start();

  return {
    restart() {
      if (isStopping || isReplacing || !child) return;
      clearTimeout(restart);
      if (isEnded(child)) {
        shortLives = 0;
        start();
        return;
      }
      isReplacing = true;
      void end(child, options.graceMs);
    },
    async stop(mode = 'graceful') {
      isStopping = true;
      watching.abort();
      clearTimeout(restart);
      if (child) await end(child, mode === 'immediate' ? 0 : options.graceMs);
      await log.close().catch(() => {});
    },
  };
}

/** 0 after a long life, then half a second doubled up to 15 s. */
function restartDelay(shortLives: number): number {
  return shortLives === 0 ? 0 : Math.min(FIRST_DELAY_MS * 2 ** (shortLives - 1), LONGEST_DELAY_MS);
}

function launch({ command, args, env }: ChildOptions, log: FileHandle): ChildProcess {
  return spawn(command, args, {
    env,
    stdio: ['ignore', log.fd, log.fd, 'ipc'],
    // Own process group, so that a Ctrl-C reaches only the supervisor, which stops its children in order.
    detached: true,
  });
}

function isEnded({ pid, exitCode, signalCode }: ChildProcess): boolean {
  return pid === undefined || exitCode !== null || signalCode !== null;
}

async function end(child: ChildProcess, graceMs: number): Promise<void> {
  if (isEnded(child)) return;
  const exited = new Promise((resolve) => child.once('exit', resolve));
  if (graceMs > 0) child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), graceMs);
  await exited;
  clearTimeout(timer);
}
