/** `/insights/`: list, create, retrieve, change; an insight is deleted by a change, and can be restored. */
import { offsetPage, offsetPageOf, offsetQuery, pageBounds } from '../../platform/http/parameters/pagination.ts';
import { entityTag, expectedVersion, locationHeader } from '../../platform/http/parameters/preconditions.ts';
import { json, noBody, route, type Answer } from '../../platform/http/route.ts';
import { stringEnum, Type } from '../../platform/schema.ts';
import type { InsightManagement, InsightViewOptions } from './insight-management.ts';
import type { Insight } from './insight.ts';
import { ORDERS, type InsightQuery } from './list.store.ts';
import type { Actor } from './membership.ts';
import { OverrideParams, overridesOf } from './results/overlay.ts';
import { RefreshParam, refreshOf } from './results/refresh.ts';
import { BASIC_HIDES, BasicInsightBody, GivenInsightBody, InsightBody, InsightParams } from './schema.ts';

export type InsightsApi = { insights: InsightManagement };

const MAX_ID = 2 ** 31 - 1;
const Id = Type.Integer({ minimum: 1, maximum: MAX_ID });

const ListQuery = Type.Object({
  ...offsetQuery().properties,
  short_id: Type.Optional(Type.String({ maxLength: 20 })),
  search: Type.Optional(
    Type.String({
      maxLength: 400,
      description: 'Returns only insights whose name, description or tags contain this text.',
    }),
  ),
  saved: Type.Optional(Type.Boolean()),
  favorited: Type.Optional(Type.Boolean()),
  created_by: Type.Optional(Id),
  user: Type.Optional(Type.Boolean({ description: 'If true, returns only insights created by the caller.' })),
  tags: Type.Optional(Type.Array(Type.String({ maxLength: 255 }), { maxItems: 100 })),
  dashboard: Type.Optional(Id),
  basic: Type.Optional(Type.Boolean({ description: 'If true, omits results.' })),
  order: stringEnum(
    ORDERS.flatMap((column) => [column, `-${column}` as const]),
    { default: '-last_modified_at', description: 'The field to sort by; prefix `-` for descending order.' },
  ),
  refresh: RefreshParam,
});

const listInsights = route({
  method: 'get',
  path: '/insights/',
  access: { scope: 'insight:read', filtered: true },
  query: ListQuery,
  answers: { 200: offsetPageOf(Type.Union([InsightBody, BasicInsightBody])) },
  summary: 'List insights, most recently changed first',
  description: 'Excludes deleted insights. Returns cached results; others are computed only with `refresh`.',
  async handle({ project, rights, caller, query, url }, { insights }: InsightsApi) {
    const actor = { project, rights, caller };
    const insightQuery: InsightQuery = {
      visible: rights.visible('insight'),
      visibleDashboards: rights.visible('dashboard'),
      shortId: query.short_id,
      search: query.search,
      saved: query.saved,
      favorited: query.favorited,
      createdBy: query.user && caller.userId !== null ? caller.userId : query.created_by,
      tags: query.tags,
      dashboardId: query.dashboard,
      order: orderOf(query.order),
      ...pageBounds(query),
    };
    const page = await insights.list(project.id, insightQuery);
    const refresh = refreshOf(query.basic ? 'force_cache' : query.refresh, 'force_cache');
    const bodies = await insights.show(actor, page.results, { refresh });
    return json(
      200,
      offsetPage(url, query, { count: page.count, results: query.basic ? bodies.map(withoutResult) : bodies }),
    );
  },
});

const createInsight = route({
  method: 'post',
  path: '/insights/',
  access: { scope: 'insight:write' },
  query: Type.Object({ refresh: RefreshParam }),
  body: GivenInsightBody,
  answers: { 201: InsightBody },
  summary: 'Create an insight',
  description: 'The insight is added to the given `dashboards`, and its result is computed.',
  async handle({ project, rights, caller, query, body, url }, { insights }: InsightsApi) {
    const actor = { project, rights, caller };
    const insight = await insights.create(actor, body);
    return insightAnswer(
      201,
      actor,
      insight,
      insights,
      { refresh: refreshOf(query.refresh) },
      locationHeader(url, insight.id),
    );
  },
});

const getInsight = route({
  method: 'get',
  path: '/insights/:id/',
  access: { scope: 'insight:read', object: { resource: 'insight', param: 'id' } },
  params: InsightParams,
  query: Type.Object({
    refresh: RefreshParam,
    from_dashboard: Type.Optional(
      Type.Integer({ ...Id, description: 'The ID of a dashboard whose filters and variables apply to the insight.' }),
    ),
    ...OverrideParams,
  }),
  answers: { 200: InsightBody },
  summary: 'Retrieve an insight with its result',
  async handle({ project, rights, caller, params, query }, { insights }: InsightsApi) {
    const actor = { project, rights, caller };
    const insight = await insights.get(project.id, params.id);
    const overlay = await insights.loadOverlay(actor, insight, query.from_dashboard, overridesOf(query, actor));
    return insightAnswer(200, actor, insight, insights, { refresh: refreshOf(query.refresh), overlay });
  },
});

const patchInsight = route({
  method: 'patch',
  path: '/insights/:id/',
  errors: [412],
  access: { scope: 'insight:write', object: { resource: 'insight', param: 'id', includeDeleted: true } },
  params: InsightParams,
  query: Type.Object({ refresh: RefreshParam }),
  body: GivenInsightBody,
  answers: { 200: InsightBody },
  summary: 'Update, delete or restore an insight',
  description:
    'A stale `If-Match` header is refused with 412. `deleted: true` removes the insight from its dashboards ' +
    'until it is restored.',
  async handle({ project, rights, caller, params, query, body, headers }, { insights }: InsightsApi) {
    const actor = { project, rights, caller };
    const insight = await insights.change(actor, params.id, body, expectedVersion(headers));
    return insightAnswer(200, actor, insight, insights, { refresh: refreshOf(query.refresh) });
  },
});

const deleteInsight = route({
  method: 'delete',
  path: '/insights/:id/',
  access: { scope: 'insight:write' },
  params: InsightParams,
  answers: { 405: null },
  summary: 'Not supported: delete an insight by PATCH with `deleted: true`',
  async handle() {
    return noBody(405, { Allow: 'GET, PATCH' });
  },
});

async function insightAnswer(
  status: number,
  context: Actor,
  insight: Insight,
  insights: InsightManagement,
  look: InsightViewOptions,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const [body] = await insights.show(context, [insight], look);
  return json(status, body, { ETag: entityTag(insight.version), ...headers });
}

function withoutResult(insight: InsightBody) {
  return Object.fromEntries(Object.entries(insight).filter(([name]) => !BASIC_HIDES.includes(name)));
}

function orderOf(text: string): InsightQuery['order'] {
  const column = text.replace('-', '') as InsightQuery['order']['column'];
  return { column, descending: text.startsWith('-') };
}

export const insightRoutes = [listInsights, createInsight, getInsight, patchInsight, deleteInsight];
