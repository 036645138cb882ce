/** Charts by the queries that they are drawn from. */

type Node = { kind?: unknown; source?: unknown; trendsFilter?: { display?: unknown } | null };

/** @returns its kind, and what its chart is called: empty where the query does not say */
export function drawnAs(query: Node | null): { kind: string; display: string } {
  const { kind, trendsFilter } = innermost(query ?? {});
  return { kind: wordOf(kind), display: wordOf(trendsFilter?.display) };
}

/** The query that is computed, inside what says how it is shown. */
function innermost(query: Node): Node {
  return typeof query.source === 'object' && query.source !== null ? query.source : query;
}

function wordOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
