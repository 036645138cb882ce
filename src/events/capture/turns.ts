/**
 * Turns of the event loop. Parsing a large body blocks it for milliseconds, so a project that sends many would keep all others waiting.
 * Therefore each turn parses only one large body, and projects alternate. Small bodies do not wait.
 */
import { createFairQueue } from '../../platform/fairness/fair-queue.ts';

/** Prefix of the keys of projects. */
const KEY_PREFIX = Buffer.from('phc_');
const KEY_CHARACTERS = /^[\w-]{1,64}/;

/**
 * Returns the first key of a project in a JSON body. The parsed body may name another key first, so use this for queueing only, never to
 * identify the project.
 * @returns '' when there is none
 */
export function probableSender(body: Buffer): string {
  const index = body.indexOf(KEY_PREFIX);
  return index < 0 ? '' : (KEY_CHARACTERS.exec(body.toString('latin1', index, index + 64))?.[0] ?? '');
}

/** @returns a promise when the sender's large body has to wait; undefined when it may be parsed now */
export type WaitForTurn = (sender: string) => Promise<void> | undefined;

export function createTurns(): WaitForTurn {
  const queue = createFairQueue();
  let isTurnTaken = false;

  function endTurn(): void {
    isTurnTaken = queue.next() !== undefined;
    if (isTurnTaken) setImmediate(endTurn);
  }

  return (sender) => {
    if (isTurnTaken) return queue.wait(sender);
    isTurnTaken = true;
    setImmediate(endTurn);
    return undefined;
  };
}
