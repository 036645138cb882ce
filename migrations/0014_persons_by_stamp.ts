/** The ingest transaction reads only those persons that its process does not know, or that have changed since. */
import type { Knex } from '../src/platform/db/connection.ts';
import { PERSONS_OF as FORMER_PERSONS_OF } from './0005_persons_ingest.ts';

export async function up(knex: Knex): Promise<void> {
  await knex.raw('drop function persons_of');
  await knex.raw(PERSONS_OF);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop function persons_of');
  await knex.raw(FORMER_PERSONS_OF);
}

/**
 * Whatever changes a person raises the version of each of its distinct ids in the same transaction, and the instant beside it never
 * goes back: their sum rises with every version. A database that was restored from a backup takes other instants for the versions
 * that follow, so that a stamp of before names none of them.
 */
const PERSONS_OF = `
  -- The persons of those distinct ids whose stamp is not the given one (0: none is known), with created_at in microseconds since 2000;
  -- then a row without a distinct id, whose stamp is the number of the others that have a person.
  create function persons_of(project int, distinct_ids text[], stamps bigint[])
    returns table (distinct_id text, stamp bigint, person_id uuid, properties jsonb, is_identified boolean, created_at bigint)
    language plpgsql volatile set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off as $$
  begin
    return query
      with present as materialized (
        select wanted.distinct_id, wanted.stamp as given, known.stamp, known.person_id
        from unnest(distinct_ids, stamps) as wanted (distinct_id, stamp)
          cross join lateral (
            select (date_part('epoch', known.interval_time) * 1000000)::bigint + known.version as stamp, known.person_id
            from person_distinct_ids as known
            where known.project_id = project and known.distinct_id = wanted.distinct_id and known.person_id is not null
            limit 1) as known
      )
      select present.distinct_id, present.stamp, found.id, found.properties, found.is_identified,
        (extract(epoch from found.created_at - '2000-01-01Z'::timestamptz) * 1000000)::bigint
      from present
        cross join lateral (select persons.id, persons.properties, persons.is_identified, persons.created_at from persons
          where persons.project_id = project and persons.id = present.person_id limit 1) as found
      where present.stamp <> present.given
      union all
      select null, count(*), null, null, null, null from present where present.stamp = present.given;
  end $$;
`;
