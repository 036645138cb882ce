/** Errors of runs, and the one that stands for an export, as people see them. */
import assert from 'node:assert/strict';
import type { BatchExport } from '../../../src/exports/batch-exports/batch-export.ts';
import type { RunEnd } from '../../../src/exports/runs/runs.store.ts';
import { buildRun, buildStoredExport, startExportsApi, type ExportsApi } from '../../support/api/exports-api.ts';

const FAULT = { code: 'bucket_not_found', owner: 'you', field: 'destination__config__bucket_name' } as const;
const FAILED = {
  status: 'Failed',
  closedBy: 'run',
  latestError: 'The bucket does not exist.',
  errorType: 'DestinationRejected',
  fault: FAULT,
} as const satisfies RunEnd;
const ERROR = { ...FAULT, detail: 'The bucket does not exist.', next_try_at: null };

describe('the error', () => {
  let exports: ExportsApi;
  let stored: BatchExport;
  before(async () => {
    exports = await startExportsApi();
  });
  beforeEach(async () => {
    stored = await buildStoredExport(exports);
  });
  after(() => exports.close());

  const errorAt = async (path: string) => {
    const { status, body } = await exports.request('GET', `/batch_exports/${stored.id}/${path}`);
    assert.equal(status, 200);
    return (body as { error: typeof ERROR | null }).error;
  };
  const close = (id: string, end: RunEnd) => exports.world.engine.stores.runs.close(id, end);
  const complete = (id: string) => close(id, { status: 'Completed', closedBy: 'run' });

  describe('of a run', () => {
    it('has the code, the owner, the field and the sentence', async () => {
      const run = await buildRun(exports, stored, 10);
      assert.equal(await errorAt(`runs/${run.id}/`), null);
      await close(run.id, FAILED);
      assert.deepEqual(await errorAt(`runs/${run.id}/`), ERROR);
    });

    it('has the next try while it is retried, and is gone once it has delivered', async () => {
      const run = await buildRun(exports, stored, 10);
      const noted = { latestError: 'The bucket does not exist.', fault: FAULT, nextTryInSeconds: 90 };
      await exports.world.engine.stores.runs.recordError(run.id, noted);
      const error = await errorAt(`runs/${run.id}/`);
      const wait = Date.parse(error!.next_try_at!) - Date.now();
      assert.ok(wait > 30_000 && wait <= 91_000, `${wait} ms`);
      await complete(run.id);
      assert.equal(await errorAt(`runs/${run.id}/`), null);
    });

    it('of an earlier version is named by its class, if that was kept', async () => {
      const run = await buildRun(exports, stored, 10);
      const { fault: _, ...former } = FAILED;
      await close(run.id, former);
      const error = await errorAt(`runs/${run.id}/`);
      assert.deepEqual(error, { ...ERROR, code: 'destination_rejected', field: null });

      const older = await buildRun(exports, stored, 11);
      await close(older.id, { status: 'Failed', closedBy: 'run', latestError: 'It failed.' });
      assert.equal(await errorAt(`runs/${older.id}/`), null);
    });

    it('is gone when a worker of an earlier version has completed the run', async () => {
      const run = await buildRun(exports, stored, 10);
      const noted = { latestError: 'It failed.', fault: FAULT, nextTryInSeconds: 1 };
      await exports.world.engine.stores.runs.recordError(run.id, noted);
      await exports.db('batch_export_runs').where({ id: run.id }).update({ status: 'Completed', latest_error: null });
      assert.equal(await errorAt(`runs/${run.id}/`), null);
    });
  });

  describe('of an export', () => {
    it('is that of its newest failed run, and stands until the interval is delivered', async () => {
      const [first, second] = [await buildRun(exports, stored, 10), await buildRun(exports, stored, 11)];
      await close(first.id, { ...FAILED, fault: { ...FAULT, code: 'wrong_region' } });
      await close(second.id, FAILED);
      assert.equal((await errorAt(''))!.code, 'bucket_not_found');

      await complete((await buildRun(exports, stored, 12)).id);
      assert.equal((await errorAt(''))!.code, 'bucket_not_found', 'another interval was delivered');

      const again = await buildRun(exports, stored, 11);
      assert.equal((await errorAt(''))!.code, 'bucket_not_found', 'it is only being delivered');
      await complete(again.id);
      assert.equal((await errorAt(''))!.code, 'wrong_region');
      await complete((await buildRun(exports, stored, 10)).id);
      assert.equal(await errorAt(''), null);
    });

    it('is that of a run that is being retried', async () => {
      const run = await buildRun(exports, stored, 10);
      const noted = { latestError: 'It failed.', fault: FAULT, nextTryInSeconds: 1 };
      await exports.world.engine.stores.runs.recordError(run.id, noted);
      assert.equal((await errorAt(''))!.code, 'bucket_not_found');
    });

    it('is in lists, each export’s own', async () => {
      const other = await buildStoredExport(exports);
      await close((await buildRun(exports, other, 10)).id, FAILED);
      const { body } = await exports.request('GET', '/batch_exports/');
      const { results } = body as { results: { id: string; error: object | null }[] };
      const errorOf = (id: string) => results.find((one) => one.id === id)!.error;
      assert.deepEqual([errorOf(stored.id), errorOf(other.id)], [null, ERROR]);
    });
  });
});
