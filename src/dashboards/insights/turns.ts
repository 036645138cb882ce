/** How much is computed at once: a few things in one process, of one project after the other. */
import { Unavailable } from '../../errors.ts';

export type Turns = {
  /** @throws Unavailable when too much of the project waits already */
  take<T>(projectId: number, work: () => Promise<T>): Promise<T>;
};

type Limits = {
  atOnce: number;
  /** Of one project. */
  mostWaiting: number;
};

const FULL_RETRY_SECONDS = 30;

export function createTurns({ atOnce, mostWaiting }: Limits): Turns {
  /** In the order in which projects take turns. */
  const waiting = new Map<number, (() => void)[]>();
  let running = 0;

  function next(): void {
    const [first] = waiting;
    if (!first || running >= atOnce) return;
    const [projectId, queue] = first;
    const begin = queue.shift()!;
    // To the end of the line.
    waiting.delete(projectId);
    if (queue.length > 0) waiting.set(projectId, queue);
    running += 1;
    begin();
  }

  return {
    async take(projectId, work) {
      const queue = waiting.get(projectId) ?? [];
      if (queue.length >= mostWaiting) {
        throw new Unavailable('Too many queries of this project wait for their turn.', FULL_RETRY_SECONDS);
      }
      await new Promise<void>((resolve) => {
        waiting.set(projectId, queue);
        queue.push(resolve);
        next();
      });
      try {
        return await work();
      } finally {
        running -= 1;
        next();
      }
    },
  };
}
