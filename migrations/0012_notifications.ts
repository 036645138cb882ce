/**
 * How a batch export is doing, and who is told: why it is paused, how far it has delivered, since when it fails or is late, and
 * the notifications that are still to be delivered.
 */
import type { Knex } from '../src/platform/db/connection.ts';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table batch_exports
      add column paused_reason text,
      add column freshness_target_seconds integer,
      add column notifications jsonb,
      add column notification_secret text;
    comment on column batch_exports.paused_reason is 'why it paused by itself; null when a person paused it';
    comment on column batch_exports.notification_secret is 'of the webhook, sealed by the key ring; the row''s id is additional data';

    create table batch_export_health (
      batch_export_id uuid primary key references batch_exports (id) on delete cascade,
      complete_until timestamptz,
      failing_since timestamptz,
      behind_since timestamptz
    );
    comment on table batch_export_health is 'apart from batch_exports, whose rows are locked while their schedules are set';
    comment on column batch_export_health.complete_until is 'as of the last look: where the next one begins';

    create table notifications (
      id uuid primary key,
      project_id integer not null references projects (id) on delete cascade,
      batch_export_id uuid not null references batch_exports (id) on delete cascade,
      channel text not null check (channel in ('webhook', 'mail')),
      kind text not null,
      content jsonb not null,
      created_at timestamptz not null default clock_timestamp(),
      attempts integer not null default 0,
      due_at timestamptz not null default clock_timestamp(),
      closed_at timestamptz,
      delivered boolean not null default false
    );
    create index notifications_due on notifications (due_at) where closed_at is null;
    create index notifications_export on notifications (batch_export_id, channel, closed_at);
    create index notifications_project on notifications (project_id);
    create index notifications_closed on notifications (closed_at);
    comment on table notifications is 'the outbox: written with what they tell of, delivered at least once';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop table notifications, batch_export_health;
    alter table batch_exports
      drop column paused_reason,
      drop column freshness_target_seconds,
      drop column notifications,
      drop column notification_secret;
  `);
}
