/** Data intervals of exports as keys of rows, and an epoch's lease on a data interval. */
import type { Knex } from '../../platform/db/connection.ts';
import { Superseded } from '../../platform/errors.ts';

/** A data interval of an export; instants are ISO. */
export type ExportInterval = { exportId: string; start: string; end: string };

export type EpochLease = ExportInterval & { epoch: number };

/** Columns that identify a data interval in every table of intervals. */
export const intervalKey = ({ exportId, start, end }: ExportInterval) => ({
  batch_export_id: exportId,
  data_interval_start: start,
  data_interval_end: end,
});

/** Columns that identify the interval's row while the epoch is its newest. */
export const leaseColumns = (lease: EpochLease) => ({ ...intervalKey(lease), epoch: String(lease.epoch) });

/** @throws Superseded always, naming the run that holds the interval now */
export async function throwSuperseded(db: Knex, lease: EpochLease): Promise<never> {
  const row = await db<{ run_id: string }>('batch_export_intervals').where(intervalKey(lease)).first('run_id');
  throw new Superseded(row ? `superseded by run ${row.run_id}` : 'superseded: the batch export was deleted');
}
