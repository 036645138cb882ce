/** Rows of insights. Fields have the same names in the table, in code and on the wire, because most are only passed on. */
import { randomBytes } from 'node:crypto';
import type { Knex } from '../../platform/db/connection.ts';
import { NotFound } from '../../platform/errors.ts';
import type { Dashboard } from '../dashboards/dashboards.store.ts';
import type { OwnedTileLocation } from '../dashboards/tiles/tiles.store.ts';
import { listInsights, type InsightQuery } from './list.store.ts';
import type { InsightFields, Insight } from './insight.ts';

export type NewInsight = InsightFields & Pick<Insight, 'project_id' | 'is_sample' | 'created_by'>;

/** A tile that shows the insight, and the restriction of the tile's dashboard. */
export type InsightLocation = OwnedTileLocation & Pick<Dashboard, 'restriction_level' | 'editors'>;

const EDITORS = `array(select user_id from dashboard_collaborators as collaborator
  where collaborator.dashboard_id = dashboards.id and level = 37) as editors`;

const ID = /^[1-9]\d{0,9}$/;
const MAX_ID = 2 ** 31 - 1;

export function insightStore(db: Knex) {
  const rowsOfProject = (projectId: number) => db<Insight>('insights').where({ project_id: projectId });

  async function listWithDeleted(projectId: number, ids: readonly number[]): Promise<Insight[]> {
    return ids.length > 0 ? rowsOfProject(projectId).whereIn('id', ids) : [];
  }

  return {
    /** @throws NotFound when the project has no such insight, or it was deleted */
    async get(projectId: number, id: number): Promise<Insight> {
      const row = await rowsOfProject(projectId).where({ id, deleted: false }).first();
      if (!row) throw new NotFound();
      return row;
    },

    /** Finds deleted insights too. @param reference the id, or the short id */
    async find(projectId: number, reference: string): Promise<Insight | undefined> {
      const id = ID.test(reference) ? Number(reference) : undefined;
      if (id !== undefined && id > MAX_ID) return undefined;
      return rowsOfProject(projectId)
        .where(id === undefined ? { short_id: reference } : { id })
        .first();
    },

    /** Insights that are not deleted, by their ids. */
    async findByIds(projectId: number, ids: readonly number[]): Promise<ReadonlyMap<number, Insight>> {
      const rows = await listWithDeleted(projectId, ids);
      return new Map(rows.filter(({ deleted }) => !deleted).map((row) => [row.id, row]));
    },

    /** Returns insights, also deleted ones, in no order. */
    withDeleted: listWithDeleted,

    async list(projectId: number, query: InsightQuery): Promise<{ count: number; results: Insight[] }> {
      return listInsights(db, projectId, query);
    },

    async insert(insight: NewInsight): Promise<Insight> {
      const columns = { ...insight, last_modified_by: insight.created_by };
      for (;;) {
        const rows = await db<Insight>('insights')
          .insert({ ...columns, short_id: newShortId() })
          .onConflict(['project_id', 'short_id'])
          .ignore()
          .returning('*');
        if (rows[0]) return rows[0];
      }
    },

    /** @param userId who changes it; null: a key of the project. @throws NotFound */
    async update(
      projectId: number,
      id: number,
      changes: Partial<InsightFields & Pick<Insight, 'deleted'>>,
      userId: number | null,
    ): Promise<Insight> {
      const [row] = await rowsOfProject(projectId)
        .where({ id })
        .update({
          ...changes,
          version: db.raw('version + 1'),
          last_modified_by: userId,
          last_modified_at: db.fn.now(),
          updated_at: db.fn.now(),
        })
        .returning('*');
      if (!row) throw new NotFound();
      return row;
    },

    /** Returns the current and former tiles of insights by id, on dashboards that are not deleted; in the order of the tiles. */
    async findLocations(
      projectId: number,
      insightIds: readonly number[],
    ): Promise<ReadonlyMap<number, InsightLocation[]>> {
      if (insightIds.length === 0) return new Map();
      const rows = await db('dashboard_tiles as tile')
        .join('dashboards', 'dashboards.id', 'tile.dashboard_id')
        .where({ 'dashboards.project_id': projectId, 'dashboards.deleted': false })
        .whereIn('tile.insight_id', insightIds)
        .orderBy('tile.id')
        .select<(InsightLocation & { insight_id: number })[]>(
          'tile.id',
          'tile.insight_id',
          'tile.dashboard_id',
          'tile.deleted',
          'dashboards.created_by',
          'dashboards.restriction_level',
          db.raw(EDITORS),
        );
      return Map.groupBy(rows, ({ insight_id }) => insight_id);
    },
  };
}

export type InsightStore = ReturnType<typeof insightStore>;

/** Returns an id that is never digits only, because addresses accept a numeric id in the same place. */
function newShortId(): string {
  const text = randomBytes(6).toString('base64url');
  return /^\d+$/.test(text) ? newShortId() : text;
}
