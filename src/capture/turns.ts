/**
 * Turns of the event loop. A large body takes it for milliseconds, and a project that sends many of them would keep all others
 * waiting: of large bodies one is taken in each turn of the loop, of one project after the other. Small ones do not wait.
 */

const KEY = Buffer.from('phc_');
const KEY_CHARACTERS = /^[\w-]{1,64}/;

/**
 * The first key of a project in a body of JSON. It may be another one than the one that counts once the body is parsed, so only
 * what the body has to wait for may depend on it.
 * @returns '' when there is none
 */
export function probableSender(body: Buffer): string {
  const at = body.indexOf(KEY);
  return at < 0 ? '' : (KEY_CHARACTERS.exec(body.toString('latin1', at, at + 64))?.[0] ?? '');
}

/** @returns a promise when the sender's large body has to wait; undefined when it may be parsed now */
export type TakeTurn = (sender: string) => Promise<void> | undefined;

export function createTurns(): TakeTurn {
  /** In the order in which projects take turns. */
  const waiting = new Map<string, (() => void)[]>();
  let taken = false;

  function endTurn(): void {
    const [next] = waiting;
    taken = next !== undefined;
    if (!next) return;
    const [sender, queue] = next;
    const begin = queue.shift()!;
    // To the end of the line.
    waiting.delete(sender);
    if (queue.length > 0) waiting.set(sender, queue);
    setImmediate(endTurn);
    begin();
  }

  function wait(sender: string): Promise<void> {
    return new Promise((resolve) => {
      const queue = waiting.get(sender);
      if (queue) queue.push(resolve);
      else waiting.set(sender, [resolve]);
    });
  }

  return (sender) => {
    if (taken) return wait(sender);
    taken = true;
    setImmediate(endTurn);
    return undefined;
  };
}

/** Resolves when it is the sender's turn, with a function that ends it. */
export type EnterLine = (sender: string) => Promise<() => void>;

/**
 * A line for what takes several times the memory of its body while it is read: one is inside, of one project after the other. Reading is
 * work of one thread, so that two at once would be done no sooner.
 */
export function createLine(): EnterLine {
  /** In the order in which projects take turns. */
  const waiting = new Map<string, (() => void)[]>();
  let isTaken = false;

  function leave(): void {
    const [next] = waiting;
    isTaken = next !== undefined;
    if (!next) return;
    const [sender, queue] = next;
    const begin = queue.shift()!;
    // To the end of the line.
    waiting.delete(sender);
    if (queue.length > 0) waiting.set(sender, queue);
    begin();
  }

  return async (sender) => {
    if (isTaken) await new Promise<void>((begin) => waiting.set(sender, [...(waiting.get(sender) ?? []), begin]));
    isTaken = true;
    return leave;
  };
}
