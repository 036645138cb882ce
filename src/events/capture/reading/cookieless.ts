/** Removes traces from events of visitors without cookies; docs/cookieless.md explains why. */
import { isSentinel } from '../../cookieless/ids.ts';
import type { DaySalt } from '../../cookieless/salts.ts';
import { siteOf } from '../../cookieless/site.ts';
import { visitorOf, type Visitor } from '../../cookieless/visitor.ts';
import { InvalidInput } from '../../../platform/errors.ts';
import { readAddress } from '../../../platform/wire/client-address.ts';
import { Dropped } from '../dropped.ts';
import { distinctIdIn, isObject, type RawObject } from '../envelope.ts';
import { uuidV7Of } from '../uuid.ts';

/** Whether events of visitors without cookies may be stored, and the data by which visitors are told apart. */
export type Cookieless =
  | { allowed: false }
  | { allowed: 'as history' }
  | { allowed: true; projectId: number; salt: DaySalt; /** Client's address. */ address: string };

/** Property by which SDKs mark the events of visitors without cookies. */
const MODE = '$cookieless_mode';

/** Fields that reveal the person of the event, or the inputs of the visitor's id; removed from the event and from its properties. */
const NOT_KEPT = new Set([
  '$ip',
  '$raw_user_agent',
  '$cookieless_extra',
  '$set',
  '$set_once',
  '$unset',
  '$user_id',
  '$anon_distinct_id',
  'distinct_id',
  '$distinct_id',
]);
const GEOIP_PREFIX = '$geoip_';

/** Events that only identify a person. */
const IDENTIFYING_EVENTS = new Set(['$identify', '$create_alias', '$merge_dangerously', '$groupidentify', '$set']);

/** @param event not checked yet: anything but an object is not an event */
export function isCookieless(event: unknown): boolean {
  if (!isObject(event)) return false;
  const { properties } = event;
  return (isObject(properties) && properties[MODE] === true) || isSentinel(distinctIdIn(event));
}

/**
 * @param event an event for which `isCookieless` is true
 * @returns the event under the id of its visitor's day, without data that could identify the visitor
 * @throws Dropped when it must not be stored
 */
export function withoutVisitorData(event: RawObject, cookieless: Cookieless): RawObject {
  const properties = isObject(event['properties']) ? event['properties'] : {};
  if (cookieless.allowed === 'as history') {
    if (isSentinel(distinctIdIn(event))) throw new Dropped(SALT_GONE, 'distinct_id', 'cookieless_historical');
    return {
      ...storedProperties(event),
      distinct_id: distinctIdIn(event),
      properties: { ...storedProperties(properties), ...NO_PERSON },
    };
  }
  if (!cookieless.allowed) throw new Dropped(COOKIELESS_DISABLED, 'distinct_id', 'cookieless_disabled');
  if (IDENTIFYING_EVENTS.has(event['event'] as string)) {
    throw new Dropped(`${String(event['event'])} ${IDENTIFIES_PERSON}`, 'event', 'cookieless_unsupported_event');
  }
  const { salt } = cookieless;
  const visitor = visitorIn(properties, cookieless);
  const ids = { $device_id: visitor.deviceId, $session_id: uuidV7Of(salt.beganAt, visitor.session) };
  return {
    ...storedProperties(event),
    distinct_id: visitor.distinctId,
    properties: { ...storedProperties(properties), ...ids, ...NO_PERSON },
  };
}

function visitorIn(properties: RawObject, { projectId, salt, address }: Cookieless & { allowed: true }): Visitor {
  const { $ip: ip, $raw_user_agent: userAgent, $host: host, $cookieless_extra: extra } = properties;
  if (typeof userAgent !== 'string' || userAgent === '') throw missingError('$raw_user_agent', 'user_agent');
  const site = typeof host === 'string' ? siteOf(host) : undefined;
  if (site === undefined) throw missingError('$host', 'host');
  if (address === '') throw missingError('address', 'ip');
  // A client that could choose its address could try all of them, because they are few: docs/cookieless.md.
  // tooth: cookieless-address
  if ((ip ?? '') !== '' && (typeof ip !== 'string' || readAddress(ip) !== address)) {
    throw new Dropped(FOREIGN_ID, 'properties__$ip', 'cookieless_foreign_ip');
  }
  return visitorOf(salt, { projectId, address, site, userAgent, extra });
}

const NO_PERSON = { [MODE]: true, $process_person_profile: false };

function storedProperties(properties: RawObject): RawObject {
  const entries = Object.entries(properties).filter(([name]) => !NOT_KEPT.has(name) && !name.startsWith(GEOIP_PREFIX));
  return Object.fromEntries(entries);
}

/** Maximum delay of a visitor's event, in microseconds, because the visitor's id is that of the day on which the event arrives. */
const MAX_LATE = 24n * 3600n * 1_000_000n;

/** @throws Dropped for an event older than 24 hours. Both instants are microseconds since 2000-01-01Z */
export function checkLateness(eventTime: bigint, now: bigint): void {
  if (eventTime < now - MAX_LATE) throw new Dropped(TOO_LATE, 'timestamp', 'cookieless_timestamp_out_of_range');
}

/** @throws InvalidInput for a mode that is not a boolean */
export function checkCookielessMode({ [MODE]: mode }: RawObject): void {
  if (mode === undefined || mode === null || typeof mode === 'boolean') return;
  throw new InvalidInput(`${MODE} must be true or false.`, `properties__${MODE}`, 'invalid_cookieless_mode');
}

function missingError(subject: string, code: string): Dropped {
  const detail = `The event was dropped: its visitor has no cookies, and without ${subject} cannot be told apart from others.`;
  return new Dropped(detail, subject === 'address' ? null : `properties__${subject}`, `cookieless_missing_${code}`);
}

const COOKIELESS_DISABLED =
  'The event was dropped: its visitor has no cookies, and the project does not allow that. Its setting is ' +
  'cookieless_server_hash_mode.';
const SALT_GONE = 'The event was dropped: its visitor cannot be determined, because the salt of its day is gone.';
const IDENTIFIES_PERSON = 'was dropped: it identifies a person, but its visitor has no cookies.';
const FOREIGN_ID =
  'The event was dropped: visitors without cookies are told apart by the address that they send from, and $ip names another one.';
const TOO_LATE =
  'The event was dropped: its visitor has no cookies, and it happened more than 24 hours before it arrived.';
