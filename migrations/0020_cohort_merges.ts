/** When persons merge, the survivor is in the static cohorts of those that end. */
import type { Knex } from '../src/platform/db/connection.ts';
import { CHANGE_PERSONS as FORMER_CHANGE_PERSONS } from './0005_persons_ingest.ts';

export async function up(knex: Knex): Promise<void> {
  await knex.raw('drop function change_persons');
  await knex.raw(CHANGE_PERSONS);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop function change_persons');
  await knex.raw(FORMER_CHANGE_PERSONS);
}

const CHANGE_PERSONS = `
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
    -- Whoever was in a cohort stays in it.
    insert into cohort_members
      select project, cohort_id, given."into", added_at
      from jsonb_to_recordset(changes -> 'merges') as given ("from" uuid, "into" uuid)
        join cohort_members as members on members.project_id = project and members.person_id = given."from"
      on conflict do nothing;
    delete from persons
      where project_id = project
        and id = any (array(select "from" from jsonb_to_recordset(changes -> 'merges') as given ("from" uuid)));
  end $$;
`;
