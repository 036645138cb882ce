/** Whether a child process still answers. A hung one keeps its port and its work, and never ends without help. */
import type { ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';

export type Liveness = {
  /** Resolves when the child answers; rejects when it does not, at the latest when the signal aborts. */
  ask(child: ChildProcess, signal: AbortSignal): Promise<void>;
  /** Time between an answer, or a miss, and the next question. */
  intervalMs: number;
  /** Time after which a missing answer counts as a miss. */
  timeoutMs: number;
  /** Number of misses in a row that count as a hang. */
  maxMisses: number;
  /** Time for which a child that has never answered counts as starting. */
  startMs: number;
};

/** Liveness of the roles of `sluice up`: a hang is found after 15 to 30 s, and a start may take two minutes. */
export const LIVENESS: Omit<Liveness, 'ask'> = { intervalMs: 5_000, timeoutMs: 5_000, maxMisses: 3, startMs: 120_000 };

/**
 * Asks again and again until the signal aborts.
 * @param signal aborted when the child has ended, or is being stopped
 * @returns the number of unanswered pings in a row, once the child is hung; undefined when the signal aborted
 */
export async function waitUntilHung(
  child: ChildProcess,
  { ask, intervalMs, timeoutMs, maxMisses, startMs }: Liveness,
  signal: AbortSignal,
): Promise<number | undefined> {
  const startedAt = performance.now();
  let hasAnswered = false;
  let missedAnswers = 0;
  for (;;) {
    await sleep(intervalMs, undefined, { signal }).catch(() => {});
    if (signal.aborted) return undefined;
    const isAlive = await answers(ask(child, AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])));
    if (signal.aborted) return undefined;
    hasAnswered ||= isAlive;
    missedAnswers = isAlive ? 0 : missedAnswers + 1;
    const isStarted = hasAnswered || performance.now() - startedAt > startMs;
    if (isStarted && missedAnswers >= maxMisses) return missedAnswers;
  }
}

function answers(answer: Promise<void>): Promise<boolean> {
  return answer.then(
    () => true,
    () => false,
  );
}

/** Asks over HTTP. @param url answered with 200 by a process that lives */
export function askOverHttp(url: string): Liveness['ask'] {
  return async (_child, signal) => {
    const answer = await fetch(url, { signal });
    await answer.body?.cancel();
    if (!answer.ok) throw new Error(`${answer.status}`);
  };
}

const PING = 'sluice:ping';
const PONG = 'sluice:pong';

/** Asks a child that calls `answerPings`, over its IPC channel. */
export const askOverChannel: Liveness['ask'] = (child, signal) =>
  new Promise((resolve, reject) => {
    const end = () => {
      child.off('message', onMessage);
      signal.removeEventListener('abort', onAbort);
    };
    const onMessage = (message: unknown) => {
      if (message !== PONG) return;
      end();
      resolve();
    };
    const onAbort = () => {
      end();
      reject(signal.reason as Error);
    };
    if (signal.aborted) return onAbort();
    signal.addEventListener('abort', onAbort);
    child.on('message', onMessage);
    // A channel that has ended is reported here, and the child's end by its exit.
    child.send(PING, () => {});
  });

/** Lets a supervisor see that this process answers. Without a supervisor it does nothing. */
export function answerPings(): void {
  if (!process.channel) return;
  process.on('message', (message) => {
    if (message === PING) process.send?.(PONG, () => {});
  });
  // Without this the listener would keep an idle process alive.
  process.channel.unref();
}
