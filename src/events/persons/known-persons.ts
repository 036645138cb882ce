/**
 * Persons that this process has seen lately. In its transaction, ingest reads a person's stamp from Postgres, and the person only if
 * the stamp has changed, so the cache needs no invalidation.
 */
import type { LoadedPerson } from './person.ts';

/** Limit in UTF-16 units of properties; objects made from them take about six times as many bytes. */
const MAX_TEXT = 8 * 1024 * 1024;
/** Larger persons are not cached, because they are rare, or change rarely enough to be read again. */
const LARGEST_TEXT = 64 * 1024;
/** Size of a person besides the text of its properties, in UTF-16 units. */
const AROUND_PERSON = 400;

export type KnownPersons = {
  /** @returns the person that the distinct id had when it was read; undefined when that is not known */
  find(projectId: number, distinctId: string): LoadedPerson | undefined;
  keep(projectId: number, distinctId: string, person: LoadedPerson): void;
};

/** Keeps two generations; a person that was used in neither is forgotten. */
export function createKnownPersons(maxText = MAX_TEXT): KnownPersons {
  let newer = new Map<string, LoadedPerson>();
  let older = newer;
  let text = 0;

  function keep(name: string, person: LoadedPerson): void {
    const { length } = person.properties.text;
    if (length > LARGEST_TEXT) return;
    if (text > maxText / 2) {
      [older, newer] = [newer, new Map()];
      text = 0;
    }
    newer.set(name, person);
    text += length + AROUND_PERSON;
  }

  return {
    find(projectId, distinctId) {
      const name = nameOf(projectId, distinctId);
      const person = newer.get(name);
      if (person) return person;
      const former = older.get(name);
      if (former) keep(name, former);
      return former;
    },
    keep: (projectId, distinctId, person) => keep(nameOf(projectId, distinctId), person),
  };
}

function nameOf(projectId: number, distinctId: string): string {
  return `${projectId}:${distinctId}`;
}
