/** `/invites/` of an organization: lists, sends and revokes invites. */
import { json, noBody, route } from '../../platform/http/route.ts';
import { offsetPage, offsetPageOf, offsetQuery, pageBounds } from '../../platform/http/parameters/pagination.ts';
import { nullable, Type, type Static } from '../../platform/schema.ts';
import type { Invites } from './invites.ts';
import type { Invite } from './invites.store.ts';
import { LEVEL_OF, MembershipLevel, roleOf } from './organization-body.ts';
import type { IdentityStores } from '../stores.ts';
import type { Users } from '../accounts/users.store.ts';
import { UserBody, userOf } from '../accounts/users.ts';

/** Only users with a session may invite, because an invite's link creates an account with more rights than a key's scopes. */
const INVITE_ACCESS = { organization: 'organization_member:write', sessionOnly: true } as const;

export type InvitesApi = { identity: IdentityStores; invites: Invites };

/** Maximum number of invites in one request, the same as upstream's. */
const MAX_AT_ONCE = 20;

const InviteBody = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    target_email: Type.String(),
    first_name: Type.String(),
    message: Type.String(),
    level: MembershipLevel,
    emailing_attempt_made: Type.Boolean({ description: 'Whether the mail server accepted the invitation email.' }),
    is_expired: Type.Literal(false, { description: 'Always false: expired invites are not listed.' }),
    link: nullable(Type.String({ format: 'uri' }), {
      description:
        'The link to accept the invite; null except in the response that creates it. If accepting would create an ' +
        'account, only admins receive it, and only if no mail server is configured.',
    }),
    created_by: nullable(UserBody),
    created_at: Type.String({ format: 'date-time' }),
    expires_at: Type.String({ format: 'date-time' }),
  },
  { title: 'OrganizationInvite' },
);

const InviteInBody = Type.Object(
  {
    target_email: Type.String({ format: 'email', maxLength: 254 }),
    first_name: Type.String({ maxLength: 64, default: '' }),
    message: Type.String({ maxLength: 1000, default: '' }),
    level: Type.Optional(MembershipLevel),
  },
  { title: 'OrganizationInviteIn' },
);

function present(invite: Invite & { link?: string }, users: Users): Static<typeof InviteBody> {
  return {
    id: invite.id,
    target_email: invite.email,
    first_name: invite.firstName,
    message: invite.message,
    level: LEVEL_OF[invite.role],
    emailing_attempt_made: invite.mailed,
    is_expired: false,
    link: (invite.linkShown && invite.link) || null,
    created_by: userOf(users, invite.createdBy),
    created_at: invite.createdAt,
    expires_at: invite.expiresAt,
  };
}

async function presentAll(invites: readonly (Invite & { link?: string })[], { users }: IdentityStores) {
  const creators = await users.findByIds(invites.map(({ createdBy }) => createdBy));
  return invites.map((invite) => present(invite, creators));
}

function inviteRequest(body: Static<typeof InviteInBody>) {
  return {
    email: body.target_email,
    firstName: body.first_name,
    message: body.message,
    role: roleOf(body.level ?? LEVEL_OF.member),
  };
}

const listInvites = route({
  method: 'get',
  path: '/invites/',
  access: { organization: 'organization_member:read' },
  query: offsetQuery(),
  answers: { 200: offsetPageOf(InviteBody) },
  summary: 'List the pending invites, newest first',
  async handle({ organization, query, url }, { identity }: InvitesApi) {
    const page = await identity.invites.list(organization.id, pageBounds(query));
    const results = await presentAll(page.results, identity);
    return json(200, offsetPage(url, query, { count: page.count, results }));
  },
});

const createInvite = route({
  method: 'post',
  path: '/invites/',
  access: INVITE_ACCESS,
  body: InviteInBody,
  strict: true,
  answers: { 201: InviteBody },
  summary: 'Invite a user to an organization',
  description:
    'The link is valid for three days and can be used once. An earlier invite to the same address is revoked, ' +
    'which requires the right to delete it.',
  async handle({ caller, organization, body }, { identity, invites }: InvitesApi) {
    const issued = await invites.invite({ caller, organization }, [inviteRequest(body)]);
    const [presented] = await presentAll(issued, identity);
    return json(201, presented);
  },
});

const createInvites = route({
  method: 'post',
  path: '/invites/bulk/',
  access: INVITE_ACCESS,
  body: Type.Array(InviteInBody, { maxItems: MAX_AT_ONCE }),
  strict: true,
  answers: { 201: Type.Array(InviteBody) },
  summary: 'Invite several users at once',
  async handle({ caller, organization, body }, { identity, invites }: InvitesApi) {
    const issued = await invites.invite({ caller, organization }, body.map(inviteRequest));
    return json(201, await presentAll(issued, identity));
  },
});

const deleteInvite = route({
  method: 'delete',
  path: '/invites/:id/',
  access: { organization: 'organization_member:write' },
  params: Type.Object({ id: Type.String({ format: 'uuid' }) }),
  answers: { 204: null },
  summary: 'Revoke an invite',
  description: 'For admins and the sender of the invite.',
  async handle({ caller, organization, params }, { invites }: InvitesApi) {
    await invites.revoke({ caller, organization }, params.id);
    return noBody(204);
  },
});

export const inviteRoutes = [listInvites, createInvite, createInvites, deleteInvite];
