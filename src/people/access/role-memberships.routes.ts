/** `/roles/:role_id/role_memberships/`: the members of a role. */
import { InvalidInput, NotFound } from '../../platform/errors.ts';
import { json, noBody, route } from '../../platform/http/route.ts';
import { offsetPage, offsetPageOf, offsetQuery, pageOfAll } from '../../platform/http/parameters/pagination.ts';
import { Type } from '../../platform/schema.ts';
import { listMemberships, presentRoleMembership, recordRoleChange, RoleMembershipBody } from './roles.ts';
import { MAY_CHANGE_ROLES, MAY_READ_ROLES, type RolesApi } from './roles.routes.ts';

const Id = Type.String({ format: 'uuid' });

const listRoleMemberships = route({
  method: 'get',
  path: '/roles/:role_id/role_memberships/',
  access: MAY_READ_ROLES,
  params: Type.Object({ role_id: Id }),
  query: offsetQuery(),
  answers: { 200: offsetPageOf(RoleMembershipBody) },
  summary: 'List the members of a role, in the order in which they were added',
  async handle({ organization, params, query, url }, { identity }: RolesApi) {
    const role = await identity.roles.get(organization.id, params.role_id);
    const all = await listMemberships([role.id], organization.id, identity);
    return json(200, offsetPage(url, query, pageOfAll(all, query)));
  },
});

const addRoleMembership = route({
  method: 'post',
  path: '/roles/:role_id/role_memberships/',
  access: MAY_CHANGE_ROLES,
  params: Type.Object({ role_id: Id }),
  body: Type.Object({ user_uuid: Id }, { title: 'RoleMembershipIn' }),
  answers: { 201: RoleMembershipBody },
  summary: 'Add a member to a role',
  async handle({ caller, organization, params, body }, { identity }: RolesApi) {
    const presented = await identity.inTransaction(async (stores) => {
      const role = await stores.roles.get(organization.id, params.role_id);
      const member = await stores.members.get(organization.id, body.user_uuid).catch((error: unknown) => {
        throw error instanceof NotFound ? new InvalidInput('User does not exist.', 'user_uuid') : error;
      });
      const added = await stores.roles.addMember(role.id, member.id);
      const change = { verb: 'updated', after: { member: member.user.email } } as const;
      await recordRoleChange(stores, { caller, organization }, role, change);
      return presentRoleMembership(added, member);
    });
    return json(201, presented);
  },
});

const removeRoleMembership = route({
  method: 'delete',
  path: '/roles/:role_id/role_memberships/:id/',
  access: MAY_CHANGE_ROLES,
  params: Type.Object({ role_id: Id, id: Id }),
  answers: { 204: null },
  summary: 'Remove a member from a role',
  async handle({ caller, organization, params }, { identity }: RolesApi) {
    await identity.inTransaction(async (stores) => {
      const role = await stores.roles.get(organization.id, params.role_id);
      const removed = await stores.roles.removeMember(role.id, params.id);
      const [member] = await stores.members.findByIds(organization.id, [removed.membershipId]);
      const change = { verb: 'updated', before: { member: member!.user.email } } as const;
      await recordRoleChange(stores, { caller, organization }, role, change);
    });
    return noBody(204);
  },
});

export const roleMembershipRoutes = [listRoleMemberships, addRoleMembership, removeRoleMembership];
