/**
 * Batch exports: the exports and the history of their specs and pauses, the ledger (one row per data interval), runs, what
 * runs leave at destinations, requests for runs, and the log that users read.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table batch_exports (
      id uuid primary key,
      project_id integer not null references projects (id) on delete cascade,
      name text not null,
      model text not null,
      destination_type text not null,
      destination_config jsonb not null,
      destination_secrets text,
      key_space text not null,
      "interval" text not null,
      paused boolean not null,
      last_paused_at timestamptz,
      start_at timestamptz,
      end_at timestamptz,
      created_at timestamptz not null default now(),
      last_updated_at timestamptz not null default now(),
      deleted_at timestamptz,
      version bigint not null default 1,
      schedule_version bigint not null default 0,
      schedule_verified_at timestamptz not null default '-infinity',
      settled_until timestamptz not null default '-infinity'
    );
    create index batch_exports_project on batch_exports (project_id, created_at desc) where deleted_at is null;
    create unique index batch_exports_key_space on batch_exports (key_space) where deleted_at is null;
    create index batch_exports_unsynced on batch_exports (id) where schedule_version <> version;
    comment on column batch_exports.destination_secrets is 'sealed by the key ring; the row''s id is additional data';
    comment on column batch_exports.schedule_version is 'the version that Temporal''s schedule was last set to; -1: deleted there too';

    comment on column batch_exports.settled_until is 'no interval that ended before it can be a gap: where the search for gaps begins';

    create table batch_export_specs (
      batch_export_id uuid not null references batch_exports (id) on delete cascade,
      valid_from timestamptz not null,
      "interval" text not null,
      primary key (batch_export_id, valid_from)
    );

    create table batch_export_pauses (
      batch_export_id uuid not null references batch_exports (id) on delete cascade,
      paused_at timestamptz not null,
      unpaused_at timestamptz,
      primary key (batch_export_id, paused_at)
    );

    create table batch_export_runs (
      id uuid primary key,
      project_id integer not null references projects (id) on delete cascade,
      batch_export_id uuid not null references batch_exports (id) on delete cascade,
      data_interval_start timestamptz not null,
      data_interval_end timestamptz not null,
      kind text not null,
      status text not null,
      workflow_id text not null,
      workflow_run_id text not null,
      epoch bigint,
      plan jsonb,
      receipt jsonb,
      records_completed bigint,
      records_total_count bigint,
      bytes_exported bigint,
      latest_error text,
      cursor text,
      closed_by text,
      created_at timestamptz not null default clock_timestamp(),
      finished_at timestamptz,
      last_updated_at timestamptz not null default clock_timestamp(),
      unique (workflow_run_id)
    );
    create index batch_export_runs_newest on batch_export_runs (batch_export_id, created_at desc);
    create index batch_export_runs_interval on batch_export_runs (batch_export_id, data_interval_end, created_at desc);
    create index batch_export_runs_project on batch_export_runs (project_id);
    create index batch_export_runs_open on batch_export_runs (last_updated_at) where status in ('Starting', 'Running');
    comment on column batch_export_runs.closed_by is 'run, api or reconciler: who set the final status';

    create table batch_export_intervals (
      batch_export_id uuid not null references batch_exports (id) on delete cascade,
      data_interval_start timestamptz not null,
      data_interval_end timestamptz not null,
      epoch bigint not null,
      state text not null check (state in ('open', 'committing', 'delivered')),
      run_id uuid not null references batch_export_runs (id) on delete cascade,
      receipt jsonb,
      primary key (batch_export_id, data_interval_start, data_interval_end)
    );
    create index batch_export_intervals_run on batch_export_intervals (run_id);
    create index batch_export_intervals_unsettled on batch_export_intervals (run_id) where state <> 'delivered';
    comment on table batch_export_intervals is 'the ledger: which epoch may write an interval, and what was delivered last';

    create table batch_export_parts (
      run_id uuid not null references batch_export_runs (id) on delete cascade,
      part integer not null,
      staged jsonb not null,
      primary key (run_id, part)
    );

    create table batch_export_artifacts (
      id uuid primary key,
      batch_export_id uuid not null references batch_exports (id) on delete cascade,
      data_interval_start timestamptz not null,
      data_interval_end timestamptz not null,
      epoch bigint not null,
      artifact jsonb not null,
      created_at timestamptz not null default now()
    );
    create index batch_export_artifacts_interval
      on batch_export_artifacts (batch_export_id, data_interval_start, data_interval_end, epoch);
    comment on table batch_export_artifacts is 'open uploads and stage tables at destinations, recorded before they matter';

    create table batch_export_requests (
      id uuid primary key,
      batch_export_id uuid not null references batch_exports (id) on delete cascade,
      data_interval_start timestamptz not null,
      data_interval_end timestamptz not null,
      kind text not null,
      created_at timestamptz not null default clock_timestamp(),
      asked_at timestamptz,
      asked_after text,
      started_directly boolean not null default false,
      closed_at timestamptz,
      run_id uuid references batch_export_runs (id) on delete set null
    );
    create unique index batch_export_requests_open
      on batch_export_requests (batch_export_id, data_interval_start, data_interval_end) where closed_at is null;
    create index batch_export_requests_oldest
      on batch_export_requests (batch_export_id, created_at, data_interval_end) where closed_at is null;
    create index batch_export_requests_run on batch_export_requests (run_id);
    comment on column batch_export_requests.asked_after is 'run id of the newest execution when the schedule was asked: a newer one is ours';

    create table batch_export_backfills (
      id uuid primary key,
      project_id integer not null references projects (id) on delete cascade,
      batch_export_id uuid not null references batch_exports (id) on delete cascade,
      kind text not null,
      start_at timestamptz not null,
      end_at timestamptz not null,
      cancelled_at timestamptz,
      created_at timestamptz not null default clock_timestamp()
    );
    create index batch_export_backfills_newest on batch_export_backfills (batch_export_id, created_at desc);
    create index batch_export_backfills_project on batch_export_backfills (project_id);

    create table batch_export_backfill_requests (
      backfill_id uuid not null references batch_export_backfills (id) on delete cascade,
      request_id uuid not null references batch_export_requests (id) on delete cascade,
      primary key (backfill_id, request_id)
    );
    create index batch_export_backfill_requests_request on batch_export_backfill_requests (request_id);

    create table batch_export_logs (
      id bigint generated always as identity primary key,
      batch_export_id uuid not null references batch_exports (id) on delete cascade,
      run_id uuid references batch_export_runs (id) on delete cascade,
      "timestamp" timestamptz not null default clock_timestamp(),
      level text not null,
      message text not null
    );
    create index batch_export_logs_newest on batch_export_logs (batch_export_id, "timestamp" desc, id desc);
    create index batch_export_logs_run on batch_export_logs (run_id, "timestamp" desc, id desc);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop table batch_export_logs, batch_export_backfill_requests, batch_export_backfills, batch_export_requests,
      batch_export_artifacts, batch_export_parts, batch_export_intervals, batch_export_runs, batch_export_pauses,
      batch_export_specs, batch_exports
  `);
}
