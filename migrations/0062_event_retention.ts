/** For how long events are kept, the instant before which they may be gone, and exports that still need events that are about to expire. */
import type { Knex } from '../src/platform/db/connection.ts';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table projects add column event_retention_days int check (event_retention_days = 0 or event_retention_days >= 7);
    comment on column projects.event_retention_days is 'null: as the installation says; 0: for ever';

    create table event_retention (
      project_id int primary key references projects on delete cascade,
      retained_from timestamptz not null,
      moved_at timestamptz not null default clock_timestamp(),
      checked_at timestamptz not null default clock_timestamp(),
      deleted_until timestamptz not null default '-infinity'
    );
    comment on table event_retention is 'projects whose old events are hidden and deleted';
    comment on column event_retention.retained_from is 'events with an earlier interval_time are hidden; committed before any of them is deleted, and never moved back';
    comment on column event_retention.moved_at is 'when retained_from was changed last';
    comment on column event_retention.checked_at is 'when it was decided last whether retained_from can be moved';
    comment on column event_retention.deleted_until is 'events with an earlier interval_time are deleted';

    create index import_ranges_end on import_ranges (project_id, range_to);

    alter table batch_export_health add column expiring_since timestamptz;
    comment on column batch_export_health.expiring_since is 'since when the deletion of events waits for data intervals of the export';
    -- Who is told everything is told this, too.
    update batch_exports set notifications = jsonb_set(notifications, '{on}', (notifications -> 'on') || '["source_expiring"]')
      where notifications -> 'on' @> '["failed", "recovered", "paused", "behind_schedule", "gave_up", "stale", "overlapping",
        "schedule_changed", "keeping_files"]';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    update batch_exports set notifications = jsonb_set(notifications, '{on}', (notifications -> 'on') - 'source_expiring')
      where notifications is not null;
    alter table batch_export_health drop column expiring_since;
    drop index import_ranges_end;
    drop table event_retention;
    alter table projects drop column event_retention_days;
  `);
}
