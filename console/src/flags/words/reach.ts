/** Estimates how many persons get a flag, from the numbers that match its condition sets. */

/** @param percent 0 to 100 @param asks whether the set has conditions */
export type CountedSet = { percent: number; hasConditions: boolean; matching: number };

/**
 * A person has the same bucket in every set of a flag. So a set without conditions reaches its share of everybody, and a set with conditions
 * adds only its share beyond that. The overlap of two sets with conditions is unknown, so there are two bounds.
 */
export function reachOf(sets: readonly CountedSet[], total: number): { min: number; max: number } {
  const floor = Math.max(0, ...sets.filter(({ hasConditions }) => !hasConditions).map(({ percent }) => percent));
  const everybody = (floor / 100) * total;
  const beyond = sets
    .filter(({ hasConditions }) => hasConditions)
    .map(({ percent, matching }) => (Math.max(0, percent - floor) / 100) * matching);
  const sum = beyond.reduce((one, other) => one + other, 0);
  return {
    min: Math.round(everybody + Math.max(0, ...beyond)),
    max: Math.round(Math.min(total, everybody + sum)),
  };
}
