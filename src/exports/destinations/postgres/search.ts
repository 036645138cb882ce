/** Searches the table for rows of erased persons. */
import { Superseded } from '../../../platform/errors.ts';
import type { Receipt } from '../contract.ts';
import type { Delivery, Search } from '../delivery.ts';
import type { RowVersions } from '../../../conditions/rows/columns.ts';
import type { PostgresClient } from './client.ts';
import { quoteName } from './identifiers.ts';
import { intervalSql } from './interval-rows.ts';
import { tableExists, type TableNames } from './tables.ts';
import { withWantedRows } from './wanted-rows.ts';

type SearchedTable = { names: TableNames; delivery: Delivery; receipt: Receipt; search: Search };

/** @returns the number of the interval's rows with one of the texts; of rows with versions, of those that stay and that the source lacks */
export async function searchTable(client: PostgresClient, searched: SearchedTable): Promise<number> {
  const { names, delivery, search } = searched;
  if (!(await tableExists(client, names.target))) return 0;
  if (delivery.merge) return removeErased(client, searched, delivery.merge);
  const { rows } = await client.query<{ count: string }>(
    `select count(*) from ${names.target} as present where ${intervalSql(delivery)} and ${isSoughtSql(delivery)}`,
    [search.texts],
  );
  return Number(rows[0]!.count);
}

/**
 * Deletes the interval's rows with one of the texts that the source has no more. A row without a version may have been made of other persons' events,
 * too, and has replaced that of an earlier interval: it is counted, and stays.
 */
async function removeErased(
  client: PostgresClient,
  { names, delivery, receipt, search }: SearchedTable,
  { key, version }: RowVersions,
): Promise<number> {
  const same = [...key, ...(version === null ? [] : [version])].map(
    (name) => `wanted.${quoteName(name)} = present.${quoteName(name)}`,
  );
  return withWantedRows(client, delivery, search.rows(), async (wanted) => {
    await lockDelivery(client, names, delivery, receipt);
    const isExtra = `${intervalSql(delivery)} and not exists (select from ${wanted} as wanted where ${same.join(' and ')})`;
    // tooth: erasure-merged-rows
    await client.query(`delete from ${names.target} as present where ${isExtra} and ${isSoughtSql(delivery)}`, [
      search.texts,
    ]);
    if (version !== null) return 0;
    const { rows } = await client.query<{ count: string }>(
      `select count(*) from ${names.target} as present where ${isExtra}`,
    );
    return Number(rows[0]!.count);
  });
}

/** Keeps later deliveries of the interval waiting. @throws Superseded when there has been one */
async function lockDelivery(
  client: PostgresClient,
  { ledger }: TableNames,
  { exportId, start, end }: Delivery,
  receipt: Receipt,
): Promise<void> {
  const { rows } = await client.query<{ run: string }>(
    `select run::text from ${ledger} where export = $1 and interval_start = $2 and interval_end = $3 for update`,
    [exportId, start, end],
  );
  if (rows[0]?.run !== receipt.run_id) throw new Superseded('A later run has delivered this data interval.');
}

/** Whether a column of type text of the row `present` has one of the texts, which are the first parameter. */
function isSoughtSql({ columns }: Delivery): string {
  const texts = columns.filter(({ type }) => type === 'text');
  const conditions = texts.map(({ name }) => `present.${quoteName(name)} = any ($1::text[])`);
  return conditions.length === 0 ? '$1::text[] is null' : `(${conditions.join(' or ')})`;
}
