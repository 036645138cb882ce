/** The properties of a person before and after an event. No function here modifies its arguments. */
import type { PersonEffects, Properties } from './effects.ts';

type Setters = Pick<PersonEffects, 'set' | 'volatile' | 'setOnce' | 'unset'>;

const NO_NAMES: ReadonlySet<string> = new Set();

/** @returns the properties after the effects; undefined if the effects change none, or only ones that do not justify a write */
export function changeProperties(
  current: Properties,
  { set, volatile, setOnce, unset }: Setters,
): Properties | undefined {
  const changes: [string, unknown][] = [];
  const unsetNames = unset.length === 0 ? NO_NAMES : new Set(unset);
  let isWorthWriting = false;
  for (const name in setOnce) {
    if (unsetNames.has(name) || Object.hasOwn(current, name)) continue;
    changes.push([name, setOnce[name]]);
    isWorthWriting = true;
  }
  for (const name in volatile) {
    if (unsetNames.has(name)) continue;
    const isPresent = Object.hasOwn(current, name);
    if (isPresent && isSame(current[name], volatile[name])) continue;
    changes.push([name, volatile[name]]);
    isWorthWriting ||= !isPresent;
  }
  for (const name in set) {
    if (unsetNames.has(name)) continue;
    if (Object.hasOwn(current, name) && isSame(current[name], set[name])) continue;
    changes.push([name, set[name]]);
    isWorthWriting = true;
  }
  isWorthWriting ||= unset.some((name) => Object.hasOwn(current, name));
  if (!isWorthWriting) return undefined;
  // Names may be anything: fromEntries and spreading define properties where assigning would run setters.
  const changed: Record<string, unknown> = { ...current, ...Object.fromEntries(changes) };
  for (const name of unset) delete changed[name];
  return changed;
}

/** Compares JSON values, ignoring the order of names; a number beyond the range of doubles equals null, because it is written so. */
export function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (!isContainer(a) || !isContainer(b)) return isNull(a) && isNull(b);
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const names = Object.keys(a);
  if (names.length !== Object.keys(b).length) return false;
  return names.every((name) => Object.hasOwn(b, name) && isSame(a[name], b[name]));
}

function isContainer(value: unknown): value is Properties {
  return typeof value === 'object' && value !== null;
}

function isNull(value: unknown): boolean {
  return value === null || value === Infinity || value === -Infinity;
}
