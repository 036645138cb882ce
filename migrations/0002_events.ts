/**
 * Where events live, the seal that says up to which instant no event can appear any more, and the guards around both.
 *
 * `events` and `event_ids` have no foreign key to `projects`: it would cost a row trigger for every event stored.
 */
import type { Knex } from '../src/platform/db/connection.ts';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(EVENTS);
  await knex.raw(SEAL);
  await knex.raw(GUARD);
  await knex.raw(PARTITIONS);
  await knex.raw(INGEST);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop table events, event_ids, import_ranges, seal;
    drop function claim_events, make_event_partitions, check_ingest_now, ingest_now, wall_clock;
  `);
}

const EVENTS = `
  create table events (
    project_id int not null,
    uuid uuid not null,
    event text not null,
    distinct_id text not null,
    person_id uuid not null,
    properties jsonb not null,
    person_properties jsonb not null,
    elements_chain text not null,
    "timestamp" timestamptz not null,
    created_at timestamptz not null,
    inserted_at timestamptz not null,
    interval_time timestamptz not null,
    row_bytes int not null,
    check (interval_time <= inserted_at)
  ) partition by range (interval_time);
  comment on column events."timestamp" is 'when it happened, as the client says';
  comment on column events.created_at is 'when the API received it';
  comment on column events.inserted_at is 'when it was stored, from ingest_now()';
  comment on column events.interval_time is 'places the event in a data interval: inserted_at, or least(timestamp, inserted_at) for historical imports';
  comment on column events.row_bytes is 'length of its JSON line, written compactly';

  -- Counting an interval and choosing its parts reads this index alone.
  create index events_interval on events (project_id, interval_time, uuid) include (inserted_at, row_bytes);

  -- A unique key on events would have to contain interval_time, which differs when a client sends an event again.
  create table event_ids (
    project_id int not null,
    uuid uuid not null,
    primary key (project_id, uuid)
  ) partition by hash (uuid);
  do $$ begin
    for remainder in 0..7 loop
      execute format('create table event_ids_%s partition of event_ids for values with (modulus 8, remainder %s)',
        remainder, remainder);
    end loop;
  end $$;

  -- One row for each transaction that stored historical events: the half-open range of their interval_time.
  create table import_ranges (
    project_id int not null,
    range_from timestamptz not null,
    range_to timestamptz not null,
    inserted_at timestamptz not null,
    check (range_from < range_to)
  );
  create index import_ranges_project on import_ranges (project_id, inserted_at);
`;

const SEAL = `
  create table seal (
    id int primary key check (id = 1),
    sealing_until timestamptz not null,
    sealed_until timestamptz not null
  );
  comment on column seal.sealing_until is 'no transaction that reads this takes an earlier inserted_at';
  comment on column seal.sealed_until is 'no event with an earlier inserted_at can appear any more';
  insert into seal select 1, now, now from clock_timestamp() as now;

  -- The one clock of events and seals, a function so that a test can make it step.
  create function wall_clock() returns timestamptz language sql volatile as 'select clock_timestamp()';

  -- The inserted_at of every event of this transaction. The lock is taken first and the watermark read by a later statement
  -- with a snapshot of its own: whoever reads the watermark of before a seal is seen by that seal as a holder of the lock.
  create function ingest_now() returns timestamptz language plpgsql volatile as $$
  declare
    given text := nullif(current_setting('sluice.ingest_now', true), '');
    instant timestamptz;
  begin
    if current_setting('transaction_isolation') <> 'read committed' then
      raise exception 'ingest_now() needs isolation level read committed' using errcode = 'invalid_transaction_state';
    end if;
    perform pg_advisory_xact_lock_shared(7316002);
    if given is not null then
      return given;
    end if;
    select greatest(wall_clock(), sealing_until) into strict instant from seal where id = 1;
    perform set_config('sluice.ingest_now', instant::text, true);
    return instant;
  end $$;
`;

const GUARD = `
  create function check_ingest_now() returns trigger language plpgsql as $$
  declare
    given timestamptz := nullif(current_setting('sluice.ingest_now', true), '');
  begin
    if exists (select from stored where inserted_at is distinct from given) then
      raise exception 'events are stored with the inserted_at that ingest_now() gives their transaction'
        using errcode = 'raise_exception';
    end if;
    return null;
  end $$;
  create trigger check_ingest_now after insert on events
    referencing new table as stored for each statement execute function check_ingest_now();
`;

/** A statement on a partition does not fire its parent's statement triggers: each partition carries the guard too. */
const PARTITIONS = `
  create table events_history (like events including all);

  -- Makes the months that are missing between the newest one and three months from now; returns their names. Attaching,
  -- unlike CREATE TABLE ... PARTITION OF, does not make writers wait.
  create function make_event_partitions() returns setof text language plpgsql volatile as $$
  declare
    this_month date := date_trunc('month', wall_clock() at time zone 'UTC');
    month date;
    name text;
  begin
    perform pg_advisory_xact_lock(7316004);
    select max(to_date(substring(relname from '^events_(\\d{4}_\\d{2})$'), 'YYYY_MM')) + interval '1 month' into month
      from pg_inherits join pg_class on pg_class.oid = inhrelid where inhparent = 'events'::regclass;
    if month is null then
      month := this_month - interval '24 months';
      execute format('alter table events attach partition events_history for values from (minvalue) to (%L)',
        month || ' 00:00:00+00');
    end if;
    while month <= this_month + interval '3 months' loop
      name := to_char(month, '"events_"YYYY_MM');
      execute format('create table %I (like events including all)', name);
      execute format('create trigger check_ingest_now after insert on %I
        referencing new table as stored for each statement execute function check_ingest_now()', name);
      execute format('alter table events attach partition %I for values from (%L) to (%L)',
        name, month || ' 00:00:00+00', (month + interval '1 month')::date || ' 00:00:00+00');
      return next name;
      month := month + interval '1 month';
    end loop;
  end $$;

  create trigger check_ingest_now after insert on events_history
    referencing new table as stored for each statement execute function check_ingest_now();
  select make_event_partitions();
`;

export const INGEST = `
  -- Everything of the ingest transaction that comes before the rows themselves, in one round trip, in the order that keeps
  -- the seal's lock short: the project's lock, the claims (sorted by the caller, or two callers deadlock), the instant, the range
  -- of historical events [range_from, range_to] (null: there are none). claimed is null when all ids were new.
  create function claim_events(
    project int, ids uuid[], range_from timestamptz, range_to timestamptz, out stored_at timestamptz, out claimed uuid[]
  ) language plpgsql volatile as $$
  begin
    perform pg_advisory_xact_lock_shared(7316003, project);
    with fresh as (
      insert into event_ids (project_id, uuid) select project, id from unnest(ids) as id on conflict do nothing returning uuid
    )
    select array_agg(uuid) into claimed from fresh;
    stored_at := ingest_now();
    if claimed is null then
      claimed := '{}';
      return;
    end if;
    if range_from is not null then
      insert into import_ranges values (
        project, least(range_from, stored_at), least(range_to, stored_at) + interval '1 microsecond', stored_at);
    end if;
    if cardinality(claimed) = cardinality(ids) then
      claimed := null;
    end if;
  end $$;
`;
