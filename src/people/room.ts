/** Assembles the API of people: accounts, memberships, logging in, and the rights of people and keys. */
import type { Knex } from '../platform/db/connection.ts';
import type { FindProtected, Gatekeeper } from '../platform/http/access.ts';
import type { Room } from '../platform/http/room.ts';
import type { Route } from '../platform/http/route.ts';
import type { Mailer } from '../platform/notify/mail.ts';
import type { Logger } from '../platform/telemetry/logger.ts';
import { accessControls } from './access/access-controls.ts';
import type { AccessControlsApi } from './access/access-controls.routes.ts';
import { createGatekeeper } from './access/gatekeeper.ts';
import { projectAccessRoutes, PROTECTED_PROJECT_RULES } from './access/project-access.routes.ts';
import { roleMembershipRoutes } from './access/role-memberships.routes.ts';
import { roleRoutes, type RolesApi } from './access/roles.routes.ts';
import { createLogin } from './accounts/login.ts';
import { loginRoutes, type LoginApi } from './accounts/login.routes.ts';
import { meRoutes, type MeApi } from './accounts/me.routes.ts';
import { createResets } from './accounts/reset.ts';
import { resetRoutes, type ResetApi } from './accounts/reset.routes.ts';
import { createSessions } from './accounts/sessions.ts';
import { sessionRoutes, type SessionsApi } from './accounts/sessions.routes.ts';
import { signupRoutes, type SignupApi } from './accounts/signup.routes.ts';
import { auditLogRoutes, type AuditLogApi } from './audit/audit-log.routes.ts';
import { apiKeys } from './keys/api-keys.ts';
import { personalKeyRoutes, type PersonalKeysApi } from './keys/personal-keys.routes.ts';
import { projectKeyRoutes, type ProjectKeysApi } from './keys/project-keys.routes.ts';
import { createRequestLimit, type RequestLimits } from './keys/request-limits.ts';
import { createInvites } from './organizations/invites.ts';
import { inviteRoutes, type InvitesApi } from './organizations/invites.routes.ts';
import { memberRoutes, type MembersApi } from './organizations/members.routes.ts';
import { organizationRoutes, type OrganizationsApi } from './organizations/organizations.routes.ts';
import { projectRoutes, type IdentityApi } from './projects/projects.routes.ts';
import { createProjectLookup, type ProjectByToken } from './projects/project-tokens.ts';
import { identityStores, type IdentityStores } from './stores.ts';

export type PeopleApi = IdentityApi &
  LoginApi &
  MeApi &
  SessionsApi &
  SignupApi &
  ResetApi &
  OrganizationsApi &
  MembersApi &
  InvitesApi &
  RolesApi &
  AccessControlsApi &
  PersonalKeysApi &
  ProjectKeysApi &
  AuditLogApi;

export const peopleRoutes: readonly Route<PeopleApi>[] = [
  ...projectRoutes,
  ...loginRoutes,
  ...meRoutes,
  ...sessionRoutes,
  ...signupRoutes,
  ...resetRoutes,
  ...organizationRoutes,
  ...memberRoutes,
  ...inviteRoutes,
  ...roleRoutes,
  ...roleMembershipRoutes,
  ...projectAccessRoutes,
  ...personalKeyRoutes,
  ...projectKeyRoutes,
  ...auditLogRoutes,
];

export type PeopleRoomOptions = Pick<LoginApi, 'addressOf'> & {
  db: Knex;
  publicUrl: string;
  /** Absent: this installation sends no mail. */
  mailer: Mailer | undefined;
  log?: Logger;
  /** Limits for each key; absent: no limits. */
  requestLimits?: RequestLimits;
  /** Lookups, by kind, of the objects of other rooms that have access controls of their own. */
  protectedObjects: Readonly<Record<string, FindProtected>>;
};

export type PeopleRoom = Room<PeopleApi> & {
  gatekeeper: Gatekeeper;
  identity: IdentityStores;
  projectByToken: ProjectByToken;
};

export function createPeopleRoom(options: PeopleRoomOptions): PeopleRoom {
  const { db, publicUrl, mailer, log, requestLimits, addressOf } = options;
  const identity = identityStores(db);
  const sessions = createSessions({ ...identity, publicUrl });
  const resets = createResets({ identity, publicUrl, mailer, log });
  const protectedObjects = { ...PROTECTED_PROJECT_RULES, ...options.protectedObjects };
  const gatekeeper = createGatekeeper({
    ...identity,
    callerOf: sessions.callerOf,
    ...(requestLimits && { requestLimit: createRequestLimit(requestLimits) }),
    protectedObjects,
  });
  return {
    collaborators: {
      identity,
      gatekeeper,
      sessions,
      addressOf,
      login: createLogin({ identity, sessions }),
      resets,
      invites: createInvites({ identity, publicUrl, mailer }),
      accessControls: accessControls({ stores: identity, protectedObjects }),
      apiKeys: apiKeys(identity),
      auditLog: identity.auditLog,
      users: identity.users,
    },
    gatekeeper,
    identity,
    projectByToken: createProjectLookup(identity.projects),
    close: resets.close,
  };
}
