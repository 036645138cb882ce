/** Removes references to hidden objects from audit log entries. */
import { isDeepStrictEqual } from 'node:util';
import type { Knex } from '../../platform/db/connection.ts';
import type { Change } from './entry.ts';
import type { AuditLogEntry } from './entry.ts';
import type { VisibleAuditLog } from './visible-audit-log.ts';
import { seesAll, whereVisible } from '../access/visible.store.ts';

/**
 * Removes the ids of hidden objects from the fields that list them, and drops changes that become empty.
 * @param projectId null for entries about an organization, whose readers may see all objects
 */
export async function withoutHidden(
  db: Knex,
  projectId: number | null,
  entries: readonly AuditLogEntry[],
  limits: readonly VisibleAuditLog[],
): Promise<AuditLogEntry[]> {
  let shownEntries = [...entries];
  for (const { visible, namedIn } of limits) {
    if (!namedIn || projectId === null || seesAll(visible)) continue;
    const { scope, field, table } = namedIn;
    const ids = shownEntries.flatMap((entry) => (entry.scope === scope ? idsIn(entry, field) : []));
    if (ids.length === 0) continue;
    const visibleRows = db(table).where({ project_id: projectId }).whereIn('id', ids).select('id');
    const rows = (await whereVisible(visibleRows, visible)) as { id: number }[];
    const visibleIds = new Set<unknown>(rows.map(({ id }) => id));
    shownEntries = shownEntries.map((entry) =>
      entry.scope === scope ? withoutHiddenIds(entry, field, visibleIds) : entry,
    );
  }
  return shownEntries;
}

function idsIn({ detail }: AuditLogEntry, field: string): number[] {
  const values = detail.changes.filter((change) => change.field === field);
  return values.flatMap(({ before, after }) => [...listOf(before), ...listOf(after)]);
}

function withoutHiddenIds(entry: AuditLogEntry, field: string, visibleIds: ReadonlySet<unknown>): AuditLogEntry {
  const keepShown = (value: unknown) => (Array.isArray(value) ? value.filter((id) => visibleIds.has(id)) : value);
  const changes = entry.detail.changes.flatMap((change): Change[] => {
    if (change.field !== field) return [change];
    const [before, after] = [keepShown(change.before), keepShown(change.after)];
    return isDeepStrictEqual(before, after) ? [] : [{ ...change, before, after }];
  });
  return { ...entry, detail: { ...entry.detail, changes } };
}

function listOf(value: unknown): number[] {
  return Array.isArray(value) ? value.filter((id): id is number => typeof id === 'number') : [];
}
