/** Waits for effects in another process, connection or turn of the event loop. */
import { setTimeout as sleep } from 'node:timers/promises';

/** A long time, because a busy machine is slow, and a test that passes does not wait for all of it. */
const PATIENCE_MS = 60_000;
const LOOK_EVERY_MS = 5;

/** Resolves when the condition holds. @throws Error after a minute, naming what was awaited */
export async function until(what: string, holds: () => unknown): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`waited ${PATIENCE_MS / 1000} s in vain for ${what}`);
    await sleep(LOOK_EVERY_MS);
  }
}

const TURNS = 10;

/**
 * Sleeps in short turns of the event loop, so that arrived data is read in each of them. After a single sleep, a busy machine may continue
 * before it reads.
 */
export async function sleepInTurns(ms: number): Promise<void> {
  for (let turn = 0; turn < TURNS; turn++) await sleep(ms / TURNS);
}
