/** States of persons that a group of events sees. Each is stored once, and the events refer to it. */
import type { EventPerson, PersonState } from './person.ts';
import type { PersonChanges } from './person-work.ts';

/** The version of a stored state, or the place, from 1, among the states that are to be stored with the group. */
export type StateReference = { version: string } | { place: number };

/** A state to be stored. `isFinal`: whether the group leaves its person so. */
export type NewState = EventPerson & { isFinal: boolean };

/** The states that persons have when the group has been applied. */
export type FinalStates = {
  /** By the id of the person, for persons that change or get a distinct id, and for those of `first`. */
  byPerson: ReadonlyMap<string, StateReference>;
  /** Persons that stay as they are, and whose state was not stored yet. */
  first: { personId: string; place: number }[];
};

/** Has no row. */
const WITHOUT_PROPERTIES: StateReference = { version: '0' };

/**
 * States are the same if their texts are, because equal JSON of other texts would leave as other bytes.
 * @param known persons as they were before the group
 */
export function createObservedStates(known: Iterable<PersonState>) {
  const byPerson = new Map<string, Map<string, StateReference>>();
  const added: NewState[] = [];
  let addedText = 0;
  for (const { id, properties, stateVersion } of known) {
    if (stateVersion !== undefined) referencesOf(id).set(properties.text, { version: stateVersion });
  }

  return {
    refer,
    /** States to be stored, in the order of their places. */
    added: added as readonly NewState[],
    /** UTF-16 units of the states to be stored. */
    addedText: () => addedText,

    /** Call it once, after the last event. @param unchanged persons that stay as they were */
    settle({ persons, mapped, merges }: PersonChanges, unchanged: readonly PersonState[]): FinalStates {
      const needed = new Set([...mapped.map(({ personId }) => personId), ...merges.map(({ into }) => into)]);
      const first: FinalStates['first'] = [];
      const finals = new Map(persons.map((person) => [person.id, referToFinal(person)]));
      for (const person of unchanged) {
        const isStored = person.stateVersion !== undefined;
        const isObserved = byPerson.get(person.id)?.has(person.properties.text) === true;
        if (!needed.has(person.id) && (isStored || !isObserved)) continue;
        const reference = referToFinal(person);
        finals.set(person.id, reference);
        if ('place' in reference) first.push({ personId: person.id, place: reference.place });
      }
      return { byPerson: finals, first };
    },
  };

  function refer({ id, properties }: EventPerson): StateReference {
    if (properties.text === '{}') return WITHOUT_PROPERTIES;
    const references = referencesOf(id);
    const present = references.get(properties.text);
    if (present) return present;
    added.push({ id, properties, isFinal: false });
    addedText += properties.text.length;
    const reference = { place: added.length };
    references.set(properties.text, reference);
    return reference;
  }

  function referToFinal(person: EventPerson): StateReference {
    const reference = refer(person);
    // tooth: state-final
    if ('place' in reference) added[reference.place - 1]!.isFinal = true;
    return reference;
  }

  function referencesOf(id: string): Map<string, StateReference> {
    const references = byPerson.get(id) ?? new Map<string, StateReference>();
    byPerson.set(id, references);
    return references;
  }
}

export type ObservedStates = ReturnType<typeof createObservedStates>;
