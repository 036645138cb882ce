/** `/dashboards/:id/run_insights/`: what the insights of a dashboard give, without all that is around them. */
import { json, route } from '../../http/route.ts';
import { nullable, Type, type Static } from '../../schema.ts';
import type { DashboardStores } from '../stores.ts';
import type { TileBody } from '../tiles/schema.ts';
import { tilesOf } from '../tiles/tiles.ts';
import { OverrideParams, overridesOf } from './overlay.ts';
import { RefreshParam, refreshOf } from './refresh.ts';
import type { Results } from './results.ts';
import { ResultFields } from './schema.ts';

export type RunsApi = { dashboardStores: DashboardStores; results: Pick<Results, 'resultsOf'> };

const RunBody = Type.Object(
  {
    id: Type.Integer({ description: 'Of the tile.' }),
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
  params: Type.Object({ id: Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1 }) }),
  query: Type.Object({ refresh: RefreshParam, ...OverrideParams }),
  answers: { 200: Type.Object({ results: Type.Array(RunBody) }) },
  summary: 'Run the insights of a dashboard',
  description:
    'Those that the caller may see, as the dashboard shows them. Without `refresh` old results are computed anew.',
  async handle({ project, rights, params, query }, { dashboardStores: stores, results }: RunsApi) {
    const refresh = refreshOf(query.refresh, 'blocking');
    const tiles = await tilesOf(stores, await stores.dashboards.get(project.id, params.id), {
      rights,
      overrides: overridesOf(query),
      resultsOf: (asked) => results.resultsOf(project, asked, refresh),
    });
    return json(200, { results: tiles.flatMap(runOf) });
  },
});

/** Nothing for what is not an insight, or may not be seen. */
function runOf({ id, order, insight }: TileBody): Static<typeof RunBody>[] {
  if (!insight || !('result' in insight)) return [];
  const { id: insightId, short_id, name, derived_name, description } = insight;
  const result = Object.keys(ResultFields).map((field) => [field, insight[field as keyof typeof ResultFields]]);
  const shown = Object.fromEntries(result) as Pick<typeof insight, keyof typeof ResultFields>;
  return [{ id, order, insight: { id: insightId, short_id, name, derived_name, description }, ...shown }];
}

export const runRoutes = [runInsights];
