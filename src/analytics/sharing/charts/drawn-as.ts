/** Charts by the queries that they are drawn from. */

type Node = { kind?: unknown; source?: unknown; trendsFilter?: { display?: unknown } | null };

/** @returns the kind of the query, and upstream's name of its chart; empty if the query does not say */
export function drawnAs(query: Node | null): { kind: string; display: string } {
  const { kind, trendsFilter } = innermost(query ?? {});
  return { kind: wordOf(kind), display: wordOf(trendsFilter?.display) };
}

/** Returns the query that is computed, without the node that says how it is shown. */
function innermost(query: Node): Node {
  return typeof query.source === 'object' && query.source !== null ? query.source : query;
}

function wordOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
