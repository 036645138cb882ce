/** Persons in a Map instead of a database. A test's group commits go through `createPersonWork` one after the other. */
import assert from 'node:assert/strict';
import { readPersonEffects, type Properties } from '../../../src/events/persons/effects.ts';
import { createPersonWork, type PersonChanges } from '../../../src/events/persons/person-work.ts';
import { type PersonState } from '../../../src/events/persons/person.ts';

export const PROJECT = 1;

/** An event as far as persons are concerned; `timestamp` in microseconds since 2000. */
export type PersonEvent = { event: string; distinctId: string; properties: Properties; timestamp: bigint };

/** The state of all persons, in a form to compare: by their distinct ids, sorted and joined with commas. */
export type State = Record<string, { id: string; properties: Properties; isIdentified: boolean; createdAt: bigint }>;

export type Played = {
  /** The person that each event is stored with. */
  seen: { id: string; properties: Properties }[];
  /** Codes of ingestion warnings. */
  warnings: string[];
  details: string[];
  changes: PersonChanges;
};

export function personMemory() {
  const persons = new Map<string, PersonState>();
  const mapping = new Map<string, string>();

  return {
    /** Applies the events of one group commit, and keeps the changes. */
    play(events: readonly PersonEvent[]): Played {
      const work = createPersonWork(PROJECT, load());
      const applied = events.map(({ event, distinctId, properties, timestamp }) =>
        work.apply(distinctId, timestamp, readPersonEffects(event, distinctId, properties)),
      );
      const changes = work.changes();
      applyChanges(changes);
      return {
        seen: applied.map(({ id, properties }) => ({ id, properties: properties.value })),
        warnings: work.warnings().map(({ code }) => code),
        details: work.warnings().map(({ detail }) => detail),
        changes,
      };
    },

    state(): State {
      const entries = [...persons.values()].map(({ id, properties, isIdentified, createdAt }) => {
        const ids = [...mapping].filter(([, personId]) => personId === id).map(([distinctId]) => distinctId);
        const person = { id, properties: properties.value, isIdentified, createdAt };
        return [ids.sort().join(','), person] as const;
      });
      return Object.fromEntries(entries);
    },
  };

  function load(): Map<string, PersonState> {
    return new Map([...mapping].map(([distinctId, id]) => [distinctId, { ...persons.get(id)! }]));
  }

  /** Applies changes as the database would, and asserts what the database relies on. */
  function applyChanges(changes: PersonChanges): void {
    for (const { isNew, ...person } of changes.persons) {
      assert.equal(persons.has(person.id), !isNew, 'a new person is new, another one is there');
      if (!isNew)
        assert.notDeepEqual(
          withParsedProperties(person),
          withParsedProperties(persons.get(person.id)!),
          'a change changes something',
        );
      persons.set(person.id, person);
    }
    for (const { distinctId, personId } of changes.mapped) {
      assert.ok(!mapping.has(distinctId), 'only ids without a person are given one');
      mapping.set(distinctId, personId);
    }
    for (const { from, into } of changes.merges) {
      for (const [distinctId, id] of mapping) if (id === from) mapping.set(distinctId, into);
      assert.ok(persons.delete(from), 'a person that ends was there');
    }
    for (const id of mapping.values()) assert.ok(persons.has(id), 'every id has a person that lives');
  }
}

function withParsedProperties(person: PersonState) {
  return { ...person, properties: person.properties.value };
}
