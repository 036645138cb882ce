/** How much is computed at once: a few things in one process, of one project after the other. */
import { Unavailable } from '../../platform/errors.ts';

export type Turns = {
  /**
   * @param signal gives the place in the queue up
   * @throws Unavailable when too much of the project waits already, or it waited for too long; the signal's reason when aborted
   */
  take<T>(projectId: number, work: () => Promise<T>, signal?: AbortSignal): Promise<T>;
};

type Limits = {
  /** One project alone has all of them but one. */
  atOnce: number;
  /** Of one project. */
  mostWaiting: number;
  /** Absent: as long as it takes. */
  longestWaitMs?: number;
};

const RETRY_SECONDS = 30;

type Waiting = { begin: () => void };

export function createTurns({ atOnce, mostWaiting, longestWaitMs }: Limits): Turns {
  const mostOfProject = Math.max(1, atOnce - 1);
  /** In the order in which projects take turns. */
  const waiting = new Map<number, Waiting[]>();
  const running = new Map<number, number>();
  let total = 0;

  function next(): void {
    if (total >= atOnce) return;
    const found = [...waiting].find(([projectId]) => (running.get(projectId) ?? 0) < mostOfProject);
    if (!found) return;
    const [projectId, queue] = found;
    const { begin } = queue.shift()!;
    // To the end of the line.
    waiting.delete(projectId);
    if (queue.length > 0) waiting.set(projectId, queue);
    running.set(projectId, (running.get(projectId) ?? 0) + 1);
    total += 1;
    begin();
  }

  function ended(projectId: number): void {
    const left = running.get(projectId)! - 1;
    if (left > 0) running.set(projectId, left);
    else running.delete(projectId);
    total -= 1;
    next();
  }

  function leave(projectId: number, one: Waiting): void {
    const left = (waiting.get(projectId) ?? []).filter((other) => other !== one);
    if (left.length > 0) waiting.set(projectId, left);
    else waiting.delete(projectId);
  }

  /** Resolves when it begins. */
  function turnOf(projectId: number, signal: AbortSignal | undefined): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const one = { begin: resolve };
    const giveUp = (reason: unknown) => {
      leave(projectId, one);
      reject(reason as Error);
    };
    const abort = () => giveUp(signal!.reason);
    const late = () => giveUp(new Unavailable('Too many queries are under way: ask again in a moment.', RETRY_SECONDS));
    const timer = longestWaitMs === undefined ? undefined : setTimeout(late, longestWaitMs);
    signal?.addEventListener('abort', abort);
    waiting.set(projectId, [...(waiting.get(projectId) ?? []), one]);
    next();
    return promise.finally(() => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    });
  }

  return {
    async take(projectId, work, signal) {
      signal?.throwIfAborted();
      if ((waiting.get(projectId)?.length ?? 0) >= mostWaiting) {
        throw new Unavailable('Too many queries of this project wait for their turn.', RETRY_SECONDS);
      }
      await turnOf(projectId, signal);
      try {
        return await work();
      } finally {
        ended(projectId);
      }
    },
  };
}
