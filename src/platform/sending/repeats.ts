import { uuidV5 } from './uuid-v5.ts';

/** Namespace of the uuids that lines are given. Changing it would store every line ever sent a second time. */
const LINE_NAMESPACE = '5f0c7f0e-8a4e-5d0b-b1a6-6f1d9f0a7c11';

/** Number of minutes of log time, the last ones touched, for which counts of lines are kept. */
const MINUTES_KEPT = 10;

/** Different lines of one minute that are counted together; after that a new generation begins, so that memory is bounded. */
const LINES_PER_GENERATION = 20_000;

type Minute = { generation: number; counts: Map<string, number> };

/**
 * Gives lines their uuids, and tells equal lines apart. A log may truly hold the same line twice (two requests within one
 * second), and both count; the same file sent twice must yield the same events. So a line is named by its text *and* by how
 * often it came before.
 *
 * Counts are kept per minute of log time, for the ten minutes touched last. Lines out of order by seconds, or two logs in one
 * file, still count right, and a clock that jumps does no harm. A file of any size needs the memory of ten minutes. Lines
 * without a time share one minute that is never forgotten.
 */
export function createLineNamer() {
  const timed = new Map<number, Minute>();
  const untimed: Minute = { generation: 0, counts: new Map() };

  const minuteOf = (timeMs: number): Minute => {
    const key = Math.floor(timeMs / 60_000);
    const minute = timed.get(key) ?? { generation: 0, counts: new Map() };
    timed.delete(key);
    timed.set(key, minute);
    const [oldest] = timed.keys();
    if (timed.size > MINUTES_KEPT && oldest !== undefined) timed.delete(oldest);
    return minute;
  };

  /**
   * @param line its bytes, without the line ending
   * @param timeMs the line's time, if it has one
   * @returns a uuid; repeats of a line get uuids in the namespace of the first line's
   */
  return function uuidOf(line: Uint8Array, timeMs: number | undefined): string {
    const first = uuidV5(LINE_NAMESPACE, line);
    const minute = timeMs === undefined ? untimed : minuteOf(timeMs);
    const count = minute.counts.get(first) ?? 0;
    if (count === 0 && minute.counts.size >= LINES_PER_GENERATION) {
      minute.generation += 1;
      minute.counts.clear();
    }
    minute.counts.set(first, count + 1);
    if (minute.generation === 0 && count === 0) return first;
    return uuidV5(first, `${minute.generation}.${count}`);
  };
}
