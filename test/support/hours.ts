/** The hour in which a test file runs. */
import { setTimeout as sleep } from 'node:timers/promises';

const HOUR = 3_600_000;
/** As long as most files take on a busy machine. */
const ENOUGH_MS = 120_000;

/** When the present hour began; near its end the next one is waited for, because intervals that end meanwhile are more than a test counts. */
export async function thisHour(): Promise<number> {
  const left = HOUR - (Date.now() % HOUR);
  if (left < ENOUGH_MS) await sleep(left + 1_000);
  return Math.floor(Date.now() / HOUR) * HOUR;
}
