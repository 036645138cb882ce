/**
 * Gives the disk space of months back of which every event was deleted. They are emptied, not dropped: history of other projects, and of new
 * ones, may still be imported into them.
 */
import type { Pool } from '../../platform/db/connection.ts';
import { inShortTransaction } from '../../platform/db/short-transaction.ts';
import { SQL_STATE, sqlState } from '../../platform/db/sql-states.ts';

/** Size, with indexes, below which a partition is left as it is. */
const SMALL_BYTES = 1_048_576;

/** Past months that the statistics call empty, and that take space. */
const CANDIDATES_SQL = `
  select format('%I.%I', schemaname, relname) as name from pg_inherits join pg_stat_user_tables on relid = inhrelid
  where inhparent = 'events'::regclass and n_live_tup = 0 and pg_total_relation_size(relid) > $1
    and (relname = 'events_history' or relname < to_char(wall_clock() at time zone 'UTC', '"events_"YYYY_MM'))
    and exists (select from event_retention)
  order by relname`;

/**
 * Whether a transaction is older than the instant from which events of some project are kept. It may still read what was deleted, and
 * TRUNCATE hides rows from snapshots that were taken before it.
 */
const IS_READ_SQL = `
  select exists (
    select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
      and xact_start <= (select max(moved_at) from event_retention)
  ) as "isRead"`;

/** @returns the names of the partitions that were emptied */
export async function emptyPartitions(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(CANDIDATES_SQL, [SMALL_BYTES]);
  const emptied: string[] = [];
  for (const { name } of rows) if (await truncateEmpty(pool, name)) emptied.push(name);
  return emptied;
}

/** @param name of a partition, as SQL @returns whether it was empty, and no transaction may still read what it held */
export async function truncateEmpty(pool: Pool, name: string): Promise<boolean> {
  try {
    return await inShortTransaction(pool, async (client) => {
      await client.query(`set local statement_timeout = '1s'; lock table ${name} in access exclusive mode`);
      const { rows } = await client.query<{ isEmpty: boolean }>(`select not exists (select from ${name}) as "isEmpty"`);
      const { rows: readers } = await client.query<{ isRead: boolean }>(IS_READ_SQL);
      // tooth: truncate-empty
      if (!rows[0]!.isEmpty || readers[0]!.isRead) return false;
      await client.query(`truncate only ${name}`);
      return true;
    });
  } catch (error) {
    // Others use the partition, or vacuum has not yet removed its dead rows: a later round tries again.
    const state = sqlState(error);
    if (state === SQL_STATE.lockNotAvailable || state === SQL_STATE.queryCanceled) return false;
    throw error;
  }
}
