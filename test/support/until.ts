/** Waiting for what another process, connection or turn of the event loop does. */
import { setTimeout as sleep } from 'node:timers/promises';

/** Far away: on a busy machine all takes long, and where all is well this costs nothing. */
const PATIENCE_MS = 60_000;
const LOOK_EVERY_MS = 5;

/** Resolves when it holds. @throws Error after a minute, saying what was waited for */
export async function until(what: string, holds: () => unknown): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`waited ${PATIENCE_MS / 1000} s in vain for ${what}`);
    await sleep(LOOK_EVERY_MS);
  }
}

const TURNS = 10;

/**
 * Lets some time pass in turns: what arrived is read in each of them, however long one takes. After a single sleep a busy machine goes on
 * before it reads.
 */
export async function sleepInTurns(ms: number): Promise<void> {
  for (let turn = 0; turn < TURNS; turn++) await sleep(ms / TURNS);
}
