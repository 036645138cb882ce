/** The ledger in the user's schema: each data interval's last delivery, its run and its database. */
import { SQL_STATE, sqlState } from '../../../platform/db/sql-states.ts';
import type { IntervalBounds, Receipt } from '../contract.ts';
import type { Delivery } from '../delivery.ts';
import type { PostgresClient } from './client.ts';
import type { TableNames } from './tables.ts';

/** Short, so readers of the ledger are not blocked; a later delivery can add the column. */
const ALTER_LOCK_TIMEOUT = '2s';
/** The user does not own the table, or another session holds its lock. */
const IGNORED_ALTER_ERRORS: readonly string[] = [SQL_STATE.insufficientPrivilege, SQL_STATE.lockNotAvailable];

/** SQL for a timestamp as ISO text with microseconds. */
const iso = (column: string) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

/** A receipt from a ledger, which always names the run. */
export type LedgerReceipt = Receipt & { run_id: string };

type LedgerRow = {
  epoch: string;
  run: string;
  timeline?: string | null;
  rows: string;
  digest: string;
  bytes: string;
  cutoff: string;
  table_name: string;
};

/** Receipt of the interval's last delivery in the destination's ledger; undefined if there is none, or no ledger. */
export async function findReceipt(
  client: PostgresClient,
  names: TableNames,
  { exportId, start, end }: Pick<Delivery, 'exportId' | 'start' | 'end'>,
): Promise<LedgerReceipt | undefined> {
  const { ledger, schema } = names;
  const columns = await ledgerColumns(client, names);
  if (!columns.ledger) return undefined;
  const { rows } = await client.query<LedgerRow>(
    `select epoch::text, run::text, ${columns.timeline ? 'timeline::text, ' : ''}rows::text, digest, bytes::text, table_name,
            ${iso('cutoff')} as cutoff
       from ${ledger} where export = $1::uuid and interval_start = $2::timestamptz and interval_end = $3::timestamptz`,
    [exportId, start, end],
  );
  const row = rows[0];
  if (!row) return undefined;
  return {
    rows: Number(row.rows),
    digest: row.digest,
    bytes: Number(row.bytes),
    location: `${schema}.${row.table_name}`,
    epoch: Number(row.epoch),
    cutoff: row.cutoff,
    run_id: row.run,
    timeline: row.timeline ?? null,
  };
}

/** Intervals that the export has delivered, according to the destination's own ledger. */
export async function listDeliveries(
  client: PostgresClient,
  names: TableNames,
  exportId: string,
): Promise<IntervalBounds[]> {
  if (!(await ledgerColumns(client, names)).ledger) return [];
  const { rows } = await client.query<IntervalBounds>(
    `select ${iso('interval_start')} as start, ${iso('interval_end')} as "end" from ${names.ledger} where export = $1::uuid`,
    [exportId],
  );
  return rows;
}

/** Whether there is a ledger, and whether it has the timeline column, which ledgers of earlier versions lack. */
export async function ledgerColumns(
  client: PostgresClient,
  { ledger }: TableNames,
): Promise<{ ledger: boolean; timeline: boolean }> {
  const { rows } = await client.query<{ ledger: boolean; timeline: boolean }>(
    `select to_regclass($1) is not null as ledger, exists (
       select from pg_attribute where attrelid = to_regclass($1) and attname = 'timeline' and not attisdropped) as timeline`,
    [ledger],
  );
  return rows[0]!;
}

/** Adds the timeline column to a ledger of an earlier version, if permitted; without the column the ledger still works. */
export async function addTimelineColumn(client: PostgresClient, names: TableNames): Promise<void> {
  const found = await ledgerColumns(client, names);
  if (!found.ledger || found.timeline) return;
  try {
    await client.query(
      `begin; set local lock_timeout = '${ALTER_LOCK_TIMEOUT}';
       alter table ${names.ledger} add column if not exists timeline uuid; commit`,
    );
  } catch (error) {
    await client.query('rollback').catch(() => {});
    if (!IGNORED_ALTER_ERRORS.includes(sqlState(error) ?? '')) throw error;
  }
}
