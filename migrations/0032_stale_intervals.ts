/** Stale intervals: how far imports were looked at, whether they are delivered again by themselves, and notices of them. */
import type { Knex } from '../src/platform/db/connection.ts';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table batch_exports add column redeliver_stale boolean not null default false;
    alter table batch_export_health add column imports_seen_until timestamptz;
    comment on column batch_export_health.imports_seen_until is 'later imports may have made intervals stale; null: since it was created';
    -- Exports that asked for every kind of notice, or never said which, get the new kinds as well.
    update batch_exports set notifications = jsonb_set(notifications, '{on}', notifications -> 'on' || '["gave_up", "stale"]')
    where notifications -> 'on' @> '["failed", "recovered", "paused", "behind_schedule"]'
      and not notifications -> 'on' @> '["stale"]';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table batch_export_health drop column imports_seen_until;
    alter table batch_exports drop column redeliver_stale;
  `);
}
