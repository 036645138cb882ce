/**
 * Presents a user to themselves, with upstream's fields. Fields of features that do not exist here (second factors, impersonation,
 * onboarding, ...) have constant values.
 */
import { nullable, stringEnum, Type, type Static } from '../../platform/schema.ts';
import { RECENT_MS } from '../../platform/http/login.ts';
import type { Caller } from '../../platform/http/access.ts';
import { THEME_MODES, type Account } from './accounts.store.ts';
import { findCurrentOrganization } from '../organizations/current-organization.ts';
import {
  OrganizationBody,
  OrganizationStubBody,
  presentOrganization,
  presentOrganizationStub,
} from '../organizations/organization-body.ts';
import type { OwnOrganization } from '../organizations/organizations.store.ts';
import { presentProjects, ProjectBody } from '../projects/project-body.ts';
import type { IdentityStores } from '../stores.ts';
import { presentUser, UserBody } from './users.ts';

/** Fields of missing features, the same for every user. */
const MISSING_FEATURES = {
  pending_email: null,
  notification_settings: {},
  notification_locks: {},
  anonymize_data: false,
  allow_impersonation: false,
  toolbar_mode: 'disabled',
  is_staff: false,
  is_impersonated: false,
  is_impersonated_until: null,
  is_impersonated_read_only: false,
  is_impersonated_reason: null,
  events_column_config: { active: 'DEFAULT' },
  is_2fa_enabled: false,
  has_social_auth: false,
  has_sso_enforcement: false,
  has_seen_product_intro_for: {},
  scene_personalisation: [],
  allow_sidebar_suggestions: null,
  shortcut_position: null,
  passkeys_enabled_for_2fa: false,
  hide_mcp_hints: false,
  ui_configuration: {},
  is_organization_first_user: null,
  active_realtime_notification_types: [],
  requires_credential_review: false,
} as const;

const MAX_PROJECTS = 1000;

const Instant = Type.String({ format: 'date-time' });
const PendingInviteBody = Type.Object({
  id: Type.String({ format: 'uuid' }),
  target_email: Type.String(),
  organization_id: Type.String({ format: 'uuid' }),
  organization_name: Type.String(),
  created_at: Instant,
});

export const MeBody = Type.Object(
  {
    ...UserBody.properties,
    date_joined: Instant,
    has_password: Type.Boolean(),
    sensitive_session_expires_at: nullable(Instant, {
      description: 'The time until which the session permits sensitive operations; null for API keys.',
    }),
    fresh_reauth_expires_at: nullable(Instant),
    theme_mode: nullable(stringEnum(THEME_MODES)),
    team: nullable(ProjectBody, { description: 'The project that `@current` refers to; null if there is none.' }),
    organization: nullable(
      Type.Object({
        ...OrganizationBody.properties,
        teams: Type.Array(ProjectBody),
        projects: Type.Array(Type.Object({ id: Type.Integer(), name: Type.String() })),
      }),
    ),
    organizations: Type.Array(OrganizationStubBody),
    projects: Type.Array(
      Type.Object({ id: Type.Integer(), name: Type.String(), organization: Type.String({ format: 'uuid' }) }),
      { description: `The projects of all organizations that the caller can access; at most ${MAX_PROJECTS}.` },
    ),
    pending_invites: Type.Array(PendingInviteBody),
    ...(Object.fromEntries(
      Object.entries(MISSING_FEATURES).map(([name, value]) => [
        name,
        Type.Unknown({ description: `Always ${JSON.stringify(value)}.` }),
      ]),
    ) as Record<keyof typeof MISSING_FEATURES, ReturnType<typeof Type.Unknown>>),
  },
  { title: 'Me' },
);

/** @param account the caller's own */
export async function presentMe(
  account: Account,
  caller: Caller,
  stores: IdentityStores,
): Promise<Static<typeof MeBody>> {
  const { projects, organizations, invites } = stores;
  const ownOrganizations = await organizations.listByUser(account.id, caller.onlyOrganizations);
  const accessible = await projects.list(caller, { limit: MAX_PROJECTS, offset: 0 });
  const currentProject = await projects.findCurrentProject(caller);
  // A current project that is not in the list replaces the list's last project.
  const isListed = !currentProject || accessible.results.some(({ id }) => id === currentProject.id);
  const presentedProjects = await presentProjects(
    isListed ? accessible.results : [...accessible.results.slice(0, -1), currentProject],
    projects,
  );
  const currentInList = presentedProjects.find(({ id }) => id === currentProject?.id);
  const team = currentInList ?? (accessible.count === 1 ? presentedProjects[0] : undefined);
  const currentId = await findCurrentOrganization(stores, caller);
  const current = ownOrganizations.find(({ id }) => id === currentId);
  const recentUntil = caller.session && new Date(caller.session.authenticatedAt.getTime() + RECENT_MS).toISOString();
  return {
    ...presentUser(account),
    // Answers to other users have only a few settings of it.
    hedgehog_config: account.hedgehogConfig,
    date_joined: account.createdAt,
    has_password: account.passwordHash !== null,
    sensitive_session_expires_at: recentUntil,
    fresh_reauth_expires_at: recentUntil,
    theme_mode: account.themeMode,
    team: team ?? null,
    organization: current ? withProjects(current, presentedProjects) : null,
    organizations: ownOrganizations.map(presentOrganizationStub),
    projects: presentedProjects.map(({ id, name, organization }) => ({ id, name, organization })),
    pending_invites: (await invites.listByEmail(account.email)).map((invite) => ({
      id: invite.id,
      target_email: invite.email,
      organization_id: invite.organizationId,
      organization_name: invite.organization,
      created_at: invite.createdAt,
    })),
    ...MISSING_FEATURES,
  };
}

function withProjects(organization: OwnOrganization, accessible: readonly ProjectBody[]) {
  const teams = accessible.filter(({ organization: id }) => id === organization.id);
  return { ...presentOrganization(organization), teams, projects: teams.map(({ id, name }) => ({ id, name })) };
}
