/** Rows of texts: copies of a dashboard share them. Writers hold the project's lock (`stores.inTransaction`). */
import type { Knex } from '../../../platform/db/connection.ts';

export type Text = {
  id: number;
  project_id: number;
  /** Markdown. */
  body: string | null;
  created_by: number | null;
  last_modified_by: number | null;
  last_modified_at: string;
};

export function textStore(db: Knex) {
  const table = () => db<Text>('dashboard_texts');

  return {
    /** Existing texts, by id. */
    async findByIds(projectId: number, ids: readonly number[]): Promise<Map<number, Text>> {
      if (ids.length === 0) return new Map();
      const rows = await table().where({ project_id: projectId }).whereIn('id', ids);
      return new Map(rows.map((row) => [row.id, row]));
    },

    async insert(text: Omit<Text, 'id' | 'last_modified_at'>): Promise<Text> {
      const [row] = await table().insert(text).returning('*');
      return row!;
    },

    async update(projectId: number, id: number, changes: Pick<Text, 'body' | 'last_modified_by'>): Promise<void> {
      await table()
        .where({ project_id: projectId, id })
        .update({ ...changes, last_modified_at: db.raw('clock_timestamp()') });
    },
  };
}
