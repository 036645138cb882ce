/** A project on the wire: the twelve fields of upstream's lists, and what is set here. */
import { nullable, Type, type Static } from '../../platform/schema.ts';
import type { Project, ProjectFacts, ProjectStore } from './projects.store.ts';

export const projectSettings = {
  anonymize_ips: Type.Boolean({ description: 'Events are stored without `$ip`.' }),
  cookieless_server_hash_mode: Type.Union([Type.Literal(0), Type.Literal(1)], {
    description:
      'Events of visitors without cookies: 0, dropped; 1, told apart for a day by a hash (stateless). 2, stateful, is not taken.',
  }),
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

export const ProjectBody = Type.Object(
  {
    id: Type.Integer(),
    uuid: Type.String({ format: 'uuid' }),
    organization: Type.String({ format: 'uuid' }),
    project_id: Type.Integer({ description: 'The id again: a project and its environment are one.' }),
    api_token: Type.String({ description: 'The public key of the project, for capture.' }),
    name: Type.String(),
    completed_snippet_onboarding: Type.Boolean({ description: 'Always true: there is nothing to go through first.' }),
    has_completed_onboarding_for: Type.Object({}),
    ingested_event: Type.Boolean({ description: 'Whether an event has been captured.' }),
    is_demo: Type.Boolean(),
    access_control: Type.Boolean({ description: 'Whether it is closed to members whom no rule lets in.' }),
    ...projectSettings,
    created_at: Type.String({ format: 'date-time' }),
  },
  { title: 'Project' },
);
export type ProjectBody = Static<typeof ProjectBody>;

function presentProject(project: Project, facts: ProjectFacts): ProjectBody {
  return {
    id: project.id,
    uuid: project.uuid,
    organization: project.organizationId,
    project_id: project.id,
    api_token: project.apiToken,
    name: project.name,
    completed_snippet_onboarding: true,
    has_completed_onboarding_for: {},
    ingested_event: facts.hasEvents,
    is_demo: false,
    access_control: facts.isPrivate,
    ...settingsOf(project),
    created_at: project.createdAt,
  };
}

/** Fields that may be changed, as clients know them. */
export function settingsOf(project: Project) {
  return {
    anonymize_ips: project.anonymizeIps,
    cookieless_server_hash_mode: project.cookielessServerHashMode,
    historical_from_project_key: project.historicalFromProjectKey,
    timezone: project.timezone,
    property_matching_version: project.propertyMatchingVersion,
    flag_requests_per_month: project.flagRequestsPerMonth,
  };
}

export async function presentProjects(projects: readonly Project[], store: ProjectStore): Promise<ProjectBody[]> {
  const facts = await store.factsOf(projects.map(({ id }) => id));
  return projects.map((project) => presentProject(project, facts.get(project.id)!));
}
