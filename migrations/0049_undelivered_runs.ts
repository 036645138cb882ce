/** Runs that did not deliver, by data interval: few among many, and what the map of an export's intervals looks for. */
import type { Knex } from '../src/platform/db/connection.ts';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create index batch_export_runs_undelivered on batch_export_runs (batch_export_id, data_interval_end, created_at desc)
      where status <> 'Completed'`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop index batch_export_runs_undelivered');
}
