/** The types of groups that a project has, each with an index from 0 to 4 that it keeps for good. */
import type { Pool } from '../db/connection.ts';

export const MOST_GROUP_TYPES = 5;
const MOST_PROJECTS = 10_000;

/** Index by name. */
export type GroupTypes = ReadonlyMap<string, number>;

const NONE: GroupTypes = new Map();

export type GroupTypesOf = (projectId: number, names: ReadonlySet<string>) => Promise<GroupTypes>;

/**
 * Remembers what it has read: a type's index never changes.
 * @returns a function that gives new types an index while there is one left; those beyond are missing in its answer
 */
export function groupTypesOf(pool: Pool): GroupTypesOf {
  const remembered = new Map<number, GroupTypes>();

  return async (projectId, names) => {
    if (names.size === 0) return NONE;
    const known = remembered.get(projectId) ?? NONE;
    if (known.size === MOST_GROUP_TYPES || names.isSubsetOf(known)) return known;
    const { rows } = await pool.query<{ group_type: string; group_type_index: number }>(
      'select * from ensure_group_types($1, $2)',
      [projectId, [...names]],
    );
    const types = new Map(rows.map((row) => [row.group_type, row.group_type_index]));
    // First in, first out: re-inserting moves a project to the end.
    remembered.delete(projectId);
    remembered.set(projectId, types);
    if (remembered.size > MOST_PROJECTS) remembered.delete(remembered.keys().next().value!);
    return types;
  };
}
