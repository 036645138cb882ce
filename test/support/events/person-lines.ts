/** Events of persons, written in one line each. */
import type { Properties } from '../../../src/events/persons/effects.ts';
import type { PersonEvent } from './person-memory.ts';

/** One event: its name, its person, and its properties. */
export type Line = [event: string, distinctId: string, properties?: Properties];

export const identify = (distinctId: string, anon: unknown, more: Properties = {}): Line => [
  '$identify',
  distinctId,
  { $anon_distinct_id: anon, ...more },
];

export const aliasLine = (distinctId: string, other: unknown): Line => ['$create_alias', distinctId, { alias: other }];

export const mergeDangerously = (distinctId: string, other: unknown): Line => [
  '$merge_dangerously',
  distinctId,
  { alias: other },
];

export const set = (distinctId: string, properties: Properties): Line => ['paid', distinctId, { $set: properties }];

/** @param at microseconds since 2000 */
export function eventOf([event, distinctId, properties = {}]: Line, at = 0): PersonEvent {
  return { event, distinctId, properties, timestamp: BigInt(at) };
}
