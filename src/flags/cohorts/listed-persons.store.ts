/** The persons of static cohorts. */
import { inTransaction } from '../../platform/db/transactions.ts';
import { ADVISORY_LOCKS } from '../../platform/db/advisory-locks.ts';
import type { Knex } from '../../platform/db/connection.ts';
import type { NamedIds } from './read-ids.ts';

/** Outcome of `add`: the number of added persons, and the ids that no person has. */
export type AddedPersons = { added: number; unknown: string[] };

const UUID = /^[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}$/i;

const FIND_PERSONS: Record<NamedIds['kind'], string> = {
  distinct_id: `select given.id, known.person_id from given cross join lateral (
    select person_id from person_distinct_ids
    where project_id = :projectId and distinct_id = given.id and person_id is not null limit 1) as known`,
  // Texts that are not UUIDs never get here.
  person_id: `select given.id, persons.id as person_id from given cross join lateral (
    select id from persons where project_id = :projectId and id = given.id::uuid limit 1) as persons`,
};

const addSql = (kind: NamedIds['kind']) => `
  with given as (select unnest(:ids::text[]) as id), found as (${FIND_PERSONS[kind]}), added as (
    insert into cohort_members (project_id, cohort_id, person_id)
      select distinct :projectId::int, :cohortId::int, person_id from found order by person_id
      on conflict do nothing returning 1
  )
  select (select count(*) from added)::int as added, array(select id from given where id not in (select id from found)) as unknown`;

export function listedPersonStore(db: Knex) {
  return {
    /** Blocks merges of the project's persons while it runs, so callers pass a thousand ids at most. */
    async add(projectId: number, cohortId: number, { kind, ids }: NamedIds): Promise<AddedPersons> {
      const possible = kind === 'person_id' ? ids.filter((id) => UUID.test(id)) : ids;
      const impossible = kind === 'person_id' ? ids.filter((id) => !UUID.test(id)) : [];
      return inTransaction(db, async (transaction) => {
        await transaction.raw('select pg_advisory_xact_lock_shared(?, ?)', [ADVISORY_LOCKS.personMerges, projectId]);
        const { rows } = await transaction.raw<{ rows: AddedPersons[] }>(addSql(kind), {
          projectId,
          cohortId,
          ids: [...possible],
        });
        const { added, unknown } = rows[0]!;
        return { added, unknown: [...impossible, ...unknown] };
      });
    },

    /** @returns whether the person was in the cohort */
    async remove(projectId: number, cohortId: number, personId: string): Promise<boolean> {
      const removed = await db('cohort_members')
        .where({ project_id: projectId, cohort_id: cohortId, person_id: personId })
        .delete();
      return removed > 0;
    },
  };
}
