/**
 * Turns of the event loop. A large body takes it for milliseconds, and a project that sends many of them would keep all others
 * waiting: of large bodies one is taken in each turn of the loop, of one project after the other. Small ones do not wait.
 */

/** Parsed in less than a millisecond. */
const SMALL_BYTES = 32 * 1024;
/** How the keys of projects begin; so many bytes tell them apart. */
const KEY = Buffer.from('phc_');
const KEY_BYTES = 24;

/** @returns a promise for a body (JSON text) that has to wait for its turn; undefined when it may be parsed at once */
export type TakeTurn = (body: Buffer) => Promise<void> | undefined;

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

  return (body) => {
    if (body.length < SMALL_BYTES) return undefined;
    if (taken) return wait(probableSender(body));
    taken = true;
    setImmediate(endTurn);
    return undefined;
  };
}

/** The first project key in it. That may be another than the one that counts once it is parsed, but only turns depend on it. */
function probableSender(body: Buffer): string {
  const at = body.indexOf(KEY);
  return at < 0 ? '' : body.toString('latin1', at, at + KEY_BYTES);
}
