/** How many persons get a flag, from how many match each of its condition sets. */

/** @param percent 0 to 100 @param asks whether it has conditions */
export type CountedSet = { percent: number; asks: boolean; matching: number };

/**
 * A person has the same place in every set of a flag, so a set that asks for nothing gives its share of everybody, and each other one adds what
 * it gives beyond that. How far two sets with conditions overlap is not known: then there are two bounds.
 */
export function reachOf(sets: readonly CountedSet[], total: number): { least: number; most: number } {
  const floor = Math.max(0, ...sets.filter(({ asks }) => !asks).map(({ percent }) => percent));
  const everybody = (floor / 100) * total;
  const beyond = sets
    .filter(({ asks }) => asks)
    .map(({ percent, matching }) => (Math.max(0, percent - floor) / 100) * matching);
  const sum = beyond.reduce((one, other) => one + other, 0);
  return {
    least: Math.round(everybody + Math.max(0, ...beyond)),
    most: Math.round(Math.min(total, everybody + sum)),
  };
}
