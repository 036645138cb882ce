/** Attempts and progress of real runs, as clients read them while a run goes on and afterwards. */
import assert from 'node:assert/strict';
import type { Step } from '../../../activities/engine.ts';
import { MAX_KEPT_ATTEMPTS } from '../../../src/exports/runs/attempts.store.ts';
import type { Run } from '../../../src/exports/runs/runs.store.ts';
import { DestinationRejected, DestinationUnavailable } from '../../../src/platform/errors.ts';
import { buildRun, buildStoredExport, startExportsApi, type ExportsApi } from '../../support/api/exports-api.ts';
import { buildEvent, microseconds } from '../../support/events/events.ts';
import { runsAfterBackfill, buildExport, eventually } from '../../support/exports/export-world.ts';

type Attempt = {
  attempt: number;
  step: string;
  started_at: string;
  finished_at: string | null;
  error: { code: string; owner: string; detail: string; next_try_at: string | null } | null;
};
type Progress = {
  records: { done: number; total: number | null };
  bytes: number;
  parts: { staged: number; total: number | null };
  updated_at: string | null;
};
type Shown = { verified_at: string | null; finished_at: string | null };

const HOUR = { startAt: '2015-05-17T10:00:00.000000Z', endAt: '2015-05-17T11:00:00.000000Z' };
const steps = (attempts: Attempt[]) => attempts.map((one) => [one.step, one.attempt, one.error?.code ?? null]);

describe('the attempts of a run', () => {
  let exports: ExportsApi;
  before(async () => {
    exports = await startExportsApi();
    await exports.world.startWorker();
    const timestamp = microseconds('2015-05-17T10:30:00.000000Z');
    await exports.world.store(Array.from({ length: 3 }, () => buildEvent({ timestamp })));
  });
  after(() => exports.close());
  afterEach(() => {
    exports.world.onStep = async () => {};
  });

  async function get<T>({ batchExportId, id }: Run, what: string): Promise<T> {
    const { status, body } = await exports.request('GET', `/batch_exports/${batchExportId}/runs/${id}/${what}`);
    assert.equal(status, 200, JSON.stringify(body));
    return body as T;
  }
  const attemptsOf = async (run: Run) => (await get<{ results: Attempt[] }>(run, 'attempts/')).results;

  async function begin(): Promise<{ exportId: string; ended(): Promise<Run> }> {
    const { world } = exports;
    const { id } = await world.batchExports.create(world.projectId, buildExport({ paused: true }));
    const backfill = await world.backfills.request(world.projectId, id, HOUR);
    return { exportId: id, ended: async () => (await runsAfterBackfill(world, id, backfill.id)).at(-1)! };
  }
  async function deliver(at?: string, act?: (step: Step) => Promise<void>): Promise<Run> {
    let done = false;
    exports.world.onStep = async (step) => {
      if (done || step.name !== at) return;
      done = true;
      await act!(step);
    };
    return (await begin()).ended();
  }

  it('are its steps, where nothing fails', async () => {
    const run = await deliver();
    const attempts = await attemptsOf(run);
    assert.deepEqual(steps(attempts), [
      ['plan', 1, null],
      ['stage', 1, null],
      ['commit', 1, null],
      ['verify', 1, null],
    ]);
    for (const { started_at, finished_at } of attempts) assert.ok(started_at <= finished_at!);
  });

  it('say when the destination was read back, as the run does', async () => {
    const run = await deliver();
    const { verified_at, finished_at } = await get<Shown>(run, '');
    const [commit, verify] = (await attemptsOf(run)).slice(-2);
    assert.ok(commit!.finished_at! <= verified_at! && verified_at! <= verify!.finished_at!);
    assert.ok(verified_at! <= finished_at!);
  });

  it('name what failed, and when it was tried again', async () => {
    const run = await deliver('upload-intent', async () => {
      throw new DestinationUnavailable('It is slow.');
    });
    const attempts = await attemptsOf(run);
    assert.deepEqual(steps(attempts), [
      ['plan', 1, null],
      ['stage', 1, 'destination_unavailable'],
      ['stage', 2, null],
      ['commit', 2, null],
      ['verify', 2, null],
    ]);
    const { results } = await get<{ results: { message: string; attempt: number }[] }>(run, 'logs/');
    assert.equal(results.find(({ message }) => message.startsWith('Delivered'))?.attempt, 2);
    const { error, finished_at } = attempts[1]!;
    assert.deepEqual([error?.owner, error?.detail], ['destination', 'It is slow.']);
    assert.ok(error!.next_try_at! > finished_at! && error!.next_try_at! <= attempts[2]!.started_at);
  });

  it('end with what is not tried again, and nothing is verified', async () => {
    const run = await deliver('before-commit', async () => {
      throw new DestinationRejected('It is full.');
    });
    const attempts = await attemptsOf(run);
    assert.deepEqual(steps(attempts).at(-1), ['commit', 1, 'destination_rejected']);
    assert.equal(attempts.at(-1)!.error!.next_try_at, null);
    assert.equal((await get<Shown>(run, '')).verified_at, null);
  });

  it('of parts at once are one, which ends with the last of them', async () => {
    const { attempts } = exports.world.engine.stores;
    const run = await buildRun(exports, await buildStoredExport(exports), 3);
    const key = { runId: run.id, step: 'stage' as const, attempt: 1 };
    await Promise.all([attempts.begin(key), attempts.begin(key)]);
    const fault = { code: 'slow_down', owner: 'destination' as const, field: null };
    await attempts.end(key, { detail: 'It is slow.', fault, nextTryInSeconds: undefined });
    assert.equal((await attemptsOf(run))[0]!.finished_at, null);
    await attempts.end(key);
    const [ended] = await attemptsOf(run);
    assert.ok(ended!.finished_at);
    assert.equal(ended!.error?.code, 'slow_down');
  });

  it('are the first and the newest, of a run that is tried for hours', async () => {
    const { attempts } = exports.world.engine.stores;
    const run = await buildRun(exports, await buildStoredExport(exports), 3);
    const last = MAX_KEPT_ATTEMPTS + 20;
    for (let attempt = 1; attempt <= last; attempt++) await attempts.begin({ runId: run.id, step: 'plan', attempt });
    const kept = (await attemptsOf(run)).map(({ attempt }) => attempt);
    assert.deepEqual(kept, [
      1,
      ...Array.from({ length: MAX_KEPT_ATTEMPTS }, (_, index) => last - MAX_KEPT_ATTEMPTS + 1 + index),
    ]);
  });

  describe('and its progress', () => {
    it('is shown while parts move, and is whole in the end', async () => {
      const held = Promise.withResolvers<void>();
      exports.world.onStep = async ({ name }) => {
        if (name === 'upload-begun') await held.promise;
      };
      const { exportId, ended } = await begin();
      const [run] = await eventually('the run', async () => {
        const runs = await exports.world.engine.stores.runs.list(exports.world.projectId, exportId, { limit: 1 });
        return runs[0]?.plan ? runs : undefined;
      });
      const moving = await eventually('a report', async () => {
        const progress = await get<Progress>(run!, 'progress/');
        return progress.updated_at === null ? undefined : progress;
      });
      assert.deepEqual([moving.records.total, moving.parts], [3, { staged: 0, total: 1 }]);
      assert.equal((await attemptsOf(run!)).at(-1)!.finished_at, null, 'it is under way');
      held.resolve();
      await ended();
      const whole = await get<Progress>(run!, 'progress/');
      assert.deepEqual(
        [whole.records, whole.parts],
        [
          { done: 3, total: 3 },
          { staged: 1, total: 1 },
        ],
      );
      assert.ok(whole.bytes > 0);
      await exports.world.engine.pool.query('delete from batch_export_parts where run_id = $1', [run!.id]);
      const kept = await get<Progress>(run!, 'progress/');
      assert.deepEqual([kept.records, kept.parts], [whole.records, whole.parts], 'retention deletes staged parts');
      assert.ok(kept.bytes > 0);
    });

    it('adds what moves to what is staged, and takes no part for both', async () => {
      const { progress, runs } = exports.world.engine.stores;
      const run = await buildRun(exports, await buildStoredExport(exports), 3);
      await progress.record(run.id, [
        { part: 0, rows: 5, bytes: 50 },
        { part: 1, rows: 7, bytes: 70 },
      ]);
      const digest = { rows: '0', sum: '0' } as never;
      await runs.stagePart(run.id, { index: 0, rows: 10, contentBytes: 100, contentSha256: null, digest, staged: {} });
      const { records, bytes, parts } = await get<Progress>(run, 'progress/');
      assert.deepEqual([records.done, bytes, parts.staged], [17, 170, 1]);
    });

    it('of a run that has ended is what it has staged, whatever moved', async () => {
      const { progress, runs } = exports.world.engine.stores;
      const run = await buildRun(exports, await buildStoredExport(exports), 3);
      const moving = [{ part: 0, rows: 5, bytes: 50 }];
      await progress.record(run.id, moving);
      await runs.close(run.id, { status: 'Cancelled', closedBy: 'api' });
      await progress.record(run.id, moving);
      assert.equal((await get<Progress>(run, 'progress/')).records.done, 0);
    });
  });

  it('are those of this project’s runs only', async () => {
    const run = await buildRun(exports, await buildStoredExport(exports), 3);
    const foreign = await exports.world.batchExports.create(exports.theirs.projectId, buildExport({}));
    const other = await buildStoredExport(exports);
    for (const exportId of [foreign.id, other.id])
      for (const what of ['attempts/', 'progress/']) {
        const { status } = await exports.request('GET', `/batch_exports/${exportId}/runs/${run.id}/${what}`);
        assert.equal(status, 404);
      }
  });
});
