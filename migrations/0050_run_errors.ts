/** What ended a run, or keeps it, for programs: a code, who can mend it, with which field, and when it is tried again. */
import type { Knex } from '../src/platform/db/connection.ts';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table batch_export_runs
      add column error_code text,
      add column error_owner text,
      add column error_field text,
      add column next_try_at timestamptz,
      add column verified_at timestamptz;
    comment on column batch_export_runs.error_code is 'null: no error, or one of a version that kept no codes';
    comment on column batch_export_runs.error_owner is 'you, destination or sluice: who can mend it';
    comment on column batch_export_runs.error_field is 'the field of the export that mends it, as attr of an answer names it; never a value';
    comment on column batch_export_runs.next_try_at is 'of an open run its next attempt, of one that ended the next run of its interval; null: nothing tries it by itself';
    comment on column batch_export_runs.verified_at is 'when the destination was read back, and held what was delivered';
    create index batch_export_runs_troubled on batch_export_runs (batch_export_id, created_at desc)
      where status in ('Starting', 'Running', 'Failed', 'FailedRetryable', 'Terminated', 'TimedOut');
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop index batch_export_runs_troubled;
    alter table batch_export_runs drop column error_code, drop column error_owner, drop column error_field, drop column next_try_at,
      drop column verified_at;
  `);
}
