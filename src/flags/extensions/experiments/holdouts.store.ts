/** Rows of holdouts. Writers hold the project's lock (`stores.inTransaction`). */
import type { Knex } from '../../../platform/db/connection.ts';
import { NotFound } from '../../../platform/errors.ts';

export type HoldoutFields = {
  name: string;
  description: string;
  /** Percentage of all persons that is excluded from its experiments. */
  exclusion_percentage: number;
};

export type Holdout = HoldoutFields & {
  id: number;
  project_id: number;
  created_by: number | null;
  created_at: string;
  updated_at: string;
};

export function holdoutStore(db: Knex) {
  const holdoutsOfProject = (projectId: number) => db<Holdout>('experiment_holdouts').where({ project_id: projectId });

  return {
    /** @throws NotFound when the project has no such holdout */
    async get(projectId: number, id: number): Promise<Holdout> {
      const row = await holdoutsOfProject(projectId).where({ id }).first();
      if (!row) throw new NotFound();
      return row;
    },

    /** Lists the newest first. */
    async list(
      projectId: number,
      page: { limit: number; offset: number },
    ): Promise<{ count: number; results: Holdout[] }> {
      const countRow = (await holdoutsOfProject(projectId).count({ count: '*' }).first()) as unknown as {
        count: string;
      };
      const results = await holdoutsOfProject(projectId).orderBy('id', 'desc').limit(page.limit).offset(page.offset);
      return { count: Number(countRow.count), results };
    },

    /** Returns the holdouts that exist, by id. */
    async findByIds(projectId: number, ids: readonly number[]): Promise<Map<number, Holdout>> {
      const rows = await holdoutsOfProject(projectId).whereIn('id', ids);
      return new Map(rows.map((row) => [row.id, row]));
    },

    async insert(projectId: number, userId: number | null, fields: HoldoutFields): Promise<Holdout> {
      const [row] = await db<Holdout>('experiment_holdouts')
        .insert({ project_id: projectId, created_by: userId, ...fields })
        .returning('*');
      return row!;
    },

    async update(id: number, changes: Partial<HoldoutFields>): Promise<Holdout> {
      const [row] = await db<Holdout>('experiment_holdouts')
        .where({ id })
        .update({ ...changes, updated_at: db.raw('clock_timestamp()') })
        .returning('*');
      return row!;
    },

    async delete(id: number): Promise<void> {
      await db<Holdout>('experiment_holdouts').where({ id }).delete();
    },
  };
}
