/** The types of groups that a project has, each with an index from 0 to 4 that it keeps for good. */
import type { Pool } from '../../platform/db/connection.ts';

const MAX_GROUP_TYPES = 5;
const MAX_PROJECTS = 10_000;

/** Index by name. */
export type GroupTypes = ReadonlyMap<string, number>;

const NO_TYPES: GroupTypes = new Map();

export type GroupTypeCache = {
  /** @returns the types of the project; undefined when some of these names may be new to it */
  find(projectId: number, names: ReadonlySet<string>): GroupTypes | undefined;
  /** Gives new types an index while one is free. @returns the types of the project, without those that got no index */
  make(projectId: number, names: ReadonlySet<string>): Promise<GroupTypes>;
};

/** Caches all types that it reads, because a type's index never changes. */
export function createGroupTypes(pool: Pool): GroupTypeCache {
  const cache = new Map<number, GroupTypes>();

  return {
    find(projectId, names) {
      if (names.size === 0) return NO_TYPES;
      const cachedTypes = cache.get(projectId) ?? NO_TYPES;
      return cachedTypes.size === MAX_GROUP_TYPES || names.isSubsetOf(cachedTypes) ? cachedTypes : undefined;
    },
    async make(projectId, names) {
      const { rows } = await pool.query<{ group_type: string; group_type_index: number }>(
        'select * from ensure_group_types($1, $2)',
        [projectId, [...names]],
      );
      const types = new Map(rows.map((row) => [row.group_type, row.group_type_index]));
      // Evicts in order of insertion, so a project that is read again moves to the end.
      cache.delete(projectId);
      cache.set(projectId, types);
      if (cache.size > MAX_PROJECTS) cache.delete(cache.keys().next().value!);
      return types;
    },
  };
}
