/** How long something takes, told apart from how busy the machine is: any try may be late, and all of them only where the promise is broken. */

import { monitorEventLoopDelay } from 'node:perf_hooks';

const TRIES = 20;

/** The least of the times that some tries took, in ms; ends with the first that took less than the limit. */
export async function leastMs(limitMs: number, attempt: (time: number) => Promise<number>): Promise<number> {
  let least = Infinity;
  for (let time = 0; time < TRIES && least >= limitMs; time++) least = Math.min(least, await attempt(time));
  return least;
}

/** The same in processor time of this thread, of three tries. */
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

/** @returns for how long at most this process did not come to its turn since then, in ms: as much may be added to what a timer of it bounds */
export function watchStalls(): () => number {
  const delays = monitorEventLoopDelay({ resolution: 10 });
  delays.enable();
  return () => {
    delays.disable();
    return delays.max / 1e6;
  };
}
