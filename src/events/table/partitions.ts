/** The months of `events`: made ahead of time, never in the ingest path. */
import type { Pool } from '../../platform/db/connection.ts';

/**
 * Makes the missing monthly partitions up to three months from now. Safe to call from many processes at once.
 * @returns the names of the new partitions, oldest first
 */
export async function ensurePartitions(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>('select make_event_partitions() as name');
  return rows.map((row) => row.name);
}

/** @returns how many days from now live events will find a partition; readiness fails under 30 */
export async function countPartitionedDaysAhead(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ days: number }>(
    `select extract(day from
              (max(to_date(substring(relname from '^events_(\\d{4}_\\d{2})$'), 'YYYY_MM')) + interval '1 month')
              - (wall_clock() at time zone 'UTC'))::int as days
       from pg_inherits join pg_class on pg_class.oid = inhrelid where inhparent = 'events'::regclass`,
  );
  return rows[0]?.days ?? 0;
}
