/**
 * The ledger: one row per export and data interval says which epoch may write it, and what was delivered last. Every change
 * is one conditional statement `where epoch = ours`; no lock is held across a call to a destination.
 */
import { randomUUID } from 'node:crypto';
import type { Knex } from '../db/connection.ts';
import type { Artifact, Receipt, RecordedArtifact } from '../destinations/contract.ts';
import { Superseded } from '../errors.ts';

export type LedgerState = 'open' | 'committing' | 'delivered';
export type LedgerEntry = {
  exportId: string;
  start: string;
  end: string;
  epoch: number;
  state: LedgerState;
  runId: string;
  receipt: Receipt | null;
};

/** An interval that was delivered at least once; the receipt is of the last time, whatever happens to the interval now. */
export type DeliveredEntry = LedgerEntry & { receipt: Receipt };

/** An epoch that somebody holds on an interval. */
export type Hold = { exportId: string; start: string; end: string; epoch: number };

type Row = {
  batch_export_id: string;
  data_interval_start: string;
  data_interval_end: string;
  epoch: string;
  state: LedgerState;
  run_id: string;
  receipt: Receipt | null;
};

function fromRow(row: Row): LedgerEntry {
  return {
    exportId: row.batch_export_id,
    start: row.data_interval_start,
    end: row.data_interval_end,
    epoch: Number(row.epoch),
    state: row.state,
    runId: row.run_id,
    receipt: row.receipt,
  };
}

const key = (hold: Omit<Hold, 'epoch'>) => ({
  batch_export_id: hold.exportId,
  data_interval_start: hold.start,
  data_interval_end: hold.end,
});
const ours = (hold: Hold) => ({ ...key(hold), epoch: String(hold.epoch) });

export function ledgerStore(db: Knex) {
  const table = () => db<Row>('batch_export_intervals');

  async function superseded(hold: Hold): Promise<never> {
    const row = await table().where(key(hold)).first();
    throw new Superseded(row ? `superseded by run ${row.run_id}` : 'superseded: the batch export was deleted');
  }

  return {
    /** Gives the run the interval's next epoch. Every epoch before it is fenced from now on. */
    async take(interval: Omit<Hold, 'epoch'>, runId: string): Promise<number> {
      const { rows } = await db.raw<{ rows: { epoch: string }[] }>(
        `insert into batch_export_intervals as ledger (batch_export_id, data_interval_start, data_interval_end, epoch, state, run_id)
         values (?, ?, ?, 1, 'open', ?)
         on conflict (batch_export_id, data_interval_start, data_interval_end)
         do update set epoch = ledger.epoch + 1, state = 'open', run_id = excluded.run_id
         returning epoch`,
        [interval.exportId, interval.start, interval.end, runId],
      );
      return Number(rows[0]!.epoch);
    },

    async find(interval: Omit<Hold, 'epoch'>): Promise<LedgerEntry | undefined> {
      const row = await table().where(key(interval)).first();
      return row && fromRow(row);
    },

    /** What was delivered of `[from, to)`, oldest interval first, one page: those that end after the instant `after`. */
    async delivered(
      exportId: string,
      { from, to, after }: { from: string; to: string; after: string },
      limit: number,
    ): Promise<DeliveredEntry[]> {
      const rows = await table()
        .where({ batch_export_id: exportId })
        .whereNotNull('receipt')
        .where('data_interval_start', '>=', from)
        .where('data_interval_end', '<=', to)
        .where('data_interval_end', '>', after)
        .orderBy('data_interval_end')
        .limit(limit);
      return rows.map((row) => fromRow(row) as DeliveredEntry);
    },

    async countDelivered(exportId: string, { from, to }: { from: string; to: string }): Promise<number> {
      const row = await table()
        .where({ batch_export_id: exportId })
        .whereNotNull('receipt')
        .where('data_interval_start', '>=', from)
        .where('data_interval_end', '<=', to)
        .count({ count: '*' })
        .first();
      return Number((row as unknown as { count: string }).count);
    },

    /** Keeps the entry from changing until the transaction ends. @throws Superseded unless the hold is still open */
    async lockOpen(hold: Hold): Promise<void> {
      const row = await table().where(ours(hold)).where({ state: 'open' }).forShare().first();
      if (!row) await superseded(hold);
    },

    /** From here on parts are fixed and cancellation waits. @returns the state it found. @throws Superseded */
    async beginCommit(hold: Hold): Promise<LedgerState> {
      const changed = await table()
        .where(ours(hold))
        .whereIn('state', ['open', 'committing'])
        .update({ state: 'committing' });
      if (changed > 0) return 'committing';
      const row = await table().where(ours(hold)).first();
      return row?.state ?? superseded(hold);
    },

    /** @throws Superseded */
    async markDelivered(hold: Hold, receipt: Receipt): Promise<void> {
      const changed = await table()
        .where(ours(hold))
        .whereIn('state', ['committing', 'delivered'])
        .update({ state: 'delivered', receipt: JSON.stringify(receipt) } as never);
      if (changed === 0) await superseded(hold);
    },

    /** What was committed is not what is there: the interval is to be delivered again. */
    async reopen(hold: Hold): Promise<void> {
      await table().where(ours(hold)).where({ state: 'committing' }).update({ state: 'open' });
    },

    /** Some entries of closed runs that are not delivered: something was left half way. Any, so that none waits for others. */
    async unsettled(): Promise<LedgerEntry[]> {
      const rows = (await db<Row>('batch_export_intervals as ledger')
        .join('batch_export_runs as run', 'run.id', 'ledger.run_id')
        .whereNot('ledger.state', 'delivered')
        .whereNotIn('run.status', ['Starting', 'Running'])
        .where(
          (either) =>
            void either
              .where('ledger.state', 'committing')
              .orWhereExists(
                db('batch_export_artifacts as artifact')
                  .whereRaw('artifact.batch_export_id = ledger.batch_export_id')
                  .whereRaw('artifact.data_interval_start = ledger.data_interval_start')
                  .whereRaw('artifact.data_interval_end = ledger.data_interval_end'),
              ),
        )
        .select('ledger.*')
        .orderByRaw('random()')
        .limit(200)) as Row[];
      return rows.map(fromRow);
    },

    /**
     * Records something left at a destination, committed before it matters.
     * @throws Superseded when the epoch is no longer the interval's, or has been delivered
     */
    async recordArtifact(hold: Hold, artifact: Artifact): Promise<string> {
      const id = randomUUID();
      const { rowCount } = await db.raw<{ rowCount: number }>(
        `with held as (
           select 1 from batch_export_intervals
           where batch_export_id = :export and data_interval_start = :start and data_interval_end = :end and epoch = :epoch
             and state <> 'delivered'
           for share
         )
         insert into batch_export_artifacts (id, batch_export_id, data_interval_start, data_interval_end, epoch, artifact)
         select :id, :export, :start, :end, :epoch, :artifact from held`,
        {
          id,
          export: hold.exportId,
          start: hold.start,
          end: hold.end,
          epoch: hold.epoch,
          artifact: JSON.stringify(artifact),
        },
      );
      if (rowCount === 0) await superseded(hold);
      return id;
    },

    /** What was recorded for the interval under this epoch and earlier ones. */
    async artifacts(hold: Hold): Promise<RecordedArtifact[]> {
      const rows = (await db('batch_export_artifacts')
        .where(key(hold))
        .where('epoch', '<=', hold.epoch)
        .orderBy('created_at')) as {
        id: string;
        epoch: string;
        artifact: Artifact;
      }[];
      return rows.map((row) => ({ id: row.id, epoch: Number(row.epoch), artifact: row.artifact }));
    },

    async discardArtifacts(ids: readonly string[]): Promise<void> {
      await db('batch_export_artifacts')
        .whereIn('id', [...ids])
        .delete();
    },
  };
}
