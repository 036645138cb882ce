/**
 * The ledger: one row per export and data interval says which epoch may write it, and what was delivered last. Every change
 * is one conditional statement `where epoch = ours`; no lock is held across a call to a destination.
 */
import type { Knex } from '../../platform/db/connection.ts';
import type { Receipt } from '../destinations/contract.ts';
import { NotFound } from '../../platform/errors.ts';
import { artifactStore } from './artifacts.store.ts';
import { foreignDeliveryStore } from '../timeline/foreign-deliveries.store.ts';
import {
  intervalKey as key,
  leaseColumns,
  throwSuperseded,
  type ExportInterval,
  type EpochLease,
} from './epoch-lease.store.ts';
import { ledgerEntryFrom, type LedgerEntry, type LedgerState, type Row, type UnsettledEntry } from './ledger-rows.ts';
import { supersededFileStore } from './superseded-files.store.ts';

export type { EpochLease, LedgerEntry, LedgerState, UnsettledEntry };

/** An interval that was delivered at least once; the receipt is that of the last delivery, whatever the interval's current state. */
export type DeliveredEntry = LedgerEntry & { receipt: Receipt };

/** Condition for an unsettled entry: a commit of unknown outcome, or artifacts that no delivery owns. */
const HALF_WAY = `ledger.state = 'committing' or ledger.state = 'open' and exists (
  select from batch_export_artifacts as artifact
  where artifact.batch_export_id = ledger.batch_export_id and artifact.data_interval_start = ledger.data_interval_start
    and artifact.data_interval_end = ledger.data_interval_end and artifact.given_up_at is null)`;

/**
 * Closed runs whose artifacts no later commit removes, because the interval is delivered, or its newest run delivers to another place. The query
 * starts from the artifacts, because they are few and intervals are many.
 */
const LEFT_BEHIND = `
  select run.batch_export_id, run.data_interval_start, run.data_interval_end, run.epoch, 'open' as state, run.id as run_id,
    ledger.receipt - 'files' as receipt
  from (
    select distinct batch_export_id, data_interval_start, data_interval_end, epoch
    from batch_export_artifacts where given_up_at is null
  ) as artifact
  join batch_export_runs as run using (batch_export_id, data_interval_start, data_interval_end, epoch)
  join batch_export_intervals as ledger using (batch_export_id, data_interval_start, data_interval_end)
  join batch_export_runs as newest on newest.id = ledger.run_id
  left join batch_export_troubles as trouble on trouble.batch_export_id = run.batch_export_id and trouble.kind = 'unsettled'
    and trouble.data_interval_start = run.data_interval_start and trouble.data_interval_end = run.data_interval_end
  where run.status not in ('Starting', 'Running') and (trouble.retry_at is null or trouble.retry_at <= clock_timestamp())
    and (ledger.state = 'delivered'
      or run.plan #>> '{destination,place}' is distinct from newest.plan #>> '{destination,place}')
  order by random() limit 200`;

export function ledgerStore(db: Knex) {
  const table = () => db<Row>('batch_export_intervals');

  const liveExportQuery = ({ exportId }: EpochLease) =>
    db('batch_exports').where({ id: exportId }).whereNull('deleted_at').select(db.raw('1'));

  /** Ends the troubles of a delivered interval. If events were imported after the delivery's cutoff, the interval stays stale. */
  async function endTroubles(interval: ExportInterval, { cutoff }: Receipt): Promise<void> {
    // tooth: ledger-stays-stale
    await db('batch_export_troubles')
      .where(key(interval))
      .where((either) => void either.whereNot({ kind: 'stale' }).orWhere('last_at', '<', cutoff))
      .delete();
    await db('batch_export_troubles').where(key(interval)).where('since', '<', cutoff).update({ since: cutoff });
  }

  return {
    /**
     * Gives the run the interval's next epoch, which fences every earlier one. After a restore, the new epoch also exceeds the epochs of
     * foreign deliveries that an operator decided about.
     */
    async takeEpoch(interval: ExportInterval, runId: string): Promise<number> {
      // tooth: ledger-next-epoch
      // tooth: ledger-epochs-after-restore
      const { rows } = await db.raw<{ rows: { epoch: string }[] }>(
        `insert into batch_export_intervals as ledger (batch_export_id, data_interval_start, data_interval_end, epoch, state, run_id)
         values (:export, :start, :end, 1 + greatest(
           (select epochs_above from timeline),
           (select max(epoch) from foreign_deliveries where batch_export_id = :export
              and data_interval_start = :start and data_interval_end = :end and accepted is not null)), 'open', :run)
         on conflict (batch_export_id, data_interval_start, data_interval_end)
         do update set epoch = greatest(ledger.epoch + 1, excluded.epoch), state = 'open', run_id = excluded.run_id
         returning epoch`,
        { export: interval.exportId, start: interval.start, end: interval.end, run: runId },
      );
      return Number(rows[0]!.epoch);
    },

    async find(interval: ExportInterval): Promise<LedgerEntry | undefined> {
      const row = await table().where(key(interval)).first();
      return row && ledgerEntryFrom(row);
    },

    /** One page of the deliveries within `[from, to)`, oldest interval first. @param after the end of the last interval of the page before */
    async listDeliveries(
      exportId: string,
      { from, to, after }: { from: string; to: string; after: string },
      limit: number,
    ): Promise<DeliveredEntry[]> {
      const rows = await table()
        .where({ batch_export_id: exportId })
        .whereNotNull('receipt')
        .whereBetween('data_interval_start', [from, to])
        .where('data_interval_end', '<=', to)
        .where('data_interval_end', '>', after)
        .orderBy('data_interval_end')
        .limit(limit);
      return rows.map((row) => ledgerEntryFrom(row) as DeliveredEntry);
    },

    async countDelivered(exportId: string, { from, to }: { from: string; to: string }): Promise<number> {
      const row = await table()
        .where({ batch_export_id: exportId })
        .whereNotNull('receipt')
        .whereBetween('data_interval_start', [from, to])
        .where('data_interval_end', '<=', to)
        .count({ count: '*' })
        .first();
      return Number((row as unknown as { count: string }).count);
    },

    /** Keeps the entry from changing until the transaction ends. @throws Superseded unless the lease is still open */
    async lockIfOpen(lease: EpochLease): Promise<void> {
      // tooth: ledger-open-only
      // tooth: ledger-open-lock
      const row = await table().where(leaseColumns(lease)).where({ state: 'open' }).forShare().first();
      if (!row) await throwSuperseded(db, lease);
    },

    /**
     * Begins the commit: from here on the parts are fixed, and neither a cancellation of the run nor a deletion of the export stops it.
     * @returns `committing`, or the state that forbids a commit
     * @throws Superseded; NotFound when the export was deleted before
     */
    async beginCommit(lease: EpochLease): Promise<LedgerState> {
      // tooth: ledger-commit-epoch
      // tooth: ledger-commit-live
      const updated = await table()
        .where(leaseColumns(lease))
        .where(
          (either) =>
            void either
              .where({ state: 'committing' })
              .orWhere((open) => void open.where({ state: 'open' }).whereExists(liveExportQuery(lease))),
        )
        .update({ state: 'committing' });
      if (updated > 0) return 'committing';
      const row = await table().where(leaseColumns(lease)).first();
      if (row?.state === 'open') throw new NotFound('The batch export was deleted.');
      return row?.state ?? throwSuperseded(db, lease);
    },

    /** @throws Superseded */
    async markDelivered(lease: EpochLease, receipt: Receipt): Promise<void> {
      // tooth: ledger-delivered-epoch
      const updated = await table()
        .where(leaseColumns(lease))
        .whereIn('state', ['committing', 'delivered'])
        .update({ state: 'delivered', receipt });
      if (updated === 0) await throwSuperseded(db, lease);
      await foreignDeliveryStore(db).forgetWaiting(lease);
      await supersededFileStore(db).beginGrace(lease);
      await endTroubles(lease, receipt);
    },

    /** Adopts a foreign delivery as the interval's, under an epoch that fences all earlier runs of this database. */
    async adopt(lease: EpochLease, runId: string, receipt: Receipt): Promise<void> {
      const { exportId, start, end, epoch } = lease;
      await db.raw(
        `insert into batch_export_intervals as ledger
           (batch_export_id, data_interval_start, data_interval_end, epoch, state, run_id, receipt)
         values (?, ?, ?, ?, 'delivered', ?, ?)
         on conflict (batch_export_id, data_interval_start, data_interval_end) do update
           set epoch = greatest(ledger.epoch + 1, excluded.epoch), state = 'delivered', run_id = excluded.run_id, receipt = excluded.receipt`,
        [exportId, start, end, epoch, runId, JSON.stringify(receipt)],
      );
      await supersededFileStore(db).beginGrace(lease);
      await endTroubles(lease, receipt);
    },

    /** Opens an interval for a new delivery, because the destination does not hold what was committed. */
    async reopen(lease: EpochLease): Promise<void> {
      // tooth: ledger-reopen-epoch
      await table().where(leaseColumns(lease)).where({ state: 'committing' }).update({ state: 'open' });
    },

    /**
     * Lists some intervals that closed runs left half way and that are due to be settled: undelivered ones, and those with artifacts at
     * places that nothing else checks. The choice is random, so no interval holds up others. The receipts omit their files.
     */
    async listIntervalsToSettle(): Promise<UnsettledEntry[]> {
      const { rows: leftBehind } = await db.raw<{ rows: Row[] }>(LEFT_BEHIND);
      const rows = (await db<Row>('batch_export_intervals as ledger')
        .join('batch_export_runs as run', 'run.id', 'ledger.run_id')
        .leftJoin('batch_export_troubles as trouble', (join) => {
          join.on('trouble.batch_export_id', 'ledger.batch_export_id');
          join.on('trouble.data_interval_start', 'ledger.data_interval_start');
          join.on('trouble.data_interval_end', 'ledger.data_interval_end');
          join.onVal('trouble.kind', 'unsettled');
        })
        .whereNotIn('run.status', ['Starting', 'Running'])
        .whereRaw(`(${HALF_WAY}) and (trouble.retry_at is null or trouble.retry_at <= clock_timestamp())`)
        .select(
          ...(['batch_export_id', 'data_interval_start', 'data_interval_end', 'epoch', 'state', 'run_id'] as const).map(
            (column) => `ledger.${column}`,
          ),
          db.raw(`ledger.receipt - 'files' as receipt`),
        )
        .orderByRaw('random()')
        .limit(200)) as Row[];
      return [
        ...rows.map((row) => ({ ...ledgerEntryFrom(row), isNewestRun: true })),
        ...leftBehind.map((row) => ({ ...ledgerEntryFrom(row), isNewestRun: false })),
      ];
    },

    /** Whether the entry is still unsettled; if its run is not the interval's newest, whether the run still has artifacts. */
    async isStillUnsettled({ isNewestRun, ...lease }: UnsettledEntry): Promise<boolean> {
      const row = isNewestRun
        ? await db('batch_export_intervals as ledger').where(leaseColumns(lease)).whereRaw(`(${HALF_WAY})`).first()
        : await db('batch_export_artifacts').where(leaseColumns(lease)).whereNull('given_up_at').first();
      return row !== undefined;
    },

    /** Ends the attempts to settle an interval; its records stay, because a later run may still use them. */
    async giveUpSettling(lease: EpochLease): Promise<void> {
      await this.reopen(lease);
      await artifactStore(db).giveUpInterval(lease);
    },
  };
}
