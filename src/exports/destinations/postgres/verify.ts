/** Reads a delivery back: the ledger beside the table, and the table's rows. */
import { rowIdColumn, rowsDigestSql } from '../../../conditions/rows/rows-digest.ts';
import type { Difference, Receipt } from '../contract.ts';
import type { Delivery } from '../delivery.ts';
import type { RowVersions } from '../../../conditions/rows/columns.ts';
import type { PostgresClient } from './client.ts';
import { quoteName } from './identifiers.ts';
import { countLostSql, intervalSql } from './interval-rows.ts';
import { findReceipt } from './ledger.ts';
import { tableExists, type TableNames } from './tables.ts';
import { withWantedRows } from './wanted-rows.ts';

type DeliveredTable = {
  names: TableNames;
  delivery: Delivery;
  receipt: Receipt;
  /** Reads the delivered rows from the source again, if the caller can. */
  rows?: () => AsyncIterable<Uint8Array>;
};

/**
 * Compares a delivery with the table. An interval's own rows are counted and digested, which costs the server little. Rows with
 * versions may have been replaced by later intervals, so lost rows show only in a comparison with the source.
 */
export async function findDifferences(client: PostgresClient, delivered: DeliveredTable): Promise<Difference[]> {
  const { names, delivery, receipt, rows } = delivered;
  const ledger = await findReceipt(client, names, delivery);
  const compared: Difference[] = [
    {
      what: 'The ledger beside the table names another delivery.',
      expected: deliveryOf(receipt),
      // Receipts of earlier versions have no run id.
      found: ledger ? deliveryOf({ epoch: ledger.epoch, run_id: receipt.run_id ? ledger.run_id : null }) : 'none',
    },
  ];
  if (!delivery.merge) compared.push(await compareInterval(client, names, delivery, receipt));
  else if (rows) compared.push(await compareVersions(client, names, delivery, delivery.merge, rows()));
  return compared.filter(({ expected, found }) => expected !== found);
}

function deliveryOf({ epoch, run_id: runId }: Pick<Receipt, 'epoch' | 'run_id'>): string {
  return runId ? `epoch ${epoch}, run ${runId}` : `epoch ${epoch}`;
}

async function compareInterval(
  client: PostgresClient,
  { target }: TableNames,
  delivery: Delivery,
  receipt: Receipt,
): Promise<Difference> {
  const what = `The rows in ${target} are not those that were delivered.`;
  const expected = `${receipt.rows} rows, digest ${receipt.digest}`;
  if (!(await tableExists(client, target))) return { what, expected, found: 'no table' };
  const rowId = delivery.columns[rowIdColumn(delivery.columns)]!.name;
  const { rows } = await client.query<{ rows: string; digest: string }>(
    `select count(*)::text as rows, ${rowsDigestSql(quoteName(rowId))} as digest from ${target} where ${intervalSql(delivery)}`,
  );
  return { what, expected, found: `${rows[0]!.rows} rows, digest ${rows[0]!.digest}` };
}

async function compareVersions(
  client: PostgresClient,
  names: TableNames,
  delivery: Delivery,
  versions: RowVersions,
  source: AsyncIterable<Uint8Array>,
): Promise<Difference> {
  const what = `Rows in ${names.target} are missing, or older than they were delivered.`;
  const expected = '0 rows lost';
  if (!(await tableExists(client, names.target))) return { what, expected, found: 'no table' };
  return withWantedRows(client, delivery, source, async (wanted) => {
    const { rows } = await client.query<{ lost: string }>(countLostSql(names, delivery, versions, wanted));
    return { what, expected, found: `${rows[0]!.lost} rows lost` };
  });
}
