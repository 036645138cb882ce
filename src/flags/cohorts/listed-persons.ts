/** Adds persons to a static cohort by their ids. */
import type { AddedPersons } from './members.store.ts';
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
  const listed: ListedPersons = { added: 0, unknownCount: 0, unknown: [] };
  for (let at = 0; at < ids.length; at += BATCH) {
    const { added, unknown } = await add({ kind, ids: ids.slice(at, at + BATCH) });
    listed.added += added;
    listed.unknownCount += unknown.length;
    listed.unknown.push(...unknown.slice(0, MAX_REPORTED - listed.unknown.length));
  }
  return listed;
}
