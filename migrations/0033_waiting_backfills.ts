/** Backfills that wait until their project may have one more at once. */
import type { Knex } from '../src/platform/db/connection.ts';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table batch_export_backfills add column waits boolean not null default false;
    comment on column batch_export_backfills.waits is 'taken beyond the limit of its project: its requests are written when there is a place';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table batch_export_backfills drop column waits');
}
