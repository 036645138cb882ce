/** Counts the distinct ids of persons. Each change of a person is written once for each id, so a person may not have many. */
import type { Ask, Persons } from './load-persons.ts';

/** Counts by the id of a person. */
export type DistinctIdCounts = ReadonlyMap<string, number>;

/**
 * Exact while the transaction holds the project's lock for merges, because no other transaction can join ids to persons then.
 * @param max limit: counting stops at `max + 1`
 * @param persons those whose distinct ids are counted
 */
export async function countDistinctIds(
  { ask, projectId }: { ask: Ask; projectId: number },
  persons: Persons,
  max: number,
): Promise<DistinctIdCounts> {
  const ids = new Set(Array.from(persons.values(), ({ id }) => id));
  if (ids.size === 0) return new Map();
  const rows = await ask(`select person, found.count from unnest('{${[...ids].join(',')}}'::uuid[]) as person
    cross join lateral (select count(*) from (select from person_distinct_ids
      where project_id = ${projectId} and person_id = person limit ${max + 1}) as known) as found`);
  return new Map(rows.map(([id, count]) => [id!, Number(count)]));
}
