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
  const letters = comparableName(name.slice(0, MAX_LENGTH));
  const candidates = paths.flatMap((path) => {
    const other = comparableName(path.slice(path.lastIndexOf('.') + 1));
    const [shorter, longer] = letters.length < other.length ? [letters, other] : [other, letters];
    const isPart = shorter.length >= MIN_LETTERS && longer.includes(shorter);
    const edits = distance(letters, other);
    return isPart || edits <= MAX_CHANGED * longer.length ? [{ path, isPart, changed: edits }] : [];
  });
  candidates.sort((a, b) => Number(b.isPart) - Number(a.isPart) || a.changed - b.changed);
  return candidates[0]?.path;
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
    const comparable = comparableName(name.slice(0, MAX_LENGTH));
    return meant.filter(({ letters }) => isOneEdit(comparable, letters)).map((match) => match.name);
  };
}

/** Compares what remains after removing the common beginning and end. */
function isOneEdit(a: string, b: string): boolean {
  const shorter = Math.min(a.length, b.length);
  if (Math.max(a.length, b.length) - shorter > 1) return false;
  let begin = 0;
  while (begin < shorter && a[begin] === b[begin]) begin += 1;
  let end = 0;
  while (end < shorter - begin && a.at(-1 - end) === b.at(-1 - end)) end += 1;
  const [left, right] = [a.slice(begin, a.length - end), b.slice(begin, b.length - end)];
  const isSwap = left.length === 2 && left[0] === right[1] && left[1] === right[0];
  return isSwap || Math.max(left.length, right.length) <= 1;
}

function comparableName(name: string): string {
  return name.replaceAll('_', '').toLowerCase();
}
