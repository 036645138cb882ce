/** Why runs did not deliver, as clients read it: with real runs, real changes and the real activity log. */
import assert from 'node:assert/strict';
import { DestinationRejected } from '../../../src/platform/errors.ts';
import type { Run } from '../../../src/exports/runs/runs.store.ts';
import {
  buildRun,
  buildStoredExport,
  memberKey,
  startExportsApi,
  type ExportsApi,
} from '../../support/api/exports-api.ts';
import { buildEvent, microseconds } from '../../support/events/events.ts';
import { runsAfterBackfill, buildExport } from '../../support/exports/export-world.ts';

type Diagnosis = {
  status: string;
  cause: { code: string; owner: string; field: string | null; detail: string } | null;
  owner: string | null;
  last_success: { run: string } | null;
  changes: {
    user: { email: string } | null;
    about: string;
    fields: { field: string; before: unknown; after: unknown }[];
  }[];
  more_changes: boolean;
  waits_for: string | null;
  next_try_at: string | null;
  later_run: { run: string; status: string } | null;
};

const hourOf = (hour: number) => `2015-05-17T${String(hour).padStart(2, '0')}:00:00.000000Z`;
const halfPast = (hour: number) => microseconds(hourOf(hour).replace(':00:00.', ':30:00.'));
const REFUSED = new DestinationRejected('The directory is full.', {
  fault: { code: 'directory_full', owner: 'you', field: 'destination__config__directory' },
});

describe('the diagnosis of a run', () => {
  let exports: ExportsApi;
  let ada: string;
  before(async () => {
    exports = await startExportsApi();
    await exports.world.startWorker();
    ada = await memberKey(exports.db, exports.world.projectId, '*');
    await exports.world.store([10, 11].map((hour) => buildEvent({ timestamp: halfPast(hour) })));
  });
  after(() => exports.close());
  afterEach(() => {
    exports.world.onStep = async () => {};
  });

  async function diagnose({ batchExportId, id }: Run): Promise<Diagnosis> {
    const { status, body } = await exports.request('GET', `/batch_exports/${batchExportId}/runs/${id}/diagnosis/`);
    assert.equal(status, 200, JSON.stringify(body));
    return body as Diagnosis;
  }
  async function change(path: string, body: object, key = exports.key): Promise<void> {
    const address = `/api/environments/${exports.world.projectId}${path}`;
    const answer = await exports.api.request('PATCH', address, { key, body });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
  }
  const build = async () =>
    (await exports.world.batchExports.create(exports.world.projectId, buildExport({ paused: true }))).id;
  async function deliver(id: string, hour: number): Promise<Run> {
    const range = { startAt: hourOf(hour), endAt: hourOf(hour + 1) };
    const backfill = await exports.world.backfills.request(exports.world.projectId, id, range);
    const runs = await runsAfterBackfill(exports.world, id, backfill.id);
    return runs.findLast(({ end }) => end === hourOf(hour + 1))!;
  }
  const refuse = () => {
    exports.world.onStep = async ({ name }) => {
      if (name === 'before-committing') throw REFUSED;
    };
  };

  it('names the cause, the last success, what changed after it and who has to act', async () => {
    const id = await build();
    await change(`/batch_exports/${id}/`, { destination: { type: 'LocalFile', config: { prefix: 'before' } } });
    const success = await deliver(id, 10);
    await change(`/batch_exports/${id}/`, { name: 'Renamed' });
    await change(`/batch_exports/${id}/`, { destination: { type: 'LocalFile', config: { prefix: 'after' } } }, ada);
    refuse();
    const failed = await deliver(id, 11);
    const found = await diagnose(failed);
    assert.deepEqual([found.status, found.cause?.code, found.owner], ['Failed', 'directory_full', 'you']);
    assert.equal(found.last_success?.run, success.id);
    assert.deepEqual(
      found.changes.map(({ about, fields }) => [about, fields]),
      [['batch_export', [{ field: 'destination__config__prefix', before: 'before', after: 'after' }]]],
    );
    assert.match(found.changes[0]!.user!.email, /@/);
    assert.equal(
      found.waits_for,
      'It waits for you: resolve the error or change `destination__config__directory`, then retry the run.',
    );
    assert.deepEqual([found.next_try_at, found.later_run, found.more_changes], [null, null, false]);

    exports.world.onStep = async () => {};
    const retried = await deliver(id, 11);
    const afterwards = await diagnose(failed);
    assert.equal(afterwards.waits_for, null, 'the interval was delivered since');
    assert.deepEqual(afterwards.later_run, { run: retried.id, status: 'Completed' });
    assert.deepEqual(afterwards.changes, found.changes);
  });

  it('of a run that delivered names nothing', async () => {
    const found = await diagnose(await deliver(await build(), 10));
    const { cause, owner, last_success, changes, waits_for, next_try_at, later_run } = found;
    assert.deepEqual(
      [cause, owner, last_success, changes, waits_for, next_try_at, later_run],
      [null, null, null, [], null, null, null],
    );
  });

  it('leaves out what was changed after the run had ended', async () => {
    const id = await build();
    refuse();
    const failed = await deliver(id, 10);
    await change(`/batch_exports/${id}/`, { max_concurrent_runs: 3 });
    assert.deepEqual((await diagnose(failed)).changes, []);
  });

  it('says that a secret of the integration was changed, and never which it is', async () => {
    const secrets = { aws_access_key_id: 'canary-id', aws_secret_access_key: 'canary-key' };
    const config = { endpoint_url: 'http://127.0.0.1:7070', ...secrets };
    const made = await exports.request('POST', '/integrations/', { kind: 's3-compatible', config });
    const integration = (made.body as { id: number }).id;
    const { body } = await exports.request('POST', '/batch_exports/', {
      name: 'S3',
      interval: 'hour',
      paused: true,
      destination: { type: 'S3Compatible', config: { bucket_name: 'files', region: 'x', prefix: 'x' }, integration },
    });
    const { id } = body as { id: string };
    assert.ok(id, JSON.stringify(body));
    await change(`/integrations/${integration}/`, { config: { aws_secret_access_key: 'canary-other' } }, ada);
    const { world } = exports;
    const run = await buildRun(exports, await world.batchExports.get(world.projectId, id), 3);
    const fault = { code: 'credentials_invalid', owner: 'you' as const, field: 'destination__integration' };
    const latestError = 'The access key is not known.';
    await world.engine.stores.runs.close(run.id, { status: 'Failed', closedBy: 'run', latestError, fault });
    const found = await diagnose(run);
    assert.deepEqual(
      found.changes.map(({ about, fields }) => [about, fields]),
      [['integration', [{ field: 'aws_secret_access_key', before: '[redacted]', after: '[redacted]' }]]],
    );
    assert.ok(!JSON.stringify(found).includes('canary'));
  });

  it('says when the interval is tried again, and that it is requested', async () => {
    const { runs, runRequests } = exports.world.engine.stores;
    const stored = await buildStoredExport(exports);
    const run = await buildRun(exports, stored, 3);
    const fault = { code: 'slow_down', owner: 'destination' as const, field: null };
    const end = { status: 'FailedRetryable', closedBy: 'run', latestError: 'It is slow.', fault } as const;
    await runs.close(run.id, { ...end, nextTryInSeconds: 60 });
    const found = await diagnose(run);
    assert.equal(found.waits_for, 'Sluice will retry its data interval automatically.');
    assert.ok(Date.parse(found.next_try_at!) > Date.now());
    const interval = { start: Date.parse(hourOf(3)), end: Date.parse(hourOf(4)) };
    await runRequests.open(stored.id, [interval], 'retry');
    assert.match((await diagnose(run)).waits_for!, /^Its data interval is requested again/);
  });

  it('says that deliveries are blocked, before anything else', async () => {
    const run = await buildRun(exports, await buildStoredExport(exports), 3);
    await exports.db('timeline').update({ blocked: 'differs' });
    try {
      assert.match((await diagnose(run)).waits_for!, /^Deliveries are blocked: /);
    } finally {
      await exports.db('timeline').update({ blocked: null });
    }
  });

  it('lists fifty changes at most, without long values', async () => {
    const stored = await buildStoredExport(exports);
    const path = `/batch_exports/${stored.id}/`;
    const names = Array.from({ length: 200 }, (_, number) => `event-${number}`);
    await change(path, { destination: { type: 'LocalFile', config: { include_events: names } } });
    const run = await buildRun(exports, stored, 3);
    const { engine } = exports.world;
    const changes = (await diagnose(run)).changes;
    assert.deepEqual(changes[0]!.fields[0]!.after, null);
    for (let count = 1; count <= 60; count++) await change(path, { max_concurrent_runs: count });
    await engine.stores.runs.close(run.id, { status: 'Failed', closedBy: 'run', latestError: 'No.' });
    const found = await diagnose(run);
    assert.deepEqual([found.changes.length, found.more_changes], [50, true]);
  });

  it('is of this project’s runs only', async () => {
    const run = await buildRun(exports, await buildStoredExport(exports), 3);
    const foreign = await exports.world.batchExports.create(exports.theirs.projectId, buildExport({}));
    for (const exportId of [foreign.id, (await buildStoredExport(exports)).id]) {
      const { status } = await exports.request('GET', `/batch_exports/${exportId}/runs/${run.id}/diagnosis/`);
      assert.equal(status, 404);
    }
  });
});
