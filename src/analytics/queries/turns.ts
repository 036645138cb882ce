/** Limits the computations that run at once in a process; projects take turns. */
import { Unavailable } from '../../platform/errors.ts';
import { createLine } from '../../platform/fairness/fair-queue.ts';

export type Turns = {
  /**
   * @param signal removes the work from the queue
   * @throws Unavailable when too many queries of the project wait already, or this one waited too long; the signal's reason when aborted
   */
  take<T>(projectId: number, work: () => Promise<T>, signal?: AbortSignal): Promise<T>;
};

type Limits = {
  /** Limit for all projects together; one project alone gets one less. */
  maxConcurrent: number;
  /** Limit for one project. */
  maxWaiting: number;
  /** Absent: no limit. */
  maxWaitMs?: number;
};

const RETRY_SECONDS = 30;

export function createTurns({ maxConcurrent, maxWaiting: maxWaitingPerSender, maxWaitMs }: Limits): Turns {
  const enter = createLine<number>({
    capacity: maxConcurrent,
    maxInsidePerSender: Math.max(1, maxConcurrent - 1),
    maxWaitingPerSender,
    maxWaitMs,
    waitError: () => new Unavailable('Too many queries are in progress: try again in a moment.', RETRY_SECONDS),
    tooManyError: () => new Unavailable('Too many queries of this project wait for their turn.', RETRY_SECONDS),
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
