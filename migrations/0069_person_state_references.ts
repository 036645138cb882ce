/**
 * Ingest that writes references to states of persons once the switch is on. Until then it writes copies, and the functions of before stay for
 * processes of an older version. The switch renames the columns of copies, so that an older version fails instead of reading nulls.
 */
import type { Knex } from '../src/platform/db/connection.ts';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(LOCK);
  await knex.raw(SWITCH);
  await knex.raw(PERSONS_WITH_STATES);
  await knex.raw(STORE_PERSONS);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    do $$ begin
      if exists (select from person_state_switch where turned_on_at is not null) then
        raise exception 'events refer to states of persons: there is no way back over this migration';
      end if;
    end $$;
    drop function store_persons, persons_with_states_of;
    alter table erasures drop column kept_person_ids;
    alter table person_distinct_ids drop column person_state;
    drop table person_state_switch;
  `);
}

/** As in 0068: whatever comes later waits for the lock, so each attempt is short. */
const LOCK = `
  do $$ begin
    for attempt in 1..600 loop
      begin
        set local lock_timeout = '500ms';
        lock table person_distinct_ids, erasures in access exclusive mode;
        set local lock_timeout = 0;
        return;
      exception when lock_not_available then
        perform pg_sleep(0.5);
      end;
    end loop;
    raise exception 'persons are being read all the time: try again later' using errcode = 'lock_not_available';
  end $$;
`;

const SWITCH = `
  create table person_state_switch (
    id int primary key check (id = 1),
    turned_on_at timestamptz
  );
  comment on table person_state_switch is 'whether ingest stores the states of persons once, and refers to them';
  comment on column person_state_switch.turned_on_at is 'null: it writes copies. It is never turned off: older versions cannot read references';
  insert into person_state_switch values (1, null);

  alter table person_distinct_ids add column person_state bigint;
  alter table erasures add column kept_person_ids uuid[] not null default '{}';
  comment on column erasures.kept_person_ids is 'persons of before a merge whose states stay, because events of others refer to them';
  comment on column person_distinct_ids.person_state is 'version of the state that its person has; null: the state is not stored';
`;

const PERSONS_WITH_STATES = `
  -- As persons_of: the persons of those distinct ids whose stamp or state is not the given one (0 and null: none is known), and then a
  -- row without a distinct id, whose stamp is the number of the others. That row says whether the switch is on.
  create function persons_with_states_of(project int, distinct_ids text[], stamps bigint[], states bigint[])
    returns table (distinct_id text, stamp bigint, person_id uuid, properties jsonb, is_identified boolean, created_at bigint,
      person_state bigint, refers boolean)
    language plpgsql volatile set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off as $$
  begin
    return query
      with present as materialized (
        select wanted.distinct_id, known.stamp, known.person_id, known.person_state,
          wanted.stamp = known.stamp and wanted.state is not distinct from known.person_state as is_known
        from unnest(distinct_ids, stamps, states) as wanted (distinct_id, stamp, state)
          cross join lateral (
            select (date_part('epoch', known.interval_time) * 1000000)::bigint + known.version as stamp, known.person_id, known.person_state
            from person_distinct_ids as known
            where known.project_id = project and known.distinct_id = wanted.distinct_id and known.person_id is not null
            limit 1) as known
      )
      select present.distinct_id, present.stamp, found.id, found.properties, found.is_identified,
        (extract(epoch from found.created_at - '2000-01-01Z'::timestamptz) * 1000000)::bigint, present.person_state, null::boolean
      from present
        cross join lateral (select persons.id, persons.properties, persons.is_identified, persons.created_at from persons
          where persons.project_id = project and persons.id = present.person_id limit 1) as found
      where not present.is_known
      union all
      select null, (select count(*) from present where present.is_known), null, null, null, null, null, turned_on_at is not null
        from person_state_switch;
  end $$;
`;

/** Functions that also take states; change_persons (0005, 0020, 0029) is the same without them. */
const STORE_PERSONS = `
  -- Applies what was decided while lock_persons held everything concerned:
  -- persons [{id, properties, is_identified, created_at (microseconds since 2000)}],
  -- mapped [{distinct_id, person_id}] for distinct ids without a person, merges [{from, into}] of persons that were there.
  -- states [{person_id, properties, is_final}] are to be stored; the versions that they get are returned in the same order.
  -- Each of persons, mapped and merges names the state that its person has in the end: a version in state, or a place in states, from 1.
  -- Without either the state is not stored. first_states [{person_id, place}] are of persons that stay as they are.
  create function store_persons(project int, changes jsonb) returns bigint[]
    language plpgsql volatile set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off as $$
  declare
    stored_at timestamptz := ingest_now();
    origin constant timestamptz := '2000-01-01Z';
    above constant bigint := (select versions_above from timeline);
    versions constant bigint[] := array(
      select nextval('person_states_version_seq') from generate_series(1, jsonb_array_length(changes -> 'states')));
  begin
    insert into person_states (version, project_id, person_id, properties, is_final, stored_at)
      select versions[place::int], project, given.person_id, given.properties, given.is_final, stored_at
      from rows from (jsonb_to_recordset(changes -> 'states') as (person_id uuid, properties jsonb, is_final boolean)) with ordinality
        as given (person_id, properties, is_final, place);
    update person_distinct_ids as known set person_state = versions[given.place]
      from jsonb_to_recordset(changes -> 'first_states') as given (person_id uuid, place int)
      where known.project_id = project and known.person_id = given.person_id;

    insert into persons
      select project, id, properties, is_identified, origin + (created_at || ' us')::interval
      from jsonb_to_recordset(changes -> 'persons')
        as given (id uuid, properties jsonb, is_identified boolean, created_at bigint)
      on conflict (project_id, id) do update set
        properties = excluded.properties, is_identified = excluded.is_identified, created_at = excluded.created_at;

    with targets as (
      select given.distinct_id, given.person_id, coalesce(given.state, versions[given.place]) as state
        from jsonb_to_recordset(changes -> 'mapped') as given (distinct_id text, person_id uuid, state bigint, place int)
      union all
      select known.distinct_id, given."into", coalesce(given.state, versions[given.place])
        from jsonb_to_recordset(changes -> 'merges') as given ("from" uuid, "into" uuid, state bigint, place int)
        cross join lateral (select distinct_id from person_distinct_ids
          where project_id = project and person_id = given."from" offset 0) as known
      union all
      select known.distinct_id, given.id, coalesce(given.state, versions[given.place])
        from jsonb_to_recordset(changes -> 'persons') as given (id uuid, state bigint, place int)
        cross join lateral (select distinct_id from person_distinct_ids
          where project_id = project and person_id = given.id offset 0) as known
    ), changed as (
      insert into person_distinct_ids as known (project_id, distinct_id, person_id, version, interval_time, person_state)
        select project, distinct_id, person_id, above + 1, stored_at, state from targets
        on conflict (project_id, distinct_id) do update set person_id = excluded.person_id, person_state = excluded.person_state,
          version = greatest(known.version, above) + 1, interval_time = greatest(excluded.interval_time, known.interval_time)
        returning known.distinct_id, known.version, known.person_id, known.interval_time, known.person_state
    )
    -- The switch renames the column of copies, so none is named.
    insert into person_versions
      select project, changed.distinct_id, changed.version, person.id,
        case when changed.person_state is null then person.properties end, person.is_identified,
        person.created_at, false, changed.interval_time, changed.person_state
      from changed cross join lateral (select * from persons
        where project_id = project and id = changed.person_id limit 1) as person;

    if jsonb_array_length(changes -> 'merges') = 0 then
      return versions;
    end if;
    -- Where both persons have an override for a flag, the survivor's counts; of several that end, that of the first.
    insert into feature_flag_hash_key_overrides
      select distinct on (given."into", feature_flag_key) project, given."into", feature_flag_key, hash_key
      from jsonb_to_recordset(changes -> 'merges') as given ("from" uuid, "into" uuid)
        join feature_flag_hash_key_overrides as overrides on overrides.project_id = project and overrides.person_id = given."from"
      order by given."into", feature_flag_key, given."from"
      on conflict do nothing;
    -- Whoever was in a cohort stays in it.
    insert into cohort_members
      select project, cohort_id, given."into", added_at
      from jsonb_to_recordset(changes -> 'merges') as given ("from" uuid, "into" uuid)
        join cohort_members as members on members.project_id = project and members.person_id = given."from"
      on conflict do nothing;
    delete from persons
      where project_id = project
        and id = any (array(select "from" from jsonb_to_recordset(changes -> 'merges') as given ("from" uuid)));
    return versions;
  end $$;
`;
