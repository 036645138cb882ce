/** `/members/` of an organization: lists, changes and removes members. */
import { json, noBody, route } from '../../platform/http/route.ts';
import { offsetPage, offsetPageOf, offsetQuery, pageBounds } from '../../platform/http/parameters/pagination.ts';
import { Type, type Static } from '../../platform/schema.ts';
import { changeLevel, removeMember } from './members.ts';
import type { Member } from './members.store.ts';
import { LEVEL_OF, MembershipLevel, roleOf } from './organization-body.ts';
import type { IdentityStores } from '../stores.ts';
import { presentUser, UserBody } from '../accounts/users.ts';

export type MembersApi = { identity: IdentityStores };

const MemberBody = Type.Object(
  {
    id: Type.String({ format: 'uuid', description: 'The ID of the membership, used in access rules.' }),
    user: UserBody,
    level: MembershipLevel,
    joined_at: Type.String({ format: 'date-time' }),
    updated_at: Type.String({ format: 'date-time' }),
    is_2fa_enabled: Type.Literal(false),
    has_social_auth: Type.Literal(false),
  },
  { title: 'OrganizationMember' },
);

function present(member: Member): Static<typeof MemberBody> {
  return {
    id: member.id,
    user: presentUser(member.user),
    level: LEVEL_OF[member.role],
    joined_at: member.joinedAt,
    updated_at: member.updatedAt,
    is_2fa_enabled: false,
    has_social_auth: false,
  };
}

const memberRoute = {
  path: '/members/:user__uuid/',
  params: Type.Object({ user__uuid: Type.String({ format: 'uuid', description: 'The UUID of the user.' }) }),
} as const;

const listMembers = route({
  method: 'get',
  path: '/members/',
  access: { organization: 'organization_member:read' },
  query: offsetQuery(),
  answers: { 200: offsetPageOf(MemberBody) },
  summary: 'List the members of an organization, in the order in which they joined',
  async handle({ organization, query, url }, { identity }: MembersApi) {
    const page = await identity.members.list(organization.id, pageBounds(query));
    return json(200, offsetPage(url, query, { ...page, results: page.results.map(present) }));
  },
});

const getMember = route({
  ...memberRoute,
  method: 'get',
  access: { organization: 'organization_member:read' },
  answers: { 200: MemberBody },
  summary: 'Retrieve a member',
  async handle({ organization, params }, { identity }: MembersApi) {
    return json(200, present(await identity.members.get(organization.id, params.user__uuid)));
  },
});

const patchMember = route({
  ...memberRoute,
  method: 'patch',
  errors: [409],
  access: { organization: 'organization_member:write', role: 'admin', sensitive: true },
  body: Type.Object({ level: MembershipLevel }, { title: 'OrganizationMemberPatch' }),
  strict: true,
  answers: { 200: MemberBody },
  summary: 'Change the level of a member',
  description:
    'For admins. Members cannot change their own level or raise others above it, and the last owner stays an owner.',
  async handle({ caller, organization, params, body }, { identity }: MembersApi) {
    const context = { caller, organization };
    return json(200, present(await changeLevel(identity, context, params.user__uuid, roleOf(body.level))));
  },
});

const deleteMember = route({
  ...memberRoute,
  method: 'delete',
  errors: [409],
  access: { organization: 'organization_member:write', sensitive: true },
  answers: { 204: null },
  summary: 'Remove a member from an organization, or leave it',
  description:
    'Their roles, access rules and keys no longer grant access to the organization. The last owner cannot be ' +
    'removed.',
  async handle({ caller, organization, params }, { identity }: MembersApi) {
    await removeMember(identity, { caller, organization }, params.user__uuid);
    return noBody(204);
  },
});

export const memberRoutes = [listMembers, getMember, patchMember, deleteMember];
