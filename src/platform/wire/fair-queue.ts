/** Waiting in turns: one sender after another, however many places in the queue each of them has taken. */
import { Unavailable } from '../errors.ts';

export type FairQueue = {
  /**
   * Resolves when `next` lets this one begin.
   * @throws Unavailable after the longest wait: its client is about to give up
   */
  wait(sender: string): Promise<void>;
  /** @returns what lets the first of those who wait begin; undefined when there is none */
  next(): (() => void) | undefined;
};

/** @param longestWaitMs milliseconds; absent: for ever */
export function createFairQueue(longestWaitMs = Infinity): FairQueue {
  /** In the order in which senders take turns. */
  const waiting = new Map<string, (() => void)[]>();

  function remove(sender: string, begin: () => void): void {
    const queue = waiting.get(sender)!;
    queue.splice(queue.indexOf(begin), 1);
    if (queue.length === 0) waiting.delete(sender);
  }

  return {
    wait(sender) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      function begin(): void {
        clearTimeout(timer);
        resolve();
      }
      function giveUp(): void {
        remove(sender, begin);
        reject(new Unavailable('Too many large bodies are under way.', 2));
      }
      const timer = longestWaitMs === Infinity ? undefined : setTimeout(giveUp, longestWaitMs);
      const queue = waiting.get(sender);
      if (queue) queue.push(begin);
      else waiting.set(sender, [begin]);
      return promise;
    },
    next() {
      const [first] = waiting;
      if (!first) return undefined;
      const [sender, queue] = first;
      const begin = queue.shift();
      // To the end of the line.
      waiting.delete(sender);
      if (queue.length > 0) waiting.set(sender, queue);
      return begin;
    },
  };
}

/**
 * Resolves when it is the sender's turn, with a function that ends it.
 * @throws Unavailable after the longest wait
 */
export type EnterLine = (sender: string) => Promise<() => void>;

export type LineOptions = {
  /** How many may be inside at once; all others wait, and take turns sender by sender. Absent: one. */
  places?: number;
  /** Milliseconds. Absent: for ever. */
  longestWaitMs?: number;
};

export function createLine({ places = 1, longestWaitMs = Infinity }: LineOptions = {}): EnterLine {
  const queue = createFairQueue(longestWaitMs);
  let free = places;

  function leave(): void {
    const begin = queue.next();
    // A place goes from hand to hand, or somebody who comes now would take it first.
    if (begin) begin();
    else free += 1;
  }

  return async (sender) => {
    if (free === 0) await queue.wait(sender);
    else free -= 1;
    return leave;
  };
}
