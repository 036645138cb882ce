/** Figures on the database, for Prometheus: what fills a disk or runs out without anybody noticing. */
import { measureDeletionBacklog } from '../events/table/expiry.ts';
import { countPartitionedDaysAhead } from '../events/table/partitions.ts';
import type { Pool } from '../platform/db/connection.ts';
import type { DatabaseFigures } from '../platform/telemetry/database-gauges.ts';

export async function databaseFigures(pool: Pool): Promise<DatabaseFigures> {
  const [{ rows: tables }, { rows: connections }, partitionedDaysAhead, deletionBacklogSeconds] = await Promise.all([
    pool.query<{ name: string; bytes: number }>(
      `select coalesce(pg_partition_root(oid), oid)::regclass::text as name, sum(pg_total_relation_size(oid))::float8 as bytes
       from pg_class where relkind = 'r' and relnamespace = current_schema()::regnamespace group by 1`,
    ),
    pool.query<{ open: number; limit: number }>(
      `select (select count(*)::int from pg_stat_activity where backend_type = 'client backend') as open,
              current_setting('max_connections')::int as limit`,
    ),
    countPartitionedDaysAhead(pool),
    measureDeletionBacklog(pool),
  ]);
  return {
    tableBytes: Object.fromEntries(tables.map(({ name, bytes }) => [name, bytes])),
    connections: connections[0]!,
    partitionedDaysAhead,
    deletionBacklogSeconds,
  };
}
