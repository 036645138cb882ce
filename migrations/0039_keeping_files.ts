/** Exports whose destination permits no deletes: they keep every file, and their owners are told once. */
import type { Knex } from '../src/platform/db/connection.ts';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table batch_export_health add column keeping_files_since timestamptz;
    comment on column batch_export_health.keeping_files_since is 'since when the destination permits no deletes; a change of the destination ends it';
    -- Who is told everything is told this, too.
    update batch_exports set notifications = jsonb_set(notifications, '{on}', (notifications -> 'on') || '["keeping_files"]')
      where notifications -> 'on' @> '["failed", "recovered", "paused", "behind_schedule", "gave_up", "stale", "overlapping"]';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    update batch_exports set notifications = jsonb_set(notifications, '{on}', (notifications -> 'on') - 'keeping_files')
      where notifications is not null;
    alter table batch_export_health drop column keeping_files_since;
  `);
}
