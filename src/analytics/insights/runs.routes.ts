/** Results of a dashboard's insights: `run_insights/` returns results alone, `stream_tiles/` the dashboard tile by tile. */
import { json, route } from '../../platform/http/route.ts';
import { rawAccess } from '../../people/access/raw-data.ts';
import { nullable, Type, type Static } from '../../platform/schema.ts';
import { presentDashboard } from '../dashboards/present.ts';
import { DashboardParams } from '../dashboards/schema.ts';
import type { DashboardStores } from '../dashboards/stores.ts';
import type { TileBody } from '../dashboards/tiles/schema.ts';
import { loadTiles } from '../dashboards/tiles/tiles.ts';
import { OverrideParams, overridesOf } from './results/overlay.ts';
import { RefreshParam, refreshOf } from './results/refresh.ts';
import type { ResultRequest, Results } from './results/results.ts';
import { ResultFields } from './schema.ts';
import { tileStream } from './results/tile-stream.ts';

export type RunsApi = { dashboardStores: DashboardStores; results: Pick<Results, 'getResults' | 'startResults'> };

const RunBody = Type.Object(
  {
    id: Type.Integer({ description: 'The ID of the tile.' }),
    order: Type.Integer(),
    insight: Type.Object({
      id: Type.Integer(),
      short_id: Type.String(),
      name: nullable(Type.String()),
      derived_name: nullable(Type.String()),
      description: Type.String(),
    }),
    ...ResultFields,
  },
  { title: 'InsightRun' },
);

const runInsights = route({
  method: 'get',
  path: '/dashboards/:id/run_insights/',
  access: { scope: 'query:read', object: { resource: 'dashboard', param: 'id' } },
  params: DashboardParams,
  query: Type.Object({ refresh: RefreshParam, ...OverrideParams }),
  answers: { 200: Type.Object({ results: Type.Array(RunBody) }) },
  summary: 'Compute the insights of a dashboard',
  description:
    'Returns the insights that the caller may view, with the filters of the dashboard. Without `refresh`, old ' +
    'results are recomputed.',
  async handle({ project, caller, rights, params, query }, { dashboardStores: stores, results }: RunsApi) {
    const refresh = refreshOf(query.refresh, 'blocking');
    const tiles = await loadTiles(stores, await stores.dashboards.get(project.id, params.id), {
      rights,
      overrides: overridesOf(query, { rights }),
      getResults: (requested) => results.getResults(project, requested, refresh, rawAccess({ caller, rights })),
    });
    return json(200, { results: tiles.flatMap(runOf) });
  },
});

const streamTiles = route({
  method: 'get',
  path: '/dashboards/:id/stream_tiles/',
  access: { scope: 'dashboard:read', object: { resource: 'dashboard', param: 'id' }, sessionOnly: true },
  params: DashboardParams,
  query: Type.Object({ refresh: RefreshParam, ...OverrideParams }),
  answers: {
    200: Type.String({
      description:
        'A stream of server-sent events: `metadata`, a `tile` for each tile when its result is ready, and `complete`.',
    }),
  },
  produces: { 200: 'text/event-stream' },
  summary: 'Stream a dashboard tile by tile',
  description: 'For signed-in users only. Without `refresh`, old results are recomputed.',
  async handle({ project, caller, rights, params, query }, { dashboardStores: stores, results }: RunsApi) {
    const overrides = overridesOf(query, { rights });
    const access = rawAccess({ caller, rights });
    const dashboard = await stores.dashboards.recordView(project.id, params.id);
    let requested: readonly ResultRequest[] = [];
    const tiles = await loadTiles(stores, dashboard, {
      rights,
      caller,
      overrides,
      getResults(all) {
        requested = all;
        return results.getResults(project, all, 'force_cache', access);
      },
    });
    const users = await stores.users.findByIds([dashboard.created_by]);
    const dashboardBody = presentDashboard(dashboard, { viewer: { caller, rights }, users, tiles, overrides });
    const pendingResults = await results.startResults(project, requested, refreshOf(query.refresh, 'blocking'), access);
    // Results are in the order of the tiles that show one.
    const tilesWithResult = tiles.filter(({ insight }) => insight && 'result' in insight);
    const stream = tileStream(
      dashboardBody,
      new Map(tilesWithResult.map(({ id }, index) => [id, pendingResults[index]!])),
    );
    return { status: 200, headers: EVENT_STREAM, body: stream };
  },
});

const EVENT_STREAM = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-store, no-transform',
  // Nginx would keep events until there are enough of them.
  'X-Accel-Buffering': 'no',
};

/** Empty for a tile without an insight, and for an insight that the caller may not see. */
function runOf({ id, order, insight }: TileBody): Static<typeof RunBody>[] {
  if (!insight || !('result' in insight)) return [];
  const { id: insightId, short_id, name, derived_name, description } = insight;
  const result = Object.keys(ResultFields).map((field) => [field, insight[field as keyof typeof ResultFields]]);
  const resultFields = Object.fromEntries(result) as Pick<typeof insight, keyof typeof ResultFields>;
  return [{ id, order, insight: { id: insightId, short_id, name, derived_name, description }, ...resultFields }];
}

export const runRoutes = [runInsights, streamTiles];
