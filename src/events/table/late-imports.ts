/** Finds deliveries that a later import made stale: history may be stored long after its data interval was delivered. */
import type { Pool } from '../../platform/db/connection.ts';

/** A delivered data interval; its rows were stored before `cutoff`. ISO. */
export type DeliveredInterval = { start: string; end: string; cutoff: string };

const LATE_IMPORTS_SQL = `
  with delivered as (
    select * from unnest($2::timestamptz[], $3::timestamptz[], $4::timestamptz[]) as delivered (start, "end", cutoff)
  ), imports as materialized (
    select * from import_ranges
    where project_id = $1 and inserted_at >= (select min(cutoff) from delivered)
      and range_from < (select max("end") from delivered) and range_to > (select min(start) from delivered)
  )
  select delivered."end" from delivered cross join lateral (
    select range_agg(tstzrange(greatest(range_from, start), least(range_to, "end"))) as ranges from imports
    where inserted_at >= cutoff and range_from < "end" and range_to > start
  ) as late
  where exists (
    select from unnest(late.ranges) as range cross join lateral (
      select from events
      where project_id = $1 and interval_time >= lower(range) and interval_time < upper(range) and inserted_at >= cutoff limit 1
    ) as event
  )
`;

/**
 * Reads the ranges of later imports first, and the index of events only within those.
 * @returns the ends of the intervals that events have joined since their cutoff
 */
export async function findLateImports(
  pool: Pool,
  projectId: number,
  delivered: readonly DeliveredInterval[],
): Promise<string[]> {
  if (delivered.length === 0) return [];
  const { rows } = await pool.query<{ end: string }>(LATE_IMPORTS_SQL, [
    projectId,
    delivered.map(({ start }) => start),
    delivered.map(({ end }) => end),
    delivered.map(({ cutoff }) => cutoff),
  ]);
  return rows.map(({ end }) => end);
}
