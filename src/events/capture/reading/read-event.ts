/** Reads one event of a request: from the client's data to the stored form. */
import { InvalidInput, MalformedRequest } from '../../../platform/errors.ts';
import type { NewEvent } from '../../ingest/event-rows.ts';
import type { GroupTypes } from '../../ingest/group-types.ts';
import { readPersonEffects, type PersonEffects } from '../../persons/effects.ts';
import { storedLength } from '../../persons/stored-length.ts';
import { cut } from '../../../platform/wire/cut.ts';
import { excessOf, storableJson, storableText } from '../../../platform/wire/json.ts';
import { textHasMoreValuesThan } from '../../../platform/wire/value-count.ts';
import { checkLateness, checkCookielessMode, isCookieless, withoutVisitorData, type Cookieless } from './cookieless.ts';
import { checkIsKept, NOT_KEPT_FOR_SO_LONG } from '../dropped.ts';
import { distinctIdIn, isObject, type RawObject } from '../envelope.ts';
import { LIMITS } from '../limits.ts';
import { shortJson, type Note } from './notes.ts';
import { groupKeys, readGroupUpdate } from './read-groups.ts';
import { readTimestamp, type Clocks } from './read-timestamp.ts';
import { canonicalUuid, uuidV7 } from '../uuid.ts';

export type Reception = Clocks & {
  /** Whether the body held `\u` escapes (see `parseJson`). */
  escapes: boolean;
  /** The project's group types, including new ones that this request names. */
  groupTypes: GroupTypes;
  cookieless: Cookieless;
  /** Instant before which the project keeps no events, for historical events. */
  keptFrom?: bigint | undefined;
};

/**
 * @throws InvalidInput naming the field; Dropped for an event that is left out without an error
 * @throws MalformedRequest when the event is nested too deeply
 */
export function readEvent(value: unknown, reception: Reception): NewEvent {
  if (!isObject(value)) throw new InvalidInput('An event must be an object.');
  checkIsKept(value);
  const excess = excessOf(value, {
    levels: LIMITS.depth,
    values: MAX_EVENT_TO_PROPERTIES_RATIO * LIMITS.valuesPerEvent,
  });
  if (excess === 'levels') {
    throw new MalformedRequest(`The event is nested deeper than ${LIMITS.depth} levels.`, 'nested_too_deeply');
  }
  if (excess === 'values') throw tooManyValues();
  if (isObject(value['properties'])) checkCookielessMode(value['properties']);
  const hasCookies = !isCookieless(value);
  const raw = hasCookies ? value : withoutVisitorData(value, reception.cookieless);
  const notes: Note[] = [];
  const { object, ...texts } = readProperties(raw, reception, notes);
  const event = readName(raw['event'], notes);
  const distinctId = readDistinctId(raw, notes);
  const person = readPersonEffects(event, distinctId, object);
  const uuid = readUuid(raw['uuid']);
  const eventTime = readTimestamp(raw, reception, notes) ?? reception.now;
  if (reception.keptFrom !== undefined && eventTime < reception.keptFrom) throw NOT_KEPT_FOR_SO_LONG;
  if (!hasCookies && !reception.historical) checkLateness(eventTime, reception.now);
  const describesGroup = event === '$groupidentify' && person.processed;
  const group = describesGroup ? readGroupUpdate(object, reception.groupTypes, notes) : undefined;
  return {
    uuid,
    event,
    distinctId,
    ...texts,
    timestamp: eventTime,
    person: withNotes(person, notes, { distinctId, eventUuid: uuid }),
    ...(group && { group }),
  };
}

function withNotes(
  person: PersonEffects,
  notes: readonly Note[],
  event: { distinctId: string; eventUuid: string },
): PersonEffects {
  // Most events have no warnings: the result of `readPersonEffects` needs no copy.
  if (notes.length + person.warnings.length === 0) return person;
  return { ...person, warnings: [...person.warnings, ...notes].map((note) => ({ ...note, ...event })) };
}

function readName(value: unknown, notes: Note[]): string {
  if (typeof value !== 'string' && (value ?? undefined) !== undefined) {
    throw new InvalidInput('The name of an event must be text.', 'event', 'missing_event_name');
  }
  const name = typeof value === 'string' ? storableText(cut(value, LIMITS.eventNameLength)) : '';
  if (name.trim() === '') {
    throw new InvalidInput('An event needs a name that is not empty.', 'event', 'missing_event_name');
  }
  if (name.length < (value as string).length) {
    const detail = `The event's name was cut after ${LIMITS.eventNameLength} characters. It begins with ${shortJson(name)}.`;
    notes.push({ code: 'event_name_truncated', detail });
  }
  return name;
}

/** Numbers, objects and arrays become their JSON text; the texts "null", "undefined" and "0" are stored, although they look like mistakes. */
function readDistinctId(raw: RawObject, notes: Note[]): string {
  const value = distinctIdIn(raw);
  const text = typeof value === 'string' ? value : JSON.stringify(value ?? null);
  const id = storableText(cut(text, LIMITS.distinctIdLength));
  if (value === undefined || value === null || id.trim() === '') {
    throw new InvalidInput('An event needs a distinct_id that is not empty.', 'distinct_id', 'missing_distinct_id');
  }
  if (id.length < text.length) {
    const detail = `The event's distinct id was cut after ${LIMITS.distinctIdLength} characters.`;
    notes.push({ code: 'distinct_id_truncated', detail });
  }
  return id;
}

function readUuid(value: unknown): string {
  if (value === undefined || value === null || value === '') return uuidV7();
  const uuid = typeof value === 'string' ? canonicalUuid(value) : undefined;
  if (uuid === undefined) throw new InvalidInput('The uuid of an event must be a UUID.', 'uuid', 'invalid_uuid');
  return uuid;
}

type ReadProperties = {
  /** Properties that can be stored. */
  object: RawObject;
  /** The same properties as JSON text. */
  properties: string;
  elementsChain: string;
};

function readProperties(raw: RawObject, { escapes, groupTypes }: Reception, notes: Note[]): ReadProperties {
  const properties = raw['properties'] ?? {};
  if (!isObject(properties)) throw new InvalidInput('The properties of an event must be an object.', 'properties');
  const { $elements_chain: chain } = properties;
  const allProperties = withSetters(raw, chain === undefined ? properties : withoutChain(properties));
  const { object, text } = storableJson(withGroups(allProperties, groupTypes, notes), escapes);
  // tooth: capture-event-size
  const elementsChain = typeof chain === 'string' ? storableText(chain) : '';
  if (elementsChain.length + storedLength(text, object, LIMITS.propertiesLength) > LIMITS.propertiesLength) {
    const detail = `An event's properties may have ${LIMITS.propertiesLength} characters of JSON.`;
    throw new InvalidInput(detail, 'properties', 'event_too_large');
  }
  if (textHasMoreValuesThan(text, LIMITS.valuesPerEvent)) throw tooManyValues();
  return { object, properties: text, elementsChain };
}

/** Limit of an event's values, as a multiple of the properties' limit: SDKs send `$set` twice, and some fields are not stored. */
const MAX_EVENT_TO_PROPERTIES_RATIO = 2;

function tooManyValues(): InvalidInput {
  const detail = `An event's properties may hold ${LIMITS.valuesPerEvent} values.`;
  return new InvalidInput(detail, 'properties', 'event_too_large');
}

function withGroups(properties: RawObject, types: GroupTypes, notes: Note[]): RawObject {
  const keys = groupKeys(properties, types, notes);
  return keys ? { ...properties, ...keys } : properties;
}

/** Removes the elements chain, because it has its own column. */
function withoutChain(properties: RawObject): RawObject {
  const { $elements_chain: _, ...others } = properties;
  return others;
}

/** SDKs also write `$set`, `$set_once` and `$unset` next to the properties; this moves them into the properties. */
function withSetters({ $set: set, $set_once: setOnce, $unset: unset }: RawObject, properties: RawObject): RawObject {
  if (set === undefined && setOnce === undefined && unset === undefined) return properties;
  return {
    ...properties,
    ...(set !== undefined && { $set: mergeSetters(properties['$set'], set) }),
    ...(setOnce !== undefined && { $set_once: mergeSetters(properties['$set_once'], setOnce) }),
    ...(unset !== undefined && { $unset: properties['$unset'] ?? unset }),
  };
}

/** Setters next to the properties win over those among them. */
function mergeSetters(inner: unknown, outer: unknown): unknown {
  if (!isObject(outer)) return inner ?? outer;
  return isObject(inner) ? { ...inner, ...outer } : outer;
}
