/**
 * Backfills of any size: what a backfill wants is stored with its header, and its requests are written slice by slice. Requests
 * take a place among those under way before they are asked for, so that an export and a project have a bounded number.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table batch_exports
      add column max_concurrent_runs integer not null default 10 check (max_concurrent_runs between 1 and 100);
    comment on column batch_exports.max_concurrent_runs is 'of the runs that were requested; scheduled runs do not wait';

    alter table batch_export_requests add column claimed_at timestamptz;
    comment on column batch_export_requests.claimed_at is 'since when it has a place among the runs under way; null: it waits for one';
    update batch_export_requests set claimed_at = asked_at where closed_at is null and asked_at is not null;
    drop index batch_export_requests_oldest;
    create index batch_export_requests_waiting
      on batch_export_requests (batch_export_id, (kind <> 'retry'), created_at, data_interval_end)
      where closed_at is null and claimed_at is null;
    create index batch_export_requests_claimed
      on batch_export_requests (batch_export_id) where closed_at is null and claimed_at is not null;

    alter table batch_export_backfills
      add column wanted tstzmultirange not null default '{}',
      add column total_runs bigint not null default 0,
      add column planned_until timestamptz,
      add column finished_at timestamptz,
      add column finished_runs bigint not null default 0,
      add column failed_runs bigint not null default 0,
      add column total_records bigint;
    comment on column batch_export_backfills.wanted is 'the data intervals that it delivers, neighbours joined';
    comment on column batch_export_backfills.planned_until is 'requests are written of intervals that end until then; null: of all';
    comment on column batch_export_backfills.finished_at is 'once set, what comes after it says how it ended; until then requests are counted';
    update batch_export_backfills as backfill set
      wanted = case when start_at < end_at then tstzmultirange(tstzrange(start_at, end_at)) else '{}' end,
      total_runs = (select count(*) from batch_export_backfill_requests where backfill_id = backfill.id),
      finished_at = cancelled_at;
    create index batch_export_backfills_live on batch_export_backfills (batch_export_id) where finished_at is null;

    alter table batch_export_runs
      add column backfill_id uuid references batch_export_backfills (id) on delete set null;
    create index batch_export_runs_backfill on batch_export_runs (backfill_id) where backfill_id is not null;
    create index batch_export_runs_start on batch_export_runs (batch_export_id, data_interval_start, id);
    create index batch_export_runs_finished on batch_export_runs (batch_export_id, finished_at) where finished_at is not null;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop index batch_export_runs_finished, batch_export_runs_start, batch_export_runs_backfill;
    alter table batch_export_runs drop column backfill_id;
    drop index batch_export_backfills_live;
    alter table batch_export_backfills drop column wanted, drop column total_runs, drop column planned_until,
      drop column finished_at, drop column finished_runs, drop column failed_runs, drop column total_records;
    drop index batch_export_requests_claimed, batch_export_requests_waiting;
    create index batch_export_requests_oldest
      on batch_export_requests (batch_export_id, created_at, data_interval_end) where closed_at is null;
    alter table batch_export_requests drop column claimed_at;
    alter table batch_exports drop column max_concurrent_runs;
  `);
}
