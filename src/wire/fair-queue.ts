/** Waiting in turns: one sender after another, however many places in the queue each of them has taken. */
import { Unavailable } from '../errors.ts';

export type FairQueue = {
  /** Resolves when `next` lets this one begin. */
  wait(sender: string): Promise<void>;
  /** @returns what lets the first of those who wait begin; undefined when there is none */
  next(): (() => void) | undefined;
};

export function createFairQueue(): FairQueue {
  /** In the order in which senders take turns. */
  const waiting = new Map<string, (() => void)[]>();

  return {
    wait(sender) {
      return new Promise((begin) => {
        const queue = waiting.get(sender);
        if (queue) queue.push(begin);
        else waiting.set(sender, [begin]);
      });
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
 * @throws Unavailable when that took too long: its client is about to give up
 */
export type EnterLine = (sender: string) => Promise<() => void>;

export type LineOptions = {
  /** How many may be inside at once; all others wait, and take turns sender by sender. Absent: one. */
  places?: number;
  /** Milliseconds. Absent: for ever. */
  longestWaitMs?: number;
};

export function createLine({ places = 1, longestWaitMs = Infinity }: LineOptions = {}): EnterLine {
  const queue = createFairQueue();
  let free = places;

  function leave(): void {
    const begin = queue.next();
    // A place goes from hand to hand, or somebody who comes now would take it first.
    if (begin) begin();
    else free += 1;
  }

  async function waitFor(sender: string): Promise<void> {
    const begun = performance.now();
    await queue.wait(sender);
    if (performance.now() - begun < longestWaitMs) return;
    leave();
    throw new Unavailable('Too many large bodies are under way.', 2);
  }

  return async (sender) => {
    if (free === 0) await waitFor(sender);
    else free -= 1;
    return leave;
  };
}
