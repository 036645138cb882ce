/** The ingest transaction as it is with persons: `src/events/ingest/store-group.ts` calls these functions, in this order. */
import type { Knex } from '../src/platform/db/connection.ts';
import { INGEST as FORMER_INGEST } from './0002_events.ts';

export async function up(knex: Knex): Promise<void> {
  await knex.raw('drop function claim_events');
  await knex.raw(INGEST);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop function change_persons, change_groups, stamp_events, lock_persons, persons_of, claim_events');
  await knex.raw(FORMER_INGEST);
}

/** Replaced by 0014. */
export const PERSONS_OF = `
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
`;

/** Replaced by 0015. */
export const CHANGE_GROUPS = `
  -- [{index, key, properties}], sorted by the caller: their properties laid over those that are there.
  create function change_groups(project int, changes jsonb) returns void language plpgsql volatile as $$
  begin
    insert into groups
      select project, index, key, properties, clock_timestamp(), 1
      from jsonb_to_recordset(changes) as given (index smallint, key text, properties jsonb)
      on conflict (project_id, group_type_index, group_key) do update
        set properties = groups.properties || excluded.properties, version = groups.version + 1;
  end $$;
`;

/** Replaced by 0020. */
export const CHANGE_PERSONS = `
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

${PERSONS_OF}
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

${CHANGE_GROUPS}
${CHANGE_PERSONS}
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
