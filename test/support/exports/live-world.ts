/** The stream of changes to exports, without an engine: the route, its access checks and its own database listener. */
import { createKnex } from '../../../src/platform/db/connection.ts';
import { protectedExports } from '../../../src/exports/batch-exports/protected.ts';
import type { ExportsApi } from '../../../src/exports/api.ts';
import { createLive, type Live, type LiveOptions } from '../../../src/exports/live/live.ts';
import { liveRoutes } from '../../../src/exports/live/live.routes.ts';
import { createGatekeeper } from '../../../src/people/access/gatekeeper.ts';
import { createSessions } from '../../../src/people/accounts/sessions.ts';
import { identityStores } from '../../../src/people/stores.ts';
import { createLogger } from '../../../src/platform/telemetry/logger.ts';
import { openEventSource, type EventSource, type ReceivedEvent } from '../api/event-source.ts';
import { buildMember, type Member } from '../api/members.ts';
import { startApi, type Api } from '../api/api.ts';
import { buildProjectSecretKey, buildTenant, type Tenant } from '../api/identity.ts';
import { createExportRows, type ExportRows } from '../database/export-rows.ts';
import { sleepInTurns } from '../until.ts';

export type LiveWorld = {
  rows: ExportRows;
  tenant: Tenant;
  /** An admin of the tenant's organization, with a key. */
  admin: Member;
  live: Live;
  api: Api;
  /** Opens the project's stream for the user of the headers; `leave` ends it. */
  follow(headers: Record<string, string>, query?: string): Promise<EventSource>;
  /** Resolves when all streams have received earlier commits. */
  waitForCommits(): Promise<void>;
  /** Ends the streams that `follow` opened. */
  leave(): void;
  stop(): Promise<void>;
};

type Options = Partial<Omit<LiveOptions, 'log'>> & {
  /** Where the gatekeeper finds its Postgres. */
  identityUrl?: (databaseUrl: string) => string;
  rows?: ExportRows;
  tenant?: Tenant;
};

export const bearerHeaders = (key: string) => ({ Authorization: `Bearer ${key}` });

export async function startLiveWorld({ identityUrl = (url) => url, ...options }: Options = {}): Promise<LiveWorld> {
  const rows = options.rows ?? (await createExportRows());
  const tenant = options.tenant ?? (await tenantOf(rows));
  const admin = await buildMember(rows.db, tenant, 'admin');
  const log = createLogger({ LOG_LEVEL: 'silent' }, 'test');
  const live = createLive({ databaseUrl: rows.url, log, windowMs: 20, ...options });
  const db = createKnex({ url: identityUrl(rows.url), applicationName: 'test-identity' });
  const identity = identityStores(db);
  const protectedObjects = { batch_export: protectedExports(rows.stores.batchExports) };
  const { callerOf } = createSessions({ ...identity, publicUrl: 'http://test' });
  const gatekeeper = createGatekeeper({ ...identity, callerOf, protectedObjects });
  const api = await startApi<Pick<ExportsApi, 'live'>>({ routes: liveRoutes, collaborators: { live }, gatekeeper });
  const address = `${api.url}/api/projects/${tenant.projectId}/live/`;
  const first = await openEventSource(address, bearerHeaders(admin.key));
  // The process listens once this stream has had two events.
  await first.next(2);
  first.stop();
  await sleepInTurns(50);
  const open: EventSource[] = [];
  let waitForChange: (() => Promise<void>) | undefined;

  /** Opens a stream of another project. @returns a function that makes a change there, and waits until the stream has it */
  async function watch(): Promise<() => Promise<void>> {
    const other = await buildTenant(rows.db);
    const beacon = await rows.buildExport({ projectId: other.projectId });
    const key = await buildProjectSecretKey(rows.db, other, 'batch_export:read');
    const stream = await openEventSource(`${api.url}/api/projects/${other.projectId}/live/`, bearerHeaders(key));
    return async () => {
      const isReceived = () => stream.received.some(({ data }) => data?.['kind'] === 'log');
      stream.received.length = 0;
      await rows.stores.logs.append({ batchExportId: beacon.id, runId: null, level: 'INFO', message: 'now' });
      while (!isReceived()) await stream.next(stream.received.length + 1);
      // Other streams are sent the change in the same turn, but over their own connections.
      await sleepInTurns(40);
    };
  }

  return {
    rows,
    tenant,
    admin,
    live,
    api,
    async follow(headers, query = '') {
      const stream = await openEventSource(address + query, headers);
      open.push(stream);
      if (stream.status === 200) await stream.next(1);
      return stream;
    },
    async waitForCommits() {
      waitForChange ??= await watch();
      await waitForChange();
    },
    leave: () => open.splice(0).forEach((stream) => stream.stop()),
    async stop() {
      live.drain();
      await api.stop();
      await live.close();
      await db.destroy();
      if (!options.rows) await rows.close();
    },
  };
}

async function tenantOf({ db, projectId }: ExportRows): Promise<Tenant> {
  const { organization_id: organizationId } = (await db('projects')
    .where({ id: projectId })
    .first('organization_id')) as { organization_id: string };
  const { user_id: userId } = (await db('organization_memberships')
    .where({ organization_id: organizationId })
    .first('user_id')) as { user_id: number };
  return { organizationId, userId, projectId, apiToken: '' };
}

/** The received events without instants and ids; without data where they have a name. */
export function comparableEvents(received: readonly ReceivedEvent[]): Record<string, unknown>[] {
  return received.flatMap(({ event, data }) => {
    if (!data) return [];
    const { at: _, ...rest } = data;
    return [event === undefined ? rest : { event }];
  });
}
