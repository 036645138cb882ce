/** Deletes rows that are older than the settings say: a limited number in each round of the reconciler, or all of them by a command. */
import type { Pool } from '../platform/db/connection.ts';
import { SQL_STATE, sqlState } from '../platform/db/sql-states.ts';
import type { Expiry, RetentionDays } from './growing-table.ts';
import { GROWING_TABLES } from './growing-tables.ts';
import { deleteAfter, deleteOldest, measureOldRows, type OldRows, type Position, type Slice } from './slices.ts';

/** A table whose old rows are deleted. `days`: for how long its rows are kept; 0: for ever. */
export type LimitedTable = { table: string; expiry: Expiry; days: number };

export function limitedTables(settings: RetentionDays): LimitedTable[] {
  return Object.entries(GROWING_TABLES).flatMap(([table, growing]) =>
    'expiry' in growing ? [{ table, expiry: growing.expiry, days: settings[growing.expiry.setting] ?? 0 }] : [],
  );
}

/** The rows that a deletion would delete now; none of a table without a limit. */
export async function measure(pool: Pool, { table, expiry, days }: LimitedTable): Promise<OldRows | undefined> {
  return days === 0 ? undefined : measureOldRows(pool, table, expiry, days);
}

/**
 * Deletes every old row of a table that nothing holds back, slice by slice. Yields the number of rows after each slice, and 0 after it has
 * waited for a lock.
 */
export async function* deleteAll(pool: Pool, limited: LimitedTable): AsyncGenerator<number> {
  if (limited.days === 0) return;
  let position: Position | undefined;
  for (;;) {
    const slice = await deleteSlice(pool, limited, position);
    yield slice?.deleted ?? 0;
    if (slice?.isLast) return;
    if (slice) position = slice.position;
  }
}

/** Errors after which a slice is left for later: others need the rows now. */
const LOCKED = new Set<string | undefined>([SQL_STATE.lockNotAvailable, SQL_STATE.deadlockDetected]);

/** @returns undefined if nothing was deleted because others have locked rows */
async function deleteSlice(
  pool: Pool,
  { table, expiry, days }: LimitedTable,
  position: Position | undefined,
): Promise<(Slice & { position?: Position | undefined }) | undefined> {
  const { owners } = expiry;
  try {
    if (!expiry.mostlyHeld || !owners) return await deleteOldest(pool, table, expiry, days);
    return await deleteAfter(pool, table, { ...expiry, owners }, { days, position });
  } catch (error) {
    if (LOCKED.has(sqlState(error))) return undefined;
    throw error;
  }
}

/**
 * Deletes old rows of all tables until the time is over; the next round continues, also with a table that was locked. The order of tables is
 * random, so each has its turn.
 * @param beginWithinMs time after which no further slice begins
 * @returns how many rows were deleted
 */
export async function deleteSome(
  pool: Pool,
  settings: RetentionDays,
  { beginWithinMs, signal }: { beginWithinMs: number; signal: AbortSignal },
): Promise<number> {
  const beginUntil = performance.now() + beginWithinMs;
  let deleted = 0;
  for (const limited of limitedTables(settings).sort(() => Math.random() - 0.5)) {
    if (limited.days === 0) continue;
    const walks = limited.expiry.mostlyHeld === true;
    let position = walks ? await findPosition(pool, limited.table) : undefined;
    for (let isLast = false; !isLast;) {
      signal.throwIfAborted();
      if (performance.now() > beginUntil) return deleted;
      const slice = await deleteSlice(pool, limited, position);
      if (!slice) break;
      deleted += slice.deleted;
      isLast = slice.isLast || walks;
      position = slice.position;
      if (walks) await storePosition(pool, limited.table, position);
    }
  }
  return deleted;
}

async function findPosition(pool: Pool, table: string): Promise<Position | undefined> {
  const { rows } = await pool.query<Position>(
    'select owner, clock, row_id as "rowId" from retention_positions where table_name = $1',
    [table],
  );
  return rows[0];
}

async function storePosition(pool: Pool, table: string, position: Position | undefined): Promise<void> {
  if (!position) return void (await pool.query('delete from retention_positions where table_name = $1', [table]));
  await pool.query(
    `insert into retention_positions (table_name, owner, clock, row_id) values ($1, $2, $3, $4)
     on conflict (table_name) do update set owner = excluded.owner, clock = excluded.clock, row_id = excluded.row_id`,
    [table, position.owner, position.clock, position.rowId],
  );
}
