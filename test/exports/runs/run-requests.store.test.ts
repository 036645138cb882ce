import assert from 'node:assert/strict';
import { closeRun } from '../../../activities/runs/close-run.ts';
import { NotFound } from '../../../src/platform/errors.ts';
import type { BatchExport } from '../../../src/exports/batch-exports/batch-export.ts';
import { isoMicros } from '../../../src/exports/domain/instants.ts';
import type { DataInterval } from '../../../src/exports/domain/intervals.ts';
import type { RequestKind } from '../../../src/exports/runs/run-requests.store.ts';
import type { Run, RunEnd } from '../../../src/exports/runs/runs.store.ts';
import { createExportRows, type ExportRows } from '../../support/database/export-rows.ts';

const HOUR = 3_600_000;
const BEGINNING = Date.parse('2015-05-17T10:00:00Z');
/** Hours from the beginning, `[from, to)`. */
const hours = (from: number, to: number): DataInterval[] =>
  Array.from({ length: to - from }, (_, index) => {
    const start = BEGINNING + (from + index) * HOUR;
    return { start, end: start + HOUR };
  });

const idsOf = (found: { id: string }[]) => found.map(({ id }) => id);

describe('requests', () => {
  let rows: ExportRows;
  let of: BatchExport;
  before(async () => {
    rows = await createExportRows();
  });
  after(async () => rows.close());
  beforeEach(async () => {
    of = await rows.buildExport();
  });

  const requests = () => rows.stores.runRequests;
  const backfills = () => rows.stores.backfills;
  /** A backfill of consecutive hours, all of its requests written. */
  const backfill = async (
    intervals: DataInterval[],
    kind: RequestKind = 'backfill',
    replaces: readonly string[] = [],
  ): Promise<string> => {
    const range = { start: intervals[0]!.start, end: intervals.at(-1)!.end };
    const header = { projectId: rows.projectId, batchExportId: of.id, kind, ...range };
    const id = await backfills().open({ ...header, wanted: [range], totalRuns: intervals.length, replaces });
    while (await writeRequests(id));
    return id;
  };
  const writeRequests = async (id: string): Promise<boolean> => {
    const tiling = await rows.stores.batchExports.getTiling(of.id);
    return rows.stores.inTransaction((inside) => inside.backfills.writeRequests(id, tiling));
  };
  const get = (id: string) => backfills().get(rows.projectId, of.id, id);
  const claim = (limits: { ofExport: number; ofProject: number }) =>
    rows.stores.inTransaction((inside) => inside.runRequests.claim(of, limits));
  /** The open requests, each with a place. */
  const open = async () => {
    await claim({ ofExport: 1000, ofProject: 100_000 });
    return requests().listClaimed(of.id);
  };

  /** Answers the open request of an interval with a run that ended so. */
  async function answer(interval: DataInterval, status: RunEnd['status']): Promise<void> {
    const request = (await open()).find(({ end }) => Date.parse(end) === interval.end)!;
    const run = await rows.buildRun(of, interval, { kind: 'backfill' });
    await rows.stores.runs.close(run.id, { status, closedBy: 'run' });
    await requests().close(request, run.id);
  }

  it('of overlapping backfills are shared', async () => {
    const [first, second] = [await backfill(hours(0, 4)), await backfill(hours(2, 6))];
    assert.equal(await requests().countOpen(of.id), 6);
    assert.deepEqual([(await get(first)).totalRuns, (await get(second)).totalRuns], [4, 4]);
    await answer(hours(2, 3)[0]!, 'Completed');
    assert.deepEqual([(await get(first)).finishedRuns, (await get(second)).finishedRuns], [1, 1]);
  });

  it('of the same intervals, by many backfills at once, are opened once', async () => {
    const ids = await Promise.all(Array.from({ length: 8 }, async () => backfill(hours(0, 50))));
    assert.equal(await requests().countOpen(of.id), 50);
    for (const id of ids) assert.equal((await get(id)).totalRuns, 50);
  });

  it('are opened anew once they are answered', async () => {
    const first = await backfill(hours(0, 1));
    await answer(hours(0, 1)[0]!, 'Completed');
    const second = await backfill(hours(0, 1));
    assert.deepEqual([(await get(first)).status, (await get(second)).status], ['Completed', 'Running']);
  });

  it('are not answered by a run that was planned before they were repeated', async () => {
    await backfill(hours(0, 1));
    const run = await rows.buildRun(of, hours(0, 1)[0]!);
    const cutoff = await rows.stores.batchExports.now();
    const [asRead] = await open();
    await backfill(hours(0, 1));
    await requests().closeAnswered({ ...run, cutoff });
    await requests().close(asRead!, run.id);
    assert.equal(await requests().countOpen(of.id), 1);
    await requests().closeAnswered({ ...run, cutoff: await rows.stores.batchExports.now() });
    assert.equal(await requests().countOpen(of.id), 0);
  });

  /** As the pause of an export that fails too often. */
  const cancelBackfills = () =>
    rows.stores.inTransaction(async (inside) => {
      for (const id of await inside.failures.listLiveBackfills(of.id)) await inside.backfills.cancel(id);
    });
  /** Ends a run as one that was cancelled. @returns what is known of the interval then */
  const cancelRun = async (cancelled: Run) => {
    await rows.stores.inTransaction((inside) => closeRun(inside, cancelled, { status: 'Cancelled', closedBy: 'api' }));
    const { facts } = (await rows.stores.troubledIntervals.listFacts([of.id])).get(of.id) ?? { facts: [] };
    return facts.map(({ fact }) => fact);
  };

  describe('that replace a run', () => {
    let run: Run;
    let cutoff: string;
    let replacing: string;
    beforeEach(async () => {
      run = await rows.buildRun(of, hours(0, 1)[0]!);
      await backfill(hours(0, 1));
      cutoff = await rows.stores.batchExports.now();
      replacing = await backfill(hours(0, 1), 'backfill', [run.id]);
    });
    const end = (status: RunEnd['status'], cutoffAtEnd: string) =>
      requests().closeAnswered({ ...run, status, cutoff: cutoffAtEnd });

    it('are not answered by its failure, also where it was planned after them', async () => {
      await end('Failed', cutoff);
      await end('Cancelled', await rows.stores.batchExports.now());
      assert.equal(await requests().countOpen(of.id), 1);
      const [request] = await open();
      assert.equal(await backfills().isReplaced(request!.id, run.id), true);
      assert.deepEqual(await backfills().listReplaced(of.id), [run.id]);
      assert.deepEqual(idsOf(await backfills().listToEnd(of.id)), [run.id]);
    });

    it('are answered by its delivery', async () => {
      await end('Completed', cutoff);
      assert.equal(await requests().countOpen(of.id), 0);
    });

    it('are not answered by its delivery if another backfill has asked for a later one', async () => {
      await backfill(hours(0, 1));
      await end('Completed', cutoff);
      assert.equal(await requests().countOpen(of.id), 1);
    });

    it('are not answered by its delivery if they were renewed for rows that an import has added', async () => {
      const interval = { exportId: of.id, start: run.start, end: run.end };
      await rows.stores.troubles.begin(interval, 'stale');
      await rows
        .db('batch_export_troubles')
        .where({ batch_export_id: of.id })
        .update({ requested_at: rows.db.raw('clock_timestamp()') });
      await requests().open(of.id, hours(0, 1), 'stale');
      await end('Completed', cutoff);
      assert.equal(await requests().countOpen(of.id), 1);
      await end('Completed', await rows.stores.batchExports.now());
      assert.equal(await requests().countOpen(of.id), 0);
    });

    it('let it go on until they have a slot', async () => {
      assert.deepEqual(await backfills().listToEnd(of.id), []);
      await cancelBackfills();
      assert.deepEqual(await cancelRun(run), [], 'a person has cancelled it');
    });

    it('leave its interval failed if their backfill is cancelled in their slot', async () => {
      await open();
      assert.deepEqual(idsOf(await backfills().listToEnd(of.id)), [run.id]);
      await cancelBackfills();
      assert.deepEqual(await cancelRun(run), ['failed']);
      const replacement = await rows.buildRun(of, hours(0, 1)[0]!, { kind: 'backfill' });
      assert.deepEqual(await cancelRun(replacement), ['failed']);
      const delivering = await rows.buildRun(of, hours(0, 1)[0]!, { kind: 'retry' });
      await rows.stores.runs.close(delivering.id, { status: 'Completed', closedBy: 'run' });
      assert.deepEqual(await cancelRun(await rows.buildRun(of, hours(0, 1)[0]!)), []);
    });

    it('are not written any more once it has delivered', async () => {
      const range = { start: hours(0, 2)[0]!.start, end: hours(0, 2)[1]!.end };
      const header = { projectId: rows.projectId, batchExportId: of.id, kind: 'backfill', ...range } as const;
      const wanting = { ...header, wanted: [range], totalRuns: 2, waits: true };
      const waiting = [await backfills().open({ ...wanting, replaces: [run.id] }), await backfills().open(wanting)];
      await backfills().removeInterval({ exportId: of.id, start: run.start, end: run.end }, run.id);
      assert.deepEqual(await Promise.all(waiting.map(async (id) => (await get(id)).totalRuns)), [1, 2]);
    });

    it('replace it no longer once their backfill is cancelled', async () => {
      await rows.stores.inTransaction((inside) => inside.backfills.cancel(replacing));
      assert.deepEqual([await backfills().listReplaced(of.id), await backfills().listToEnd(of.id)], [[], []]);
      await end('Failed', await rows.stores.batchExports.now());
      assert.equal(await requests().countOpen(of.id), 0);
    });
  });

  it('are taken oldest first, and within a backfill by interval', async () => {
    await backfill(hours(4, 7));
    await backfill(hours(0, 5));
    assert.equal(await claim({ ofExport: 5, ofProject: 100_000 }), 5);
    assert.deepEqual(await claimedHours(), [1, 2, 5, 6, 7]);
  });

  /** Of the open requests with a place, the hours since the beginning at which their intervals end. */
  const claimedHours = async () => {
    const ends = (await requests().listClaimed(of.id)).map(({ end }) => (Date.parse(end) - BEGINNING) / HOUR);
    return ends.sort((a, b) => a - b);
  };

  it('that are retries are taken before all others, also where a backfill wanted the same', async () => {
    await backfill(hours(0, 9));
    await backfill(hours(7, 8), 'retry');
    await backfill(hours(20, 21), 'retry');
    await claim({ ofExport: 3, ofProject: 100_000 });
    assert.deepEqual(await claimedHours(), [1, 8, 21]);
  });

  it('take no more places than their export has, nor than are left of their project’s', async () => {
    await backfill(hours(0, 9));
    assert.equal(await claim({ ofExport: 4, ofProject: 100_000 }), 4);
    assert.equal(await claim({ ofExport: 4, ofProject: 100_000 }), 0);
    assert.equal(await claim({ ofExport: 1, ofProject: 100_000 }), 0, 'a lower limit ends nothing');
    await answer(hours(0, 1)[0]!, 'Completed');
    of = await rows.buildExport();
    await backfill(hours(0, 9));
    const { rows: counted } = await rows.db.raw<{ rows: { taken: number }[] }>(
      'select count(*)::int as taken from batch_export_requests where closed_at is null and claimed_at is not null',
    );
    const taken = counted[0]!.taken;
    assert.equal(await claim({ ofExport: 100, ofProject: taken + 2 }), 2);
  });

  const statuses: { ends: RunEnd['status'][]; status: string }[] = [
    { ends: ['Completed', 'Completed'], status: 'Completed' },
    { ends: ['Completed'], status: 'Running' },
    { ends: ['Completed', 'Failed'], status: 'Failed' },
    { ends: ['Completed', 'Cancelled'], status: 'Failed' },
  ];
  for (const { ends, status } of statuses) {
    it(`that ended ${ends.join(', ')} of 2 make a backfill ${status}`, async () => {
      const id = await backfill(hours(0, 2));
      for (const [index, end] of ends.entries()) await answer(hours(index, index + 1)[0]!, end);
      const { status: found, totalRuns, finishedRuns, finishedAt } = await get(id);
      assert.deepEqual([found, totalRuns, finishedRuns], [status, 2, ends.length]);
      assert.equal(finishedAt === null, status === 'Running');
    });
  }

  it('without a backfill are not in the way of one', async () => {
    await requests().open(of.id, hours(0, 2), 'gap');
    const id = await backfill(hours(1, 3));
    assert.deepEqual([(await get(id)).totalRuns, await requests().countOpen(of.id)], [2, 3]);
  });

  for (const kind of ['gap', 'stale'] as const) {
    it(`that are a ${kind} stay when a backfill that shares them is cancelled, and are the person’s until then`, async () => {
      await requests().open(of.id, hours(0, 1), kind);
      const id = await backfill(hours(0, 2));
      const end = isoMicros(hours(0, 1)[0]!.end);
      assert.equal(await requests().findOpenKind(of.id, end), 'backfill');
      await rows.stores.inTransaction((inside) => inside.backfills.cancel(id));
      assert.equal(await requests().countOpen(of.id), 1);
      assert.equal(await requests().findOpenKind(of.id, end), kind);
    });
  }

  it('of a stale interval are opened again when the retry that took their place is cancelled', async () => {
    const [interval] = hours(0, 1);
    const key = { batch_export_id: of.id, data_interval_start: isoMicros(interval!.start) };
    const trouble = { ...key, data_interval_end: isoMicros(interval!.end), kind: 'stale' };
    await rows.db('batch_export_troubles').insert({ ...trouble, requested_at: rows.db.raw('clock_timestamp()') });
    await requests().open(of.id, hours(0, 1), 'stale');
    const retry = await backfill(hours(0, 1), 'retry');
    await rows.stores.inTransaction((inside) => inside.backfills.cancel(retry));
    assert.equal(await requests().countOpen(of.id), 0);
    const found = await rows.db('batch_export_troubles').where(trouble).first<{ requested_at: string | null }>();
    assert.equal(found?.requested_at, null);
  });

  it('stay when a backfill that shares them is cancelled, and an operator accepted ours', async () => {
    const id = await backfill(hours(0, 1));
    await requests().open(of.id, hours(0, 1), 'retry');
    const [interval] = hours(0, 1);
    await rows.db('foreign_deliveries').insert({
      batch_export_id: of.id,
      data_interval_start: isoMicros(interval!.start),
      data_interval_end: isoMicros(interval!.end),
      epoch: '1',
      receipt: '{}',
      accepted: 'ours',
      accepted_at: rows.db.raw('clock_timestamp()'),
    });
    await rows.stores.inTransaction((inside) => inside.backfills.cancel(id));
    assert.equal(await requests().countOpen(of.id), 1);
  });

  it('of many thousand intervals are opened in one backfill', async () => {
    const range = { start: BEGINNING, end: BEGINNING + 12_000 * HOUR };
    const header = { projectId: rows.projectId, batchExportId: of.id, kind: 'backfill' as const, ...range };
    const id = await backfills().open({ ...header, wanted: [range], totalRuns: 12_000 });
    const seen: [status: string, open: number][] = [];
    do {
      const { status, totalRuns } = await get(id);
      assert.equal(totalRuns, 12_000);
      seen.push([status, await requests().countOpen(of.id)]);
    } while (await writeRequests(id));
    seen.push([(await get(id)).status, await requests().countOpen(of.id)]);
    assert.deepEqual(seen, [
      ['Starting', 0],
      ['Starting', 5_000],
      ['Starting', 10_000],
      ['Running', 12_000],
    ]);
    assert.equal(await writeRequests(id), false, 'written once');
  });

  it('show their backfills newest first, page by page, to their own project', async () => {
    const ids: string[] = [];
    for (let from = 0; from < 5; from++) ids.unshift(await backfill(hours(from, from + 1)));
    const page = async (place: Parameters<ReturnType<typeof backfills>['list']>[2], projectId = rows.projectId) =>
      backfills().list(projectId, of.id, place);
    const first = await page({ limit: 2 });
    const second = await page({ limit: 2, olderThan: first.at(-1)! });
    const third = await page({ limit: 2, olderThan: second.at(-1)! });
    assert.deepEqual([idsOf(first), idsOf(second), idsOf(third)], [ids.slice(0, 2), ids.slice(2, 4), ids.slice(4)]);
    assert.deepEqual(idsOf(await page({ limit: 2, newerThan: third[0]! })), ids.slice(2, 4));
    assert.deepEqual(await page({ limit: 2 }, rows.projectId + 1), []);
    await assert.rejects(backfills().get(rows.projectId + 1, of.id, ids[0]!), NotFound);
  });
});
