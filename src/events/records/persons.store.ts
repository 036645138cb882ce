/** Reads and deletes persons. Events create and change them (see `store-group.ts`). */
import { inTransaction } from '../../platform/db/transactions.ts';
import { ADVISORY_LOCKS } from '../../platform/db/advisory-locks.ts';
import type { Knex } from '../../platform/db/connection.ts';
import { NotFound } from '../../platform/errors.ts';
import { keysetOf, newestFirst } from '../../platform/http/parameters/keyset.ts';
import type { ListedRow, PageWindow } from '../../platform/http/parameters/pagination.ts';
import { containsPattern, cutToPage, ensureAnswered } from '../table/lookup.ts';

/** Limit of distinct ids per person in an answer. */
const DISTINCT_IDS = 100;

export type Person = ListedRow & {
  properties: Record<string, unknown>;
  isIdentified: boolean;
  /** The first `DISTINCT_IDS` in alphabetical order. */
  distinctIds: string[];
  distinctIdCount: number;
};

export type PersonFilter = {
  distinctId?: string | undefined;
  /** Substring of a distinct id, an e-mail address or a name; case does not matter. */
  search?: string | undefined;
};

export type PersonRow = {
  id: string;
  properties: Record<string, unknown>;
  is_identified: boolean;
  created_at: string;
  distinct_ids: string[];
  distinct_id_count: string;
  beyond?: boolean;
};

const CONDITIONS: Record<keyof PersonFilter, string> = {
  distinctId: `id = (
    select person_id from person_distinct_ids where project_id = :projectId and distinct_id = :distinctId)`,
  search: `(properties ->> 'email' ilike :search or properties ->> 'name' ilike :search or id in (
    select person_id from person_distinct_ids
    where project_id = :projectId and person_id is not null and distinct_id ilike :search))`,
};

const IDS_OF_PERSON = 'person_distinct_ids where project_id = found.project_id and person_id = found.id';
const withDistinctIds = (persons: string) => `
  select *, (select count(*) from ${IDS_OF_PERSON}) as distinct_id_count,
    array(select distinct_id from ${IDS_OF_PERSON} order by distinct_id limit ${DISTINCT_IDS}) as distinct_ids
  from (${persons}) as found`;

/**
 * @param nearest SQL that selects the rows from the page's cursor on, each with `row_bytes`
 * @param sorting SQL; the nearest row first
 * @returns SQL that selects `PersonRow`s: those that fit into a page, and the first that does not
 */
export function personsPageSql(nearest: string, sorting: string): string {
  return `${withDistinctIds(cutToPage(nearest, sorting))} order by ${sorting}`;
}

const SEARCH_HINT = 'A longer `search`, or `distinct_id`, finds a person sooner.';
const TOO_MANY_PERSONS = 'Nothing was deleted. Ask for fewer persons at once.';

export function personStore(db: Knex) {
  async function query(sql: string, bindings: Record<string, string | number>, advice: string): Promise<Person[]> {
    const { rows } = await ensureAnswered(db.raw<{ rows: PersonRow[] }>(sql, bindings), advice);
    return rows.map(personFromRow);
  }

  return {
    /** Lists persons, newest first. @throws Unavailable after five seconds */
    async list(projectId: number, { distinctId, search }: PersonFilter, page: PageWindow): Promise<Person[]> {
      const { sign, order, edge } = keysetOf(page);
      const conditions = [
        'project_id = :projectId',
        ...(distinctId === undefined ? [] : [CONDITIONS.distinctId]),
        ...(search === undefined ? [] : [CONDITIONS.search]),
        ...(edge ? [`(created_at, id) ${sign} (:edgeTime, :edgeId)`] : []),
      ];
      const sorting = `created_at ${order}, id ${order}`;
      const nearest = `select *, octet_length(properties::text) as row_bytes from persons
        where ${conditions.join(' and ')} order by ${sorting} limit :limit`;
      const persons = await query(
        personsPageSql(nearest, sorting),
        {
          projectId,
          limit: page.limit,
          ...(distinctId !== undefined && { distinctId }),
          ...(search !== undefined && { search: containsPattern(search) }),
          ...(edge && { edgeTime: edge.createdAt, edgeId: edge.id }),
        },
        SEARCH_HINT,
      );
      return newestFirst(persons, page);
    },

    /** @throws NotFound when this project has no such person; Unavailable after five seconds */
    async get(projectId: number, id: string): Promise<Person> {
      const personSql = 'select * from persons where project_id = :projectId and id = :id';
      const [person] = await query(withDistinctIds(personSql), { projectId, id }, SEARCH_HINT);
      if (!person) throw new NotFound();
      return person;
    },

    /** Deletes persons, not their events. @returns the number of persons deleted @throws Unavailable after five seconds */
    async delete(projectId: number, ids: readonly string[]): Promise<number> {
      const deletion = db.raw<DeletedCount>('select delete_persons(?, ?::uuid[]) as deleted', [projectId, [...ids]]);
      return (await ensureAnswered(deletion, TOO_MANY_PERSONS)).rows[0]!.deleted;
    },

    /** Same as `delete`, for the persons that have these distinct ids. */
    async deleteByDistinctIds(projectId: number, distinctIds: readonly string[]): Promise<number> {
      return inTransaction(db, async (transaction) => {
        // The lock for merging and deleting persons: no distinct id can move between the two statements.
        await ensureAnswered(
          transaction.raw('select pg_advisory_xact_lock(?, ?)', [ADVISORY_LOCKS.personMerges, projectId]),
          TOO_MANY_PERSONS,
        );
        const deletion = transaction.raw<DeletedCount>(
          `select delete_persons(:projectId, array(
             select distinct person_id from person_distinct_ids
             where project_id = :projectId and distinct_id = any(:distinctIds) and person_id is not null)) as deleted`,
          { projectId, distinctIds: [...distinctIds] },
        );
        return (await ensureAnswered(deletion, TOO_MANY_PERSONS)).rows[0]!.deleted;
      });
    },
  };
}

type DeletedCount = { rows: { deleted: number }[] };

export function personFromRow(row: PersonRow): Person {
  return {
    id: row.id,
    createdAt: row.created_at,
    beyond: row.beyond ?? false,
    properties: row.properties,
    isIdentified: row.is_identified,
    distinctIds: row.distinct_ids,
    distinctIdCount: Number(row.distinct_id_count),
  };
}

export type PersonStore = ReturnType<typeof personStore>;
