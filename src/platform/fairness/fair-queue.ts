/** A queue in which senders take turns, however many entries each of them has. */
import { Unavailable } from '../errors.ts';

export type FairQueue<Sender> = {
  /**
   * Resolves when `next` lets this entry begin.
   * @param signal removes the entry from the queue
   * @throws `waitError()` after the longest wait, because the client is about to give up; the signal's reason when it is aborted
   */
  wait(sender: Sender, signal?: AbortSignal): Promise<void>;
  /**
   * Lets the first waiting entry begin.
   * @param mayBegin returns false for senders to skip
   * @returns the entry's sender; undefined when none may begin
   */
  next(mayBegin?: (sender: Sender) => boolean): { sender: Sender } | undefined;
  /** Number of the sender's waiting entries. */
  waitingOf(sender: Sender): number;
};

export type FairQueueOptions = {
  /** Milliseconds. Absent: no limit. */
  maxWaitMs?: number | undefined;
  waitError?: () => Error;
};

const tooManyBodies = () => new Unavailable('Too many large requests are in progress.', 2);

export function createFairQueue<Sender = string>({
  maxWaitMs,
  waitError = tooManyBodies,
}: FairQueueOptions = {}): FairQueue<Sender> {
  /** Waiting entries by sender, in the order of the turns. */
  const waiting = new Map<Sender, (() => void)[]>();

  function remove(sender: Sender, begin: () => void): void {
    const queue = waiting.get(sender)!;
    queue.splice(queue.indexOf(begin), 1);
    if (queue.length === 0) waiting.delete(sender);
  }

  return {
    wait(sender, signal) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      function begin(): void {
        settle();
        resolve();
      }
      function giveUp(reason: unknown): void {
        settle();
        remove(sender, begin);
        reject(reason as Error);
      }
      const abort = () => giveUp(signal!.reason);
      const timer = maxWaitMs === undefined ? undefined : setTimeout(() => giveUp(waitError()), maxWaitMs);
      function settle(): void {
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
      }
      signal?.addEventListener('abort', abort);
      const queue = waiting.get(sender);
      if (queue) queue.push(begin);
      else waiting.set(sender, [begin]);
      return promise;
    },
    next(mayBegin) {
      for (const [sender, queue] of waiting) {
        if (mayBegin && !mayBegin(sender)) continue;
        const begin = queue.shift()!;
        // Moves the sender to the end of the line.
        waiting.delete(sender);
        if (queue.length > 0) waiting.set(sender, queue);
        begin();
        return { sender };
      }
      return undefined;
    },
    waitingOf: (sender) => waiting.get(sender)?.length ?? 0,
  };
}

/**
 * Resolves when it is the sender's turn, with a function that ends it.
 * @throws as `FairQueue.wait`, and `tooMany()`
 */
export type EnterLine<Sender = string> = (sender: Sender, signal?: AbortSignal) => Promise<() => void>;

export type LineOptions = FairQueueOptions & {
  /** How many may be inside at once; all others wait, and take turns sender by sender. Absent: one. */
  capacity?: number;
  /** How many of one sender may be inside. Absent: the capacity. */
  maxInsidePerSender?: number;
  /** How many of one sender may wait. Absent: any number. */
  maxWaitingPerSender?: number;
  tooManyError?: () => Error;
};

export function createLine<Sender = string>({
  capacity = 1,
  maxInsidePerSender = capacity,
  maxWaitingPerSender = Infinity,
  tooManyError = tooManyBodies,
  ...options
}: LineOptions = {}): EnterLine<Sender> {
  const queue = createFairQueue<Sender>(options);
  const inside = new Map<Sender, number>();
  const insideOf = (sender: Sender) => inside.get(sender) ?? 0;
  const mayEnter = (sender: Sender) => insideOf(sender) < maxInsidePerSender;
  let freeSlots = capacity;

  function leave(sender: Sender): void {
    const remaining = insideOf(sender) - 1;
    if (remaining > 0) inside.set(sender, remaining);
    else inside.delete(sender);
    // A slot passes directly to the next entry; otherwise a new arrival could take it first.
    const next = queue.next(mayEnter);
    if (next) inside.set(next.sender, insideOf(next.sender) + 1);
    else freeSlots += 1;
  }

  return async (sender, signal) => {
    signal?.throwIfAborted();
    if (freeSlots > 0 && mayEnter(sender)) {
      freeSlots -= 1;
      inside.set(sender, insideOf(sender) + 1);
    } else {
      // tooth: line-full
      if (queue.waitingOf(sender) >= maxWaitingPerSender) throw tooManyError();
      await queue.wait(sender, signal);
    }
    return () => leave(sender);
  };
}
