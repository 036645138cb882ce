/** Finds the known name that an unknown one is probably meant to be. */
import { distance } from 'fastest-levenshtein';

/** Longer names are cut, because comparing them would take too long. */
const MAX_LENGTH = 100;
/** Shorter names are part of many words, and similar to many. */
const MIN_LETTERS = 4;
/** Largest share of letters to add, remove or replace, relative to the longer name. */
const MAX_CHANGED = 0.4;

/**
 * A name that is part of the other comes first, as `grace` for `grace_seconds`; then misspelt ones. Capitals and underscores do not count.
 * @param paths names, or paths that end with them: `breakdownFilter.breakdown`
 * @returns one of the paths; undefined if none is similar
 */
export function nearestName(name: string, paths: readonly string[]): string | undefined {
  const given = comparableName(name.slice(0, MAX_LENGTH));
  const near = paths.flatMap((path) => {
    const other = comparableName(path.slice(path.lastIndexOf('.') + 1));
    const [shorter, longer] = given.length < other.length ? [given, other] : [other, given];
    const isPart = shorter.length >= MIN_LETTERS && longer.includes(shorter);
    const changed = distance(given, other);
    return isPart || changed <= MAX_CHANGED * longer.length ? [{ path, isPart, changed }] : [];
  });
  near.sort((one, other) => Number(other.isPart) - Number(one.isPart) || one.changed - other.changed);
  return near[0]?.path;
}

/**
 * Finds names that differ by one edit: a letter is missing, added or wrong, or two neighbours are swapped.
 * Capitals and underscores do not count: `startAt` is `start_at`.
 */
export function misspellings(names: readonly string[]): (name: string) => string[] {
  const meant = names
    .filter((name) => name.length >= MIN_LETTERS)
    .map((name) => ({ name, letters: comparableName(name) }));
  return (name) => {
    const given = comparableName(name.slice(0, MAX_LENGTH));
    return meant.filter(({ letters }) => isOneEdit(given, letters)).map((one) => one.name);
  };
}

/** Compares what remains after removing the common beginning and end. */
function isOneEdit(one: string, other: string): boolean {
  const shorter = Math.min(one.length, other.length);
  if (Math.max(one.length, other.length) - shorter > 1) return false;
  let begin = 0;
  while (begin < shorter && one[begin] === other[begin]) begin += 1;
  let end = 0;
  while (end < shorter - begin && one.at(-1 - end) === other.at(-1 - end)) end += 1;
  const [left, right] = [one.slice(begin, one.length - end), other.slice(begin, other.length - end)];
  const isSwap = left.length === 2 && left[0] === right[1] && left[1] === right[0];
  return isSwap || Math.max(left.length, right.length) <= 1;
}

function comparableName(name: string): string {
  return name.replaceAll('_', '').toLowerCase();
}
