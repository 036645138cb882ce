/** Pauses say who began them, why, and when they end by themselves. */
import type { Knex } from '../src/platform/db/connection.ts';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table batch_export_pauses
      add column paused_by text check (paused_by in ('user', 'project_key', 'sluice', 'temporal')),
      add column paused_by_user integer references users on delete set null,
      add column reason text,
      add column resume_at timestamptz;
    comment on column batch_export_pauses.paused_by is 'null: paused before this was kept';
    comment on column batch_export_pauses.resume_at is 'when the reconciler ends the pause; null: somebody does';
    create index batch_export_pauses_resume on batch_export_pauses (resume_at) where unpaused_at is null and resume_at is not null;
    create index batch_export_pauses_user on batch_export_pauses (paused_by_user) where paused_by_user is not null;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table batch_export_pauses
      drop column paused_by, drop column paused_by_user, drop column reason, drop column resume_at;
  `);
}
