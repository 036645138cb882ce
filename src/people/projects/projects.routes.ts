/** `/api/projects/`: the projects that a caller can access. */
import type { Caller, Gatekeeper, Rights } from '../../platform/http/access.ts';
import { InvalidInput, PermissionDenied } from '../../platform/errors.ts';
import { ensureLogin } from '../../platform/http/login.ts';
import { readTimezone } from '../../platform/http/parameters/time-zone.ts';
import { json, route } from '../../platform/http/route.ts';
import { offsetPage, offsetPageOf, offsetQuery, pageBounds } from '../../platform/http/parameters/pagination.ts';
import { Type, type Static } from '../../platform/schema.ts';
import { presentProjects, ProjectBody, projectSettings } from './project-body.ts';
import { changeProject, createProject, resetToken } from './projects.ts';
import type { Project } from './projects.store.ts';
import type { IdentityStores } from '../stores.ts';

const name = Type.String({ minLength: 1, maxLength: 200 });
const ProjectPatchBody = Type.Partial(Type.Object({ name, ...projectSettings }), { title: 'ProjectPatch' });
const ProjectCreateBody = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 200, default: 'Default project' }),
    ...Type.Partial(Type.Object(projectSettings)).properties,
  },
  { title: 'ProjectCreate' },
);

const listQuery = Type.Object({
  ...offsetQuery().properties,
  search: Type.Optional(
    Type.String({ maxLength: 200, description: 'Returns only projects whose name contains this text.' }),
  ),
});

export type IdentityApi = { identity: IdentityStores; gatekeeper: Pick<Gatekeeper, 'enterOrganization'> };

const listProjects = route({
  method: 'get',
  path: '/api/projects/',
  // Needs no scope, so any key can find out which projects it can access.
  access: { authenticated: true },
  query: listQuery,
  answers: { 200: offsetPageOf(ProjectBody) },
  summary: 'List the projects that the caller may access',
  async handle({ caller, query, url }, { identity }: IdentityApi) {
    const page = await identity.projects.list(caller, pageBounds(query), { search: query.search });
    return json(200, offsetPage(url, query, await presentPage(page, identity)));
  },
});

const listOrganizationProjects = route({
  method: 'get',
  path: '/projects/',
  access: { organization: 'project:read' },
  query: listQuery,
  answers: { 200: offsetPageOf(ProjectBody) },
  summary: 'List the projects of an organization that the caller may access',
  async handle({ caller, organization, query, url }, { identity }: IdentityApi) {
    const wanted = { search: query.search, organizationId: organization.id };
    const page = await identity.projects.list(caller, pageBounds(query), wanted);
    return json(200, offsetPage(url, query, await presentPage(page, identity)));
  },
});

const createInCurrentOrganization = route({
  method: 'post',
  path: '/api/projects/',
  access: { authenticated: true, needs: 'project:write' },
  body: ProjectCreateBody,
  answers: { 201: ProjectBody },
  summary: 'Create a project in the current organization',
  description: 'For admins of the organization.',
  async handle({ caller, body }, { identity, gatekeeper }: IdentityApi) {
    const organization = await gatekeeper.enterOrganization(caller, '@current', { organization: 'project:write' });
    const project = await createProject(identity, { caller, organization }, settingsIn(body));
    return json(201, await presentOne(project, identity));
  },
});

const createInOrganization = route({
  method: 'post',
  path: '/projects/',
  access: { organization: 'project:write' },
  body: ProjectCreateBody,
  answers: { 201: ProjectBody },
  summary: 'Create a project in an organization',
  description: 'For admins of the organization.',
  async handle({ caller, organization, body }, { identity }: IdentityApi) {
    const project = await createProject(identity, { caller, organization }, settingsIn(body));
    return json(201, await presentOne(project, identity));
  },
});

/** Under two paths, because a project has exactly one environment, with the same id. */
const getProject = (['/api/projects/:project_id/', '/api/environments/:project_id/'] as const).map((path) =>
  route({
    method: 'get',
    path,
    access: { authenticated: true, limitedKeys: true },
    params: Type.Object({
      project_id: Type.String({
        pattern: String.raw`^(@current|[1-9]\d{0,8})$`,
        description: 'The ID of the project, or `@current`.',
      }),
    }),
    query: Type.Object({
      token: Type.Optional(Type.String({ description: 'The public key of the project that `@current` refers to.' })),
    }),
    answers: { 200: ProjectBody },
    summary: 'Retrieve a project',
    async handle({ caller, params, query }, { identity }: IdentityApi) {
      const { projects } = identity;
      const { project_id: projectId } = params;
      const id = projectId === '@current' ? await projects.resolveCurrent(caller, query.token) : Number(projectId);
      return json(200, await presentOne(await projects.get(caller, id), identity));
    },
  }),
);

const patchProject = route({
  method: 'patch',
  path: '/',
  access: { scope: 'project:write' },
  body: ProjectPatchBody,
  answers: { 200: ProjectBody },
  summary: 'Update the name and settings of a project',
  description:
    'Capture applies changes within ten seconds, flags immediately. To change `event_retention_days`, you need to be an admin of the project ' +
    'who signed in recently, or use a personal API key of one.',
  async handle({ caller, project, rights, body }, { identity }: IdentityApi) {
    const ensureMayChange = (before: Project) => {
      const days = body.event_retention_days;
      if (days !== undefined && days !== before.eventRetentionDays) ensureMayChangeRetention(caller, rights);
    };
    const changed = await changeProject(identity, { caller, projectId: project.id }, settingsIn(body), ensureMayChange);
    return json(200, await presentOne(changed, identity));
  },
});

const resetProjectToken = route({
  method: 'patch',
  path: '/reset_token/',
  access: { scope: 'project:write', admin: true, sensitive: true },
  answers: { 200: ProjectBody },
  summary: 'Replace the public key of a project',
  description: 'The old key remains valid for ten seconds in capture, but not for flags.',
  async handle({ caller, project }, { identity }: IdentityApi) {
    const changed = await resetToken(identity, { caller, projectId: project.id });
    return json(200, await presentOne(changed, identity));
  },
});

export const projectRoutes = [
  listProjects,
  listOrganizationProjects,
  createInCurrentOrganization,
  createInOrganization,
  ...getProject,
  patchProject,
  resetProjectToken,
];

function settingsIn<Body extends Static<typeof ProjectPatchBody>>(body: Body) {
  return {
    name: body.name as Body['name'],
    anonymizeIps: body.anonymize_ips,
    cookielessServerHashMode: body.cookieless_server_hash_mode,
    historicalFromProjectKey: body.historical_from_project_key,
    timezone: body.timezone === undefined ? undefined : readTimezone(body.timezone, 'timezone'),
    propertyMatchingVersion: body.property_matching_version,
    flagRequestsPerMonth: body.flag_requests_per_month,
    eventRetentionDays: readRetention(body.event_retention_days),
  };
}

const MIN_EVENT_RETENTION_DAYS = 7;

/** The deletion of events cannot be undone, so it is guarded as a new public key is. @throws PermissionDenied */
function ensureMayChangeRetention(caller: Caller, rights: Rights): void {
  if (!rights.isProjectAdmin)
    throw new PermissionDenied('Only admins of the project may change for how long its events are kept.');
  ensureLogin(caller, { sensitive: true });
}

/** @throws InvalidInput */
function readRetention(days: number | null | undefined): number | null | undefined {
  if (days && days < MIN_EVENT_RETENTION_DAYS)
    throw new InvalidInput(
      `Events are kept for ${MIN_EVENT_RETENTION_DAYS} days at least; 0 keeps them for ever.`,
      'event_retention_days',
    );
  return days;
}

async function presentPage(page: { count: number; results: Project[] }, { projects }: IdentityStores) {
  return { count: page.count, results: await presentProjects(page.results, projects) };
}

async function presentOne(project: Project, { projects }: IdentityStores): Promise<ProjectBody> {
  const [body] = await presentProjects([project], projects);
  return body!;
}
