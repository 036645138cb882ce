/** All kinds of callers: one organization with people of every role, another one, and keys that are limited. */
import { randomUUID } from 'node:crypto';
import type { Knex } from '../../src/platform/db/connection.ts';
import type { OrganizationRole } from '../../src/platform/http/access.ts';
import { keyStore } from '../../src/people/keys/keys.store.ts';
import { sessionStore } from '../../src/people/accounts/sessions.store.ts';
import { createSessions } from '../../src/people/accounts/sessions.ts';
import { buildTenant, type Tenant } from '../support/api/identity.ts';
import { KINDS, scopesOf } from './expectations.ts';

export const CALLERS = [
  'anonymous',
  'other organization',
  'viewer',
  'editor',
  'manager',
  'admin',
  'read key',
  'write key',
  'wrong-project key',
  'share token',
  'logged in admin',
] as const;
export type CallerName = (typeof CALLERS)[number];

export type World = {
  /** The tenant whose routes are called; its user made nothing: the objects have no creator. */
  ours: Tenant;
  /** The headers of a caller's request. */
  headersOf(caller: CallerName): Promise<Readonly<Record<string, string>>>;
};

/**
 * @param shareToken of a shared dashboard of the project
 * @returns the callers, after a rule was written for the viewer (only to look at anything) and one for the manager
 */
export async function buildWorld(db: Knex, shareToken: (ours: Tenant) => Promise<string>): Promise<World> {
  const ours = await buildTenant(db, { name: 'Ours' });
  const theirs = await buildTenant(db, { name: 'Theirs' });
  const keys = keyStore(db);
  const key = async (userId: number, scopes: readonly string[] = ['*']) =>
    (await keys.create({ userId }, { label: 'test', scopes })).key;

  const viewer = await member(db, ours, 'member');
  const manager = await member(db, ours, 'member');
  const admin = await member(db, ours, 'admin');
  await rules(db, ours, viewer.membershipId, 'viewer');
  await rules(db, ours, manager.membershipId, 'manager');

  const [elsewhere] = await db<{ id: number }>('projects')
    .insert({ organization_id: ours.organizationId, name: 'Elsewhere', api_token: `phc_${randomUUID()}` } as never)
    .returning('id');
  const wrong = await key(ours.userId);
  await db('api_keys')
    .where({ user_id: ours.userId })
    .update({ only_projects: [elsewhere!.id] });

  const bearers: Partial<Record<CallerName, string>> = {
    'other organization': await key(theirs.userId),
    viewer: await key(viewer.userId),
    editor: await key(ours.userId),
    manager: await key(manager.userId),
    admin: await key(admin.userId),
    'read key': await key(ours.userId, scopesOf('read key')),
    'write key': await key(ours.userId, scopesOf('write key')),
    'wrong-project key': wrong,
    'share token': await shareToken(ours),
  };
  const sessions = createSessions({ sessions: sessionStore(db), publicUrl: 'http://127.0.0.1' });

  return {
    ours,
    async headersOf(caller) {
      const bearer = bearers[caller];
      if (bearer !== undefined) return { Authorization: `Bearer ${bearer}` };
      if (caller !== 'logged in admin') return {};
      // A new one each time: it may be what the request ends.
      const cookies = (await sessions.begin(sessionStore(db), admin.userId, { headers: {}, address: '' })).map(
        (cookie) => cookie.split(';')[0]!,
      );
      const token = cookies.find((cookie) => cookie.startsWith('posthog_csrftoken='))!.split('=')[1]!;
      return { Cookie: cookies.join('; '), 'X-CSRFToken': token };
    },
  };
}

async function member(db: Knex, { organizationId }: Tenant, role: OrganizationRole) {
  const uuid = randomUUID();
  const [user] = await db<{ id: number }>('users')
    .insert({ uuid, distinct_id: uuid, email: `${uuid}@example.com` } as never)
    .returning('id');
  const [membership] = await db<{ id: string }>('organization_memberships')
    .insert({ organization_id: organizationId, user_id: user!.id, role } as never)
    .returning('id');
  return { userId: user!.id, membershipId: membership!.id };
}

async function rules(db: Knex, { projectId }: Tenant, membershipId: string, level: string): Promise<void> {
  await db('access_controls').insert(
    KINDS.map((resource) => ({
      id: randomUUID(),
      project_id: projectId,
      resource,
      resource_id: null,
      membership_id: membershipId,
      access_level: level,
    })),
  );
}
