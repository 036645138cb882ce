/** One action on several exports: each has a transaction, an audit entry and a result of its own. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { backfills } from '../../../src/exports/backfills/backfills.ts';
import { isoMicros } from '../../../src/exports/domain/instants.ts';
import type { BulkResult } from '../../../src/exports/bulk/bulk.schema.ts';
import { buildMember, buildRule } from '../../support/api/members.ts';
import { buildStoredExport, startExportsApi, type ExportsApi } from '../../support/api/exports-api.ts';
import { storeInterval, type IntervalFacts } from '../../support/exports/stored-intervals.ts';
import { thisHour } from '../../support/hours.ts';

const HOUR = 3_600_000;
const THIS_HOUR = await thisHour();
const hour = (end: number) => ({
  start: isoMicros(THIS_HOUR + (end - 1) * HOUR),
  end: isoMicros(THIS_HOUR + end * HOUR),
});

const FAILED: IntervalFacts = { runs: [{ status: 'Failed', error: 'The bucket does not exist.' }] };

const resultsOf = (results: readonly BulkResult[]) => results.map(({ result }) => result);

describe('an action on several exports', () => {
  let exports: ExportsApi;
  before(async () => {
    exports = await startExportsApi();
  });
  after(() => exports.close());

  async function createRunningExport(): Promise<string> {
    const { id } = await buildStoredExport(exports);
    await exports.request('POST', `/batch_exports/${id}/unpause/`);
    return id;
  }
  async function bulk(body: object): Promise<BulkResult[]> {
    const answer = await exports.request('POST', '/batch_exports/bulk/', body);
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return (answer.body as { results: BulkResult[] }).results;
  }
  const pausedOf = async (ids: readonly string[]) => {
    const rows = (await exports
      .db('batch_exports')
      .whereIn('id', [...ids])
      .select('id', 'paused')) as { id: string; paused: boolean }[];
    return ids.map((id) => rows.find((row) => row.id === id)?.paused);
  };

  it('pauses all of them with the reason and the time to resume, in the order of the request', async () => {
    const ids = [
      await createRunningExport(),
      await createRunningExport(),
      await createRunningExport(),
      await createRunningExport(),
      await createRunningExport(),
    ];
    const results = await bulk({
      action: 'pause',
      ids,
      reason: 'The bucket moves',
      resume_at: isoMicros(THIS_HOUR + 24 * HOUR),
    });
    assert.deepEqual(
      results.map(({ id }) => id),
      ids,
    );
    assert.deepEqual(
      resultsOf(results),
      ids.map(() => 'changed'),
    );
    const { body } = await exports.request('GET', `/batch_exports/${ids[4]}/`);
    const { pause } = body as { pause: { reason: string; resume_at: string } };
    assert.deepEqual([pause.reason, Date.parse(pause.resume_at)], ['The bucket moves', THIS_HOUR + 24 * HOUR]);
    const audited = (await exports
      .db('activity_log')
      .whereIn('item_id', ids)
      .where({ activity: 'updated' })
      .count({ count: '*' })
      .first()) as { count: string };
    assert.equal(Number(audited.count), 2 * ids.length, 'an entry for each, for this pause and the unpausing before');
  });

  it('changes nothing when it is repeated', async () => {
    const ids = [await createRunningExport()];
    assert.deepEqual(resultsOf(await bulk({ action: 'pause', ids })), ['changed']);
    assert.deepEqual(resultsOf(await bulk({ action: 'pause', ids })), ['unchanged']);
    assert.deepEqual(resultsOf(await bulk({ action: 'unpause', ids })), ['changed']);
    assert.deepEqual(resultsOf(await bulk({ action: 'unpause', ids })), ['unchanged']);
  });

  it('acts on the others where some are refused, and says of each what a request for it alone says', async () => {
    const [ours, lost] = [await createRunningExport(), randomUUID()];
    const results = await bulk({ action: 'pause', ids: [lost, ours] });
    assert.deepEqual(resultsOf(results), ['refused', 'changed']);
    const alone = await exports.request('POST', `/batch_exports/${lost}/pause/`);
    assert.deepEqual(results[0]!.error, alone.body);
  });

  it('leaves alone what its caller may only look at, and does not show what they may not see', async () => {
    const { db, world, api } = exports;
    const [hidden, shown, open] = [
      await createRunningExport(),
      await createRunningExport(),
      await createRunningExport(),
    ];
    const project = (await db('projects').where({ id: world.projectId }).first()) as { organization_id: string };
    const ours = { organizationId: project.organization_id, userId: 0, projectId: world.projectId, apiToken: '' };
    const colleague = await buildMember(db, ours);
    for (const [level, id] of [
      ['none', hidden],
      ['viewer', shown],
    ] as const)
      await buildRule(db, ours, level, {
        resource: 'batch_export',
        resource_id: id,
        membership_id: colleague.membershipId,
      });
    const answer = await api.request('POST', `/api/projects/${world.projectId}/batch_exports/bulk/`, {
      key: colleague.key,
      body: { action: 'pause', ids: [hidden, shown, open] },
    });
    const { results } = answer.body as { results: BulkResult[] };
    assert.deepEqual(
      results.map(({ result, error }) => [result, error?.code ?? null]),
      [
        ['refused', 'not_found'],
        ['refused', 'permission_denied'],
        ['changed', null],
      ],
    );
    assert.deepEqual(await pausedOf([hidden, shown, open]), [false, false, true]);
    const inCapitals = await api.request('POST', `/api/projects/${world.projectId}/batch_exports/bulk/`, {
      key: colleague.key,
      body: { action: 'pause', ids: [hidden.toUpperCase(), shown.toUpperCase()] },
    });
    assert.deepEqual(resultsOf((inCapitals.body as { results: BulkResult[] }).results), ['refused', 'refused']);
  });

  it('retries every failed interval in one backfill, but none that waits for a decision', async () => {
    const [mixed, well] = [await createRunningExport(), await createRunningExport()];
    await exports.db('batch_exports').update({ created_at: hour(-6).start });
    await storeInterval(exports, { exportId: mixed, ...hour(-4) }, FAILED);
    await storeInterval(exports, { exportId: mixed, ...hour(-3) }, FAILED);
    await storeInterval(exports, { exportId: mixed, ...hour(-2) }, { delivered: true });
    await storeInterval(
      exports,
      { exportId: mixed, ...hour(-1) },
      { runs: [{ status: 'FailedRetryable', error: 'The store is away.' }] },
    );
    await storeInterval(exports, { exportId: mixed, ...hour(0) }, { ...FAILED, foreign: true });
    // A run in progress tries again by itself; it is ended only on request.
    await storeInterval(
      exports,
      { exportId: mixed, ...hour(-5) },
      { runs: [{ status: 'Running', error: 'The store is away.' }] },
    );
    const [retrying] = (await exports.db('batch_export_runs').where({ batch_export_id: mixed, status: 'Running' })) as [
      { id: string },
    ];
    const dryRun = await bulk({ action: 'retry_failed', ids: [mixed, well], dry_run: true });
    assert.deepEqual(
      dryRun.map(({ result, intervals, backfill_id }) => [result, intervals, backfill_id]),
      [
        ['unchanged', 3, null],
        ['unchanged', 0, null],
      ],
    );
    const [ofMixed, ofWell] = await bulk({ action: 'retry_failed', ids: [mixed, well] });
    assert.deepEqual([ofMixed?.result, ofMixed?.intervals], ['changed', 3]);
    assert.deepEqual([ofWell?.result, ofWell?.backfill_id], ['unchanged', null]);
    const requested = (await exports
      .db('batch_export_requests')
      .where({ batch_export_id: mixed })
      .whereNull('closed_at')
      .orderBy('data_interval_end')) as { data_interval_end: string }[];
    assert.deepEqual(
      requested.map((one) => Date.parse(one.data_interval_end)),
      [-4, -3, -1].map((end) => Date.parse(hour(end).end)),
    );
    const of = { action: 'retry_failed', ids: [mixed] };
    const again = await bulk(of);
    assert.deepEqual(resultsOf(again), ['unchanged'], 'all of them are requested');
    const [left] = await bulk({ ...of, dry_run: true });
    assert.deepEqual([left?.intervals, left?.retrying], [0, 0]);
    const withRetrying = { ...of, include_retrying: true };
    const [counted] = await bulk({ ...withRetrying, dry_run: true });
    assert.deepEqual([counted?.intervals, counted?.retrying], [1, 1]);
    const [ended] = await bulk({ ...withRetrying, plan: counted?.plan });
    assert.deepEqual([ended?.result, ended?.intervals], ['changed', 1]);
    const audited = await exports.db('activity_log').where({ scope: 'BatchExportRun', item_id: retrying.id });
    assert.equal(audited.length, 1, 'the end of the run');
    assert.deepEqual(resultsOf(await bulk(withRetrying)), ['unchanged'], 'the run is being replaced');
  });

  it('retries exactly what a dry run has counted, or nothing', async () => {
    const id = await createRunningExport();
    await exports.db('batch_exports').update({ created_at: hour(-6).start });
    await storeInterval(exports, { exportId: id, ...hour(-4) }, FAILED);
    const of = { action: 'retry_failed', ids: [id] };
    const [shown] = await bulk({ ...of, dry_run: true });
    await storeInterval(exports, { exportId: id, ...hour(-2) }, FAILED);
    const [refused] = await bulk({ ...of, plan: shown?.plan });
    assert.deepEqual([refused?.result, refused?.error?.code, refused?.backfill_id], ['refused', 'conflict', null]);
    const [now] = await bulk({ ...of, dry_run: true });
    const [retried] = await bulk({ ...of, plan: now?.plan });
    assert.deepEqual([retried?.result, retried?.intervals], ['changed', 2]);
  });

  it('requests the failed intervals once, even while the backfill waits for its turn', async () => {
    const id = await createRunningExport();
    await exports.db('batch_exports').update({ created_at: hour(-6).start });
    await storeInterval(exports, { exportId: id, ...hour(-4) }, FAILED);
    await storeInterval(exports, { exportId: id, ...hour(-2) }, FAILED);
    const { engine, projectId } = exports.world;
    const limits = { ...engine.limits, backfillsPerProject: 0 };
    const { retryFailed } = backfills({ ...engine, limits, ensureTemporal: async () => {} });
    const waiting = await retryFailed(projectId, id);
    assert.deepEqual([waiting?.waits, waiting?.totalRuns], [true, 2]);
    assert.equal(await retryFailed(projectId, id), undefined);
    assert.deepEqual(resultsOf(await bulk({ action: 'retry_failed', ids: [id] })), ['unchanged']);
    await storeInterval(exports, { exportId: id, ...hour(-1) }, FAILED);
    assert.equal((await retryFailed(projectId, id))?.totalRuns, 1, 'what failed since');
  });

  for (const [body, attr] of [
    [{ action: 'delete', ids: [randomUUID()] }, 'action'],
    [{ action: 'pause', ids: [] }, 'ids'],
    [{ action: 'pause', ids: Array.from({ length: 101 }, () => randomUUID()) }, 'ids'],
    [{ action: 'pause', ids: ['x'] }, 'ids'],
    [{ action: 'pause', ids: [`urn:uuid:${randomUUID()}`] }, 'ids'],
    [{ action: 'unpause', ids: [randomUUID()], reason: 'x' }, 'reason'],
    [{ action: 'retry_failed', ids: [randomUUID()], resume_at: '2030-01-01' }, 'resume_at'],
    [{ action: 'pause', ids: [randomUUID()], resume_at: 'soon' }, 'resume_at'],
    [{ action: 'unpause', ids: [randomUUID()], dry_run: true }, 'dry_run'],
    [{ action: 'pause', ids: [randomUUID()], include_retrying: true }, 'include_retrying'],
    [{ action: 'pause', ids: [randomUUID()], plan: 'x' }, 'plan'],
    [{ action: 'retry_failed', ids: [randomUUID(), randomUUID()], plan: 'x' }, 'plan'],
  ] as const) {
    it(`is refused as ${JSON.stringify(body).slice(0, 60)}`, async () => {
      const { status, body: refusal } = await exports.request('POST', '/batch_exports/bulk/', body);
      assert.deepEqual([status, (refusal as { attr: string }).attr?.split('__')[0]], [400, attr]);
    });
  }
});
