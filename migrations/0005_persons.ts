/**
 * Persons and groups, changed by the ingest transaction together with the events that change them.
 *
 * Like `events`, none of the tables that every event looks at has a foreign key to `projects`.
 */
import type { Knex } from '../src/platform/db/connection.ts';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(PERSONS);
  await knex.raw(GROUPS);
  await knex.raw(DELETION);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop function delete_persons, ensure_group_types;
    drop table feature_flag_hash_key_overrides, groups, group_types, person_versions, person_distinct_ids, persons;
    drop function check_person_versions;
  `);
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
