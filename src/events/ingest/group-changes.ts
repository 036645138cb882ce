/** Changes of groups, such as companies, by `$groupidentify`. */

import { quoteText } from '../../platform/db/simple-query.ts';
import type { IngestionWarning } from '../warnings/warnings.ts';

/** Limit of a group's properties, in bytes of JSON. */
export const MAX_PROPERTIES_BYTES = 1024 * 1024;
/** Limit of the values in a group's properties: elements of lists and properties of objects, at every level. */
export const MAX_PROPERTIES_VALUES = 25_000;
/** Both limits, for the words of a refusal. */
export const PROPERTIES_LIMIT = `${MAX_PROPERTIES_BYTES} bytes of JSON and ${MAX_PROPERTIES_VALUES} values`;

/** @example { typeIndex: 0, key: 'acme', properties: '{"tier":"gold"}' } */
export type GroupUpdate = {
  /** 0 to 4, from `group_types`. */
  typeIndex: number;
  key: string;
  /** JSON text of an object. */
  properties: string;
};

/**
 * @param subjects in the order of their arrival: later properties replace earlier ones
 * @returns a statement that changes the groups and answers with one row; undefined: none. Groups are sorted, which prevents deadlocks
 */
export function groupsSql(projectId: number, subjects: readonly { group?: GroupUpdate }[]): string | undefined {
  const groups = new Map<string, GroupUpdate[]>();
  for (const { group } of subjects) {
    if (!group) continue;
    const name = `${group.typeIndex}:${group.key}`;
    const updates = groups.get(name);
    if (updates) updates.push(group);
    else groups.set(name, [group]);
  }
  if (groups.size === 0) return undefined;
  const names = [...groups.keys()].sort();
  const changes = `[${names.map((name) => changeJson(groups.get(name)!)).join(',')}]`;
  return `select change_groups(${projectId}, ${quoteText(changes)}, ${MAX_PROPERTIES_BYTES}, ${MAX_PROPERTIES_VALUES})`;
}

/** @param refused the answer of the statement */
export function groupWarnings(refused: string | null | undefined): IngestionWarning[] {
  if (refused == null) return [];
  return (JSON.parse(refused) as [number, string][]).map(([index, key]) => ({
    code: 'group_properties_size_violation',
    detail: `The group ${JSON.stringify(key)} of type ${index} was not changed: its properties may have ${PROPERTIES_LIMIT}.`,
  }));
}

function changeJson(updates: readonly GroupUpdate[]): string {
  const { typeIndex, key, properties } = updates[0]!;
  const merged = updates.length === 1 ? properties : mergedJson(updates);
  return `{"index":${typeIndex},"key":${JSON.stringify(key)},"properties":${merged}}`;
}

/** Uses fromEntries, which defines properties, so a name like `__proto__` has no special effect. */
function mergedJson(updates: readonly GroupUpdate[]): string {
  const entries = updates.flatMap(({ properties }) => Object.entries(JSON.parse(properties) as object));
  return JSON.stringify(Object.fromEntries(entries));
}
