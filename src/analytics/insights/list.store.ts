/** Which insights a list shows, and in which order. */
import type { Knex } from '../../platform/db/connection.ts';
import type { Visible } from '../../platform/http/access.ts';
import { whereVisible } from '../../people/access/visible.store.ts';
import type { Insight } from './insight.ts';

/** Columns that insights may be sorted by. */
export const ORDERS = ['last_modified_at', 'created_at', 'name', 'id'] as const;

export type InsightQuery = {
  visible: Visible;
  /** Dashboards that the caller may see; `dashboardId` finds no insights on others. */
  visibleDashboards: Visible;
  shortId?: string | undefined;
  /** Text in a name, the description or a tag. */
  search?: string | undefined;
  saved?: boolean | undefined;
  favorited?: boolean | undefined;
  createdBy?: number | undefined;
  /** The insight has at least one of these. */
  tags?: readonly string[] | undefined;
  /** Only insights on this dashboard. */
  dashboardId?: number | undefined;
  order: { column: (typeof ORDERS)[number]; descending: boolean };
  limit: number;
  offset: number;
};

const MATCHES = `strpos(lower(concat_ws(' ', name, derived_name, description, array_to_string(tags, ' '))), lower(?)) > 0`;

/** Insights of a project that are not deleted. */
export async function listInsights(
  db: Knex,
  projectId: number,
  query: InsightQuery,
): Promise<{ count: number; results: Insight[] }> {
  const matchingRows = () => {
    const rows = db<Insight>('insights').where({ project_id: projectId, deleted: false });
    whereVisible(rows, query.visible);
    if (query.shortId !== undefined) rows.where({ short_id: query.shortId });
    if (query.search !== undefined) rows.whereRaw(MATCHES, [query.search]);
    if (query.saved !== undefined) rows.where({ saved: query.saved });
    if (query.favorited !== undefined) rows.where({ favorited: query.favorited });
    if (query.createdBy !== undefined) rows.where({ created_by: query.createdBy });
    if (query.tags !== undefined) rows.whereRaw('tags && ?::text[]', [[...query.tags]]);
    if (query.dashboardId !== undefined) rows.whereIn('id', shownOn(query.dashboardId, query.visibleDashboards));
    return rows;
  };
  const shownOn = (dashboardId: number, visible: Visible) => {
    const tiles = db('dashboard_tiles as tile')
      .join('dashboards', 'dashboards.id', 'tile.dashboard_id')
      .where({ 'dashboards.id': dashboardId, 'tile.deleted': false })
      .whereNotNull('tile.insight_id')
      .select('tile.insight_id');
    return whereVisible(tiles, visible, { id: 'dashboards.id', createdBy: 'dashboards.created_by' });
  };
  const countRow = (await matchingRows().count({ count: '*' }).first()) as unknown as { count: string };
  const order = query.order.descending ? 'desc' : 'asc';
  const results = await matchingRows()
    .orderBy([
      { column: query.order.column, order, nulls: 'last' },
      { column: 'id', order },
    ])
    .limit(query.limit)
    .offset(query.offset);
  return { count: Number(countRow.count), results };
}
