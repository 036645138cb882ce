/** Composes what the API does with people: who they are, what they belong to, and how they log in. */
import type { Route } from '../platform/http/route.ts';
import { createInvites, type InvitesOptions } from './organizations/invites.ts';
import { inviteRoutes, type InvitesApi } from './organizations/invites.routes.ts';
import { createLogin } from './accounts/login.ts';
import { loginRoutes, type LoginApi } from './accounts/login.routes.ts';
import { meRoutes, type MeApi } from './accounts/me.routes.ts';
import { memberRoutes, type MembersApi } from './organizations/members.routes.ts';
import { organizationRoutes, type OrganizationsApi } from './organizations/organizations.routes.ts';
import { roleMembershipRoutes } from './access/role-memberships.routes.ts';
import { roleRoutes, type RolesApi } from './access/roles.routes.ts';
import { signupRoutes, type SignupApi } from './accounts/signup.routes.ts';

export type PeopleApi = LoginApi & MeApi & SignupApi & OrganizationsApi & MembersApi & InvitesApi & RolesApi;

export const peopleRoutes: Route<PeopleApi>[] = [
  ...loginRoutes,
  ...meRoutes,
  ...signupRoutes,
  ...organizationRoutes,
  ...memberRoutes,
  ...inviteRoutes,
  ...roleRoutes,
  ...roleMembershipRoutes,
];

type PeopleOptions = InvitesOptions & Pick<LoginApi, 'sessions' | 'addressOf'>;

export function people(options: PeopleOptions): PeopleApi {
  const { identity, sessions, addressOf } = options;
  return { identity, sessions, addressOf, login: createLogin(options), invites: createInvites(options) };
}
