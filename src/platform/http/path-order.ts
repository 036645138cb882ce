/** Decides which of several paths a request means: `/things/preview/` is not the thing whose id is "preview". */

/** Paths that differ only in the names of their parameters. */
export type PathGroup<Entry> = {
  entries: Entry[];
  /** Whether another group has a parameter where this group has a literal, so the other group's paths match, too. */
  isCovered: boolean;
};

/** @returns entries grouped by path, in the order in which to match a request: paths with a literal before those with a parameter there */
export function groupPaths<Entry extends { path: string }>(entries: readonly Entry[]): PathGroup<Entry>[] {
  const byShape = Map.groupBy(entries, ({ path }) => path.replace(/:\w+/g, ':'));
  const shapes = [...byShape.keys()].sort((a, b) => compare(kindsOf(a), kindsOf(b)));
  return shapes.map((shape) => ({
    entries: byShape.get(shape)!,
    isCovered: shapes.some((other) => covers(other, shape)),
  }));
}

function covers(other: string, shape: string): boolean {
  const [own, others] = [shape.split('/'), other.split('/')];
  if (shape === other || own.length !== others.length) return false;
  return own.every((segment, n) => others[n] === segment || others[n] === ':');
}

/** `0` for each literal segment, `1` for each parameter. */
function kindsOf(shape: string): string {
  return shape.replaceAll(/[^/:]+/g, '0').replaceAll(':', '1');
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
