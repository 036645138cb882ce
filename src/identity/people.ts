/** Composes what the API does with people: who they are, what they belong to, and how they log in. */
import type { Route } from '../http/route.ts';
import { createInvites, type InvitesOptions } from './invites.ts';
import { inviteRoutes, type InvitesApi } from './invites.routes.ts';
import { createLogin } from './login.ts';
import { loginRoutes, type LoginApi } from './login.routes.ts';
import { meRoutes, type MeApi } from './me.routes.ts';
import { memberRoutes, type MembersApi } from './members.routes.ts';
import { organizationRoutes, type OrganizationsApi } from './organizations.routes.ts';
import { roleMembershipRoutes } from './role-memberships.routes.ts';
import { roleRoutes, type RolesApi } from './roles.routes.ts';
import { signupRoutes, type SignupApi } from './signup.routes.ts';

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
