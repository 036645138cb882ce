/** Composes what the API does with people: who they are, what they belong to, and how they log in. */
import type { Route } from '../http/route.ts';
import { createLogin } from './login.ts';
import { loginRoutes, type LoginApi } from './login.routes.ts';
import { memberRoutes, type MembersApi } from './members.routes.ts';
import { organizationRoutes, type OrganizationsApi } from './organizations.routes.ts';
import { roleMembershipRoutes } from './role-memberships.routes.ts';
import { roleRoutes, type RolesApi } from './roles.routes.ts';

export type PeopleApi = LoginApi & MembersApi & OrganizationsApi & RolesApi;

export const peopleRoutes: Route<PeopleApi>[] = [
  ...loginRoutes,
  ...organizationRoutes,
  ...memberRoutes,
  ...roleRoutes,
  ...roleMembershipRoutes,
];

export function people(options: Omit<PeopleApi, 'logIn'>): PeopleApi {
  return { ...options, logIn: createLogin(options) };
}
