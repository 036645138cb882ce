/** Removes repeated items of one kind, and finds ids that several items share. */
import type { ExportedItem } from './exported.ts';
import type { Kind } from './outcome.ts';

export type DistinctItems = {
  /** Items to import or to refuse. */
  candidates: ExportedItem[];
  deleted: ExportedItem[];
  /** Items by id, without ambiguous ids. */
  byId: Map<number, ExportedItem>;
  /** Ids that items with different names share, as in exports of two servers. */
  ambiguousIds: Set<number>;
};

/**
 * Merges items with the same id and name, which are one item on two pages. Items with an ambiguous id are `candidates`, with a fault, even if
 * deleted.
 * @param items newest first, as in lists
 * @returns items oldest first
 */
export function distinctItems(kind: Kind, items: readonly ExportedItem[]): DistinctItems {
  const names = new Map<number, Map<string, ExportedItem>>();
  const distinct = items.toReversed().filter((item) => {
    if (item.id === undefined) return true;
    const sameId = names.get(item.id);
    if (sameId?.has(item.name)) return false;
    if (sameId) sameId.set(item.name, item);
    else names.set(item.id, new Map([[item.name, item]]));
    return true;
  });
  const sorted: DistinctItems = { candidates: [], deleted: [], byId: new Map(), ambiguousIds: new Set() };
  for (const item of distinct) {
    const sameId = item.id === undefined ? undefined : names.get(item.id);
    // tooth: import-shared-id
    if (sameId && sameId.size > 1) {
      sorted.ambiguousIds.add(item.id!);
      sorted.candidates.push({ ...item, fault: sharedId(kind, item, sameId) });
      continue;
    }
    if (item.id !== undefined) sorted.byId.set(item.id, item);
    (item.deleted ? sorted.deleted : sorted.candidates).push(item);
  }
  return sorted;
}

function sharedId(kind: Kind, { id, name }: ExportedItem, sameId: ReadonlyMap<string, ExportedItem>) {
  const other = sameId.keys().find((candidate) => candidate !== name);
  return {
    attr: 'id',
    code: 'unique',
    reason: `The ${kind} ${other} of the export has the same id, ${id}. Import the export of each server separately.`,
  };
}
