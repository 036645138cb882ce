/** The statements behind `facts.ts`. Each is one row from a few lookups in primary keys. */

/** $1 project, $2 distinct id, $3 static cohorts, $4 and $5 indexes and keys of groups, $6 whether overrides are wanted. */
const facts = (overrides: string) => `
  select person.id, person.created_at, person.properties::text as properties,
    array(
      select cohort_id from cohort_members as member
      where member.project_id = $1 and member.person_id = person.id and cohort_id = any ($3::int[])
    ) as cohorts,
    (
      select coalesce(json_agg(json_build_array(stored.group_type_index, stored.properties::text)), '[]')
      from unnest($4::smallint[], $5::text[]) as asked (index, key)
      join groups as stored
        on stored.project_id = $1 and stored.group_type_index = asked.index and stored.group_key = asked.key
    ) as groups,
    case when $6::boolean then (select coalesce(json_object_agg(key, hash_key), '{}') from (${overrides}) as override)
      else '{}' end as overrides
  from (select) as asked
  left join person_distinct_ids as known on known.project_id = $1 and known.distinct_id = $2
  left join persons as person on person.project_id = $1 and person.id = known.person_id`;

/** Of rows with a rank, the first for each flag. */
const firstOf = (ranked: string) => `select distinct on (key) key, hash_key from (${ranked}) as one order by key, rank`;

/** What was written before there was a person; what the person has comes first. */
const AWAITED = `
  select 1 as rank, feature_flag_key as key, hash_key from feature_flag_awaited_overrides
  where project_id = $1 and distinct_id = $2`;

export const FACTS = facts(
  firstOf(`
    select 0 as rank, feature_flag_key as key, hash_key from feature_flag_hash_key_overrides as stored
    where stored.project_id = $1 and stored.person_id = person.id
    union all ${AWAITED}`),
);

/**
 * $7 the distinct id that the person had before, $8 keys of the flags that keep their answers.
 *
 * Flags that neither id's person has an override for get one, for both; and while the distinct id has no person, for itself. What
 * another request writes at the same time is not seen: that request came from the same client, with the same ids.
 */
export const FACTS_AND_OVERRIDES = `
  with subject as (
    select distinct_id, person_id from person_distinct_ids
    where project_id = $1 and distinct_id in ($2, $7) and person_id is not null
  ), stored as (
    select case when distinct_id = $2 then 0 else 2 end as rank, feature_flag_key as key, hash_key
    from feature_flag_hash_key_overrides join subject using (person_id) where project_id = $1
    union all ${AWAITED}
  ), written as (
    insert into feature_flag_hash_key_overrides (project_id, person_id, feature_flag_key, hash_key)
      select $1, person_id, key, coalesce((select hash_key from stored where stored.key = asked.key), $7)
      from (select distinct person_id from subject) as one, unnest($8::text[]) as asked (key)
      where key not in (select key from stored where rank <> 1) order by person_id, key
      on conflict do nothing
      returning feature_flag_key as key, hash_key
  ), awaited as (
    insert into feature_flag_awaited_overrides (project_id, distinct_id, feature_flag_key, hash_key)
      select $1, $2, key, coalesce((select hash_key from stored where stored.key = asked.key), $7)
      from unnest($8::text[]) as asked (key)
      where not exists (select from subject where distinct_id = $2) and key not in (select key from stored where rank = 1)
      order by key
      on conflict do nothing
      returning feature_flag_key as key, hash_key
  )
  ${facts(
    firstOf(`
      select rank, key, hash_key from stored
      union all select 3, key, hash_key from written union all select 3, key, hash_key from awaited`),
  )}`;
