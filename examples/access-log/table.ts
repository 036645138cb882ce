/** The exported table in Postgres, and the ledger that Sluice keeps beside it. */
import { createHash } from 'node:crypto';
import pg from 'pg';
import type { Content, Delivered } from './content.ts';

type LedgerRow = { interval_start: string; interval_end: string; epoch: string; rows: string; digest: string };
type TableRow = { uuid: string; timestamp: string; interval: string; fingerprint: string };

const iso = (column: string) => `to_char(${column} at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

/** @param table in the schema `public`; a name of our own, so it needs no quoting */
export async function readTable(url: string, table: string, exportId: string): Promise<Content> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const ledger = await client.query<LedgerRow>(
      `select ${iso('interval_start')} as interval_start, ${iso('interval_end')} as interval_end, epoch, rows, digest
       from _sluice_ledger where export = $1`,
      [exportId],
    );
    const rows = await client.query<TableRow>(
      `select uuid, ${iso('timestamp')} as timestamp, ${iso('_sluice_interval_time')} as interval,
         md5(t::text) as fingerprint
       from ${table} as t where _sluice_export = $1 order by uuid, timestamp`,
      [exportId],
    );
    return contentOf(ledger.rows, rows.rows);
  } finally {
    await client.end();
  }
}

function contentOf(ledger: readonly LedgerRow[], rows: readonly TableRow[]): Content {
  const byInterval = Map.groupBy(rows, (row) => row.interval);
  const delivered = ledger.map((entry): Delivered => ({
    start: entry.interval_start,
    end: entry.interval_end,
    epoch: Number(entry.epoch),
    claimed: { rows: Number(entry.rows), digest: entry.digest },
    rows: byInterval.get(entry.interval_start) ?? [],
  }));
  const unclaimed = new Set(byInterval.keys()).difference(new Set(ledger.map((entry) => entry.interval_start)));
  const differences = [...unclaimed].map((start) => `rows of the interval from ${start} are not in the ledger`);
  const fingerprint = createHash('sha256')
    .update(rows.map((row) => row.fingerprint).join())
    .digest('hex');
  return { delivered, fingerprint, differences };
}
