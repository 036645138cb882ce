/**
 * Erasures: requests to delete persons together with their events, and the deliveries that held their rows. The ids of the persons are
 * forgotten when the erasure has ended.
 */
import type { Knex } from '../src/platform/db/connection.ts';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table erasures (
      id uuid primary key,
      project_id int not null references projects on delete cascade,
      created_at timestamptz not null default clock_timestamp(),
      stored_before timestamptz not null,
      state text not null default 'pending' check (state in ('pending', 'deleting', 'redelivering', 'done', 'done_with_remainder')),
      persons int not null,
      person_ids uuid[] not null,
      distinct_ids text[] not null,
      searched_time timestamptz not null default '-infinity',
      searched_uuid uuid not null default '00000000-0000-0000-0000-000000000000',
      events_deleted bigint not null default 0,
      person_versions_deleted bigint not null default 0,
      rows_deleted_at timestamptz,
      finished_at timestamptz,
      next_check_at timestamptz
    );
    comment on table erasures is 'persons to be deleted together with their events';
    comment on column erasures.stored_before is 'rows of the persons that were stored later are new data, and stay';
    comment on column erasures.person_ids is 'empty once the erasure has ended';
    comment on column erasures.distinct_ids is 'empty once the erasure has ended';
    comment on column erasures.searched_time is 'with searched_uuid: position up to which events are searched and deleted';
    comment on column erasures.rows_deleted_at is 'a run that began later has read none of the rows';
    comment on column erasures.next_check_at is 'of an ended one: when deliveries are checked again; null: none of them can change';
    create index erasures_project on erasures (project_id, created_at, id);
    create index erasures_open on erasures (project_id) where finished_at is null;
    create index erasures_to_check on erasures (next_check_at) where next_check_at is not null;

    create table erased_deliveries (
      erasure_id uuid not null references erasures on delete cascade,
      batch_export_id uuid not null references batch_exports on delete cascade,
      data_interval_start timestamptz not null,
      data_interval_end timestamptz not null,
      rows bigint not null,
      state text not null default 'held' check (state in ('held', 'clean', 'remainder', 'not_searched')),
      reason text,
      kept_until timestamptz,
      run_id uuid,
      requests int not null default 0,
      requested_at timestamptz,
      checked_at timestamptz not null default '-infinity',
      primary key (erasure_id, batch_export_id, data_interval_start, data_interval_end)
    );
    comment on table erased_deliveries is 'data intervals whose deliveries may hold rows of an erasure';
    comment on column erased_deliveries.rows is 'rows of the persons that the interval had at the source; of sessions, at most; 0 where it was not searched';
    comment on column erased_deliveries.state is 'clean: delivered without the rows since; not_searched: a range of intervals whose source had expired';
    comment on column erased_deliveries.reason is 'why rows remain';
    comment on column erased_deliveries.kept_until is 'when the remaining rows are deleted, if it is known';
    comment on column erased_deliveries.run_id is 'the run that delivered the rows';
    comment on column erased_deliveries.requests is 'how often a re-delivery was requested';
    create index erased_deliveries_interval on erased_deliveries (batch_export_id, data_interval_start, data_interval_end);
    create index erased_deliveries_unchecked on erased_deliveries (erasure_id, checked_at, data_interval_end) where state in ('held', 'remainder')
      and (reason is null or reason not in ('append_destination', 'earlier_place', 'export_deleted', 'merged_table', 'source_expired'));
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table erased_deliveries; drop table erasures');
}
