/** `/roles/` of an organization: groups of members for access rules. */
import type { OrganizationAccess } from '../../platform/http/access.ts';
import { json, noBody, route } from '../../platform/http/route.ts';
import { offsetPage, offsetPageOf, offsetQuery, pageBounds } from '../../platform/http/parameters/pagination.ts';
import { Type } from '../../platform/schema.ts';
import { presentRoles, recordRoleChange, RoleBody } from './roles.ts';
import type { IdentityStores } from '../stores.ts';

export type RolesApi = { identity: IdentityStores };

export const MAY_READ_ROLES = { organization: 'organization:read' } as const satisfies OrganizationAccess;
export const MAY_CHANGE_ROLES = {
  organization: 'organization:write',
  role: 'admin',
} as const satisfies OrganizationAccess;

const RoleInBody = Type.Object({ name: Type.String({ minLength: 1, maxLength: 200 }) }, { title: 'RoleIn' });
const roleRoute = {
  path: '/roles/:id/',
  params: Type.Object({ id: Type.String({ format: 'uuid' }) }),
} as const;

const listRoles = route({
  method: 'get',
  path: '/roles/',
  access: MAY_READ_ROLES,
  query: offsetQuery(),
  answers: { 200: offsetPageOf(RoleBody) },
  summary: 'List the roles of an organization by name',
  async handle({ organization, query, url }, { identity }: RolesApi) {
    const page = await identity.roles.list(organization.id, pageBounds(query));
    const results = await presentRoles(page.results, organization.id, identity);
    return json(200, offsetPage(url, query, { count: page.count, results }));
  },
});

const createRole = route({
  method: 'post',
  path: '/roles/',
  access: MAY_CHANGE_ROLES,
  body: RoleInBody,
  answers: { 201: RoleBody },
  summary: 'Create a role',
  async handle({ caller, organization, body }, { identity }: RolesApi) {
    const role = await identity.inTransaction(async (stores) => {
      const created = await stores.roles.create(organization.id, body.name, caller.userId);
      await recordRoleChange(stores, { caller, organization }, created, { verb: 'created' });
      return created;
    });
    const [presented] = await presentRoles([role], organization.id, identity);
    return json(201, presented);
  },
});

const getRole = route({
  ...roleRoute,
  method: 'get',
  access: MAY_READ_ROLES,
  answers: { 200: RoleBody },
  summary: 'Retrieve a role',
  async handle({ organization, params }, { identity }: RolesApi) {
    const role = await identity.roles.get(organization.id, params.id);
    const [presented] = await presentRoles([role], organization.id, identity);
    return json(200, presented);
  },
});

const patchRole = route({
  ...roleRoute,
  method: 'patch',
  access: MAY_CHANGE_ROLES,
  body: Type.Partial(RoleInBody, { title: 'RolePatch' }),
  answers: { 200: RoleBody },
  summary: 'Rename a role',
  async handle({ caller, organization, params, body }, { identity }: RolesApi) {
    const role = await identity.inTransaction(async (stores) => {
      const before = await stores.roles.get(organization.id, params.id);
      const after = await stores.roles.rename(before.id, body.name ?? before.name);
      const change = { verb: 'updated', before: { name: before.name }, after: { name: after.name } } as const;
      await recordRoleChange(stores, { caller, organization }, after, change);
      return after;
    });
    const [presented] = await presentRoles([role], organization.id, identity);
    return json(200, presented);
  },
});

const deleteRole = route({
  ...roleRoute,
  method: 'delete',
  access: MAY_CHANGE_ROLES,
  answers: { 204: null },
  summary: 'Delete a role',
  description: 'Also deletes the access rules for the role; its members keep the access that other rules give them.',
  async handle({ caller, organization, params }, { identity }: RolesApi) {
    await identity.inTransaction(async (stores) => {
      const role = await stores.roles.get(organization.id, params.id);
      await stores.roles.delete(role.id);
      await recordRoleChange(stores, { caller, organization }, role, { verb: 'deleted' });
    });
    return noBody(204);
  },
});

export const roleRoutes = [listRoles, createRole, getRole, patchRole, deleteRole];
