/** Remainders of erasures that people have dealt with themselves. */
import type { Knex } from '../../platform/db/connection.ts';
import { InvalidInput, NotFound } from '../../platform/errors.ts';
import type { Visible } from '../../platform/http/access.ts';
import { seesAll, whereVisible } from '../../people/access/visible.store.ts';

/** Remainders of one batch export, whose data intervals begin and end within the bounds. ISO instants; null for no bound. */
export type HandledRemainder = { batchExportId: string; from: string | null; to: string | null };

export function remainderStore(db: Knex) {
  return {
    /**
     * Records that somebody has removed what remained, and ends the erasure as `done` if nothing else remains. Call it in a transaction.
     * @param visible the exports that the caller sees
     * @returns the number of deliveries @throws NotFound; InvalidInput when nothing remains there
     */
    async markHandled(
      projectId: number,
      id: string,
      { batchExportId, from, to }: HandledRemainder,
      visible: Visible,
    ): Promise<number> {
      const { rowCount } = await db.raw<{ rowCount: number }>(
        'select from erasures where project_id = ? and id = ? for update',
        [projectId, id],
      );
      if (rowCount === 0) throw new NotFound();
      const handled = db('erased_deliveries')
        .where({ erasure_id: id, batch_export_id: batchExportId })
        .whereIn('state', ['remainder', 'not_searched']);
      if (from !== null) void handled.where('data_interval_start', '>=', from);
      if (to !== null) void handled.where('data_interval_end', '<=', to);
      if (!seesAll(visible))
        void handled.whereIn('batch_export_id', whereVisible(db('batch_exports').select('id'), visible));
      const count = await handled.update({ state: 'handled', handled_at: db.raw('clock_timestamp()') });
      if (count === 0)
        throw new InvalidInput(
          'The erasure has no remainder of this batch export within these bounds. See its deliveries.',
          'batch_export_id',
        );
      await db.raw(
        `update erasures set state = 'done', next_check_at = null, person_ids = '{}', distinct_ids = '{}'
         where id = ? and state = 'done_with_remainder' and not exists (
           select from erased_deliveries where erasure_id = erasures.id and state not in ('clean', 'handled'))`,
        [id],
      );
      return count;
    },
  };
}
