/**
 * The subject of one request, with everything known about it. Properties are looked up in several layers, because merging them would
 * cost more than the decisions.
 */
import type { Decision, EvaluationRequest, Facts } from './decision.ts';
import { currentOfInitial } from './initial-properties.ts';
import type { Json, Properties } from '../../conditions/operators/json-values.ts';
import { Readings } from '../../conditions/operators/readings.ts';
import type { Verdict } from './decision.ts';

/** The value of data that could not be read. */
export const UNAVAILABLE = Symbol('unavailable');
/** Result of looking up a property; undefined if there is no such property. */
export type FoundProperty = Json | undefined | typeof UNAVAILABLE;

const MAX_GRACE_MS = 500;
/** Cheap checks per reading of the clock, because one reading takes as long as deciding a simple flag. */
const STEPS_PER_LOOK = 16;

const NO_PROPERTIES: Properties = {};
const NOTHING_STORED: Facts = {
  person: null,
  groups: new Map(),
  memberships: new Set(),
  hashKeyOverrides: new Map(),
};

export class EvaluationContext {
  readonly request: EvaluationRequest;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly deviceId: string;
  readonly readings: Readings;
  readonly #budgetMs: number;
  #cohorts: Map<number, Verdict> | undefined;
  #decisions: Map<number, Decision> | undefined;
  readonly #facts: Facts;
  readonly #groupTypes: ReadonlyMap<number, string>;
  readonly #stored: Properties | typeof UNAVAILABLE;
  #deadline: number | undefined;
  #graceMs = MAX_GRACE_MS;
  #isLate = false;
  #steps = 0;

  constructor(
    request: EvaluationRequest,
    facts: Facts,
    groupTypes: ReadonlyMap<number, string>,
    { now, budgetMs, steps }: { now: number; budgetMs: number; steps?: number | undefined },
  ) {
    this.request = request;
    this.now = now;
    this.#facts = request.onlyRequestProperties ? NOTHING_STORED : facts;
    this.#groupTypes = groupTypes;
    const { person } = this.#facts;
    this.#stored = person === 'unavailable' ? UNAVAILABLE : (person?.properties ?? NO_PROPERTIES);
    this.#budgetMs = budgetMs;
    this.readings = new Readings(steps);
    const ownDeviceId = request.personProperties['$device_id'];
    this.deviceId = request.deviceId ?? (typeof ownDeviceId === 'string' ? ownDeviceId : '');
  }

  /** Whether the person is in each evaluated cohort, by index. Created on demand, because an unused map costs half a simple decision. */
  get cohorts(): Map<number, Verdict> {
    return (this.#cohorts ??= new Map());
  }

  /** Decisions of flags that others depend on, by index. Flags that are not for this request have none, and count as false. */
  get decisions(): Map<number, Decision> {
    return (this.#decisions ??= new Map());
  }

  /** Whether time or steps are used up, so undecided flags fail. The time starts with the first call. */
  isLate(): boolean {
    if (this.#isLate || this.readings.areSpent) return true;
    const now = performance.now();
    this.#deadline ??= now + this.#budgetMs;
    this.#isLate = now > this.#deadline;
    return this.#isLate;
  }

  /** Cheap form of `isLate` for use between small steps: reads the clock only every `STEPS_PER_LOOK` calls. */
  isLateSampled(): boolean {
    this.#steps += 1;
    return this.#steps % STEPS_PER_LOOK === 0 ? this.isLate() : this.#isLate || this.readings.areSpent;
  }

  /** Does work that benefits all later requests, such as compiling a pattern, without charging its time (up to a limit) to this request. */
  runUncharged<T>(work: () => T): T {
    const started = performance.now();
    const result = work();
    const spentMs = Math.min(performance.now() - started, this.#graceMs);
    if (this.#deadline !== undefined) this.#deadline += spentMs;
    this.#graceMs -= spentMs;
    return result;
  }

  /** Property from the request, else from its location, else from the stored person. */
  personProperty(key: string): FoundProperty {
    const { personProperties: sentProperties, geoProperties: geo } = this.request;
    const sentValue = sentProperties[key];
    // Inherited members of objects are not properties.
    if (typeof sentValue === 'string' || typeof sentValue === 'number' || typeof sentValue === 'boolean')
      return sentValue;
    const isOwn = Object.hasOwn(sentProperties, key);
    const isGeo = geo !== undefined && Object.hasOwn(geo, key);
    if (isOwn && (sentValue !== null || !isGeo)) return sentValue;
    if (isGeo) return geo[key];
    if (key === 'distinct_id') return this.request.distinctId;
    if (this.#stored === UNAVAILABLE) return UNAVAILABLE;
    if (Object.hasOwn(this.#stored, key)) return this.#stored[key];
    const current = key.startsWith('$initial_') ? currentOfInitial(key) : undefined;
    return current === undefined ? undefined : this.personProperty(current);
  }

  /** Data of the person's record, independent of its properties. */
  personMetadata(key: string): FoundProperty {
    const { person } = this.#facts;
    if (key !== 'created_at') return undefined;
    return person === 'unavailable' ? UNAVAILABLE : person?.createdAt;
  }

  /** Key of the request's group of this type; undefined if it names none. */
  groupKey(index: number): string | undefined {
    const name = this.#groupTypes.get(index);
    if (name === undefined || !Object.hasOwn(this.request.groups, name)) return undefined;
    return this.request.groups[name] || undefined;
  }

  groupProperty(index: number, key: string): FoundProperty {
    const name = this.#groupTypes.get(index);
    if (name === undefined) return undefined;
    const groupKey = this.groupKey(index);
    if (key === '$group_key' && groupKey !== undefined) return groupKey;
    const sentProperties = Object.hasOwn(this.request.groupProperties, name)
      ? this.request.groupProperties[name]!
      : NO_PROPERTIES;
    if (Object.hasOwn(sentProperties, key)) return sentProperties[key];
    if (groupKey === undefined) return undefined;
    if (this.#facts.groups === 'unavailable') return UNAVAILABLE;
    const stored = this.#facts.groups.get(index) ?? NO_PROPERTIES;
    return Object.hasOwn(stored, key) ? stored[key] : undefined;
  }

  isInStaticCohort(id: number): Verdict {
    const { memberships } = this.#facts;
    return memberships === 'unavailable' ? 'database_error' : memberships.has(id);
  }

  /** Id to hash for a flag with experience continuity; undefined if it could not be read. */
  continuousId(flagKey: string): string | undefined {
    const { hashKeyOverrides } = this.#facts;
    if (hashKeyOverrides === 'unavailable') return undefined;
    return hashKeyOverrides.get(flagKey) ?? (this.request.anonDistinctId || this.request.distinctId);
  }
}
