/** Operations on accounts, organizations, projects and keys. */
import { randomUUID } from 'node:crypto';
import { linkStore } from '../../../src/people/accounts/links.store.ts';
import { keyStore } from '../../../src/people/keys/keys.store.ts';
import { buildMember, buildRole } from '../../support/api/members.ts';
import { CANARY, cheapHash, type Operation, type Workplace } from './workplace.ts';

const ADMIN = 8;
const someone = () => `${randomUUID()}@example.com`;
const KEY = { label: 'New', scopes: ['dashboard:read'] };
const UNKNOWN = '0198f3a0-0000-7000-8000-00000000dead';

async function projectKey({ db, ours }: Workplace) {
  return { id: (await keyStore(db).create({ projectId: ours.projectId }, KEY)).id };
}

/** Limited to one organization: otherwise each that its user is in would be told. */
async function personalKey({ db, ours }: Workplace) {
  const settings = { ...KEY, onlyOrganizations: [ours.organizationId] };
  return { id: (await keyStore(db).create({ userId: ours.userId }, settings)).id };
}

const rule = ({ colleague }: Workplace) => ({ access_level: 'viewer', organization_member: colleague.membershipId });

export const projectOperations: Readonly<Record<string, Operation>> = {
  'PATCH /': () => ({ body: { name: 'Renamed' }, refused: { timezone: 'Nowhere' }, tells: ['Project updated'] }),
  'PATCH /reset_token/': () => ({ tells: ['Project updated'] }),
  'PUT /access_controls/': (at) => ({
    body: { ...rule(at), access_level: 'member' },
    refused: { access_level: 'king' },
    tells: ['Project updated'],
  }),
  'PUT /resource_access_controls/': (at) => ({
    body: { ...rule(at), resource: 'dashboard' },
    refused: { ...rule(at), resource: 'castle' },
    tells: ['Project updated'],
  }),
  'PUT /global_access_controls/': (at) => ({
    body: { ...rule(at), resource: 'insight' },
    refused: { ...rule(at), resource: 'castle' },
    tells: ['Project updated'],
  }),
  'POST /project_secret_api_keys/': () => ({
    body: KEY,
    refused: { ...KEY, scopes: ['nothing:read'] },
    tells: ['ProjectSecretAPIKey created'],
  }),
  'PATCH /project_secret_api_keys/:id/': async (at) => ({
    params: await projectKey(at),
    body: { label: 'Renamed' },
    refused: { scopes: [] },
    tells: ['ProjectSecretAPIKey updated'],
  }),
  'DELETE /project_secret_api_keys/:id/': async (at) => ({
    params: await projectKey(at),
    tells: ['ProjectSecretAPIKey deleted'],
  }),
  'POST /project_secret_api_keys/:id/roll/': async (at) => ({
    params: await projectKey(at),
    body: {},
    refused: { grace_seconds: -1 },
    tells: ['ProjectSecretAPIKey updated'],
  }),
};

export const organizationOperations: Readonly<Record<string, Operation>> = {
  'PATCH /': () => ({ body: { name: 'Renamed' }, refused: { name: '' }, tells: ['Organization updated'] }),
  'POST /projects/': () => ({
    body: { name: 'Second' },
    refused: { name: 'Second', timezone: 'Nowhere' },
    tells: ['Project created'],
  }),
  'PATCH /members/:user__uuid/': async ({ db, ours }) => ({
    params: { user__uuid: (await buildMember(db, ours)).uuid },
    body: { level: ADMIN },
    refused: { level: 7 },
    tells: ['OrganizationMembership updated'],
  }),
  'DELETE /members/:user__uuid/': async ({ db, ours }) => ({
    params: { user__uuid: (await buildMember(db, ours)).uuid },
    tells: ['OrganizationMembership deleted'],
  }),
  'POST /invites/': () => ({
    body: { target_email: someone() },
    refused: { target_email: 'nobody' },
    tells: ['OrganizationInvite created'],
  }),
  'POST /invites/bulk/': () => ({
    body: [{ target_email: someone() }, { target_email: someone() }],
    refused: [{ target_email: someone() }, { target_email: 'nobody' }],
    tells: ['OrganizationInvite created', 'OrganizationInvite created'],
  }),
  'DELETE /invites/:id/': async ({ invite }) => ({
    params: { id: String((await invite(someone()))['id']) },
    tells: ['OrganizationInvite deleted'],
  }),
  'POST /roles/': () => ({ body: { name: 'Analysts' }, refused: { name: '' }, tells: ['Role created'] }),
  'PATCH /roles/:id/': async ({ db, ours }) => ({
    params: { id: await buildRole(db, ours) },
    body: { name: 'Renamed' },
    refused: { name: '' },
    tells: ['Role updated'],
  }),
  'DELETE /roles/:id/': async ({ db, ours }) => ({
    params: { id: await buildRole(db, ours) },
    tells: ['Role deleted'],
  }),
  'POST /roles/:role_id/role_memberships/': async ({ db, ours, colleague }) => ({
    params: { role_id: await buildRole(db, ours) },
    body: { user_uuid: colleague.uuid },
    refused: { user_uuid: UNKNOWN },
    tells: ['Role updated'],
  }),
  'DELETE /roles/:role_id/role_memberships/:id/': async ({ db, ours, colleague }) => {
    const role_id = await buildRole(db, ours, colleague);
    const { id } = (await db('role_memberships').where({ role_id }).first('id')) as { id: string };
    return { params: { role_id, id }, tells: ['Role updated'] };
  },
};

export const ownOperations: Readonly<Record<string, Operation>> = {
  'POST /api/projects/': () => ({
    body: { name: 'Third' },
    refused: { name: 'Third', timezone: 'Nowhere' },
    tells: ['Project created'],
  }),
  'POST /api/login/': async ({ db, ours }) => {
    const who = { id: ours.userId };
    await db('users')
      .where(who)
      .update({ password_hash: cheapHash() } as never);
    const { email } = (await db('users').where(who).first('email')) as { email: string };
    return {
      body: { email, password: CANARY },
      refused: { email, password: `${CANARY}-not` },
      tells: ['User logged_in'],
    };
  },
  'POST /api/login/link/': async ({ db, ours }) => ({
    body: { token: await linkStore(db).create('sign-in', ours.userId) },
    refused: { token: CANARY },
    tells: ['User logged_in'],
  }),
  'POST /api/logout/': () => ({ tells: ['User logged_out'] }),
  'DELETE /api/users/@me/sessions/:id/': async (at) => {
    await at.session();
    const { id } = (await at.db('sessions').where({ user_id: at.ours.userId }).first('id')) as { id: string };
    return { params: { id }, tells: ['User logged_out'] };
  },
  'POST /api/users/@me/sessions/end_others/': async (at) => {
    await at.session();
    return { tells: ['User logged_out'] };
  },
  'PATCH /api/users/@me/': () => ({
    body: { first_name: 'Ann' },
    refused: { first_name: 'Lost', theme_mode: 'pink' },
    tells: ['User updated'],
  }),
  'POST /api/signup/:invite_id/': async ({ invite }) => {
    const link = new URL(String((await invite(someone()))['link']));
    return {
      params: { invite_id: link.pathname.split('/').at(-1)! },
      body: { first_name: 'Ben', password: CANARY },
      refused: { first_name: 'Ben', password: '12345678' },
      by: ({ id }) => Number(id),
      tells: ['OrganizationMembership created'],
    };
  },
  'POST /api/reset/:token/': async ({ db, ours }) => {
    const { userId } = await buildMember(db, ours);
    return {
      params: { token: await linkStore(db).create('reset', userId) },
      body: { password: CANARY },
      refused: { password: '12345678' },
      by: () => userId,
      tells: ['User updated'],
    };
  },
  'POST /api/organizations/': () => ({
    body: { name: 'Another' },
    refused: { name: '' },
    tells: ['Organization created'],
  }),
  'POST /api/personal_api_keys/': ({ ours }) => ({
    body: { ...KEY, scoped_teams: [], scoped_organizations: [ours.organizationId] },
    refused: { ...KEY, scoped_teams: [], scoped_organizations: [UNKNOWN] },
    tells: ['PersonalAPIKey created'],
  }),
  'PATCH /api/personal_api_keys/:id/': async (at) => ({
    params: await personalKey(at),
    body: { label: 'Renamed' },
    refused: { scopes: [] },
    tells: ['PersonalAPIKey updated'],
  }),
  'DELETE /api/personal_api_keys/:id/': async (at) => ({
    params: await personalKey(at),
    tells: ['PersonalAPIKey deleted'],
  }),
  'POST /api/personal_api_keys/:id/roll/': async (at) => ({
    params: await personalKey(at),
    body: {},
    refused: { grace_seconds: -1 },
    tells: ['PersonalAPIKey updated'],
  }),
};
