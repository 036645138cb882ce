/** Intervals that are planned in many parts, without the bytes that this would take. */
import { buildEvent, microseconds } from '../events/events.ts';
import type { ExportWorld } from './export-world.ts';

export const MIB = 1024 * 1024;
const AT_ONCE = 1_000;

type Hour = {
  /** Hour of the day. */
  hour?: number;
  /** The size that each event claims to have. */
  bytes?: number;
};

const at = (hour: number) => new Date(Date.UTC(2015, 4, 17, hour)).toISOString();

/**
 * Stores events in an hour of a day in the past. Each claims to be so long that a part has room for only one.
 * @param count at most 3,600,000
 * @returns the hour
 */
export async function storeParts(
  world: ExportWorld,
  count: number,
  { hour = 10, bytes = MIB }: Hour = {},
): Promise<{ startAt: string; endAt: string }> {
  const [startAt, endAt] = [at(hour), at(hour + 1)];
  for (let from = 0; from < count; from += AT_ONCE) {
    const length = Math.min(AT_ONCE, count - from);
    const events = Array.from({ length }, (_, index) =>
      buildEvent({ timestamp: microseconds(new Date(Date.parse(startAt) + from + index).toISOString()) }),
    );
    await world.store(events);
  }
  await world.engine.pool.query(
    'update events set row_bytes = $1 where project_id = $2 and interval_time >= $3 and interval_time < $4',
    [bytes, world.projectId, startAt, endAt],
  );
  return { startAt, endAt };
}
