/** Changes as `/live/` reports them, and the queries that they invalidate. */
import type { Query } from '@tanstack/react-query';

export type Change = { kind: string; export_id: string; run_id?: string };

/** `all`: changes may have been missed. */
export type Changes = readonly Change[] | 'all';

/** First elements of query keys that are about exports. */
const KINDS: readonly unknown[] = ['exports', 'export', 'intervals', 'backfills', 'runs', 'log-tail'];

/** Whether changes make a query outdated. A query with `meta: { live: false }` never is, such as a plan about to be confirmed. */
export function areAbout({ queryKey, meta }: Pick<Query, 'queryKey' | 'meta'>, projectId: number, changes: Changes) {
  const [kind] = queryKey;
  const idsInKey = idsIn(queryKey);
  if (meta?.['live'] === false || !KINDS.includes(kind) || !idsInKey.includes(projectId)) return false;
  if (changes === 'all') return true;
  return changes.some((change) => {
    const isLog = change.kind === 'log';
    if (kind === 'log-tail' || isLog)
      return kind === 'log-tail' && isLog && idsInKey.includes(change.run_id ?? change.export_id);
    return kind === 'exports' || idsInKey.includes(change.export_id);
  });
}

/** Query keys hold ids directly, or in an object. */
function idsIn(queryKey: readonly unknown[]): unknown[] {
  return queryKey.flatMap((part) => (typeof part === 'object' && part !== null ? Object.values(part) : [part]));
}
