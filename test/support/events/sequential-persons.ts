/**
 * A deliberately simple model of the effect of events on persons: it handles events one after another, and looks everything up again.
 * The model follows the rules, and shares no code with what it tests.
 */
import { isDeepStrictEqual } from 'node:util';
import { personIdOf } from '../../../src/events/persons/person-id.ts';
import { PROJECT, type PersonEvent, type State } from './person-memory.ts';

type Person = {
  id: string;
  ids: string[];
  properties: Map<string, unknown>;
  isIdentified: boolean;
  createdAt: bigint;
};

const CHANGES_OFTEN = ['$browser', '$current_url', '$os', '$geoip_latitude'];
const COPIED = [...CHANGES_OFTEN, 'utm_source', '_kx', '$app_version', '$geoip_city_name'];
const MERGES = ['$identify', '$create_alias', '$merge_dangerously'];
const NOBODY = /^(|anonymous|guest|null|0|"null"|\[object Object\])$/;

/** The model knows only some of the special properties and illegal ids. */
export function sequentialPersons(projectId = PROJECT) {
  let persons: Person[] = [];
  const warnings: string[] = [];
  const personOf = (distinctId: string) => persons.find(({ ids }) => ids.includes(distinctId));

  return {
    warnings,

    /** @returns the person that the event is stored with */
    apply({ event, distinctId, properties, timestamp }: PersonEvent): { id: string; properties: object } {
      if (properties['$process_person_profile'] === false) {
        if (MERGES.includes(event)) warnings.push('invalid_event_when_process_person_profile_is_false');
        return visibleFields(personOf(distinctId) ?? newPerson(distinctId, timestamp));
      }
      const other = otherDistinctId(event, properties);
      if (other !== undefined && other !== distinctId) mergeIds(event, distinctId, other, timestamp);
      let person = personOf(distinctId);
      if (!person) persons.push((person = newPerson(distinctId, timestamp)));
      if (event !== '$exception' && event !== '$$heatmap') setProperties(person, event, properties);
      return visibleFields(person);
    },

    state(): State {
      return Object.fromEntries(
        persons.map(({ ids, isIdentified, createdAt, ...person }) => [
          ids.toSorted().join(','),
          { ...visibleFields(person), isIdentified, createdAt },
        ]),
      );
    },
  };

  function newPerson(distinctId: string, createdAt: bigint): Person {
    const id = personIdOf(projectId, distinctId);
    return { id, ids: [distinctId], properties: new Map(), isIdentified: false, createdAt };
  }

  function mergeIds(event: string, distinctId: string, other: string, timestamp: bigint): void {
    if (NOBODY.test(distinctId.trim()) || NOBODY.test(other.trim())) {
      warnings.push('cannot_merge_with_illegal_distinct_id');
      return;
    }
    const source = personOf(other);
    const target = personOf(distinctId);
    if (!source && !target) persons.push({ ...newPerson(distinctId, timestamp), ids: [distinctId, other] });
    else if (!source) target!.ids.push(other);
    else if (!target) source.ids.push(distinctId);
    else if (source !== target) mergePersons(event, source, target);
    personOf(distinctId)!.isIdentified = true;
  }

  function mergePersons(event: string, source: Person, target: Person): void {
    if (source.isIdentified && event !== '$merge_dangerously') {
      warnings.push('cannot_merge_already_identified');
      return;
    }
    persons = persons.filter((person) => person !== source);
    target.ids.push(...source.ids);
    target.properties = new Map([...source.properties, ...target.properties]);
    if (source.createdAt < target.createdAt) target.createdAt = source.createdAt;
  }
}

function otherDistinctId(event: string, properties: PersonEvent['properties']): string | undefined {
  const other = event === '$identify' ? properties['$anon_distinct_id'] : properties['alias'];
  return MERGES.includes(event) && other !== undefined ? `${other as string | number}` : undefined;
}

function setProperties(person: Person, event: string, properties: PersonEvent['properties']): void {
  const set = new Map(Object.entries((properties['$set'] ?? {}) as object));
  const setOnce = new Map(Object.entries((properties['$set_once'] ?? {}) as object));
  const unset = (properties['$unset'] ?? []) as string[];
  const explicit = [...set.keys(), ...unset];
  for (const name of COPIED.filter((copied) => copied in properties)) {
    if (!set.has(name)) set.set(name, properties[name]);
    const initial = `$initial_${name.replace('$', '')}`;
    if (!setOnce.has(initial)) setOnce.set(initial, properties[name]);
  }
  const changed = new Map([...setOnce, ...person.properties, ...set]);
  for (const name of unset) changed.delete(name);

  const isWorthIt = [...new Set([...changed.keys(), ...person.properties.keys()])].some((name) => {
    if (isDeepStrictEqual(changed.get(name), person.properties.get(name))) return false;
    const isAboutPerson = event === '$set' || MERGES.includes(event);
    const isVolatile = CHANGES_OFTEN.includes(name) && person.properties.has(name) && !explicit.includes(name);
    return isAboutPerson || !isVolatile;
  });
  if (isWorthIt) person.properties = changed;
}

function visibleFields({ id, properties }: Pick<Person, 'id' | 'properties'>) {
  return { id, properties: Object.fromEntries(properties) };
}
