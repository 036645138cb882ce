/** Rows of link buttons. A dashboard and its copies share them. Writers hold the project's lock (`stores.inTransaction`). */
import { randomUUID } from 'node:crypto';
import type { Knex } from '../../../platform/db/connection.ts';

export const PLACEMENTS = ['left', 'right'] as const;
export const BUTTON_STYLES = ['primary', 'secondary'] as const;

export type ButtonFields = {
  url: string;
  text: string;
  placement: (typeof PLACEMENTS)[number];
  style: (typeof BUTTON_STYLES)[number];
};

export type Button = ButtonFields & { id: string; project_id: number };

export function buttonStore(db: Knex) {
  const table = () => db<Button>('dashboard_buttons');

  return {
    /** Existing buttons, by id. */
    async findByIds(projectId: number, ids: readonly string[]): Promise<Map<string, Button>> {
      if (ids.length === 0) return new Map();
      const rows = await table().where({ project_id: projectId }).whereIn('id', ids);
      return new Map(rows.map((row) => [row.id, row]));
    },

    async insert(projectId: number, fields: ButtonFields): Promise<Button> {
      const [row] = await table()
        .insert({ id: randomUUID(), project_id: projectId, ...fields })
        .returning('*');
      return row!;
    },

    async update(projectId: number, id: string, fields: ButtonFields): Promise<void> {
      await table().where({ project_id: projectId, id }).update(fields);
    },
  };
}
