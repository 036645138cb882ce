/** Dashboards over a started Sluice: requests about one project, by the people of its organization. */
import { randomUUID } from 'node:crypto';
import { analyticsRoutes } from '../../../src/analytics/room.ts';
import { auditLogRoutes } from '../../../src/people/audit/audit-log.routes.ts';
import { keyStore } from '../../../src/people/keys/keys.store.ts';
import { createSessions } from '../../../src/people/accounts/sessions.ts';
import { sessionStore } from '../../../src/people/accounts/sessions.store.ts';
import type { ApiAnswer } from './api.ts';
import { answerCheck } from './documented.ts';
import { buildPersonalKey, buildProjectSecretKey, buildTenant, type Tenant } from './identity.ts';
import { startSluice, type Sluice } from '../servers/sluice.ts';

export type Body = Record<string, unknown>;
export type Dashboard = Body & { id: number; name: string | null; tiles: Body[]; tags: string[] };
export type Refusal = { type: string; code: string; detail: string; attr: string | null };

/** A person in our organization, with a key for everything. */
export type Person = { userId: number; uuid: string; membershipId: string; key: string };

type Options = { key?: string; headers?: Record<string, string> };

export type DashboardsApi = {
  sluice: Sluice;
  ours: Tenant;
  theirs: Tenant;
  /** Key of our user, who is a member, with all scopes. */
  key: string;
  keyWith(...scopes: string[]): Promise<string>;
  projectKey(): Promise<string>;
  join(role?: 'member' | 'admin' | 'owner'): Promise<Person>;
  /** @returns options of requests from a browser in which our user is logged in */
  login(): Promise<Options>;
  /** Sends a request; a path without `/api` is relative to our project's `/dashboards/`. @param options `key`: '' for none */
  request(method: string, path: string, body?: unknown, options?: Options): Promise<ApiAnswer>;
  /** Fails unless the answer is a success. @returns its body */
  expectSuccess<T = Dashboard>(method: string, path: string, body?: unknown, options?: Options): Promise<T>;
  /** Fails unless the answer has the status. @returns its body */
  expectRefusal(status: number, method: string, path: string, body?: unknown, options?: Options): Promise<Refusal>;
  create(dashboard?: Body, options?: Options): Promise<Dashboard>;
  /** Writes an access rule in our project: for everybody, unless a membership is given. */
  rule(dashboardId: number, level: string, membershipId?: string): Promise<void>;
  activity(dashboardId: number): Promise<{ activity: string; user_id: number | null; detail: Body }[]>;
  stop(): Promise<void>;
};

const checkAnswer = answerCheck<never>([...analyticsRoutes, ...auditLogRoutes]);

export async function startDashboardsApi(): Promise<DashboardsApi> {
  const sluice = await startSluice();
  const { db } = sluice;
  const [ours, theirs] = [await buildTenant(db), await buildTenant(db)];
  const key = await buildPersonalKey(db, ours, '*');

  const request: DashboardsApi['request'] = async (method, path, body, options = {}) => {
    const address = path.startsWith('/api') ? path : `/api/projects/${ours.projectId}/dashboards/${path}`;
    const answer = await fetch(sluice.url + address, {
      method,
      headers: {
        ...(options.key !== '' && { Authorization: `Bearer ${options.key ?? key}` }),
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...options.headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await answer.text();
    const parsed = {
      status: answer.status,
      headers: answer.headers,
      body: text === '' ? '' : (JSON.parse(text) as unknown),
    };
    if (parsed.status !== 405) checkAnswer(method, address, parsed);
    return parsed;
  };

  const api: DashboardsApi = {
    sluice,
    ours,
    theirs,
    key,
    request,
    keyWith: (...scopes) => buildPersonalKey(db, ours, ...scopes),
    projectKey: () => buildProjectSecretKey(db, ours, '*'),

    async join(role = 'member') {
      const uuid = randomUUID();
      const user = { uuid, distinct_id: uuid, email: `${uuid}@example.com` };
      const [{ id: userId }] = (await db('users').insert(user).returning('id')) as [{ id: number }];
      const membership = { organization_id: ours.organizationId, user_id: userId, role };
      const [member] = (await db('organization_memberships').insert(membership).returning('id')) as [{ id: string }];
      const made = await keyStore(db).create({ userId }, { label: 'test', scopes: ['*'] });
      return { userId, uuid, membershipId: member.id, key: made.key };
    },

    async login() {
      const sessions = sessionStore(db);
      const cookies = await createSessions({ sessions, publicUrl: sluice.url }).begin(sessions, ours.userId, {
        headers: {},
        address: '',
      });
      const pairs = cookies.map((cookie) => cookie.split(';')[0]!);
      const csrfToken = pairs.find((pair) => pair.startsWith('posthog_csrftoken='))!.split('=')[1]!;
      return { key: '', headers: { Cookie: pairs.join('; '), 'X-CSRFToken': csrfToken } };
    },

    async expectSuccess<T>(...args: Parameters<DashboardsApi['request']>) {
      const { status, body } = await request(...args);
      if (status >= 300) throw new Error(`${args[0]} ${args[1]} was refused: ${status} ${JSON.stringify(body)}`);
      return body as T;
    },

    async expectRefusal(wanted, ...args) {
      const { status, body } = await request(...args);
      if (status !== wanted) throw new Error(`${args[0]} ${args[1]} answered ${status}: ${JSON.stringify(body)}`);
      return body as Refusal;
    },

    create: (dashboard = {}, options = {}) => api.expectSuccess('POST', '', dashboard, options),

    async rule(dashboardId, level, membershipId) {
      await db('access_controls').insert({
        id: randomUUID(),
        project_id: ours.projectId,
        resource: 'dashboard',
        resource_id: String(dashboardId),
        access_level: level,
        ...(membershipId !== undefined && { membership_id: membershipId }),
      });
    },

    async activity(dashboardId) {
      const entries = db('activity_log').where({ scope: 'Dashboard', item_id: String(dashboardId) });
      return (await entries.orderBy('created_at').select('activity', 'user_id', 'detail')) as never;
    },

    stop: () => sluice.stop(),
  };
  return api;
}
