/**
 * Effects of an event on its person, read from the event alone.
 * Names and rules are those of PostHog's ingestion, because its SDKs are written for it.
 */
import { identifiesNobody } from '../cookieless/ids.ts';
import { COPIED, NOT_OF_SERVERS } from './copied-properties.ts';
import { isMergeable, MAX_LENGTH, readMergeId } from './merge-ids.ts';

export type Properties = Readonly<Record<string, unknown>>;

export type PersonEffects = {
  /** false: the event neither makes nor changes a person. */
  processed: boolean;
  /** These values replace the person's. */
  set: Properties;
  /** Values that are set too, but do not justify a change of the person if they only replace other values. */
  volatile: Properties;
  /** Values for properties that the person does not have. */
  setOnce: Properties;
  /** Names of properties that the person loses. */
  unset: readonly string[];
  /** The other id, whose person joins the event's; `dangerously` allows it even for a person that is identified. */
  merge?: { distinctId: string; dangerously: boolean };
  /** The person becomes a known one: no later `$identify` merges it into another. */
  identifies: boolean;
  /** Whether the event's timestamp is set as the time at which the person last saw a survey. */
  surveyShown: boolean;
  /** Changes that the event asks for and that are refused. */
  warnings: readonly PersonWarning[];
};

/** `detail` contains no property values except distinct ids. The uuid is present if it is known. */
export type PersonWarning = { code: string; detail: string; distinctId: string; eventUuid?: string };

const NO_PROPERTIES: Properties = Object.freeze({});

/** Creates the person if it is missing, and changes nothing else. */
export const NO_EFFECTS: PersonEffects = Object.freeze({
  processed: true,
  set: NO_PROPERTIES,
  volatile: NO_PROPERTIES,
  setOnce: NO_PROPERTIES,
  unset: Object.freeze([]),
  identifies: false,
  surveyShown: false,
  warnings: Object.freeze([]),
});

const WITHOUT_PERSON: PersonEffects = Object.freeze({ ...NO_EFFECTS, processed: false });

/** Events that arrive in any order, so their data may be older than the person's. */
const CHANGE_NOTHING = new Set(['$exception', '$$heatmap']);
/** Events about the person itself: any change is worth writing. */
const ABOUT_PERSONS = new Set(['$identify', '$set', '$create_alias', '$merge_dangerously']);

/** Events that have no effect without a profile. */
const NEED_PROFILES = new Set(['$identify', '$create_alias', '$merge_dangerously', '$groupidentify']);

/**
 * @param properties ready to be stored, including those that the server adds and `$set`, `$set_once`, `$unset`
 * @returns effects that share only the values with the event
 */
export function readPersonEffects(event: string, distinctId: string, properties: Properties): PersonEffects {
  // Ids of visitors without cookies are known to all readers of events: an event under one must make no person.
  // tooth: cookieless-persons
  if (properties['$process_person_profile'] === false || identifiesNobody(distinctId)) {
    return NEED_PROFILES.has(event)
      ? { ...WITHOUT_PERSON, warnings: [withoutProfile(event, distinctId)] }
      : WITHOUT_PERSON;
  }
  if (CHANGE_NOTHING.has(event)) return NO_EFFECTS;
  const merge = readMerge(event, distinctId, properties);
  const unset = readUnset(properties['$unset']);
  const surveyShown = event === 'survey shown';
  const setters = readSetters(properties, ABOUT_PERSONS.has(event));
  // Most events of servers end here, which saves looking into their persons.
  if (merge === NO_MERGE && unset.length === 0 && !surveyShown && isEmpty(setters)) return NO_EFFECTS;
  return { processed: true, ...setters, unset, ...merge, identifies: merge.merge !== undefined, surveyShown };
}

type Setters = Pick<PersonEffects, 'set' | 'volatile' | 'setOnce'>;

/**
 * Assigns only names that we know. Names of clients, such as `__proto__`, are only ever spread, which defines them.
 */
function readSetters(properties: Properties, isAboutPerson: boolean): Setters {
  const set = objectOf(properties['$set']);
  const setOnce = objectOf(properties['$set_once']);
  const isServer = properties['$is_server'] === true;
  const copiedProperties: Record<string, unknown> = {};
  const volatile: Record<string, unknown> = {};
  const initial: Record<string, unknown> = {};
  for (const name in properties) {
    const copy = COPIED.get(name);
    if (!copy || (isServer && NOT_OF_SERVERS.has(name))) continue;
    initial[copy.initialName] = properties[name];
    if (set && Object.hasOwn(set, name)) continue;
    if (copy.isVolatile && !isAboutPerson) volatile[name] = properties[name];
    else copiedProperties[name] = properties[name];
  }
  return {
    set: set ? { ...copiedProperties, ...set } : copiedProperties,
    volatile,
    setOnce: setOnce ? { ...initial, ...setOnce } : initial,
  };
}

function isEmpty({ set, volatile, setOnce }: Setters): boolean {
  return [set, volatile, setOnce].every((setters) => Object.keys(setters).length === 0);
}

/** Reads a list of names, or an object's names. */
function readUnset(value: unknown): readonly string[] {
  if (value === undefined) return NO_EFFECTS.unset;
  if (Array.isArray(value)) return value.filter((name) => typeof name === 'string');
  return Object.keys(objectOf(value) ?? NO_PROPERTIES);
}

function objectOf(value: unknown): Properties | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Properties) : undefined;
}

type Merging = Pick<PersonEffects, 'merge' | 'warnings'>;

const NO_MERGE: Merging = { warnings: NO_EFFECTS.warnings };

function readMerge(event: string, distinctId: string, properties: Properties): Merging {
  const value = otherIdOf(event, properties);
  if (value === undefined || value === null) return NO_MERGE;
  const other = readMergeId(value);
  if (other === distinctId) return NO_MERGE;
  if (other !== undefined && isMergeable(other) && isMergeable(distinctId)) {
    const isCut = typeof value === 'string' && other.length < value.length;
    const warnings = isCut ? [truncation(event, distinctId)] : NO_EFFECTS.warnings;
    return { merge: { distinctId: other, dangerously: event === '$merge_dangerously' }, warnings };
  }
  return { warnings: [refusedMergeWarning(event, distinctId, other)] };
}

function otherIdOf(event: string, properties: Properties): unknown {
  if (event === '$identify') return properties['$anon_distinct_id'];
  return event === '$create_alias' || event === '$merge_dangerously' ? properties['alias'] : undefined;
}

function withoutProfile(event: string, distinctId: string): PersonWarning {
  return {
    code: 'invalid_event_when_process_person_profile_is_false',
    detail: `${event} of ${JSON.stringify(distinctId)} changed nothing: it was sent with $process_person_profile: false.`,
    distinctId,
  };
}

function truncation(event: string, distinctId: string): PersonWarning {
  return {
    code: 'distinct_id_truncated',
    detail: `The id that ${event} merges into ${JSON.stringify(distinctId)} was cut after ${MAX_LENGTH} characters.`,
    distinctId,
  };
}

function refusedMergeWarning(event: string, distinctId: string, other: string | undefined): PersonWarning {
  const merged = other === undefined ? 'Something that is no distinct id' : JSON.stringify(other);
  const illegal = other === undefined || isMergeable(distinctId) ? 'the former' : 'the latter';
  return {
    code: 'cannot_merge_with_illegal_distinct_id',
    detail: `${merged} was not merged into ${JSON.stringify(distinctId)} by ${event}: ${illegal} cannot be the id of one person.`,
    distinctId,
  };
}
