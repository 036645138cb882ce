/** Why runs failed, for programs: what waits for an operator's decision must not pause an export. */
import type { Knex } from '../src/platform/db/connection.ts';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table batch_export_runs add column error_type text;
    comment on column batch_export_runs.error_type is 'class of the error that a run ended with by itself; null: it ended otherwise, or before this was kept';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table batch_export_runs drop column error_type');
}
