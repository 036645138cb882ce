/** Clocks and indexes by which rows that nothing needs any more are found, the oldest first. */
import type { Knex } from '../src/platform/db/connection.ts';

export async function up(knex: Knex): Promise<void> {
  // Parts that are there already count as staged now: the default of an added column is computed once, so no row is written.
  await knex.raw(`
    alter table batch_export_parts add column staged_at timestamptz not null default now();
    alter table batch_export_plan_parts add column planned_at timestamptz not null default now();
    create index batch_export_parts_staged on batch_export_parts (staged_at);
    create index batch_export_plan_parts_planned on batch_export_plan_parts (planned_at);
    create index batch_export_attempts_started on batch_export_attempts (started_at);
    create index batch_export_requests_closed on batch_export_requests (closed_at) where closed_at is not null;

    create table retention_positions (
      table_name text primary key,
      owner uuid not null,
      clock timestamptz not null,
      row_id uuid not null
    );
    comment on table retention_positions is 'how far a table was looked through whose old rows mostly stay; no row: from its beginning';
    comment on column retention_positions.owner is 'the batch export of the last row that was looked at';
    comment on column retention_positions.clock is 'when that row ended';
    comment on column retention_positions.row_id is 'its id: others may have ended at the same instant';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop table retention_positions;
    drop index batch_export_requests_closed, batch_export_attempts_started;
    alter table batch_export_plan_parts drop column planned_at;
    alter table batch_export_parts drop column staged_at;
  `);
}
