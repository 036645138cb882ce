/** The hour in which a test file runs. */
import { setTimeout as sleep } from 'node:timers/promises';

const HOUR = 3_600_000;
/** Time that most test files take on a busy machine. */
const ENOUGH_MS = 120_000;

/** @returns the start of the current hour. Near its end it waits for the next: an interval that ends during a test would change the counts. */
export async function thisHour(): Promise<number> {
  const left = HOUR - (Date.now() % HOUR);
  if (left < ENOUGH_MS) await sleep(left + 1_000);
  return Math.floor(Date.now() / HOUR) * HOUR;
}
