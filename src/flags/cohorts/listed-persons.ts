/** Putting persons into a static cohort by their ids. */
import type { Added } from './members.store.ts';
import type { NamedIds } from './read-ids.ts';

export type ListedPersons = {
  /** Persons that were in it already are not counted. */
  added: number;
  unknownCount: number;
  /** Ids that no person has, the first of them. */
  unknown: string[];
};

const BATCH = 1000;
const MAX_TOLD = 100;

/** Safe to repeat: after a failure some persons may be in the cohort already. @param add puts up to a thousand into the cohort */
export async function listMembers(
  { kind, ids }: NamedIds,
  add: (some: NamedIds) => Promise<Added>,
): Promise<ListedPersons> {
  const listed: ListedPersons = { added: 0, unknownCount: 0, unknown: [] };
  for (let at = 0; at < ids.length; at += BATCH) {
    const { added, unknown } = await add({ kind, ids: ids.slice(at, at + BATCH) });
    listed.added += added;
    listed.unknownCount += unknown.length;
    listed.unknown.push(...unknown.slice(0, MAX_TOLD - listed.unknown.length));
  }
  return listed;
}
