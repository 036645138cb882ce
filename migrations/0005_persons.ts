/**
 * Persons and groups, changed by the ingest transaction together with the events that change them.
 *
 * Like `events`, none of the tables that every event looks at has a foreign key to `projects`.
 */
import type { Knex } from '../src/db/connection.ts';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(PERSONS);
  await knex.raw(GROUPS);
  await knex.raw('drop function claim_events');
  await knex.raw(INGEST);
  await knex.raw(DELETION);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop function delete_persons, change_persons, change_groups, stamp_events, lock_persons, persons_of, claim_events,
      ensure_group_types;
    drop table feature_flag_hash_key_overrides, groups, group_types, person_versions, person_distinct_ids, persons;
    drop function check_person_versions;
  `);
  await knex.raw(FORMER_INGEST);
}

const PERSONS = `
  create table persons (
    project_id int not null,
    id uuid not null,
    properties jsonb not null,
    is_identified boolean not null,
    created_at timestamptz not null,
    primary key (project_id, id)
  );
  comment on column persons.created_at is 'when its first event happened';
  create index persons_newest on persons (project_id, created_at, id);

  -- A row outlives its person, so that the version never goes back.
  create table person_distinct_ids (
    project_id int not null,
    distinct_id text not null,
    person_id uuid,
    version bigint not null,
    interval_time timestamptz not null,
    primary key (project_id, distinct_id)
  );
  comment on column person_distinct_ids.person_id is 'null: its person was deleted';
  comment on column person_distinct_ids.version is 'of its newest row in person_versions; 0: there is none';
  comment on column person_distinct_ids.interval_time is 'of its newest row in person_versions';
  create index person_distinct_ids_person on person_distinct_ids (project_id, person_id) where person_id is not null;

  -- What exports read: a row for each distinct id of a person whenever the person changed. Only ever appended to.
  create table person_versions (
    project_id int not null,
    distinct_id text not null,
    version bigint not null,
    person_id uuid not null,
    properties jsonb not null,
    is_identified boolean not null,
    created_at timestamptz not null,
    is_deleted boolean not null,
    interval_time timestamptz not null,
    primary key (project_id, distinct_id, version)
  );
  comment on column person_versions.interval_time is 'places the row in a data interval: when it was stored, never before the version before';
  create index person_versions_interval on person_versions (project_id, interval_time, distinct_id, version);

  create function check_person_versions() returns trigger language plpgsql as $$
  declare
    given timestamptz := nullif(current_setting('sluice.ingest_now', true), '');
  begin
    if given is null or exists (select from stored where interval_time < given) then
      raise exception 'versions of persons are stored with the instant that ingest_now() gives their transaction'
        using errcode = 'raise_exception';
    end if;
    return null;
  end $$;
  create trigger check_person_versions after insert on person_versions
    referencing new table as stored for each statement execute function check_person_versions();

  -- Which hash decides a flag for a person that was first seen under another distinct id.
  create table feature_flag_hash_key_overrides (
    project_id int not null,
    person_id uuid not null,
    feature_flag_key text not null,
    hash_key text not null,
    primary key (project_id, person_id, feature_flag_key),
    foreign key (project_id, person_id) references persons on delete cascade
  );
`;

const GROUPS = `
  create table group_types (
    project_id int not null references projects on delete cascade,
    group_type_index smallint not null check (group_type_index between 0 and 4),
    group_type text not null,
    primary key (project_id, group_type_index),
    unique (project_id, group_type)
  );

  create table groups (
    project_id int not null,
    group_type_index smallint not null,
    group_key text not null,
    properties jsonb not null,
    created_at timestamptz not null,
    version bigint not null,
    primary key (project_id, group_type_index, group_key)
  );

  -- Gives these types an index each while there is one left; returns all types of the project. A type keeps its index for good.
  create function ensure_group_types(project int, names text[])
    returns table (group_type_index smallint, group_type text) language plpgsql volatile as $$
  begin
    perform pg_advisory_xact_lock(7316006, project);
    insert into group_types
      select project, (taken.number + row_number() over (order by fresh.position) - 1)::smallint, fresh.name
      from (select count(*) as number from group_types where project_id = project) as taken,
        (select name, min(position) as position from unnest(names) with ordinality as given (name, position)
          where not exists (select from group_types as known where known.project_id = project and known.group_type = name)
          group by name order by 2) as fresh
      order by fresh.position
      limit 5 - (select count(*) from group_types where project_id = project);
    return query select known.group_type_index, known.group_type from group_types as known where project_id = project;
  end $$;
`;

/**
 * The steps of the ingest transaction, each a function so that a session plans its statements once. Small tables make hash and
 * merge joins look good, and a session would keep such a plan when the tables have grown: hence the settings. Tables that nobody
 * has analyzed yet make any order look good, which takes minutes where it should take a moment: hence `lateral` with a limit or
 * offset, and `on conflict`, which leave the planner no way but the key.
 */
const INGEST = `
  -- Claims ids (sorted by the caller, or two callers deadlock); returns those that were new, null when all were. Transactions that
  -- merge persons of a project are alone in it.
  create function claim_events(project int, merges boolean, ids uuid[]) returns uuid[] language plpgsql volatile as $$
  declare
    claimed uuid[];
  begin
    if merges then
      perform pg_advisory_xact_lock(7316003, project);
    else
      perform pg_advisory_xact_lock_shared(7316003, project);
    end if;
    with fresh as (
      insert into event_ids (project_id, uuid) select project, id from unnest(ids) as id on conflict do nothing returning uuid
    )
    select array_agg(uuid) into claimed from fresh;
    return case when cardinality(claimed) = cardinality(ids) then null else coalesce(claimed, '{}') end;
  end $$;

  -- The persons that these distinct ids have; created_at in microseconds since 2000.
  create function persons_of(project int, distinct_ids text[])
    returns table (distinct_id text, person_id uuid, properties jsonb, is_identified boolean, created_at bigint)
    language plpgsql volatile set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off as $$
  begin
    return query
      select wanted.distinct_id, found.id, found.properties, found.is_identified,
        (extract(epoch from found.created_at - '2000-01-01Z'::timestamptz) * 1000000)::bigint
      from unnest(distinct_ids) as wanted (distinct_id)
        cross join lateral (select known.person_id from person_distinct_ids as known
          where known.project_id = project and known.distinct_id = wanted.distinct_id limit 1) as known
        cross join lateral (select persons.id, persons.properties, persons.is_identified, persons.created_at from persons
          where persons.project_id = project and persons.id = known.person_id limit 1) as found;
  end $$;

  -- Before anything is decided: holds the distinct ids that have no person (sorted by the caller), so that nobody else gives them
  -- one, then the persons in the order of their ids. No two callers can wait for each other: who changes a distinct id
  -- that has a person holds that person.
  create function lock_persons(project int, without_person text[], person_ids uuid[]) returns void
    language plpgsql volatile set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off as $$
  declare
    mine text[];
  begin
    with made as (
      insert into person_distinct_ids as known (project_id, distinct_id, version, interval_time)
        select project, id, 0, '-infinity' from unnest(without_person) as id on conflict do nothing returning known.distinct_id
    )
    select coalesce(array_agg(made.distinct_id), '{}') into mine from made;
    if cardinality(mine) < cardinality(without_person) then
      perform from person_distinct_ids as known
        where known.project_id = project and known.distinct_id = any (without_person) and known.distinct_id <> all (mine)
        order by known.distinct_id for no key update;
      person_ids := person_ids || array(
        select known.person_id from person_distinct_ids as known
          where known.project_id = project and known.distinct_id = any (without_person) and known.person_id is not null);
    end if;
    perform from persons where project_id = project and id = any (person_ids) order by id for no key update;
  end $$;

  -- [{index, key, properties}], sorted by the caller: their properties laid over those that are there.
  create function change_groups(project int, changes jsonb) returns void language plpgsql volatile as $$
  begin
    insert into groups
      select project, index, key, properties, clock_timestamp(), 1
      from jsonb_to_recordset(changes) as given (index smallint, key text, properties jsonb)
      on conflict (project_id, group_type_index, group_key) do update
        set properties = groups.properties || excluded.properties, version = groups.version + 1;
  end $$;

  -- Applies what was decided while lock_persons held everything concerned:
  -- persons [{id, properties, is_identified, created_at (microseconds since 2000)}],
  -- mapped [{distinct_id, person_id}] for distinct ids without a person, merges [{from, into}] of persons that were there.
  create function change_persons(project int, changes jsonb) returns void
    language plpgsql volatile set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off as $$
  declare
    stored_at timestamptz := ingest_now();
    origin constant timestamptz := '2000-01-01Z';
  begin
    insert into persons
      select project, id, properties, is_identified, origin + (created_at || ' us')::interval
      from jsonb_to_recordset(changes -> 'persons')
        as given (id uuid, properties jsonb, is_identified boolean, created_at bigint)
      on conflict (project_id, id) do update set
        properties = excluded.properties, is_identified = excluded.is_identified, created_at = excluded.created_at;

    with targets as (
      select given.distinct_id, given.person_id
        from jsonb_to_recordset(changes -> 'mapped') as given (distinct_id text, person_id uuid)
      union all
      select known.distinct_id, given."into"
        from jsonb_to_recordset(changes -> 'merges') as given ("from" uuid, "into" uuid)
        cross join lateral (select distinct_id from person_distinct_ids
          where project_id = project and person_id = given."from" offset 0) as known
      union all
      select known.distinct_id, given.id
        from jsonb_to_recordset(changes -> 'persons') as given (id uuid)
        cross join lateral (select distinct_id from person_distinct_ids
          where project_id = project and person_id = given.id offset 0) as known
    ), changed as (
      insert into person_distinct_ids as known
        select project, distinct_id, person_id, 1, stored_at from targets
        on conflict (project_id, distinct_id) do update set person_id = excluded.person_id,
          version = known.version + 1, interval_time = greatest(excluded.interval_time, known.interval_time)
        returning known.distinct_id, known.version, known.person_id, known.interval_time
    )
    insert into person_versions
      select project, changed.distinct_id, changed.version, person.id, person.properties, person.is_identified,
        person.created_at, false, changed.interval_time
      from changed cross join lateral (select * from persons
        where project_id = project and id = changed.person_id limit 1) as person;

    if jsonb_array_length(changes -> 'merges') = 0 then
      return;
    end if;
    -- Where both persons have an override for a flag, the survivor's counts; of several that end, that of the first.
    insert into feature_flag_hash_key_overrides
      select distinct on (given."into", feature_flag_key) project, given."into", feature_flag_key, hash_key
      from jsonb_to_recordset(changes -> 'merges') as given ("from" uuid, "into" uuid)
        join feature_flag_hash_key_overrides as overrides on overrides.project_id = project and overrides.person_id = given."from"
      order by given."into", feature_flag_key, given."from"
      on conflict do nothing;
    delete from persons
      where project_id = project
        and id = any (array(select "from" from jsonb_to_recordset(changes -> 'merges') as given ("from" uuid)));
  end $$;

  -- The instant of the transaction's events, in microseconds since 2000. range_from, range_to: of historical ones; null: there are none.
  create function stamp_events(project int, range_from timestamptz, range_to timestamptz) returns bigint
    language plpgsql volatile as $$
  declare
    stored_at timestamptz := ingest_now();
  begin
    if range_from is not null then
      insert into import_ranges values (
        project, least(range_from, stored_at), least(range_to, stored_at) + interval '1 microsecond', stored_at);
    end if;
    return (extract(epoch from stored_at - '2000-01-01Z'::timestamptz) * 1000000)::bigint;
  end $$;
`;

const DELETION = `
  -- Deletes persons and says so to exports; returns how many there were. Their events stay.
  create function delete_persons(project int, ids uuid[]) returns int language plpgsql volatile as $$
  declare
    stored_at timestamptz;
    deleted int;
  begin
    perform pg_advisory_xact_lock(7316003, project);
    stored_at := ingest_now();
    with gone as (
      update person_distinct_ids as known
        set person_id = null, version = known.version + 1, interval_time = greatest(stored_at, known.interval_time)
        from persons where persons.project_id = project and persons.id = any (ids)
          and known.project_id = project and known.person_id = persons.id
        returning known.distinct_id, known.version, persons.id, persons.is_identified, persons.created_at, known.interval_time
    )
    insert into person_versions
      select project, distinct_id, version, id, '{}', is_identified, created_at, true, interval_time from gone;
    delete from persons where project_id = project and id = any (ids);
    get diagnostics deleted = row_count;
    return deleted;
  end $$;
`;

/** As migration 0002 made it. */
const FORMER_INGEST = `
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
