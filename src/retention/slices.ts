/**
 * Finds and deletes old rows, a slice in each transaction. Safe beside everything that writes: a row is deleted only while nothing needs it,
 * and a deletion that breaks off has deleted whole slices.
 */
import type { Pool, PoolClient } from '../platform/db/connection.ts';
import { inShortTransaction } from '../platform/db/short-transaction.ts';
import type { Expiry } from './growing-table.ts';

/** Limit of rows that one transaction looks at. */
const SLICE_ROWS = 1_000;

/** Old rows of a table, and those of them that are held back, by what holds them back. Instants are ISO; null: no row. */
export type OldRows = { rows: number; oldest: string | null; newest: string | null; held: Record<string, number> };

/** Result of a slice. `isLast`: no old row is left that could be deleted. */
export type Slice = { deleted: number; isLast: boolean };

const cutoff = 'now() - make_interval(days => $1)';
const isOld = ({ clock }: Expiry) => `old.${clock} < ${cutoff}`;
const isHeld = ({ holds }: Expiry) => ['false', ...Object.values(holds)].map((hold) => `(${hold})`).join(' or ');

/** The rows that would be deleted now. Reads the table as far as its rows are old. */
export async function measureOldRows(pool: Pool, table: string, expiry: Expiry, days: number): Promise<OldRows> {
  const reasons = Object.keys(expiry.holds);
  const cases = Object.values(expiry.holds).map((hold, index) => `when ${hold} then ${index}`);
  const { rows } = await pool.query<{ reason: number; rows: string; oldest: string; newest: string }>(
    `select reason, count(*) as rows, min(clock)::timestamptz as oldest, max(clock)::timestamptz as newest from (
       select old.${expiry.clock} as clock, case ${[...cases, 'when false then 0'].join(' ')} else -1 end as reason
       from ${table} as old where ${isOld(expiry)}
     ) as found group by reason order by reason`,
    [days],
  );
  const free = rows.find(({ reason }) => reason === -1);
  return {
    rows: Number(free?.rows ?? 0),
    oldest: free?.oldest ?? null,
    newest: free?.newest ?? null,
    held: Object.fromEntries(
      rows.filter(({ reason }) => reason !== -1).map((found) => [reasons[found.reason]!, Number(found.rows)]),
    ),
  };
}

/** Deletes the oldest rows that nothing holds back, and leaves out those that others have locked. */
export async function deleteOldest(pool: Pool, table: string, expiry: Expiry, days: number): Promise<Slice> {
  const { owners, clock } = expiry;
  const oldest = `select old.ctid from ${table} as old
    where ${owners ? `old.${owners.column} = owner.id and` : ''} ${isOld(expiry)} and not (${isHeld(expiry)})
    order by old.${clock} limit ${SLICE_ROWS} for update of old skip locked`;
  const result = await inShortTransaction(pool, (client) =>
    client.query<{ found: number; deleted: number }>(
      `with found as materialized (
       ${owners ? `select of_owner.ctid from ${owners.table} as owner cross join lateral (${oldest}) as of_owner limit ${SLICE_ROWS}` : oldest}
     ), deleted as (
       -- Rows that have changed since they were found are judged again.
       delete from ${table} as old where ctid = any (array(select ctid from found)) and ${isOld(expiry)} and not (${isHeld(expiry)})
       returning 1
     )
     select (select count(*)::int from found) as found, (select count(*)::int from deleted) as deleted`,
      [days],
    ),
  );
  const { found, deleted } = result.rows[0]!;
  return { deleted, isLast: found < SLICE_ROWS };
}

/** The last row that a look through a table has reached. */
export type Position = { owner: string; clock: string; rowId: string };
export type WalkedSlice = Slice & { position: Position | undefined };

const NIL = '00000000-0000-0000-0000-000000000000';
const FROM_THE_BEGINNING: Position = { owner: NIL, clock: '-infinity', rowId: NIL };

/** Looks at the old rows after a position, deletes those that nothing holds back, and says where it got. */
export async function deleteAfter(
  pool: Pool,
  table: string,
  expiry: Expiry & Required<Pick<Expiry, 'owners'>>,
  { days, position = FROM_THE_BEGINNING }: { days: number; position: Position | undefined },
): Promise<WalkedSlice> {
  return inShortTransaction(pool, async (client) => {
    const rows = await findAfter(client, table, expiry, { days, position });
    const last = rows.at(-1);
    const ids = rows.map(({ id }) => id);
    const deleted = last ? await deleteUnheld(client, table, expiry, days, ids) : 0;
    const isLast = rows.length < SLICE_ROWS;
    const reached = isLast || !last ? undefined : { owner: last.owner, clock: last.clock, rowId: last.id };
    return { deleted, isLast, position: reached };
  });
}

/** Finds the old rows after a position. The position is a bound of each owner's index, so rows before it are not read again. */
async function findAfter(
  client: PoolClient,
  table: string,
  expiry: Expiry & Required<Pick<Expiry, 'owners'>>,
  { days, position }: { days: number; position: Position },
): Promise<{ id: string; owner: string; clock: string }[]> {
  const { owners, clock } = expiry;
  const { rows } = await client.query<{ id: string; owner: string; clock: string }>(
    `select found.* from (select id from ${owners.table} where id >= $2 order by id) as owner cross join lateral (
       select old.id, old.${owners.column} as owner, old.${clock} as clock from ${table} as old
       where old.${owners.column} = owner.id and ${isOld(expiry)} and (old.${clock}, old.id) > (
         case when owner.id = $2 then $3::timestamptz else '-infinity' end, case when owner.id = $2 then $4::uuid else '${NIL}' end)
       order by old.${clock}, old.id limit ${SLICE_ROWS}
     ) as found limit ${SLICE_ROWS}`,
    [days, position.owner, position.clock, position.rowId],
  );
  return rows;
}

/**
 * Deletes those of the rows that nothing holds back. A row that is about to be referred to is locked by that transaction, and left out; after
 * our locks no other can begin to. What has referred to it before is seen by the second look.
 */
async function deleteUnheld(
  client: PoolClient,
  table: string,
  expiry: Expiry,
  days: number,
  ids: readonly string[],
): Promise<number> {
  const condition = `${isOld(expiry)} and not (${isHeld(expiry)})`;
  // tooth: retention-lock
  const { rows } = await client.query<{ id: string }>(
    `select id from ${table} as old where id = any ($2) and ${condition} order by id for update skip locked`,
    [days, ids],
  );
  if (rows.length === 0) return 0;
  const { rowCount } = await client.query(`delete from ${table} as old where id = any ($2) and ${condition}`, [
    days,
    rows.map(({ id }) => id),
  ]);
  return rowCount ?? 0;
}
