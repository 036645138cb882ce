/** Which of the names that there are is meant by one that there is not. */
import { distance } from 'fastest-levenshtein';

/** Names as long as a body would take as long. */
const MAX_LENGTH = 100;
/** Shorter ones are part of any word. */
const MIN_PART = 4;
/** Letters to be added, taken away or exchanged, of those of the longer name. */
const MAX_CHANGED = 0.4;

/**
 * A name that is part of the other comes first, as `grace` for `grace_seconds`; then misspelt ones. Capitals and underscores do not count.
 * @param paths names, or paths that end with them: `breakdownFilter.breakdown`
 * @returns one of the paths; undefined where none of them is like it
 */
export function nearestName(name: string, paths: readonly string[]): string | undefined {
  const given = plain(name.slice(0, MAX_LENGTH));
  const near = paths.flatMap((path) => {
    const other = plain(path.slice(path.lastIndexOf('.') + 1));
    const [shorter, longer] = given.length < other.length ? [given, other] : [other, given];
    const isPart = shorter.length >= MIN_PART && longer.includes(shorter);
    const changed = distance(given, other);
    return isPart || changed <= MAX_CHANGED * longer.length ? [{ path, isPart, changed }] : [];
  });
  near.sort((one, other) => Number(other.isPart) - Number(one.isPart) || one.changed - other.changed);
  return near[0]?.path;
}

function plain(name: string): string {
  return name.replaceAll('_', '').toLowerCase();
}
