/** Adds persons to a static cohort by their ids. */
import type { AddedPersons } from './listed-persons.store.ts';
import type { NamedIds } from './read-ids.ts';

export type ListedPersons = {
  /** Number of persons added, without those that were in the cohort already. */
  added: number;
  unknownCount: number;
  /** The first of the ids that no person has. */
  unknown: string[];
};

const BATCH = 1000;
const MAX_REPORTED = 100;

/** Adds persons in batches. Safe to repeat after a failure. @param add adds up to `BATCH` persons */
export async function addPersonsInBatches(
  { kind, ids }: NamedIds,
  add: (some: NamedIds) => Promise<AddedPersons>,
): Promise<ListedPersons> {
  const result: ListedPersons = { added: 0, unknownCount: 0, unknown: [] };
  for (let index = 0; index < ids.length; index += BATCH) {
    const { added, unknown } = await add({ kind, ids: ids.slice(index, index + BATCH) });
    result.added += added;
    result.unknownCount += unknown.length;
    result.unknown.push(...unknown.slice(0, MAX_REPORTED - result.unknown.length));
  }
  return result;
}
