/** Sorts items, each after the items that it references, and finds cycles. */
import { InvalidInput } from '../../platform/errors.ts';

/** Maximum number of a cycle's nodes in an error. */
const MAX_REPORTED = 10;

export type Cycle<T> = { nodes: readonly T[]; length: number };

/**
 * Depth-first search without recursion, in linear time.
 * @param referencesOf returns the nodes that a node references
 * @returns `order`: each node after the nodes that it references; `cycles`: each cycle, by the node that closes it
 */
export function dependencyOrder<T>(
  nodes: Iterable<T>,
  referencesOf: (node: T) => readonly T[],
): { order: T[]; cycles: Map<T, Cycle<T>> } {
  const order: T[] = [];
  const cycles = new Map<T, Cycle<T>>();
  const done = new Set<T>();
  /** Nodes on the current path, with their positions in it. */
  const positions = new Map<T, number>();
  const path: { node: T; references: readonly T[]; next: number }[] = [];
  const enter = (node: T) => {
    positions.set(node, path.length);
    path.push({ node, references: referencesOf(node), next: 0 });
  };
  for (const start of nodes) {
    if (done.has(start)) continue;
    enter(start);
    for (let top = path.at(-1); top; top = path.at(-1)) {
      const reference = top.references[top.next++];
      if (reference === undefined) {
        path.pop();
        positions.delete(top.node);
        done.add(top.node);
        order.push(top.node);
        continue;
      }
      const position = positions.get(reference);
      if (position === undefined) {
        if (!done.has(reference)) enter(reference);
      } else if (!cycles.has(top.node)) {
        const nodesOfCycle = path.slice(position, position + MAX_REPORTED).map(({ node }) => node);
        cycles.set(top.node, { nodes: nodesOfCycle, length: path.length - position });
      }
    }
  }
  return { order, cycles };
}

/** @returns the refusal of an item that depends on itself */
export function circularError({ nodes, length }: Cycle<{ name: string }>): InvalidInput {
  const names = nodes.map(({ name }) => name);
  const more = length > nodes.length ? [`… (${length} in all)`] : [];
  return new InvalidInput(
    `It depends on itself: ${[...names, ...more, names[0]].join(' → ')}.`,
    'filters',
    'circular_dependency',
  );
}
