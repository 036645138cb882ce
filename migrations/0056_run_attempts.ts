/** Attempts of a run's steps, and how far the parts are that move just now: for people who look at the run meanwhile. */
import type { Knex } from '../src/platform/db/connection.ts';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table batch_export_attempts (
      run_id uuid not null references batch_export_runs (id) on delete cascade,
      attempt integer not null,
      step text not null,
      started_at timestamptz not null default clock_timestamp(),
      finished_at timestamptz,
      under_way integer not null default 1,
      error_code text,
      error_owner text,
      error_field text,
      error_detail text,
      next_try_at timestamptz,
      primary key (run_id, attempt, step)
    );
    comment on column batch_export_attempts.attempt is 'of the activity, from 1';
    comment on column batch_export_attempts.step is 'plan, stage, commit or verify';
    comment on column batch_export_attempts.finished_at is 'null: under way, or cut off';
    comment on column batch_export_attempts.under_way is 'activities of the step that have not ended: parts are staged several at once';

    create table batch_export_progress (
      run_id uuid not null references batch_export_runs (id) on delete cascade,
      part integer not null,
      rows bigint not null,
      bytes bigint not null,
      updated_at timestamptz not null default clock_timestamp(),
      primary key (run_id, part)
    );
    comment on table batch_export_progress is 'parts that move, of open runs; parts that are staged are in batch_export_parts';
    comment on column batch_export_progress.bytes is 'before compression';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table batch_export_progress, batch_export_attempts');
}
