/** An epoch that somebody holds on a data interval. */
import type { Knex } from '../db/connection.ts';
import { Superseded } from '../errors.ts';

export type Hold = { exportId: string; start: string; end: string; epoch: number };

export const intervalKey = (hold: Omit<Hold, 'epoch'>) => ({
  batch_export_id: hold.exportId,
  data_interval_start: hold.start,
  data_interval_end: hold.end,
});

/** The interval's row as long as the epoch is still the newest one. */
export const ours = (hold: Hold) => ({ ...intervalKey(hold), epoch: String(hold.epoch) });

/** @throws Superseded always, naming the run that holds the interval now */
export async function superseded(db: Knex, hold: Hold): Promise<never> {
  const row = await db<{ run_id: string }>('batch_export_intervals').where(intervalKey(hold)).first('run_id');
  throw new Superseded(row ? `superseded by run ${row.run_id}` : 'superseded: the batch export was deleted');
}
