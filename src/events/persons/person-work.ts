/** Applies the events of one group to the persons of a project. */
import { toIso } from '../../platform/time/iso.ts';
import { textHasMoreValuesThan } from '../../platform/wire/value-count.ts';
import { personIdOf } from './person-id.ts';
import { storedLength } from './stored-length.ts';
import { NO_EFFECTS, type PersonEffects, type PersonWarning, type Properties } from './effects.ts';
import type { DistinctIdCounts } from './distinct-id-counts.ts';
import { changeProperties, isSame } from './properties.ts';
import { NO_PROPERTIES, StoredProperties } from './stored-properties.ts';
import type { PersonState, EventPerson } from './person.ts';

export type PersonChange = PersonState & { isNew: boolean };

export type PersonChanges = {
  /** Persons that were created or changed and that still exist at the end. */
  persons: PersonChange[];
  /** Distinct ids that had no person before. */
  mapped: { distinctId: string; personId: string }[];
  /** Persons from before the group that were merged into others; `into` is the final survivor. */
  merges: { from: string; into: string }[];
};

/** Limit of a person's properties, in bytes of JSON with all digits of its numbers written out. */
const MAX_PROPERTIES_BYTES = 1024 * 1024;
/** Limit of the values in a person's properties, because each change reads and writes all of them while other requests wait. */
const MAX_PROPERTIES_VALUES = 25_000;

/** State of a person while the events of the group are applied. */
type Person = PersonState & {
  /** The person before the group; undefined: there was none. */
  before: PersonState | undefined;
  /** Number of the person's distinct ids. */
  distinctIds: number;
  mergedInto: Person | undefined;
};

/**
 * Applies the events of one group, in order, to the persons that were loaded for them. Deterministic; never throws; does not modify its
 * arguments.
 * @param knownPersons persons by distinct id, for those ids of the group's events and merges that have one
 * @param limit `maxDistinctIds`: how many distinct ids a person may get by merges; `counts`, if any event merges: how many the known persons have
 */
export function createPersonWork(
  projectId: number,
  knownPersons: ReadonlyMap<string, PersonState>,
  limit: { maxDistinctIds: number; counts: DistinctIdCounts } = { maxDistinctIds: Infinity, counts: new Map() },
) {
  const byDistinctId = new Map<string, Person>();
  const byId = new Map<string, Person>();
  const mapped = new Map<string, Person>();
  const warnings: PersonWarning[] = [];

  return {
    /** @param timestamp of the event, in microseconds since 2000; a new person gets it as `createdAt` */
    apply(distinctId: string, timestamp: bigint, effects: PersonEffects): EventPerson {
      warnings.push(...effects.warnings);
      if (!effects.processed) return withoutProfile(distinctId);
      const person = effects.merge
        ? joinIds(distinctId, effects.merge, timestamp)
        : (find(distinctId) ?? make(distinctId, timestamp));
      person.isIdentified ||= effects.identifies;
      change(person, distinctId, timestamp, effects);
      return snapshotOf(person);
    },

    /** Changes to be written; empty arrays for none. */
    changes(): PersonChanges {
      const people = [...byId.values()];
      return {
        persons: people.filter(isChanged).map(changeOf),
        mapped: [...mapped].map(([distinctId, person]) => ({ distinctId, personId: survivorOf(person).id })),
        merges: people
          .filter((person) => person.before && person.mergedInto)
          .map((person) => ({ from: person.id, into: survivorOf(person).id })),
      };
    },

    /** Persons from before the group that stay as they were, and that still exist at the end. */
    unchangedPersons(): PersonState[] {
      return [...byId.values()].flatMap((person) =>
        person.mergedInto || isChanged(person) ? [] : (person.before ?? []),
      );
    },

    /** Warnings about changes that events asked for and that were refused. */
    warnings(): PersonWarning[] {
      return warnings;
    },
  };

  function withoutProfile(distinctId: string): EventPerson {
    const person = find(distinctId);
    return person ? snapshotOf(person) : { id: personIdOf(projectId, distinctId), properties: NO_PROPERTIES };
  }

  function find(distinctId: string): Person | undefined {
    const person = byDistinctId.get(distinctId);
    if (person) return survivorOf(person);
    const before = knownPersons.get(distinctId);
    return before && link(distinctId, byId.get(before.id) ?? track(before, before));
  }

  function make(distinctId: string, createdAt: bigint): Person {
    const id = personIdOf(projectId, distinctId);
    return mapDistinctId(distinctId, track({ id, properties: NO_PROPERTIES, isIdentified: false, createdAt }));
  }

  function track({ id, properties, isIdentified, createdAt }: PersonState, before?: PersonState): Person {
    const distinctIds = before ? (limit.counts.get(id) ?? 1) : 0;
    const person = { id, properties, isIdentified, createdAt, before, distinctIds, mergedInto: undefined };
    byId.set(id, person);
    return person;
  }

  function link(distinctId: string, person: Person): Person {
    byDistinctId.set(distinctId, person);
    return survivorOf(person);
  }

  function mapDistinctId(distinctId: string, person: Person): Person {
    mapped.set(distinctId, person);
    person.distinctIds += 1;
    return link(distinctId, person);
  }

  /** @returns the person that both ids have from now on; if the merge is refused, the person of `distinctId` alone */
  function joinIds(distinctId: string, merge: NonNullable<PersonEffects['merge']>, timestamp: bigint): Person {
    const other = find(merge.distinctId);
    const found = find(distinctId);
    if (!found && other && mayHave(other.distinctIds + 1)) return mapDistinctId(distinctId, other);
    const into = found ?? make(distinctId, timestamp);
    if (!other && mayHave(into.distinctIds + 1)) return mapDistinctId(merge.distinctId, into);
    if (other === into) return into;
    if (!other || !mayHave(into.distinctIds + other.distinctIds)) {
      warnings.push(tooManyDistinctIdsWarning(distinctId, merge.distinctId, limit.maxDistinctIds));
      return into;
    }
    // tooth: merge-identified
    if (other.isIdentified && !merge.dangerously) {
      warnings.push(alreadyIdentifiedWarning(distinctId, merge.distinctId));
      return into;
    }
    const properties = { ...other.properties.value, ...into.properties.value };
    if (!isSame(properties, into.properties.value)) replace(into, distinctId, properties);
    if (other.createdAt < into.createdAt) into.createdAt = other.createdAt;
    into.distinctIds += other.distinctIds;
    other.mergedInto = into;
    return into;
  }

  function mayHave(distinctIds: number): boolean {
    // tooth: distinct-ids
    return distinctIds <= limit.maxDistinctIds;
  }

  function change(person: Person, distinctId: string, timestamp: bigint, effects: PersonEffects): void {
    if (effects === NO_EFFECTS) return;
    const changed = changeProperties(person.properties.value, withSurvey(effects, timestamp));
    if (changed) replace(person, distinctId, changed);
  }

  function replace(person: Person, distinctId: string, properties: Properties): void {
    const text = JSON.stringify(properties);
    const length = Math.max(Buffer.byteLength(text), storedLength(text, properties, MAX_PROPERTIES_BYTES));
    // A person from before the limit existed may still lose properties.
    const isWide = text.length > person.properties.text.length && textHasMoreValuesThan(text, MAX_PROPERTIES_VALUES);
    if (length > MAX_PROPERTIES_BYTES || isWide) {
      warnings.push(tooLarge(distinctId));
      return;
    }
    person.properties = new StoredProperties(text, properties);
  }
}

/** Snapshot of the person: the event keeps it while the person changes further. */
function snapshotOf({ id, properties }: Person): EventPerson {
  return { id, properties };
}

/** Finds the person at the end of the chain of merges, and shortens the chain, because it may be as long as a group. */
function survivorOf(person: Person): Person {
  let survivor = person;
  while (survivor.mergedInto) survivor = survivor.mergedInto;
  for (let merged = person; merged.mergedInto && merged.mergedInto !== survivor;) {
    const next = merged.mergedInto;
    merged.mergedInto = survivor;
    merged = next;
  }
  return survivor;
}

function isChanged(person: Person): boolean {
  if (person.mergedInto) return false;
  const { before } = person;
  return (
    !before ||
    person.isIdentified !== before.isIdentified ||
    person.createdAt !== before.createdAt ||
    (person.properties !== before.properties && !isSame(person.properties.value, before.properties.value))
  );
}

function changeOf({ id, properties, isIdentified, createdAt, before }: Person): PersonChange {
  return { id, properties, isIdentified, createdAt, isNew: before === undefined };
}

function withSurvey(effects: PersonEffects, timestamp: bigint): PersonEffects {
  if (!effects.surveyShown) return effects;
  return { ...effects, set: { $survey_last_seen_date: toIso(timestamp), ...effects.set } };
}

function alreadyIdentifiedWarning(distinctId: string, other: string): PersonWarning {
  return {
    code: 'cannot_merge_already_identified',
    detail: `${JSON.stringify(other)} was not merged into ${JSON.stringify(distinctId)}: it belongs to a person that is identified.`,
    distinctId,
  };
}

function tooManyDistinctIdsWarning(distinctId: string, other: string, max: number): PersonWarning {
  return {
    code: 'person_distinct_ids_limit',
    detail: `${JSON.stringify(other)} was not joined to ${JSON.stringify(distinctId)}: a person may have ${max} distinct ids.`,
    distinctId,
  };
}

function tooLarge(distinctId: string): PersonWarning {
  return {
    code: 'person_properties_size_violation',
    detail: `The person of ${JSON.stringify(distinctId)} was not changed: its properties may have ${MAX_PROPERTIES_BYTES} bytes of JSON and ${MAX_PROPERTIES_VALUES} values.`,
    distinctId,
  };
}
