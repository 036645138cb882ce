/**
 * Files that left the manifest of their data interval, or that a commit which broke off had made visible: readers of the manifest
 * before still have them, so they are deleted later. Old processes neither read nor write the table; what their deliveries replace
 * stays at the destination.
 */
import type { Knex } from '../src/platform/db/connection.ts';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table superseded_files (
      batch_export_id uuid not null references batch_exports (id) on delete cascade,
      data_interval_start timestamptz not null,
      data_interval_end timestamptz not null,
      key text not null,
      run_id uuid not null references batch_export_runs (id) on delete cascade,
      epoch bigint not null,
      recorded_at timestamptz not null default clock_timestamp(),
      left_at timestamptz,
      failing_since timestamptz,
      retry_at timestamptz,
      primary key (batch_export_id, data_interval_start, data_interval_end, key)
    );
    create index superseded_files_left_at on superseded_files (left_at) where left_at is not null;
    create index superseded_files_run on superseded_files (run_id);
    comment on table superseded_files is 'files with versioned names that no manifest names any more, until they are deleted';
    comment on column superseded_files.run_id is 'the run that recorded it: its plan says where the file is';
    comment on column superseded_files.left_at is 'since when the interval is delivered without it; null: the commit that leaves it out has not ended';
    comment on column superseded_files.failing_since is 'since when deleting it fails';
    comment on column superseded_files.retry_at is 'when deleting it is tried again';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table superseded_files');
}
