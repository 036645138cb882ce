/** One event of a request, from whatever a client sent to what is stored. */
import { InvalidInput, MalformedRequest } from '../errors.ts';
import type { NewEvent } from '../events/event-rows.ts';
import type { GroupTypes } from '../events/group-types.ts';
import { readPersonEffects } from '../events/persons/effects.ts';
import { storedLength } from '../events/stored-length.ts';
import { cut } from '../wire/cut.ts';
import { parseInstant } from '../wire/instant.ts';
import { excessOf, storableJson, storableText } from '../wire/json.ts';
import { textHasMoreValuesThan } from '../wire/value-count.ts';
import { checkLateness, checkMode, isCookieless, withoutTraces, type Cookieless } from './cookieless.ts';
import { distinctIdIn, isObject, type RawObject } from './envelope.ts';
import { LIMITS } from './limits.ts';
import { groupKeys, readGroupUpdate } from './read-groups.ts';
import { canonicalUuid, uuidV7 } from './uuid.ts';

/** Clients' clocks may be wrong by so much in the direction of the future; beyond it their timestamps mean nothing. */
const LARGEST_LEAD = 23n * 3600n * 1_000_000n;

export type Reception = {
  /** When the request was received, microseconds since 2000-01-01Z. */
  now: bigint;
  /** When the client's clock says it was sent. */
  sentAt: bigint | undefined;
  /** Placed by their timestamps, which are then taken as they are. */
  historical: boolean;
  /** Whether the body held `\u` escapes (see `parseJson`). */
  escapes: boolean;
  /** Of the project, with all that the request names. */
  groupTypes: GroupTypes;
  cookieless: Cookieless;
};

/**
 * @throws InvalidInput naming the field
 * @throws MalformedRequest when it is nested too deeply
 */
export function readEvent(given: unknown, reception: Reception): NewEvent {
  if (!isObject(given)) throw new InvalidInput('An event must be an object.');
  const excess = excessOf(given, { levels: LIMITS.depth, values: MOST_AROUND * LIMITS.valuesPerEvent });
  if (excess === 'levels') {
    throw new MalformedRequest(`The event is nested deeper than ${LIMITS.depth} levels.`, 'nested_too_deeply');
  }
  if (excess === 'values') throw tooManyValues();
  if (isObject(given['properties'])) checkMode(given['properties']);
  const hasCookies = !isCookieless(given);
  const raw = hasCookies ? given : withoutTraces(given, reception.cookieless);
  const { object, ...texts } = readProperties(raw, reception);
  const event = readName(raw['event']);
  const distinctId = readDistinctId(raw);
  const person = readPersonEffects(event, distinctId, object);
  const uuid = readUuid(raw['uuid']);
  const { timestamp, useless } = readTimestamp(raw, reception);
  const happened = timestamp ?? reception.now;
  if (!hasCookies && !reception.historical) checkLateness(happened, reception.now);
  const describesGroup = event === '$groupidentify' && person.processed;
  const group = describesGroup ? readGroupUpdate(object, reception.groupTypes) : undefined;
  return {
    uuid,
    event,
    distinctId,
    ...texts,
    timestamp: happened,
    person: useless ? { ...person, warnings: [...person.warnings, { ...useless, distinctId }] } : person,
    ...(group && { group }),
  };
}

function readName(value: unknown): string {
  const name = typeof value === 'string' ? storableText(cut(value, LIMITS.eventNameLength)) : '';
  if (name.trim() === '') {
    throw new InvalidInput('An event needs a name that is not empty.', 'event', 'missing_event_name');
  }
  return name;
}

/** Numbers, objects and arrays become their JSON text; ids that look like a mistake (`null`, `undefined`, `0`) are stored. */
function readDistinctId(raw: RawObject): string {
  const value = distinctIdIn(raw);
  const text = typeof value === 'string' ? value : JSON.stringify(value ?? null);
  const id = storableText(cut(text, LIMITS.distinctIdLength));
  if (value === undefined || value === null || id.trim() === '') {
    throw new InvalidInput('An event needs a distinct_id that is not empty.', 'distinct_id', 'missing_distinct_id');
  }
  return id;
}

function readUuid(value: unknown): string {
  if (value === undefined || value === null || value === '') return uuidV7();
  const uuid = typeof value === 'string' ? canonicalUuid(value) : undefined;
  if (uuid === undefined) throw new InvalidInput('This is not a valid UUID.', 'uuid', 'invalid_uuid');
  return uuid;
}

type ReadProperties = {
  /** Fit to be stored. */
  object: RawObject;
  /** The same as JSON. */
  properties: string;
  elementsChain: string;
};

function readProperties(raw: RawObject, { escapes, groupTypes }: Reception): ReadProperties {
  const given = raw['properties'] ?? {};
  if (!isObject(given)) throw new InvalidInput('This field must be an object.', 'properties');
  const { $elements_chain: chain } = given;
  const kept = withSetters(raw, chain === undefined ? given : withoutChain(given));
  const { object, text } = storableJson(withGroups(kept, groupTypes), escapes);
  // tooth: capture-event-size
  const elementsChain = typeof chain === 'string' ? storableText(chain) : '';
  if (elementsChain.length + storedLength(text, object, LIMITS.propertiesLength) > LIMITS.propertiesLength) {
    const detail = `An event's properties may have ${LIMITS.propertiesLength} characters of JSON.`;
    throw new InvalidInput(detail, 'properties', 'event_too_large');
  }
  if (textHasMoreValuesThan(text, LIMITS.valuesPerEvent)) throw tooManyValues();
  return { object, properties: text, elementsChain };
}

/** Times what the properties may hold: SDKs send what is set twice, and there are other members that are not stored. */
const MOST_AROUND = 2;

function tooManyValues(): InvalidInput {
  const detail = `An event's properties may hold ${LIMITS.valuesPerEvent} values.`;
  return new InvalidInput(detail, 'properties', 'event_too_large');
}

function withGroups(properties: RawObject, types: GroupTypes): RawObject {
  const keys = groupKeys(properties, types);
  return keys ? { ...properties, ...keys } : properties;
}

/** The elements chain has a column of its own. */
function withoutChain(given: RawObject): RawObject {
  const { $elements_chain: _, ...others } = given;
  return others;
}

/** SDKs write `$set`, `$set_once` and `$unset` beside the properties too; they belong among them. */
function withSetters({ $set: set, $set_once: setOnce, $unset: unset }: RawObject, given: RawObject): RawObject {
  if (set === undefined && setOnce === undefined && unset === undefined) return given;
  return {
    ...given,
    ...(set !== undefined && { $set: joined(given['$set'], set) }),
    ...(setOnce !== undefined && { $set_once: joined(given['$set_once'], setOnce) }),
    ...(unset !== undefined && { $unset: given['$unset'] ?? unset }),
  };
}

/** What stands beside the properties wins. */
function joined(among: unknown, beside: unknown): unknown {
  if (!isObject(beside)) return among ?? beside;
  return isObject(among) ? { ...among, ...beside } : beside;
}

/**
 * Live: `offset` (milliseconds before now) wins; else the timestamp, corrected by how wrong the client's clock is when the
 * request says when it was sent. Historical: the timestamp as it is, which must be there.
 * @returns no timestamp for now; `useless` when the event asked for another one
 */
function readTimestamp(
  raw: RawObject,
  { now, sentAt, historical }: Reception,
): { timestamp?: bigint; useless?: Useless } {
  const timestamp = parseInstant(raw['timestamp']);
  if (historical) {
    if (timestamp !== undefined) return { timestamp };
    throw new InvalidInput(
      'A historical event needs a timestamp that can be read. ISO 8601 can.',
      'timestamp',
      'invalid_timestamp',
    );
  }
  const happened = fromOffset(raw['offset'], now) ?? corrected(timestamp, raw, now, sentAt);
  if (happened === undefined) return (raw['timestamp'] ?? '') === '' ? {} : { useless: UNREADABLE };
  if (happened < EARLIEST) return { useless: UNREADABLE };
  return happened > now + LARGEST_LEAD ? { useless: FROM_THE_FUTURE } : { timestamp: happened };
}

/** Why an event cannot have the timestamp that it asks for. */
type Useless = { code: string; detail: string };
const UNREADABLE: Useless = {
  code: 'ignored_invalid_timestamp',
  detail: 'The event was stored as of its arrival: its timestamp cannot be read. ISO 8601 can.',
};
const FROM_THE_FUTURE: Useless = {
  code: 'event_timestamp_in_future',
  detail: 'The event was stored as of its arrival: its timestamp is more than 23 hours ahead.',
};

const EARLIEST = parseInstant('0001-01-01')!;

function fromOffset(offset: unknown, now: bigint): bigint | undefined {
  if (typeof offset !== 'number' || !Number.isFinite(offset)) return undefined;
  return now - BigInt(Math.round(offset)) * 1000n;
}

function corrected(
  timestamp: bigint | undefined,
  raw: RawObject,
  now: bigint,
  sentAt: bigint | undefined,
): bigint | undefined {
  const keep = timestamp === undefined || sentAt === undefined;
  if (keep || memberOf(raw['properties'], '$ignore_sent_at') === true) return timestamp;
  return timestamp - (sentAt - now);
}

function memberOf(value: unknown, name: string): unknown {
  return isObject(value) ? value[name] : undefined;
}
