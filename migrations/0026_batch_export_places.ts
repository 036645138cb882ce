/**
 * Places that exports have left and that runs may still need: what such a run wrote must not be taken by another export, and the
 * run goes on with the credentials that it had.
 */
import type { Knex } from '../src/platform/db/connection.ts';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table batch_export_places (
      batch_export_id uuid not null references batch_exports (id) on delete cascade,
      key_space text not null,
      place text not null,
      secrets text,
      integration_id integer references integrations (id) on delete set null,
      left_at timestamptz not null default clock_timestamp(),
      primary key (batch_export_id, key_space)
    );
    create index batch_export_places_integration on batch_export_places (integration_id) where integration_id is not null;
    comment on table batch_export_places is 'places that an export has left, until no run of it needs them any more';
    comment on column batch_export_places.place is 'what the credentials open, as the destination says it';
    comment on column batch_export_places.secrets is 'as they were, sealed by the key ring; the integration, if it still is, has newer ones';

    alter table batch_export_health add column overlapping_since timestamptz;
    comment on column batch_export_health.overlapping_since is 'another export may write the same keys, since before this was checked';
    -- Who is told everything is told this, too.
    update batch_exports set notifications = jsonb_set(notifications, '{on}', (notifications -> 'on') || '["overlapping"]')
      where notifications -> 'on' @> '["failed", "recovered", "paused", "behind_schedule"]';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    update batch_exports set notifications = jsonb_set(notifications, '{on}', (notifications -> 'on') - 'overlapping')
      where notifications is not null;
    alter table batch_export_health drop column overlapping_since;
    drop table batch_export_places;
  `);
}
