/** Lines of a run's log say which attempt wrote them. */
import type { Knex } from '../src/platform/db/connection.ts';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table batch_export_logs add column attempt integer;
    comment on column batch_export_logs.attempt is 'of the activity that wrote the line, from 1; null: no attempt did, or it is not known';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table batch_export_logs drop column attempt');
}
