/** The parts that the bodies of a member's requests are made of. */
import type { HostileRequest } from './world.ts';

export type Ask = (what: string, path: string, body: () => unknown, method?: string) => HostileRequest;

export const LETTERS = String.raw`\p{L}`;

let made = 0;
/** A name that nothing has. */
export const unique = () => `k${(made += 1)}`;
export const times = <T>(count: number, each: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => each(at));

/** A condition on a property of the person. */
export const ofPerson = (operator: string, value: unknown, index = 0) => ({
  type: 'person',
  key: `q${index}`,
  operator,
  value,
});
/** A condition on a property of the event. */
export const ofEvent = (operator: string, value: unknown, index = 0) => ({
  type: 'event',
  key: `q${index}`,
  operator,
  value,
});
export const members = (count: number) => Object.fromEntries(times(count, (at) => [`m${at}`, 1]));
