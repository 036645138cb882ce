/** Measures durations on a busy machine: a single try may be slow, but if all of them are, the code is. */

import { monitorEventLoopDelay } from 'node:perf_hooks';

const TRIES = 20;

/** The shortest of several tries, in ms; stops at the first that is below the limit. */
export async function leastMs(limitMs: number, attempt: (time: number) => Promise<number>): Promise<number> {
  let least = Infinity;
  for (let time = 0; time < TRIES && least >= limitMs; time++) least = Math.min(least, await attempt(time));
  return least;
}

/** The shortest of three tries in processor time of this thread, in ms; stops at the first that is below the limit. */
export async function leastProcessorMs(limitMs: number, work: () => unknown): Promise<number> {
  let least = Infinity;
  for (let time = 0; time < 3 && least >= limitMs; time++) {
    const before = process.threadCpuUsage();
    await work();
    const { user, system } = process.threadCpuUsage(before);
    least = Math.min(least, (user + system) / 1000);
  }
  return least;
}

/** Watches the event loop. @returns a function that ends this, and returns the longest delay in ms: a tolerance for timers */
export function watchStalls(): () => number {
  const delays = monitorEventLoopDelay({ resolution: 10 });
  delays.enable();
  return () => {
    delays.disable();
    return delays.max / 1e6;
  };
}
