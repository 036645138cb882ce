/** `/api/signup/:invite_id/`: retrieves and accepts an invite by its link. */
import { json, route } from '../../platform/http/route.ts';
import { Type } from '../../platform/schema.ts';
import type { LoginApi } from './login.routes.ts';
import type { Sessions } from './sessions.ts';
import { findAccountFor, findInvite, join } from './signup.ts';
import type { IdentityStores } from '../stores.ts';
import { maskEmail, presentUser, UserBody, WorkRole } from './users.ts';

export type SignupApi = { identity: IdentityStores; sessions: Sessions } & Pick<LoginApi, 'addressOf'>;

const inviteAnswers = {
  path: '/api/signup/:invite_id/',
  access: { public: true, ownPages: true },
  params: Type.Object({ invite_id: Type.String({ description: 'The ID of the invite, from its link.' }) }),
} as const;

const getInvite = route({
  ...inviteAnswers,
  method: 'get',
  answers: {
    200: Type.Object(
      {
        id: Type.String({ format: 'uuid' }),
        target_email: Type.String(),
        first_name: Type.String(),
        organization_name: Type.String(),
        account_exists: Type.Boolean({
          description:
            'Whether the invitee has an account and must be signed in to accept; otherwise accepting creates one.',
        }),
        expires_at: Type.String({ format: 'date-time' }),
      },
      { title: 'SignupInvite' },
    ),
  },
  summary: 'Retrieve the email address and organization of an invite',
  async handle({ params }, { identity }: SignupApi) {
    const invite = await findInvite(identity, params.invite_id);
    const { name } = await identity.organizations.get(invite.organizationId);
    return json(200, {
      id: invite.id,
      target_email: maskEmail(invite.email),
      first_name: invite.firstName,
      organization_name: name,
      account_exists: (await findAccountFor(identity, invite)) !== undefined,
      expires_at: invite.expiresAt,
    });
  },
});

const useInvite = route({
  ...inviteAnswers,
  method: 'post',
  body: Type.Object(
    {
      first_name: Type.Optional(Type.String({ minLength: 1, maxLength: 150 })),
      last_name: Type.String({ maxLength: 150, default: '' }),
      role_at_organization: WorkRole,
      password: Type.Optional(Type.String({ maxLength: 200, writeOnly: true })),
    },
    { title: 'Signup' },
  ),
  answers: { 201: UserBody },
  summary: 'Accept an invite to an organization',
  description:
    'Signed-in users join with their account. Others create an account with `first_name` and `password` and ' +
    'are signed in.',
  async handle({ params, body, headers, remoteAddress }, { identity, sessions, addressOf }: SignupApi) {
    const { account, cookies } = await join(
      { identity, sessions },
      {
        token: params.invite_id,
        client: { headers, address: addressOf({ headers, remoteAddress }) },
        person: {
          firstName: body.first_name,
          lastName: body.last_name,
          password: body.password,
          roleAtOrganization: body.role_at_organization,
        },
      },
    );
    return { status: 201, cookies, body: presentUser(account) };
  },
});

export const signupRoutes = [getInvite, useInvite];
