import assert from 'node:assert/strict';
import { generateKey } from '../../../src/people/keys/keys.ts';
import { SCOPES } from '../../../src/people/access/scopes.ts';
import { buildPersonalKey, buildProjectSecretKey } from '../../support/api/identity.ts';
import {
  apiRoutes,
  buildRun,
  buildStoredExport,
  memberKey,
  startExportsApi,
  type ExportsApi,
} from '../../support/api/exports-api.ts';

type Operation = { 'x-scope'?: string };
type Components = { schemas: Record<string, object> };
type Ids = { export: string; run: string; backfill: string };

/** Valid wherever a body is needed and no object made. */
const BODY = {
  name: 'any',
  interval: 'hour',
  destination: { type: 'LocalFile', config: { directory: 'any' } },
  start_at: '2015-05-17T10:00Z',
  end_at: '2015-05-17T12:00Z',
};

/** Made from the routes themselves: a new one is in the matrix before anybody thinks of it. */
const guarded = apiRoutes.filter((route) => 'scope' in route.access);

/** The route's path in a project, with ids of things that are there. */
function pathIn(projectId: number, path: string, ids: Ids): string {
  const own = path.includes('/runs/:id') ? ids.run : path.includes('/backfills/:id') ? ids.backfill : ids.export;
  return `/api/projects/${projectId}${path.replace(':batch_export_id', ids.export).replace(':id', own)}`;
}

describe('the authorization matrix', () => {
  let exports: ExportsApi;
  let ours: Ids;
  let foreign: Ids;

  async function buildIds(projectId: number): Promise<Ids> {
    const stored = await buildStoredExport(exports, projectId);
    const run = await buildRun(exports, stored, 10);
    const backfill = await exports.world.backfills.request(projectId, stored.id, {
      startAt: '2015-05-17T10:00:00.000000Z',
      endAt: '2015-05-17T11:00:00.000000Z',
    });
    return { export: stored.id, run: run.id, backfill: backfill.id };
  }

  before(async () => {
    exports = await startExportsApi();
    ours = await buildIds(exports.world.projectId);
    foreign = await buildIds(exports.theirs.projectId);
  });
  after(() => exports.close());

  it('covers every route of exports, and of projects', () => assert.ok(guarded.length > 25));

  it('knows every scope that a route requires', () => {
    for (const { access } of guarded)
      assert.ok('scope' in access && (SCOPES as readonly string[]).includes(access.scope));
  });

  it('is what the OpenAPI document says', async () => {
    const { body } = await exports.api.request('GET', '/api/schema/');
    const { paths, components } = body as { paths: Record<string, Record<string, Operation>>; components: Components };
    for (const { method, path, access } of guarded) {
      const documented = paths[`/api/environments/{project_id}${path.replace(/:(\w+)/g, '{$1}')}`]?.[method];
      assert.equal(documented?.['x-scope'], 'scope' in access && access.scope);
    }
    for (const [, name = ''] of JSON.stringify(body).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      assert.ok(components.schemas[name], name);
    }
  });

  for (const { method, path, access } of guarded) {
    const scope = 'scope' in access ? access.scope : '';
    const name = `${method.toUpperCase()} ${path}`;
    const call = (key: string | undefined, url: string) =>
      exports.api.request(method.toUpperCase(), url, {
        ...(key !== undefined && { key }),
        ...(method !== 'get' && { body: BODY }),
      });

    it(`${name}: refused without a valid key`, async () => {
      const url = pathIn(exports.world.projectId, path, ours);
      for (const key of [undefined, generateKey('phx'), generateKey('phs'), 'phx_x']) {
        assert.equal((await call(key, url)).status, 401);
      }
    });

    it(`${name}: refused from another organization, and for another project`, async () => {
      const { world, theirs, db } = exports;
      const url = pathIn(world.projectId, path, ours);
      for (const key of [await buildPersonalKey(db, theirs, '*'), await buildProjectSecretKey(db, theirs, '*')]) {
        assert.equal((await call(key, url)).status, 403);
      }
      assert.equal((await call(exports.key, pathIn(999_999, path, ours))).status, 404);
      if (path.includes(':'))
        assert.equal((await call(exports.key, pathIn(world.projectId, path, foreign))).status, 404);
    });

    it(`${name}: no key without ${scope}`, async () => {
      const others = SCOPES.filter((other) => other !== scope && other !== scope.replace(':read', ':write'));
      const key = await memberKey(exports.db, exports.world.projectId, ...others);
      const { status, body } = await call(key, pathIn(exports.world.projectId, path, ours));
      assert.equal(status, 403);
      assert.match((body as { detail: string }).detail, new RegExp(scope));
    });
  }
});
