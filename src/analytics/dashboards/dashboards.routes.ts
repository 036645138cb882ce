/** `/dashboards/`: create, list, retrieve, change; a dashboard is deleted by a change, and can be restored. */
import { InvalidInput } from '../../platform/errors.ts';
import { boundedLimit, offsetPage, offsetPageOf, offsetQuery } from '../../platform/http/parameters/pagination.ts';
import { entityTag, expectedVersion } from '../../platform/http/parameters/preconditions.ts';
import { json, noBody, route, type Answer } from '../../platform/http/route.ts';
import { Type } from '../../platform/schema.ts';
import type { Actor, DashboardManagement, Look } from './dashboards.ts';
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
      description: `In names, descriptions and tags, up to ${LONGEST_SEARCH} characters; names that are alike are found too.`,
    }),
  ),
  tags: Type.Optional(Type.Array(Type.String(), { description: 'At least one of them; may be repeated.' })),
  creation_mode: Type.Optional(Type.String({ description: 'Without it, all but the unlisted.' })),
  exclude_generated: Type.Optional(Type.Boolean({ description: 'Without those called `Generated Dashboard`.' })),
});

const listDashboards = route({
  method: 'get',
  path: '/dashboards/',
  access: { scope: 'dashboard:read', filtered: true },
  query: ListQuery,
  answers: { 200: offsetPageOf(ListedDashboardBody) },
  summary: 'List dashboards: pinned ones first, then by name',
  description: 'Without tiles and filters, without those that are deleted, and those that the caller may not see.',
  async handle({ project, caller, rights, query, url }, { dashboards }: DashboardManagementApi) {
    const page = await dashboards.list(
      { project, caller, rights },
      {
        search: searchOf(query.search),
        tags: query.tags?.map((tag) => tag.trim().toLowerCase()),
        creationMode: query.creation_mode,
        excludeGenerated: query.exclude_generated,
        limit: boundedLimit(query.limit),
        offset: query.offset,
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
  summary: 'Create a dashboard, with its tiles and their insights if they are given',
  description:
    'Empty, from a template, or as a copy. All of it is made, or nothing. Results of its insights are computed when it is retrieved.',
  async handle({ project, caller, rights, body, url }, { dashboards }: DashboardManagementApi) {
    const actor = { project, caller, rights };
    const dashboard = await dashboards.create(actor, body);
    const Location = new URL(`${url.pathname.replace(/\/?$/, '/')}${dashboard.id}/`, url).href;
    return representation(201, actor, dashboard, dashboards, {}, { Location });
  },
});

const DetailQuery = Type.Object({
  filters_override: Type.Optional(Type.String({ description: 'A JSON object, laid over its filters this once.' })),
  variables_override: Type.Optional(Type.String({ description: 'A JSON object, laid over its variables this once.' })),
  tile_filters_override: Type.Optional(Type.String({ description: 'A JSON object, laid over those of each tile.' })),
  refresh: Type.Optional(Type.String({ description: 'When results are computed anew; see docs/insights.md.' })),
});

const getDashboard = route({
  method: 'get',
  path: '/dashboards/:id/',
  access: { scope: 'dashboard:read', object: { resource: 'dashboard', param: 'id' } },
  params: DashboardParams,
  query: DetailQuery,
  answers: { 200: DashboardBody },
  summary: 'Retrieve a dashboard with its tiles, and what their insights give',
  description: 'It remembers when that was: `last_accessed_at`.',
  async handle({ project, caller, rights, params, query }, { dashboards }: DashboardManagementApi) {
    const look = { overrides: overridesOf(query, { rights }), refresh: refreshOf(query.refresh) };
    const dashboard = await dashboards.open(project.id, params.id);
    return representation(200, { project, caller, rights }, dashboard, dashboards, look);
  },
});

const patchDashboard = route({
  method: 'patch',
  path: '/dashboards/:id/',
  errors: [412],
  access: { scope: 'dashboard:write', object: { resource: 'dashboard', param: 'id', deletedToo: true } },
  params: DashboardParams,
  body: DashboardPatchBody,
  urlEncoded: true,
  answers: { 200: DashboardBody },
  summary: 'Change, delete or restore a dashboard',
  description: 'A stale `If-Match` is refused with 412. `tiles` are added and changed one by one: those left out stay.',
  async handle({ project, caller, rights, params, body, headers }, { dashboards }: DashboardManagementApi) {
    const actor = { project, caller, rights };
    const dashboard = await dashboards.change(actor, params.id, body, expectedVersion(headers));
    return representation(200, actor, dashboard, dashboards);
  },
});

const putDashboard = route({
  method: 'put',
  path: '/dashboards/:id/',
  errors: [412],
  access: { scope: 'dashboard:write', object: { resource: 'dashboard', param: 'id', deletedToo: true } },
  params: DashboardParams,
  body: DashboardPatchBody,
  urlEncoded: true,
  answers: { 200: DashboardBody },
  summary: 'Change a dashboard: like PATCH',
  handle: patchDashboard.handle,
});

const refuseDelete = route({
  method: 'delete',
  path: '/dashboards/:id/',
  access: { scope: 'dashboard:write' },
  answers: { 405: null },
  summary: 'Refused: a dashboard is deleted by PATCH with `deleted: true`',
  async handle() {
    return noBody(405, { Allow: 'GET, PATCH, PUT' });
  },
});

/** The dashboard as the caller sees it, with its entity tag. */
export async function representation(
  status: number,
  actor: Actor,
  dashboard: Dashboard,
  dashboards: DashboardManagement,
  look: Look = {},
  headers: Record<string, string> = {},
): Promise<Answer> {
  const body = await dashboards.show(actor, dashboard, look);
  return json(status, body, { ETag: entityTag(String(dashboard.version)), ...headers });
}

/** @throws InvalidInput for more than fits */
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
