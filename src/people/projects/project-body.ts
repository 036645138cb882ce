/** Projects on the wire: the twelve fields of upstream's lists, and this server's settings. */
import { nullable, Type, type Static } from '../../platform/schema.ts';
import type { Project, ProjectFacts, ProjectStore } from './projects.store.ts';

const MAX_EVENT_RETENTION_DAYS = 36_500;

export const projectSettings = {
  anonymize_ips: Type.Boolean({ description: 'Whether events are stored without `$ip`.' }),
  cookieless_server_hash_mode: Type.Union([Type.Literal(0), Type.Literal(1)], {
    description:
      'The handling of events from visitors without cookies. 0: dropped. 1: visitors are distinguished for one ' +
      'day by a hash (stateless). 2 (stateful) is not supported.',
  }),
  historical_from_project_key: Type.Boolean({
    description:
      'Whether the public key alone may capture historical events; otherwise a key with `event:write` is required.',
  }),
  timezone: Type.String({ description: 'The IANA name of the time zone that flags use for dates without one.' }),
  property_matching_version: Type.Union([Type.Literal(1), Type.Literal(2)], {
    description: 'How flags compare values with true and false: 1 by truthiness, 2 as text.',
  }),
  flag_requests_per_month: nullable(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }), {
    description: 'The maximum number of flag requests per month (UTC) for the project; null for no limit.',
  }),
  event_retention_days: nullable(Type.Integer({ minimum: 0, maximum: MAX_EVENT_RETENTION_DAYS }), {
    description:
      'For how many days events are kept, at least 7; older ones are deleted for good. 0: for ever. null: as the installation says. Only ' +
      'admins of the project may change it, recently signed in or by a personal API key.',
  }),
};

export const ProjectBody = Type.Object(
  {
    id: Type.Integer(),
    uuid: Type.String({ format: 'uuid' }),
    organization: Type.String({ format: 'uuid' }),
    project_id: Type.Integer({ description: 'The same as `id`, since a project has one environment.' }),
    api_token: Type.String({ description: 'The public key of the project, for capture.' }),
    name: Type.String(),
    completed_snippet_onboarding: Type.Boolean({ description: 'Always true: no onboarding is required.' }),
    has_completed_onboarding_for: Type.Object({}),
    ingested_event: Type.Boolean({ description: 'Whether an event has been captured.' }),
    is_demo: Type.Boolean(),
    access_control: Type.Boolean({
      description: 'Whether the project is closed to members without an access rule for it.',
    }),
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

/** Settings under their names on the wire. */
export function settingsOf(project: Project) {
  return {
    anonymize_ips: project.anonymizeIps,
    cookieless_server_hash_mode: project.cookielessServerHashMode,
    historical_from_project_key: project.historicalFromProjectKey,
    timezone: project.timezone,
    property_matching_version: project.propertyMatchingVersion,
    flag_requests_per_month: project.flagRequestsPerMonth,
    event_retention_days: project.eventRetentionDays,
  };
}

export async function presentProjects(projects: readonly Project[], store: ProjectStore): Promise<ProjectBody[]> {
  const facts = await store.findFacts(projects.map(({ id }) => id));
  return projects.map((project) => presentProject(project, facts.get(project.id)!));
}
