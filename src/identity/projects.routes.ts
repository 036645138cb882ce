/** `/api/projects/`: the projects that a key opens. */
import { timezoneOf } from '../http/time-zone.ts';
import { json, route } from '../http/route.ts';
import { boundedLimit, offsetPage, offsetPageOf, offsetQuery } from '../http/pagination.ts';
import { nullable, Type, type Static } from '../schema.ts';
import type { Project, ProjectStore } from './projects.store.ts';

const settings = {
  anonymize_ips: Type.Boolean({ description: 'Events are stored without `$ip`.' }),
  historical_from_project_key: Type.Boolean({
    description: 'The public key alone may place events in the past; otherwise that takes a key with `event:write`.',
  }),
  timezone: Type.String({ description: 'IANA name. By its clock flags read dates that do not say theirs.' }),
  property_matching_version: Type.Union([Type.Literal(1), Type.Literal(2)], {
    description: 'How flags compare with true and false: 1 by truth, 2 by text.',
  }),
  flag_requests_per_month: nullable(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }), {
    description: 'Requests for flags that are answered in one month, in UTC; null: all.',
  }),
};

const ProjectBody = Type.Object(
  {
    id: Type.Integer(),
    organization: Type.String({ format: 'uuid' }),
    name: Type.String(),
    api_token: Type.String({ description: 'The public key of the project, for capture.' }),
    ...settings,
    created_at: Type.String({ format: 'date-time' }),
  },
  { title: 'Project' },
);

const ProjectPatchBody = Type.Partial(Type.Object(settings), { title: 'ProjectPatch' });

function present(project: Project): Static<typeof ProjectBody> {
  return {
    id: project.id,
    organization: project.organizationId,
    name: project.name,
    api_token: project.apiToken,
    anonymize_ips: project.anonymizeIps,
    historical_from_project_key: project.historicalFromProjectKey,
    timezone: project.timezone,
    property_matching_version: project.propertyMatchingVersion,
    flag_requests_per_month: project.flagRequestsPerMonth,
    created_at: project.createdAt,
  };
}

export type IdentityApi = { projects: ProjectStore };

const listProjects = route({
  method: 'get',
  path: '/api/projects/',
  access: { authenticated: true },
  query: offsetQuery(),
  answers: { 200: offsetPageOf(ProjectBody) },
  summary: 'List the projects that the key opens',
  async handle({ caller, query, url }, { projects }: IdentityApi) {
    const page = await projects.list(caller, { limit: boundedLimit(query.limit), offset: query.offset });
    return json(200, offsetPage(url, query, { ...page, results: page.results.map(present) }));
  },
});

/** A project and its environment are one. */
const getProject = (['/api/projects/:id/', '/api/environments/:id/'] as const).map((path) =>
  route({
    method: 'get',
    path,
    access: { authenticated: true, limitedKeys: true },
    params: Type.Object({
      id: Type.String({ pattern: String.raw`^(@current|[1-9]\d{0,8})$`, description: 'An id, or `@current`.' }),
    }),
    query: Type.Object({ token: Type.Optional(Type.String({ description: 'The public key of `@current`.' })) }),
    answers: { 200: ProjectBody },
    summary: 'Retrieve a project',
    async handle({ caller, params, query }, { projects }: IdentityApi) {
      const id = params.id === '@current' ? await projects.current(caller, query.token) : Number(params.id);
      return json(200, present(await projects.get(caller, id)));
    },
  }),
);

const patchProject = route({
  method: 'patch',
  path: '/',
  access: { scope: 'project:write' },
  body: ProjectPatchBody,
  answers: { 200: ProjectBody },
  summary: 'Change the settings of a project',
  description: 'Capture knows of a change within ten seconds, flags at once.',
  async handle({ project, body }, { projects }: IdentityApi) {
    const changed = await projects.change(project.id, {
      anonymizeIps: body.anonymize_ips,
      historicalFromProjectKey: body.historical_from_project_key,
      timezone: body.timezone === undefined ? undefined : timezoneOf(body.timezone, 'timezone'),
      propertyMatchingVersion: body.property_matching_version,
      flagRequestsPerMonth: body.flag_requests_per_month,
    });
    return json(200, present(changed));
  },
});

export const projectRoutes = [listProjects, ...getProject, patchProject];
