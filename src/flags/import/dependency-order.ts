/** The order in which things are made that name each other. */

/** Members of a circle that an error names, because a circle may be as long as an export. */
const MAX_TOLD = 10;

export type Circle<T> = { members: readonly T[]; length: number };

/**
 * Depth first and without recursion: linear in nodes and names.
 * @param namesOf returns the nodes that a node names
 * @returns each node after those that it names; and each circle, by the node that closes it, from the node that it leads back to
 */
export function dependencyOrder<T>(
  nodes: Iterable<T>,
  namesOf: (node: T) => readonly T[],
): { order: T[]; circles: Map<T, Circle<T>> } {
  const order: T[] = [];
  const circles = new Map<T, Circle<T>>();
  const done = new Set<T>();
  /** Nodes of the way to the present one, with their places on it. */
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
