/** `/dashboards/`: create, list, retrieve, change; a dashboard is deleted by a change, and can be restored. */
import { InvalidInput } from '../../platform/errors.ts';
import { offsetPage, offsetPageOf, offsetQuery, pageBounds } from '../../platform/http/parameters/pagination.ts';
import { entityTag, expectedVersion, locationHeader } from '../../platform/http/parameters/preconditions.ts';
import { json, noBody, route, type Answer } from '../../platform/http/route.ts';
import { Type } from '../../platform/schema.ts';
import type { Actor, DashboardManagement, ViewOptions } from './dashboards.ts';
import type { Dashboard } from './dashboards.store.ts';
import { overridesOf } from '../insights/results/overlay.ts';
import { refreshOf } from '../insights/results/refresh.ts';
import { DashboardBody, DashboardParams, DashboardPatchBody, ListedDashboardBody, NewDashboardBody } from './schema.ts';

export type DashboardManagementApi = { dashboards: DashboardManagement };

const LONGEST_SEARCH = 200;

const ListQuery = Type.Object({
  ...offsetQuery().properties,
  search: Type.Optional(
    Type.String({
      description: `Searches names, descriptions and tags, including similar names; at most ${LONGEST_SEARCH} characters.`,
    }),
  ),
  tags: Type.Optional(
    Type.Array(Type.String(), {
      description: 'Returns only dashboards with at least one of these tags; may be repeated.',
    }),
  ),
  creation_mode: Type.Optional(
    Type.String({
      description: 'Returns only dashboards with this creation mode; all except unlisted dashboards by default.',
    }),
  ),
  exclude_generated: Type.Optional(
    Type.Boolean({ description: 'If true, excludes dashboards named `Generated Dashboard`.' }),
  ),
});

const listDashboards = route({
  method: 'get',
  path: '/dashboards/',
  access: { scope: 'dashboard:read', filtered: true },
  query: ListQuery,
  answers: { 200: offsetPageOf(ListedDashboardBody) },
  summary: 'List dashboards, pinned ones first and then by name',
  description:
    'The dashboards have no tiles or filters. Excludes deleted dashboards and those that the caller may not view.',
  async handle({ project, caller, rights, query, url }, { dashboards }: DashboardManagementApi) {
    const page = await dashboards.list(
      { project, caller, rights },
      {
        search: searchOf(query.search),
        tags: query.tags?.map((tag) => tag.trim().toLowerCase()),
        creationMode: query.creation_mode,
        excludeGenerated: query.exclude_generated,
        ...pageBounds(query),
      },
    );
    return json(200, offsetPage(url, query, page));
  },
});

const createDashboard = route({
  method: 'post',
  path: '/dashboards/',
  access: { scope: 'dashboard:write' },
  body: NewDashboardBody,
  urlEncoded: true,
  answers: { 201: DashboardBody },
  summary: 'Create a dashboard, optionally with tiles and insights',
  description:
    'Creates an empty dashboard, one from a template or a copy of another dashboard. If any part fails, ' +
    'nothing is created. Insight results are computed when the dashboard is retrieved.',
  async handle({ project, caller, rights, body, url }, { dashboards }: DashboardManagementApi) {
    const actor = { project, caller, rights };
    const dashboard = await dashboards.create(actor, body);
    return dashboardAnswer(201, actor, dashboard, dashboards, {}, locationHeader(url, dashboard.id));
  },
});

const DetailQuery = Type.Object({
  filters_override: Type.Optional(
    Type.String({ description: 'A JSON object of filters that override those of the dashboard for this request.' }),
  ),
  variables_override: Type.Optional(
    Type.String({ description: 'A JSON object of variables that override those of the dashboard for this request.' }),
  ),
  tile_filters_override: Type.Optional(
    Type.String({ description: 'A JSON object of filters that override those of each tile for this request.' }),
  ),
  refresh: Type.Optional(Type.String({ description: 'When results are recomputed; see docs/insights.md.' })),
});

const getDashboard = route({
  method: 'get',
  path: '/dashboards/:id/',
  access: { scope: 'dashboard:read', object: { resource: 'dashboard', param: 'id' } },
  params: DashboardParams,
  query: DetailQuery,
  answers: { 200: DashboardBody },
  summary: 'Retrieve a dashboard with its tiles and the results of their insights',
  description: 'Updates `last_accessed_at`.',
  async handle({ project, caller, rights, params, query }, { dashboards }: DashboardManagementApi) {
    const look = { overrides: overridesOf(query, { rights }), refresh: refreshOf(query.refresh) };
    const dashboard = await dashboards.open(project.id, params.id);
    return dashboardAnswer(200, { project, caller, rights }, dashboard, dashboards, look);
  },
});

const patchDashboard = route({
  method: 'patch',
  path: '/dashboards/:id/',
  errors: [412],
  access: { scope: 'dashboard:write', object: { resource: 'dashboard', param: 'id', includeDeleted: true } },
  params: DashboardParams,
  body: DashboardPatchBody,
  urlEncoded: true,
  answers: { 200: DashboardBody },
  summary: 'Update, delete or restore a dashboard',
  description:
    'A stale `If-Match` header is refused with 412. `tiles` are added and updated individually: omitted tiles ' +
    'are unchanged.',
  async handle({ project, caller, rights, params, body, headers }, { dashboards }: DashboardManagementApi) {
    const actor = { project, caller, rights };
    const dashboard = await dashboards.change(actor, params.id, body, expectedVersion(headers));
    return dashboardAnswer(200, actor, dashboard, dashboards);
  },
});

const putDashboard = route({
  method: 'put',
  path: '/dashboards/:id/',
  errors: [412],
  access: { scope: 'dashboard:write', object: { resource: 'dashboard', param: 'id', includeDeleted: true } },
  params: DashboardParams,
  body: DashboardPatchBody,
  urlEncoded: true,
  answers: { 200: DashboardBody },
  summary: 'Update a dashboard (same as PATCH)',
  handle: patchDashboard.handle,
});

const refuseDelete = route({
  method: 'delete',
  path: '/dashboards/:id/',
  access: { scope: 'dashboard:write' },
  answers: { 405: null },
  summary: 'Not supported: delete a dashboard by PATCH with `deleted: true`',
  async handle() {
    return noBody(405, { Allow: 'GET, PATCH, PUT' });
  },
});

/** The dashboard as the caller sees it, with its entity tag. */
export async function dashboardAnswer(
  status: number,
  actor: Actor,
  dashboard: Dashboard,
  dashboards: DashboardManagement,
  look: ViewOptions = {},
  headers: Record<string, string> = {},
): Promise<Answer> {
  const body = await dashboards.show(actor, dashboard, look);
  return json(status, body, { ETag: entityTag(dashboard.version), ...headers });
}

/** @throws InvalidInput for a search that is too long */
function searchOf(text = ''): string | undefined {
  const search = text.trim();
  if (search.length <= LONGEST_SEARCH) return search || undefined;
  throw new InvalidInput(`Search query must be ${LONGEST_SEARCH} characters or fewer.`, 'search');
}

export const dashboardCrudRoutes = [
  listDashboards,
  createDashboard,
  getDashboard,
  putDashboard,
  patchDashboard,
  refuseDelete,
];
