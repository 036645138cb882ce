/** How much is computed at once: a few things in one process, of one project after the other. */
import { Unavailable } from '../../platform/errors.ts';
import { createLine } from '../../platform/fairness/fair-queue.ts';

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

export function createTurns({ atOnce, mostWaiting, longestWaitMs }: Limits): Turns {
  const enter = createLine<number>({
    places: atOnce,
    mostInside: Math.max(1, atOnce - 1),
    mostWaiting,
    longestWaitMs,
    late: () => new Unavailable('Too many queries are under way: ask again in a moment.', RETRY_SECONDS),
    tooMany: () => new Unavailable('Too many queries of this project wait for their turn.', RETRY_SECONDS),
  });
  return {
    async take(projectId, work, signal) {
      const leave = await enter(projectId, signal);
      try {
        return await work();
      } finally {
        leave();
      }
    },
  };
}
