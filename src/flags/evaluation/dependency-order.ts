/** Graph algorithms for flags or cohorts that depend on each other, by index. Without recursion, because chains may be long. */

/**
 * Visits the dependencies of an index, then the index, each once.
 *
 * @param dependenciesOf must have no cycles
 */
export function visitInOrder(
  start: number,
  dependenciesOf: (index: number) => readonly number[],
  isVisited: (index: number) => boolean,
  visit: (index: number) => void,
): void {
  const stack = [start];
  while (stack.length > 0) {
    const index = stack.at(-1)!;
    const unvisited = isVisited(index) ? [] : dependenciesOf(index).filter((dependency) => !isVisited(dependency));
    if (unvisited.length > 0) {
      for (const dependency of unvisited) stack.push(dependency);
      continue;
    }
    stack.pop();
    if (!isVisited(index)) visit(index);
  }
}

/** All indexes that are reachable from `starts`, including these. */
export function reachableFrom(
  starts: Iterable<number>,
  dependenciesOf: (index: number) => Iterable<number>,
): Set<number> {
  const reachable = new Set(starts);
  // A set's iterator also visits items that are added meanwhile.
  for (const index of reachable) {
    for (const dependency of dependenciesOf(index)) reachable.add(dependency);
  }
  return reachable;
}

/**
 * Sorts the indexes below `count` by Kahn's algorithm: `ordered` has dependencies first; `cyclic` are those in a cycle, or depending on one.
 */
export function sortByDependencies(
  count: number,
  dependenciesOf: (index: number) => readonly number[],
): { ordered: number[]; cyclic: Set<number> } {
  const dependents = new Map<number, number[]>();
  const unresolved = Array.from({ length: count }, (_, index) => dependenciesOf(index).length);
  for (let index = 0; index < count; index++) {
    for (const dependency of dependenciesOf(index)) {
      const known = dependents.get(dependency);
      if (known) known.push(index);
      else dependents.set(dependency, [index]);
    }
  }
  const ordered = unresolved.flatMap((number, index) => (number === 0 ? [index] : []));
  for (const index of ordered) {
    for (const dependent of dependents.get(index) ?? []) {
      unresolved[dependent]! -= 1;
      if (unresolved[dependent] === 0) ordered.push(dependent);
    }
  }
  return { ordered, cyclic: new Set(unresolved.flatMap((number, index) => (number > 0 ? [index] : []))) };
}
