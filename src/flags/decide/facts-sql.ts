/** SQL for `facts.ts`. Each statement returns a row for every question, and only looks up primary keys. */

/**
 * @param requestedSql rows of project_id, distinct_id and ordinal, one for each requested person
 * @param extraColumns further columns, each after a comma
 *
 * Every lookup has a `limit 1`, so Postgres never chooses to scan a whole table because of outdated statistics.
 */
const selectPersons = (requestedSql: string, extraColumns = '') => `
  select requested.ordinal::int as ordinal, person.id, person.created_at, person.properties::text as properties${extraColumns}
  from ${requestedSql}
  left join lateral (
    select one.person_id from person_distinct_ids as one
    where one.project_id = requested.project_id and one.distinct_id = requested.distinct_id limit 1
  ) as known on true
  left join lateral (
    select one.id, one.created_at, one.properties from persons as one
    where one.project_id = requested.project_id and one.id = known.person_id limit 1
  ) as person on true`;

/**
 * @param requestedSql as for `selectPersons`, with three more columns: static cohorts (an array as text, or null), groups (JSON `[{index, key}]`,
 *   or null), and whether to read overrides @param overrides rows of key, hash_key
 */
const selectFacts = (requestedSql: string, overrides: string) =>
  selectPersons(
    requestedSql,
    `,
    case when requested.cohorts is not null then array(
      select cohort_id from cohort_members as member
      where member.project_id = requested.project_id and member.person_id = person.id and cohort_id = any (requested.cohorts::int[])
    ) end as cohorts,
    case when requested.groups is not null then (
      select json_agg(json_build_array(wanted.index, stored.properties::text))
      from jsonb_to_recordset(requested.groups::jsonb) as wanted (index smallint, key text)
      cross join lateral (
        select one.properties from groups as one
        where one.project_id = requested.project_id and one.group_type_index = wanted.index and one.group_key = wanted.key limit 1
      ) as stored
    ) end as groups,
    case when requested.overrides then (select json_object_agg(key, hash_key) from (${overrides}) as override) end as overrides`,
  );

/** Picks the row with the lowest rank for each flag. */
const firstByRank = (ranked: string) =>
  `select distinct on (key) key, hash_key from (${ranked}) as one order by key, rank`;

/** Overrides that were written for a distinct id before it had a person. They rank below the person's own. */
const selectAwaitedOverrides = (projectId: string, distinctId: string) => `
  select 1 as rank, feature_flag_key as key, hash_key from feature_flag_awaited_overrides
  where project_id = ${projectId} and distinct_id = ${distinctId}`;

/**
 * Reads persons only, in half the time of `FACTS`; enough for most questions. $1 and $2 hold the questions' projects and distinct ids.
 *
 * The arrays are wrapped in subqueries, because Postgres would otherwise see their lengths and plan the query each time, which takes as
 * long as the query itself.
 */
export const PERSONS = selectPersons(
  `unnest((select $1::int[]), (select $2::text[])) with ordinality as requested (project_id, distinct_id, ordinal)`,
);

/** $1 to $5 hold the questions' projects, distinct ids, cohorts, groups, and whether to read overrides. */
export const FACTS = selectFacts(
  `unnest((select $1::int[]), (select $2::text[]), (select $3::text[]), (select $4::text[]), (select $5::boolean[]))
    with ordinality as requested (project_id, distinct_id, cohorts, groups, overrides, ordinal)`,
  firstByRank(`
    select 0 as rank, feature_flag_key as key, hash_key from feature_flag_hash_key_overrides as stored
    where stored.project_id = requested.project_id and stored.person_id = person.id
    union all ${selectAwaitedOverrides('requested.project_id', 'requested.distinct_id')}`),
);

/**
 * Answers one question and writes missing overrides. $1 to $4: project, distinct id, cohorts, groups; $5: the person's previous distinct
 * id; $6: keys of the flags with experience continuity.
 *
 * A flag without an override for either id's person gets one for both persons, or for the distinct id itself while it has no person.
 * Rows that a concurrent request writes are not seen, which is harmless, because it comes from the same client with the same ids.
 */
export const FACTS_AND_OVERRIDES = `
  with subject as (
    select distinct_id, person_id from person_distinct_ids
    where project_id = $1 and distinct_id in ($2, $5) and person_id is not null
  ), stored as (
    select case when distinct_id = $2 then 0 else 2 end as rank, feature_flag_key as key, hash_key
    from feature_flag_hash_key_overrides join subject using (person_id) where project_id = $1
    union all ${selectAwaitedOverrides('$1', '$2')}
  ), written as (
    insert into feature_flag_hash_key_overrides (project_id, person_id, feature_flag_key, hash_key)
      select $1, person_id, key, coalesce((select hash_key from stored where stored.key = requested.key), $5)
      from (select distinct person_id from subject) as one, unnest($6::text[]) as requested (key)
      where key not in (select key from stored where rank <> 1) order by person_id, key
      on conflict do nothing
      returning feature_flag_key as key, hash_key
  ), awaited as (
    insert into feature_flag_awaited_overrides (project_id, distinct_id, feature_flag_key, hash_key)
      select $1, $2, key, coalesce((select hash_key from stored where stored.key = requested.key), $5)
      from unnest($6::text[]) as requested (key)
      where not exists (select from subject where distinct_id = $2) and key not in (select key from stored where rank = 1)
      order by key
      on conflict do nothing
      returning feature_flag_key as key, hash_key
  )
  ${selectFacts(
    `(select $1::int, $2::text, $3::text, $4::text, true, 1)
      as requested (project_id, distinct_id, cohorts, groups, overrides, ordinal)`,
    firstByRank(`
      select rank, key, hash_key from stored
      union all select 3, key, hash_key from written union all select 3, key, hash_key from awaited`),
  )}`;
