/** Compares and merges JSON values. An absent field equals an undefined one. */

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function equal(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (Array.isArray(left) && Array.isArray(right)) {
    return left.length === right.length && left.every((value, index) => equal(value, right[index]));
  }
  if (!isObject(left) || !isObject(right)) return false;
  return keysOf(left, right).every((name) => equal(left[name], right[name]));
}

export function keysOf(...objects: readonly object[]): string[] {
  return [...new Set(objects.flatMap((object) => Object.keys(object)))];
}

/** Thrown for two different changes of the same value, which cannot be merged. */
export class ConflictingChanges extends Error {}

/**
 * @returns `base` with the changes of both
 * @throws ConflictingChanges if both changed the same value in different ways
 */
export function mergeChanges<T>(base: T, theirs: T, ours: T): T {
  if (equal(ours, base)) return theirs;
  if (equal(theirs, base) || equal(theirs, ours)) return ours;
  if ([base, theirs, ours].every(isObject)) {
    const [a, b, c] = [base, theirs, ours] as Readonly<Record<string, unknown>>[];
    const members = keysOf(a!, b!, c!).map((name) => [name, mergeChanges(a![name], b![name], c![name])]);
    return Object.fromEntries(members.filter(([, value]) => value !== undefined)) as T;
  }
  if (Array.isArray(base) && Array.isArray(theirs) && Array.isArray(ours)) {
    // With different lengths, equal indexes no longer mean the same element.
    if (base.length === theirs.length && base.length === ours.length) {
      return base.map((value, index) => mergeChanges<unknown>(value, theirs[index], ours[index])) as T;
    }
  }
  throw new ConflictingChanges();
}
