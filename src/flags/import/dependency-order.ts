/** Sorts items so that each comes after those that it references, and finds circles. */

/** Maximum number of a circle's members in an error. */
const MAX_TOLD = 10;

export type Circle<T> = { members: readonly T[]; length: number };

/**
 * Depth-first search without recursion, in linear time.
 * @param namesOf returns the nodes that a node references
 * @returns `order`: each node after those that it references; `circles`: each circle, by the node that closes it
 */
export function dependencyOrder<T>(
  nodes: Iterable<T>,
  namesOf: (node: T) => readonly T[],
): { order: T[]; circles: Map<T, Circle<T>> } {
  const order: T[] = [];
  const circles = new Map<T, Circle<T>>();
  const done = new Set<T>();
  /** Nodes on the current path, with their positions in it. */
  const places = new Map<T, number>();
  const way: { node: T; named: readonly T[]; next: number }[] = [];
  const enter = (node: T) => {
    places.set(node, way.length);
    way.push({ node, named: namesOf(node), next: 0 });
  };
  for (const start of nodes) {
    if (done.has(start)) continue;
    enter(start);
    for (let top = way.at(-1); top; top = way.at(-1)) {
      const named = top.named[top.next++];
      if (named === undefined) {
        way.pop();
        places.delete(top.node);
        done.add(top.node);
        order.push(top.node);
        continue;
      }
      const place = places.get(named);
      if (place === undefined) {
        if (!done.has(named)) enter(named);
      } else if (!circles.has(top.node)) {
        const members = way.slice(place, place + MAX_TOLD).map(({ node }) => node);
        circles.set(top.node, { members, length: way.length - place });
      }
    }
  }
  return { order, circles };
}
