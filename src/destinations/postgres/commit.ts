/**
 * The delivery of an interval as one statement. It runs at the server to its end, whatever becomes of the worker that sent it: a
 * frozen worker holds no lock in the user's database, and a lost answer is found in the ledger.
 */
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { ReadBackDiffers, Superseded } from '../../errors.ts';
import { rowsDigestSql } from '../../formats/rows-digest.ts';
import type { Delivery, Receipt, StagedPart } from '../contract.ts';
import { totalsOf } from '../totals.ts';
import type { PostgresClient } from './client.ts';
import { sqlState } from './errors.ts';
import { quoted } from './identifiers.ts';
import { mergeSql, replaceSql } from './interval-rows.ts';
import type { TableNames } from './tables.ts';

/** Raised by the statement below; classes beginning with a letter after I are left to applications. */
const NOT_NEWER = 'SL001';
const DIFFERS = 'SL002';
/** Another commit of the interval may be at work; longer than this is somebody else's lock on the table. */
const LOCK_TIMEOUT = '30s';

const literal = pg.escapeLiteral;

/**
 * Puts the rows of the stages into the table, as the interval's rows or, where rows have versions, beside all others, if no epoch as
 * high as ours did so before.
 * @throws Superseded when a later epoch did; ReadBackDiffers when a stage or the table does not hold what was staged; the
 *   driver's errors
 */
export async function deliverRows(
  client: PostgresClient,
  names: TableNames,
  delivery: Delivery,
  parts: readonly StagedPart[],
): Promise<Receipt> {
  try {
    await client.query(statement(names, delivery, parts));
  } catch (error) {
    if (sqlState(error) === DIFFERS) {
      throw new ReadBackDiffers('The table does not hold exactly the rows that were sent to it.', { cause: error });
    }
    if (sqlState(error) !== NOT_NEWER) throw error;
  }
  const receipt = await findReceipt(client, names, delivery);
  if (receipt?.epoch === delivery.epoch) return receipt;
  throw new Superseded('A later run has delivered this data interval.');
}

function statement(names: TableNames, delivery: Delivery, parts: readonly StagedPart[]): string {
  const { ledger, schema, table } = names;
  const { exportId, start, end, epoch, runId, cutoff, merge } = delivery;
  const { rows, digest } = totalsOf(parts);
  const bytes = parts.reduce((sum, part) => sum + part.contentBytes, 0);
  const stages = parts.map((part) => `${quoted(schema)}.${quoted(String(part.staged['table']))}`);
  const { change, found } = merge ? mergeSql(names, delivery, merge, stages) : replaceSql(names, delivery, stages);
  const body = `
    #variable_conflict use_column
    declare
      sluice_affected bigint;
      sluice_rows bigint;
      sluice_digest text;
    begin
      perform set_config('lock_timeout', '${LOCK_TIMEOUT}', true);
      insert into ${ledger} as ledger
        (export, interval_start, interval_end, epoch, run, table_name, cutoff, rows, digest, bytes)
      values (${[exportId, start, end, String(epoch), runId, table, cutoff, String(rows), digest, String(bytes)].map(literal).join(', ')})
      on conflict (export, interval_start, interval_end) do update
        set (epoch, run, table_name, cutoff, rows, digest, bytes, delivered_at) = (excluded.epoch, excluded.run,
             excluded.table_name, excluded.cutoff, excluded.rows, excluded.digest, excluded.bytes, now())
        where ledger.epoch < excluded.epoch;
      get diagnostics sluice_affected = row_count;
      if sluice_affected = 0 then raise exception using errcode = '${NOT_NEWER}'; end if;

      ${change}

      select count(*), ${rowsDigestSql('sluice_row')} into sluice_rows, sluice_digest from (${found}) as found (sluice_row);
      if sluice_rows <> ${rows} or sluice_digest <> ${literal(digest)} then
        raise exception using errcode = '${DIFFERS}';
      end if;
    end`;
  // Names are the user's: none can end the quotation.
  const quote = `$sluice_${randomBytes(12).toString('hex')}$`;
  return `do ${quote}${body}${quote}`;
}

type LedgerRow = { epoch: string; rows: string; digest: string; bytes: string; cutoff: string; table_name: string };

/** The last delivery of the interval that the destination's own ledger knows; undefined also where there is no ledger. */
export async function findReceipt(
  client: PostgresClient,
  { ledger, schema }: TableNames,
  { exportId, start, end }: Delivery,
): Promise<Receipt | undefined> {
  if (!(await tableExists(client, ledger))) return undefined;
  const { rows } = await client.query<LedgerRow>(
    `select epoch::text, rows::text, digest, bytes::text, table_name,
            to_char(cutoff at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as cutoff
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
  };
}

export async function tableExists(client: PostgresClient, qualified: string): Promise<boolean> {
  const { rows } = await client.query<{ found: boolean }>('select to_regclass($1) is not null as found', [qualified]);
  return rows[0]!.found;
}
