/** The types of a project's groups, as events named them first, and what people call them. */
import type { Knex } from '../../platform/db/connection.ts';

export type GroupType = {
  /** 0 to 4. */
  index: number;
  type: string;
  nameSingular: string | null;
  namePlural: string | null;
};

/** Names to be set; a name that is not given stays. */
export type GroupTypeNames = {
  index: number;
  nameSingular?: string | null | undefined;
  namePlural?: string | null | undefined;
};

type Row = { group_type_index: number; group_type: string; name_singular: string | null; name_plural: string | null };

export function groupTypeStore(db: Knex) {
  const ofProject = (projectId: number) => db('group_types').where({ project_id: projectId });

  return {
    /** Lists the types of a project, at most five. */
    async list(projectId: number): Promise<GroupType[]> {
      const rows = (await ofProject(projectId).orderBy('group_type_index')) as Row[];
      return rows.map((row) => ({
        index: row.group_type_index,
        type: row.group_type,
        nameSingular: row.name_singular,
        namePlural: row.name_plural,
      }));
    },

    /** Renames all of the types, or none if one of them does not exist. @returns whether all exist */
    async rename(projectId: number, names: readonly GroupTypeNames[]): Promise<boolean> {
      const rows = names.map(({ index, nameSingular, namePlural }) => ({
        index,
        ...(nameSingular !== undefined && { name_singular: nameSingular }),
        ...(namePlural !== undefined && { name_plural: namePlural }),
      }));
      const { rows: changed } = await db.raw<{ rows: unknown[] }>(
        `with given as (select (one ->> 'index')::int as index, one from jsonb_array_elements(?::jsonb) as one),
           strange as (select from given where index not in (select group_type_index from group_types where project_id = ?))
         update group_types as known set
             name_singular = case when one \\? 'name_singular' then one ->> 'name_singular' else name_singular end,
             name_plural = case when one \\? 'name_plural' then one ->> 'name_plural' else name_plural end
           from given where known.project_id = ? and known.group_type_index = given.index and not exists (select from strange)
           returning 1`,
        [JSON.stringify(rows), projectId, projectId],
      );
      return changed.length === new Set(names.map(({ index }) => index)).size;
    },
  };
}

export type GroupTypeStore = ReturnType<typeof groupTypeStore>;
