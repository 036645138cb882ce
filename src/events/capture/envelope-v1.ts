/**
 * The envelope of `/i/v1/analytics/events`, which newer SDKs use if they are configured to. The key is the bearer token, some
 * properties are fields or options of the event, and the answer has a result for each uuid.
 */
import { InvalidInput, NotAuthenticated } from '../../platform/errors.ts';
import { checkCount, isObject, usableToken, type Envelope, type RawObject, type RequestContext } from './envelope.ts';
import { answerByUuid } from './respond.ts';
import { canonicalUuid } from './uuid.ts';

const BEARER = /^Bearer +(\S+) *$/i;
/** Name and version. Bounded because they are copied into every event; real values have about 20 characters. */
const SDK = /^(.{1,150})\/([^/]{1,50})$/;

/**
 * @throws NotAuthenticated without a bearer token, or with a token that no project can have
 * @throws InvalidInput if the batch is empty, or if an event has no UUID or another event's, because the answer is keyed by UUID
 * @throws TooLarge for too many events
 */
export function parseEnvelopeV1(body: unknown, { headers }: RequestContext): Envelope {
  const token = BEARER.exec(headers.authorization ?? '')?.[1];
  if (token === undefined) throw new NotAuthenticated('Send the API key as `Authorization: Bearer <key>`.');
  const { batch, historical_migration: historical } = isObject(body) ? body : {};
  if (!Array.isArray(batch)) throw new InvalidInput('This field must be an array of events.', 'batch');
  checkCount(batch);
  // First, because the code below assumes that each element is an object.
  const uuids = uuidsOf(batch);
  const [, library, version] = SDK.exec(textOf(headers['posthog-sdk-info']).trim()) ?? [];
  const libraryProperties = library && version ? { $lib: library.trim(), $lib_version: version.trim() } : {};
  return {
    token: usableToken(token),
    events: batch,
    historical: historical === true,
    sentAt: headers['posthog-request-timestamp'],
    faults: unfoldAll(batch, libraryProperties),
    answer: answerByUuid(uuids),
  };
}

function uuidsOf(batch: readonly unknown[]): string[] {
  const uuids = new Set<string>();
  return batch.map((event) => {
    const uuid = textOf(isObject(event) ? event['uuid'] : undefined);
    const canonical = canonicalUuid(uuid);
    if (canonical === undefined) throw new InvalidInput('Each event needs a UUID.', 'uuid', 'invalid_uuid');
    if (uuids.has(canonical)) throw new InvalidInput('Two events have the same UUID.', 'uuid', 'duplicate_uuid');
    uuids.add(canonical);
    return uuid;
  });
}

type MovedField = {
  source: 'event' | 'options';
  name: string;
  property: string;
  read: (value: unknown) => unknown;
  /** Accepted values, named in errors. */
  type: string;
};

const MOVED_FIELDS: readonly MovedField[] = [
  { source: 'event', name: 'session_id', property: '$session_id', read: textOrUndefined, type: 'text or a number' },
  { source: 'event', name: 'window_id', property: '$window_id', read: textOrUndefined, type: 'text or a number' },
  // Validated later, by code that all envelopes share, which refuses anything but a boolean.
  { source: 'options', name: 'cookieless_mode', property: '$cookieless_mode', read: keepValue, type: 'anything' },
  {
    source: 'options',
    name: 'disable_skew_correction',
    property: '$ignore_sent_at',
    read: parseBoolean,
    type: 'true or false',
  },
  {
    source: 'options',
    name: 'process_person_profile',
    property: '$process_person_profile',
    read: parseBoolean,
    type: 'true or false',
  },
  {
    source: 'options',
    name: 'product_tour_id',
    property: '$product_tour_id',
    read: textOrUndefined,
    type: 'text or a number',
  },
];

/** @returns the faults of the events that could not be unfolded */
function unfoldAll(batch: readonly RawObject[], libraryProperties: RawObject): Map<unknown, InvalidInput> {
  const faults = new Map<unknown, InvalidInput>();
  for (const event of batch) {
    const fault = unfold(event, libraryProperties);
    if (fault) faults.set(event, fault);
  }
  return faults;
}

/** Moves MOVED_FIELDS into `properties` in place, which is safe because the event was parsed for this request. */
function unfold(event: RawObject, libraryProperties: RawObject): InvalidInput | undefined {
  const parsed = event as { properties?: unknown };
  parsed.properties ??= {};
  if (!isObject(parsed.properties)) return undefined;
  const options = event['options'] ?? {};
  if (!isObject(options)) return invalidOptions('options', 'an object');
  const properties = parsed.properties as Record<string, unknown>;
  for (const { source, name, property, read, type } of MOVED_FIELDS) {
    const given = (source === 'event' ? event : options)[name] ?? undefined;
    if (given === undefined) continue;
    const value = read(given);
    if (value === undefined) return invalidOptions(source === 'event' ? name : `options__${name}`, type);
    properties[property] = value;
  }
  Object.assign(properties, libraryProperties);
  return undefined;
}

/** Error for a bad option. Refuses the event, because the option may have been meant to keep a person from being profiled. */
function invalidOptions(attr: string, type: string): InvalidInput {
  // The answer has only the code, so the warning's text has to name the field.
  return new InvalidInput(`The event's ${attr.replace('__', '.')} must be ${type}.`, attr, 'invalid_options');
}

const BOOLEANS = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
]);

function parseBoolean(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value;
  if (typeof value === 'number') return value !== 0;
  return typeof value === 'string' ? BOOLEANS.get(value.trim().toLowerCase()) : undefined;
}

function keepValue(value: unknown): unknown {
  return value;
}

function textOrUndefined(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' ? value : undefined;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
