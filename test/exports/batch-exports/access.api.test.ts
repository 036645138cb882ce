import assert from 'node:assert/strict';
import type { BatchExport } from '../../../src/exports/batch-exports/batch-export.ts';
import { rightsOfMember } from '../../../src/people/access/rights.ts';
import { visibleAuditLog } from '../../../src/people/audit/visible-audit-log.ts';
import { identityStores } from '../../../src/people/stores.ts';
import {
  apiRoutes,
  buildRun,
  buildStoredExport,
  startExportsApi,
  type ExportsApi,
} from '../../support/api/exports-api.ts';
import { buildMember, buildRule, type Member } from '../../support/api/members.ts';
import type { Tenant } from '../../support/api/identity.ts';

type Refusal = { detail: string };
const HOUR = { start_at: '2015-05-17T10:00:00Z', end_at: '2015-05-17T11:00:00Z' };
const NOT = (level: string) => `You do not have ${level} access to this resource.`;

describe('access to batch exports', () => {
  let exports: ExportsApi;
  let ours: Tenant;
  let colleague: Member;
  /** Exports that the colleague may not see, may only see, and may use by the default. */
  let hidden: BatchExport;
  let shown: BatchExport;
  let open: BatchExport;

  before(async () => {
    exports = await startExportsApi();
    const { db, world } = exports;
    const project = (await db('projects').where({ id: world.projectId }).first('organization_id')) as {
      organization_id: string;
    };
    ours = { organizationId: project.organization_id, userId: 0, projectId: world.projectId, apiToken: '' };
    colleague = await buildMember(db, ours);
    [hidden, shown, open] = [
      await buildStoredExport(exports),
      await buildStoredExport(exports),
      await buildStoredExport(exports),
    ];
    await say('none', hidden);
    await say('viewer', shown);
  });
  after(() => exports.close());

  const say = (level: string, { id }: { id: string }) =>
    buildRule(exports.db, ours, level, {
      resource: 'batch_export',
      resource_id: id,
      membership_id: colleague.membershipId,
    });
  const ask = (method: string, path: string, body?: unknown) =>
    exports.api.request(method, `/api/projects/${ours.projectId}${path}`, { key: colleague.key, body });

  it('is checked on every route of one export and of what belongs to it', async () => {
    const ofOne = apiRoutes.filter(({ path }) => /^\/(batch_exports|app_metrics)\/:/.test(path));
    assert(ofOne.length > 20);
    for (const { method, path } of ofOne) {
      const at = (id: string) => path.replace(/:batch_export_id|(?<=batch_exports\/):id/, id).replace(/:id/, id);
      const { status, body } = await ask(method.toUpperCase(), at(hidden.id), method === 'get' ? undefined : 'no JSON');
      assert.equal(status, 403, `${method} ${path}`);
      assert.match((body as Refusal).detail, /^You do not have (viewer|editor) access|^Must be manager/, path);
      if (method === 'get') continue;
      assert.equal((await ask(method.toUpperCase(), at(shown.id), 'no JSON')).status, 403, `${method} ${path}`);
    }
    assert.equal((await ask('GET', `/batch_exports/${shown.id}/runs/`)).status, 200);
    assert.equal((await ask('PATCH', `/batch_exports/${open.id}/`, { name: 'Changed' })).status, 200);
  });

  it('decides what the list shows', async () => {
    const { body } = await ask('GET', '/batch_exports/');
    const { count, results } = body as { count: number; results: { id: string }[] };
    assert.deepEqual([count, new Set(results.map(({ id }) => id))], [2, new Set([shown.id, open.id])]);
  });

  it('decides what is read of runs and backfills in the activity log', async () => {
    for (const { id } of [hidden, shown]) {
      const created = await exports.request('POST', `/batch_exports/${id}/backfills/`, HOUR);
      assert.equal(created.status, 201);
    }
    const runs = [await buildRun(exports, hidden, 3), await buildRun(exports, shown, 3)];
    for (const { batchExportId, id } of runs) {
      assert.equal((await exports.request('POST', `/batch_exports/${batchExportId}/runs/${id}/cancel/`)).status, 200);
    }
    const { auditLog, backfills } = exports.world.engine.stores;
    const member = await identityStores(exports.db).accessControls.findMember(ours.projectId, colleague.userId);
    const seen = visibleAuditLog(rightsOfMember(member!)!);
    const idsOf = async (scope: string) => {
      const { count, results } = await auditLog.list(
        ours.projectId,
        { scope, visibleKinds: seen },
        { limit: 10, offset: 0 },
      );
      assert.equal(count, results.length);
      return results.map(({ itemId }) => itemId);
    };
    assert.deepEqual(await idsOf('BatchExportRun'), [runs[1]!.id]);
    const [backfill] = await backfills.list(ours.projectId, shown.id, { limit: 1 });
    assert.deepEqual(await idsOf('BatchExportBackfill'), [backfill!.id]);
  });

  it('is everything for its creator', async () => {
    const wanted = {
      name: 'Mine',
      model: 'events',
      destination: { type: 'LocalFile', config: { directory: 'mine' } },
      interval: 'hour',
      paused: true,
    };
    const made = await ask('POST', '/batch_exports/', wanted);
    assert.equal(made.status, 201, JSON.stringify(made.body));
    const mine = made.body as { id: string };
    await say('none', mine);
    const { body } = await ask('GET', `/batch_exports/${mine.id}/access_controls/`);
    assert.equal((body as { user_access_level: string }).user_access_level, 'manager');
    await buildRule(exports.db, ours, 'none', { resource: 'batch_export', membership_id: colleague.membershipId });
    const listed = (await ask('GET', '/batch_exports/')).body as { results: { id: string }[] };
    assert.deepEqual(new Set(listed.results.map(({ id }) => id)), new Set([mine.id, shown.id]));
    const refused = await ask('POST', '/batch_exports/', wanted);
    assert.deepEqual([refused.status, (refused.body as Refusal).detail], [403, NOT('editor')]);
    assert.equal((await ask('DELETE', `/batch_exports/${mine.id}/`)).status, 204);
  });
});
