import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { NotFound } from '../../../src/platform/errors.ts';
import type { BatchExport } from '../../../src/exports/batch-exports/batch-export.ts';
import { NO_SETTINGS } from '../../../src/conditions/rows/content.ts';
import { isoMicros } from '../../../src/exports/domain/instants.ts';
import { countParts, type Plan } from '../../../src/exports/domain/plan.ts';
import type { Run } from '../../../src/exports/runs/runs.store.ts';
import { createExportRows, type ExportRows } from '../../support/database/export-rows.ts';

const START = Date.parse('2015-05-17T10:00:00Z');
const TEN = { start: START, end: START + 3_600_000 };

const idsOf = (found: { id: string }[]) => found.map(({ id }) => id);

/** Parts of one row each, in order. */
function buildPlan(count: number): Plan {
  const boundaries = Array.from({ length: count }, (_, part) => ({
    intervalTime: isoMicros(START + part).replace('000Z', '123Z'),
    uuid: randomUUID(),
  }));
  const parts = boundaries.map((from, part) => {
    const to = boundaries[part + 1];
    return { rows: part + 1, ...(part > 0 && { from }), ...(to && { to }) };
  });
  return {
    cutoff: isoMicros(START),
    rows: count,
    bytes: count,
    parts,
    content: { model: 'events', includeEvents: [], excludeEvents: [], ...NO_SETTINGS },
    hashKey: null,
    columns: [],
    file: { format: 'JSONLines', compression: null, numbered: true },
    formatVersion: 2,
  };
}

describe('rows of runs', () => {
  let rows: ExportRows;
  let of: BatchExport;
  before(async () => {
    rows = await createExportRows();
  });
  after(async () => rows.close());
  beforeEach(async () => {
    of = await rows.buildExport();
  });
  const runs = () => rows.stores.runs;

  it('are listed newest first, page by page, also when they began in the same instant', async () => {
    const createdAt = await rows.stores.batchExports.now();
    const made: Run[] = [];
    for (let index = 0; index < 5; index++) made.push(await rows.buildRun(of, TEN, { createdAt }));
    const ids = made
      .map(({ id }) => id)
      .toSorted()
      .toReversed();
    const list = (place: Parameters<ReturnType<typeof runs>['list']>[2]) => runs().list(rows.projectId, of.id, place);
    const first = await list({ limit: 2 });
    const second = await list({ limit: 2, olderThan: first.at(-1)! });
    const third = await list({ limit: 2, olderThan: second.at(-1)! });
    assert.deepEqual([idsOf(first), idsOf(second), idsOf(third)], [ids.slice(0, 2), ids.slice(2, 4), ids.slice(4)]);
    assert.deepEqual(idsOf(await list({ limit: 2, newerThan: third[0]! })), ids.slice(2, 4));
    assert.deepEqual(idsOf(await list({ limit: 1, newerThan: third[0]! })), ids.slice(3, 4));
    assert.deepEqual(await runs().list(rows.projectId + 1, of.id, { limit: 2 }), []);
  });

  it('are listed without the files of long receipts, the parts of long plans, and the events of plans, which each run has', async () => {
    const file = { key: 'k', rows: 1, bytes: 1, sha256: '', content_sha256: '', identity: '', checksum: null };
    const receiptOf = (count: number) => ({
      rows: count,
      digest: '7',
      bytes: count,
      location: 'here',
      epoch: 1,
      cutoff: isoMicros(START),
      files: Array.from({ length: count }, () => file),
    });
    for (const count of [100, 101]) {
      const { id } = await rows.buildRun(of, TEN);
      const { parts, ...plan } = buildPlan(count);
      const byEvent = { events: [{ event: 'seen', parts: count }], readings: [count] };
      const inRow = JSON.stringify({ ...plan, parts, byEvent });
      await rows.db('batch_export_runs').where({ id }).update({ plan: inRow, epoch: '1' });
      await runs().close(id, { status: 'Completed', closedBy: 'run', receipt: receiptOf(count) });
    }
    const both = [
      (await runs().list(rows.projectId, of.id, { limit: 2 })) as unknown[],
      (await runs().listLatest([of.id], 2)).get(of.id) as unknown[],
    ] as {
      id: string;
      plan: { parts?: object[]; partCount?: number; byEvent?: object };
      receipt: { files?: object[]; file_count?: number };
    }[][];
    for (const [long, short] of both) {
      assert.deepEqual([long!.receipt.files, long!.receipt.file_count], [undefined, 101]);
      assert.deepEqual([long!.plan.parts, long!.plan.partCount], [undefined, 101]);
      assert.deepEqual([long!.plan.byEvent, short!.plan.byEvent], [undefined, undefined]);
      assert.deepEqual([short!.receipt.files?.length, short!.plan.parts?.length], [100, 100]);
      const whole = await runs().getById(long!.id);
      assert.deepEqual([whole.receipt?.files?.length, whole.plan?.parts?.length], [101, 101]);
    }
  });

  it('are found in their own export and project only', async () => {
    const { id } = await rows.buildRun(of, TEN);
    assert.equal((await runs().get(rows.projectId, of.id, id)).id, id);
    await assert.rejects(runs().get(rows.projectId + 1, of.id, id), NotFound);
    await assert.rejects(runs().get(rows.projectId, randomUUID(), id), NotFound);
  });

  it('are read for many exports at once, the newest of each', async () => {
    const [other, idle] = [await rows.buildExport(), await rows.buildExport()];
    const made: Record<string, string[]> = { [of.id]: [], [other.id]: [], [idle.id]: [] };
    for (const one of [of, other, of, other, of]) made[one.id]!.unshift((await rows.buildRun(one, TEN)).id);
    const latest = await runs().listLatest([of.id, other.id, idle.id], 2);
    for (const [id, ids] of Object.entries(made)) {
      assert.deepEqual(
        latest.get(id)?.map((run) => run.id),
        ids.slice(0, 2),
      );
    }
  });

  it('are made once for an execution, and end once', async () => {
    const workflowRunId = randomUUID();
    const opened = await Promise.all(Array.from({ length: 5 }, async () => rows.buildRun(of, TEN, { workflowRunId })));
    assert.equal(new Set(opened.map(({ id }) => id)).size, 1);
    const { id } = opened[0]!;
    assert.equal(await runs().close(id, { status: 'Failed', closedBy: 'run', latestError: 'No.' }), true);
    assert.equal(await runs().close(id, { status: 'Terminated', closedBy: 'reconciler' }), false);
    const { status, latestError, finishedAt } = await runs().getById(id);
    assert.deepEqual([status, latestError], ['Failed', 'No.']);
    assert.ok(finishedAt);
  });

  for (const count of [0, 1, 100, 101, 2_500]) {
    it(`keep a plan of ${count} parts, each as it was planned`, async () => {
      const run = await rows.buildRun(of, TEN);
      const plan = buildPlan(count);
      const stored = await rows.stores.inTransaction((inside) => inside.runs.setPlan(run.id, plan, 1));
      const read = await runs().getById(run.id);
      assert.deepEqual(read.plan, stored);
      assert.equal(countParts(stored), count);
      assert.equal(stored.parts !== undefined, count <= 100, 'as workers of earlier versions read it, if it is small');
      assert.deepEqual(await runs().listPlannedParts(read, 0, count), plan.parts);
      for (const [from, to] of [
        [0, 1],
        [count - 1, count],
        [40, 90],
      ] as const)
        assert.deepEqual(
          await runs().listPlannedParts(read, Math.max(from, 0), to),
          plan.parts.slice(Math.max(from, 0), to),
        );
    });
  }

  it('show which parts of a range are staged', async () => {
    const { id } = await rows.buildRun(of, TEN);
    const part = { rows: 1, digest: '0', contentBytes: 1, contentSha256: null, staged: {} };
    for (const index of [3, 4, 7, 9, 10]) await runs().stagePart(id, { ...part, index });
    assert.deepEqual(await runs().listStagedIndexes(id, 4, 10), new Set([4, 7, 9]));
  });

  it('have log lines, read newest first in pages, of the export or of one run', async () => {
    const [first, second] = [await rows.buildRun(of, TEN), await rows.buildRun(of, TEN)];
    const append = (runId: string | null, message: string) =>
      rows.stores.logs.append({ batchExportId: of.id, runId, level: 'INFO', message });
    for (const [runId, message] of [
      [first.id, 'one'],
      [second.id, 'two'],
      [null, 'three'],
      [first.id, 'four'],
    ] as const) {
      await append(runId, message);
    }
    const read = async (runId: string | undefined, limit: number, offset: number) => {
      const page = await rows.stores.logs.list({ batchExportId: of.id, ...(runId && { runId }), limit, offset });
      return { count: page.count, messages: page.results.map(({ message }) => message) };
    };
    assert.deepEqual(await read(undefined, 3, 0), { count: 4, messages: ['four', 'three', 'two'] });
    assert.deepEqual(await read(undefined, 3, 3), { count: 4, messages: ['one'] });
    assert.deepEqual(await read(first.id, 10, 0), { count: 2, messages: ['four', 'one'] });
    const { results } = await rows.stores.logs.list({ batchExportId: of.id, limit: 2, offset: 0 });
    assert.deepEqual(
      results.map(({ workflowRunId }) => workflowRunId),
      [first.workflowRunId, null],
    );
  });
});
