/**
 * Delivers an interval by one statement, which the server completes even if the worker that sent it fails. A frozen worker therefore
 * holds no lock in the user's database, and the ledger shows the result if the answer is lost.
 */
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { sqlState } from '../../../platform/db/sql-states.ts';
import { DeliveredElsewhere, ReadBackDiffers, Superseded } from '../../../platform/errors.ts';
import { rowsDigestSql } from '../../../conditions/rows/rows-digest.ts';
import type { Receipt } from '../contract.ts';
import type { StagedPart } from '../delivery.ts';
import type { Delivery } from '../delivery.ts';
import type { Ownership } from '../ownership.ts';
import { totalsOf } from '../totals.ts';
import type { PostgresClient } from './client.ts';
import { postgresFault } from './faults.ts';
import { quoteName } from './identifiers.ts';
import { mergeSql, replaceSql } from './interval-rows.ts';
import { findReceipt, ledgerColumns, type LedgerReceipt } from './ledger.ts';
import type { TableNames } from './tables.ts';

/** SQLSTATEs that the statement below raises; classes that begin with a letter after I are free for applications. */
const NOT_NEWER = 'SL001';
const DIFFERS = 'SL002';
/** Time for another commit of the interval to finish; a longer wait means that the user has locked the table. */
const LOCK_TIMEOUT = '30s';

const LEDGER_KEY = ['export', 'interval_start', 'interval_end'];

const literal = pg.escapeLiteral;

/** Runs statements on the session's connection, and translates the errors of the user's database. Other errors must not arise in `work`. */
export type RunOnConnection = <T>(work: (client: PostgresClient) => Promise<T>) => Promise<T>;

/** Limit of attempts, because another commit of ours may come between reading the ledger and the statement. */
const MAX_ATTEMPTS = 3;

/**
 * Moves the rows of the stages to the table: they replace the interval's rows or, if rows have versions, are merged with all rows there.
 * The ledger's last delivery of the interval must be of a run that our database knows, with an earlier epoch.
 * @throws Superseded when its epoch is not earlier; DeliveredElsewhere when our database does not know the run;
 *   ReadBackDiffers when a stage or the table does not hold what was staged; the driver's errors
 */
export async function deliverRows(
  runOnConnection: RunOnConnection,
  names: TableNames,
  delivery: Delivery,
  parts: readonly StagedPart[],
  ownership: Ownership,
): Promise<Receipt> {
  const columns = await runOnConnection((client) => ledgerColumns(client, names));
  const timeline = columns.timeline ? await ownership.getTimeline() : undefined;
  const find = () => runOnConnection((client) => findReceipt(client, names, delivery));
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const present = await find();
    if (present?.run_id === delivery.runId) return present;
    // tooth: postgres-known-delivery
    if (present && !(await ownership.knowsRun(present.run_id))) throw new DeliveredElsewhere();
    // tooth: postgres-later-epoch
    if (present && present.epoch >= delivery.epoch)
      throw new Superseded('A later run has delivered this data interval.');
    const sql = statement(names, delivery, parts, { replaces: present, timeline });
    await runOnConnection(async (client) => client.query(sql).then(() => {}, passIfNotNewer));
  }
  const receipt = await find();
  if (receipt?.run_id === delivery.runId) return receipt;
  throw postgresFault('concurrent_runs');
}

function passIfNotNewer(error: unknown): void {
  if (sqlState(error) === NOT_NEWER) return;
  if (sqlState(error) !== DIFFERS) throw error;
  throw new ReadBackDiffers('The table does not hold exactly the rows that were sent to it.', { cause: error });
}

type Replacement = {
  /** The ledger's receipt as it was read; the statement changes nothing if the ledger has another one by then. */
  replaces: LedgerReceipt | undefined;
  /** Undefined if the ledger has no column for it. */
  timeline: string | undefined;
};

function statement(
  names: TableNames,
  delivery: Delivery,
  parts: readonly StagedPart[],
  { replaces, timeline }: Replacement,
): string {
  const { ledger, schema, table } = names;
  const { exportId, start, end, epoch, runId, cutoff, merge } = delivery;
  const { rows, digest } = totalsOf(parts);
  const bytes = parts.reduce((sum, part) => sum + part.contentBytes, 0);
  const stages = parts.map((part) => `${quoteName(schema)}.${quoteName(String(part.staged['table']))}`);
  const { change, found } = merge ? mergeSql(names, delivery, merge, stages) : replaceSql(names, delivery, stages);
  const values = {
    export: exportId,
    interval_start: start,
    interval_end: end,
    epoch: String(epoch),
    run: runId,
    table_name: table,
    cutoff,
    rows: String(rows),
    digest,
    bytes: String(bytes),
    ...(timeline !== undefined && { timeline }),
  };
  const columns = Object.keys(values);
  const changed = columns.filter((column) => !LEDGER_KEY.includes(column));
  // tooth: postgres-ledger-comparison
  // tooth: postgres-counts
  const body = `
    #variable_conflict use_column
    declare
      sluice_affected bigint;
      sluice_rows bigint;
      sluice_digest text;
    begin
      perform set_config('lock_timeout', '${LOCK_TIMEOUT}', true);
      insert into ${ledger} as ledger (${columns.join(', ')}) values (${Object.values(values).map(literal).join(', ')})
      on conflict (${LEDGER_KEY.join(', ')}) do update
        set (${changed.join(', ')}, delivered_at) = (${changed.map((column) => `excluded.${column}`).join(', ')}, now())
        where ${replaces ? `ledger.run = ${literal(replaces.run_id)}::uuid and ledger.epoch < excluded.epoch` : 'false'};
      get diagnostics sluice_affected = row_count;
      if sluice_affected = 0 then raise exception using errcode = '${NOT_NEWER}'; end if;

      ${change}

      select count(*), ${rowsDigestSql('sluice_row')} into sluice_rows, sluice_digest from (${found}) as found (sluice_row);
      if sluice_rows <> ${rows} or sluice_digest <> ${literal(digest)} then
        raise exception using errcode = '${DIFFERS}';
      end if;
    end`;
  // The quotation mark is random, because names that the user chose must not be able to end the quotation.
  const quote = `$sluice_${randomBytes(12).toString('hex')}$`;
  return `do ${quote}${body}${quote}`;
}
