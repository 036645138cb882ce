/** Deliveries that a destination holds although no run of this database made them, each with an operator's decision, if there is one. */
import { randomUUID } from 'node:crypto';
import type { Knex } from '../../platform/db/connection.ts';
import type { Receipt } from '../destinations/contract.ts';
import type { StagedPart } from '../destinations/delivery.ts';
import { NotFound } from '../../platform/errors.ts';
import { intervalKey, throwSuperseded, type ExportInterval, type EpochLease } from '../deliveries/epoch-lease.store.ts';

/** Which of two deliveries of an interval is kept. */
export const SIDES = ['theirs', 'ours'] as const;
export type Side = (typeof SIDES)[number];

export type ForeignDelivery = ExportInterval & {
  id: string;
  /** null: the delivery was made before destinations stored the run. */
  runId: string | null;
  timeline: string | null;
  epoch: number;
  receipt: Receipt;
  foundAt: string;
  /** null: not decided yet. */
  accepted: Side | null;
};

type Row = {
  id: string;
  batch_export_id: string;
  data_interval_start: string;
  data_interval_end: string;
  run_id: string;
  timeline: string | null;
  epoch: string;
  receipt: Receipt;
  found_at: string;
  accepted: Side | null;
  accepted_at: string | null;
};

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

function foreignDeliveryFrom(row: Row): ForeignDelivery {
  return {
    id: row.id,
    exportId: row.batch_export_id,
    start: row.data_interval_start,
    end: row.data_interval_end,
    runId: row.run_id === '' ? null : row.run_id,
    timeline: row.timeline,
    epoch: Number(row.epoch),
    receipt: row.receipt,
    foundAt: row.found_at,
    accepted: row.accepted,
  };
}

export function foreignDeliveryStore(db: Knex) {
  const table = () => db<Row>('foreign_deliveries');

  /** Whether the id belongs to a run of another export, because a destination may report any id. */
  async function belongsToOtherExport(id: string, exportId: string): Promise<boolean> {
    return (
      (await db('batch_export_runs').where({ id }).whereNot({ batch_export_id: exportId }).first('id')) !== undefined
    );
  }

  return {
    /**
     * Whether this database planned the run for the interval, or an operator has allowed its delivery to be replaced.
     * A run without a plan may have been planned in another database, with rows that this one does not have.
     * @throws Superseded once a later epoch has the interval, because that epoch may have made the delivery
     */
    async knowsRun(lease: EpochLease, runId: string): Promise<boolean> {
      // tooth: known-planned
      const { rows } = await db.raw<{ rows: { known: boolean; held: boolean }[] }>(
        `with of as (
           select :exportId::uuid as batch_export_id, :start::timestamptz as data_interval_start, :end::timestamptz as data_interval_end
         )
         select
           exists (select from of join batch_export_runs using (batch_export_id, data_interval_start, data_interval_end)
             where id = :run::uuid and plan is not null)
           or exists (select from of join foreign_deliveries using (batch_export_id, data_interval_start, data_interval_end)
             where run_id = :runId and accepted = 'ours') as known,
           not exists (select from of join batch_export_intervals using (batch_export_id, data_interval_start, data_interval_end)
             where epoch > :epoch) as held`,
        { ...lease, runId, run: UUID.test(runId) ? runId : null },
      );
      const { known, held } = rows[0]!;
      // tooth: known-while-held
      if (!held) await throwSuperseded(db, lease);
      return known;
    },

    /** Whether an operator has allowed exactly this delivery, which has no run id, to be replaced. */
    async isReplaceable(interval: ExportInterval, { epoch, digest }: Receipt): Promise<boolean> {
      const row = await table()
        .where({ ...intervalKey(interval), run_id: '', epoch: String(epoch), accepted: 'ours' })
        .whereRaw(`receipt ->> 'digest' = ?`, [digest])
        .first('id');
      return row !== undefined;
    },

    /** Lists the parts that runs of the interval staged under the epoch. */
    async listStagedParts(interval: ExportInterval, epoch: number): Promise<StagedPart[]> {
      const rows = (await db('batch_export_parts as part')
        .join('batch_export_runs as run', 'run.id', 'part.run_id')
        .where({ ...prefixRunColumns(intervalKey(interval)), 'run.epoch': String(epoch) })
        .select('part.staged')) as { staged: StagedPart }[];
      return rows.map(({ staged }) => staged);
    },

    /** Records a found delivery, and forgets other deliveries of the interval that were found earlier and wait for a decision. */
    async recordFound(interval: ExportInterval, receipt: Receipt): Promise<void> {
      const runId = receipt.run_id ?? '';
      const epoch = String(receipt.epoch);
      await table()
        .where(intervalKey(interval))
        .whereNull('accepted')
        .whereNot((same) => void same.where({ run_id: runId, epoch }))
        .delete();
      const row = { timeline: receipt.timeline ?? null, receipt };
      await table()
        .insert({ ...intervalKey(interval), run_id: runId, epoch, ...row })
        .onConflict(['batch_export_id', 'data_interval_start', 'data_interval_end', 'run_id', 'epoch'])
        .merge({ ...row, found_at: db.raw('clock_timestamp()') });
    },

    /** One page of the deliveries that wait for a decision, oldest interval first. @param after the end of the last interval of the page before */
    async listWaiting(
      exportId: string,
      { after = '-infinity', limit }: { after?: string; limit: number },
    ): Promise<ForeignDelivery[]> {
      const rows = await table()
        .where({ batch_export_id: exportId })
        .whereNull('accepted')
        .where('data_interval_end', '>', after)
        .orderBy('data_interval_end')
        .limit(limit);
      return rows.map(foreignDeliveryFrom);
    },

    /** Locks a waiting delivery, so it cannot be decided twice at once. @throws NotFound when it is not waiting, or not of this export */
    async lockWaiting(exportId: string, id: string): Promise<ForeignDelivery> {
      const row = await table().where({ batch_export_id: exportId, id }).whereNull('accepted').forUpdate().first();
      if (!row) throw new NotFound();
      return foreignDeliveryFrom(row);
    },

    /**
     * Stores the delivery's run as a completed run of this database. Its epoch is not below the delivery's, and is above all that the
     * interval had in this database. Its plan is a copy from the newest run of the interval, else of the export, that existed when the
     * delivery was found, because later runs may deliver to another place.
     * @returns the run's id and epoch; the id is the one that the destination reports, if it is a uuid that no other export's run has.
     *   undefined when the export has no plan, or a run with this id is already planned
     */
    async adoptRun(
      { exportId, start, end, runId, receipt, epoch, foundAt }: ForeignDelivery,
      projectId: number,
    ): Promise<{ id: string; epoch: number } | undefined> {
      const id =
        runId !== null && UUID.test(runId) && !(await belongsToOtherExport(runId, exportId)) ? runId : randomUUID();
      const { rows } = await db.raw<{ rows: { id: string; epoch: string }[] }>(
        `insert into batch_export_runs as run (id, project_id, batch_export_id, data_interval_start, data_interval_end, kind, status,
           workflow_id, workflow_run_id, epoch, plan, receipt, records_completed, records_total_count, bytes_exported, closed_by, finished_at)
         select :id, :projectId, :exportId, :start, :end, 'retry', 'Completed', workflow_id, 'adopted-' || :id,
           greatest(:epoch, (select epoch + 1 from batch_export_intervals where batch_export_id = :exportId
             and data_interval_start = :start and data_interval_end = :end)),
           plan || jsonb_build_object('rows', :rows::bigint, 'cutoff', :cutoff::text, 'parts', '[]'::jsonb),
           :receipt, :rows, :rows, :bytes, 'api', clock_timestamp()
         from batch_export_runs where batch_export_id = :exportId and plan is not null
         order by (created_at <= :foundAt) desc, (data_interval_end = :end) desc, created_at desc limit 1
         -- The row exists, without a plan, if the backup was made between the run's start and its planning.
         on conflict (id) do update set (kind, status, epoch, plan, receipt, records_completed, records_total_count, bytes_exported,
           closed_by, finished_at, created_at, latest_error) = (excluded.kind, excluded.status, excluded.epoch, excluded.plan,
           excluded.receipt, excluded.records_completed, excluded.records_total_count, excluded.bytes_exported, excluded.closed_by,
           excluded.finished_at, excluded.created_at, null)
         where run.plan is null and (run.batch_export_id, run.data_interval_start, run.data_interval_end)
           = (excluded.batch_export_id, excluded.data_interval_start, excluded.data_interval_end)
         returning id, epoch`,
        {
          id,
          projectId,
          exportId,
          start,
          end,
          epoch,
          receipt: JSON.stringify(receipt),
          rows: receipt.rows,
          bytes: receipt.bytes,
          cutoff: receipt.cutoff,
          foundAt,
        },
      );
      return rows[0] && { id, epoch: Number(rows[0].epoch) };
    },

    /** Forgets found deliveries that wait for a decision, because a delivery has replaced them, or their place is no longer checked. */
    async forgetWaiting(interval: ExportInterval): Promise<void> {
      await table().where(intervalKey(interval)).whereNull('accepted').delete();
    },

    async accept(id: string, side: Side): Promise<void> {
      await table()
        .where({ id })
        .update({ accepted: side, accepted_at: db.raw('clock_timestamp()') });
    },

    /** Counts waiting deliveries of all exports that are not deleted. */
    async countWaiting(): Promise<number> {
      const row = await table()
        .join('batch_exports as export', 'export.id', 'foreign_deliveries.batch_export_id')
        .whereNull('accepted')
        .whereNull('export.deleted_at')
        .count({ count: '*' })
        .first();
      return Number((row as unknown as { count: string }).count);
    },
  };
}

function prefixRunColumns(columns: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(columns).map(([name, value]) => [`run.${name}`, value]));
}
