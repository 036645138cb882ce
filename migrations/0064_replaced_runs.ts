/** Backfills that replace runs: the dispatcher ends these runs, so that their data intervals are delivered with the present settings. */
import type { Knex } from '../src/platform/db/connection.ts';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table batch_export_backfills add column replaces uuid[] not null default '{}';
    comment on column batch_export_backfills.replaces is 'runs in progress that are ended, because the backfill delivers their intervals anew';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table batch_export_backfills drop column replaces');
}
