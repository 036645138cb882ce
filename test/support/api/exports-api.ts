/** The API of exports over a whole installation without a worker, so requested runs never start. */
import { randomUUID } from 'node:crypto';
import { createKnex, type Knex } from '../../../src/platform/db/connection.ts';
import type { BatchExport } from '../../../src/exports/batch-exports/batch-export.ts';
import type { ExportsApi as ExportsCollaborators } from '../../../src/exports/api.ts';
import { createExportsRoom, exportRoutes, protectedExportObjects } from '../../../src/exports/room.ts';
import type { Run } from '../../../src/exports/runs/runs.store.ts';
import type { Route } from '../../../src/platform/http/route.ts';
import { keyStore } from '../../../src/people/keys/keys.store.ts';
import { projectRoutes } from '../../../src/people/projects/projects.routes.ts';
import { createPeopleRoom, type PeopleApi } from '../../../src/people/room.ts';
import { PUBLIC_URL, startApi, type Api, type ApiAnswer } from './api.ts';
import { answerCheck } from './documented.ts';
import { buildExport, buildExportWorld, type ExportWorld } from '../exports/export-world.ts';
import { buildPersonalKey, buildTenant, type Tenant } from './identity.ts';

export type ExportsApi = {
  api: Api;
  world: ExportWorld;
  db: Knex;
  /** Another organization with a project of its own. */
  theirs: Tenant;
  /** A key of the world's project with all scopes. */
  key: string;
  /** Sends a request about the world's project with that key; the path is relative to the project's. */
  request(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<ApiAnswer>;
  close(): Promise<void>;
};

/** All routes below a project, and those that list projects. */
export const apiRoutes: readonly Route<PeopleApi & ExportsCollaborators>[] = [...projectRoutes, ...exportRoutes];

export async function startExportsApi(): Promise<ExportsApi> {
  const world = await buildExportWorld();
  const db = createKnex({ url: world.options.databaseUrl, applicationName: 'test-api' });
  const people = createPeopleRoom({
    db,
    publicUrl: PUBLIC_URL,
    mailer: undefined,
    addressOf: ({ remoteAddress }) => remoteAddress,
    protectedObjects: protectedExportObjects(world.engine.stores),
  });
  const exports = createExportsRoom({ ...world.engine, ensureTemporal: async () => {} });
  const api = await startApi({
    routes: apiRoutes,
    collaborators: { ...people.collaborators, ...exports.collaborators },
    gatekeeper: people.gatekeeper,
  });
  const { key } = await keyStore(db).create({ projectId: world.projectId }, { label: 'test', scopes: ['*'] });
  return {
    api,
    world,
    db,
    theirs: await buildTenant(db),
    key,
    async request(method, path, body, headers = {}) {
      const address = `/api/environments/${world.projectId}${path}`;
      const answer = await api.request(method, address, { key, body, headers });
      checkAnswer(method, address, answer);
      return answer;
    },
    async close() {
      await exports.close();
      await api.stop();
      await db.destroy();
      await world.close();
    },
  };
}

const checkAnswer = answerCheck(apiRoutes);

/** A key of the user whose organization owns the project. */
export async function memberKey(db: Knex, projectId: number, ...scopes: string[]): Promise<string> {
  const { user_id: userId } = (await db('projects')
    .join('organization_memberships', 'organization_memberships.organization_id', 'projects.organization_id')
    .where('projects.id', projectId)
    .first('user_id')) as { user_id: number };
  return buildPersonalKey(db, { organizationId: '', userId, projectId, apiToken: '' }, ...scopes);
}

/** A paused export of the project, so that nothing starts by itself. */
export async function buildStoredExport({ world }: ExportsApi, projectId = world.projectId): Promise<BatchExport> {
  return world.batchExports.create(projectId, buildExport({ paused: true }));
}

const hourOf = (hour: number) => `2015-05-17T${String(hour).padStart(2, '0')}:00:00.000000Z`;

/** A run of the export for one hour, as the engine stores it. */
export async function buildRun({ world }: ExportsApi, batchExport: BatchExport, hour: number): Promise<Run> {
  return world.engine.stores.runs.open({
    projectId: batchExport.projectId,
    batchExportId: batchExport.id,
    start: hourOf(hour),
    end: hourOf(hour + 1),
    kind: 'scheduled',
    workflowId: `${batchExport.id}-2015-05-17T${hour + 1}:00:00Z`,
    workflowRunId: randomUUID(),
    createdAt: await world.engine.stores.batchExports.now(),
  });
}
