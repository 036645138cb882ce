/** Shared dashboards over a started Sluice: two tenants, and rows of dashboards and tiles. */
import { randomUUID } from 'node:crypto';
import { buildPersonalKey, buildTenant, type Tenant } from '../api/identity.ts';
import { startSluice, type Sluice, type SluiceOptions } from './sluice.ts';

export type Json = Record<string, unknown>;
export type Answered = { status: number; headers: Headers; body: unknown };

export type SharedWorld = {
  sluice: Sluice;
  ours: Tenant;
  theirs: Tenant;
  /** Key of our user, with all scopes. */
  key: string;
  /** Sends a request; the path is relative to `/api/projects/<ours>`. @param options `key`: '' for none */
  request(method: string, path: string, body?: unknown, options?: { key?: string }): Promise<Answered>;
  /** @returns the id of the new dashboard */
  buildDashboard(fields?: Json, tenant?: Tenant): Promise<number>;
  buildInsight(fields?: Json): Promise<number>;
  buildTile(dashboardId: number, content: Json, fields?: Json): Promise<void>;
  buildText(dashboardId: number, body: string, fields?: Json): Promise<void>;
  /** Shares the dashboard by link. @returns the link's token */
  share(dashboardId: number, fields?: Json): Promise<string>;
  stop(): Promise<void>;
};

export async function startSharedWorld(options: SluiceOptions = {}): Promise<SharedWorld> {
  const sluice = await startSluice(options);
  const { db } = sluice;
  const [ours, theirs] = [await buildTenant(db), await buildTenant(db)];
  const key = await buildPersonalKey(db, ours, '*');

  async function insert<Id>(table: string, row: Json): Promise<Id> {
    const [made] = (await db(table).insert(row).returning('id')) as { id: Id }[];
    return made!.id;
  }

  const world: SharedWorld = {
    sluice,
    ours,
    theirs,
    key,

    async request(method, path, body, options = {}) {
      const answer = await fetch(`${sluice.url}/api/projects/${ours.projectId}${path}`, {
        method,
        headers: {
          ...(options.key !== '' && { Authorization: `Bearer ${options.key ?? key}` }),
          ...(body !== undefined && { 'Content-Type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const text = await answer.text();
      const { status, headers } = answer;
      return { status, headers, body: text === '' ? '' : (JSON.parse(text) as unknown) };
    },

    buildDashboard: (fields = {}, { projectId, userId } = ours) =>
      insert('dashboards', { project_id: projectId, created_by: userId, name: 'Coffee', ...fields }),

    buildInsight: (fields = {}) =>
      insert('insights', {
        project_id: ours.projectId,
        created_by: ours.userId,
        last_modified_by: ours.userId,
        short_id: randomUUID().slice(0, 8),
        name: 'Visits',
        ...fields,
      }),

    async buildTile(dashboardId, content, fields = {}) {
      await insert('dashboard_tiles', { dashboard_id: dashboardId, ...content, ...fields });
    },

    async buildText(dashboardId, body, fields) {
      const text_id = await insert('dashboard_texts', { project_id: ours.projectId, created_by: ours.userId, body });
      await world.buildTile(dashboardId, { text_id }, fields);
    },

    async share(dashboardId, fields = {}) {
      const { body } = await world.request('PATCH', `/dashboards/${dashboardId}/sharing/`, {
        enabled: true,
        ...fields,
      });
      return (body as { access_token: string }).access_token;
    },

    stop: sluice.stop,
  };
  return world;
}
