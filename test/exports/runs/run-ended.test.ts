import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { closeRun, type CloseResult } from '../../../activities/runs/close-run.ts';
import type { BatchExport } from '../../../src/exports/batch-exports/batch-export.ts';
import type { Plan } from '../../../src/exports/domain/plan.ts';
import type { RunEnd } from '../../../src/exports/runs/runs.store.ts';
import { NOTICE_KINDS, type NoticeKind } from '../../../src/platform/notify/notice.ts';
import { createExportRows, type ExportRows } from '../../support/database/export-rows.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const FAILED: RunEnd = { status: 'Failed', closedBy: 'run', latestError: 'The bucket does not exist.' };
const DELIVERED_ELSEWHERE: RunEnd = {
  status: 'Failed',
  closedBy: 'run',
  latestError: 'This data interval was delivered by another timeline.',
  errorType: 'DeliveredElsewhere',
};
const WOULD_SHRINK: RunEnd = {
  status: 'Failed',
  closedBy: 'run',
  latestError: 'What was delivered stays.',
  errorType: 'DeliveryWouldShrink',
};
const COMPLETED: RunEnd = { status: 'Completed', closedBy: 'run' };
const PASSING: RunEnd = { status: 'FailedRetryable', closedBy: 'run', latestError: 'The store is away.' };

const tells = (on: readonly NoticeKind[] = NOTICE_KINDS) => ({
  webhook: { url: 'https://example.com/' },
  emails: [],
  on: [...on],
});

const dayAt = (number: number) => new Date(Date.UTC(2015, 0, 1) + number * DAY);

const SOMEBODY = { by: 'user', userId: null } as const;

describe('the end of a run', () => {
  let rows: ExportRows;
  let intervals = 0;
  before(async () => {
    rows = await createExportRows();
  });
  after(async () => rows.close());

  /** A daily export that runs: four failures of seven runs are too many. */
  const build = (overrides: Partial<BatchExport> = {}) =>
    rows.buildExport({ interval: 'day', paused: false, notifications: tells(), ...overrides });

  /** A run of the export that ends so. */
  async function end(one: BatchExport, how: RunEnd): Promise<CloseResult> {
    const start = dayAt(intervals++).getTime();
    const run = await rows.buildRun(one, { start, end: start + DAY });
    return rows.stores.inTransaction((inside) => closeRun(inside, run, how));
  }
  async function endAll(one: BatchExport, ...ends: RunEnd[]): Promise<CloseResult> {
    let last: CloseResult = { closed: false, paused: false };
    for (const how of ends) last = await end(one, how);
    return last;
  }
  /** A backfill of so many days, asked for. */
  async function openBackfill({ id, projectId }: BatchExport, days = 1): Promise<string> {
    const wanted = [{ start: 0, end: days * DAY }];
    const header = {
      projectId,
      batchExportId: id,
      kind: 'backfill',
      start: 0,
      end: days * DAY,
      wanted,
      totalRuns: days,
    } as const;
    const backfill = await rows.stores.backfills.open(header);
    const tiling = await rows.stores.batchExports.getTiling(id);
    await rows.stores.inTransaction((inside) => inside.backfills.writeRequests(backfill, tiling));
    return backfill;
  }
  const now = ({ projectId, id }: BatchExport) => rows.stores.batchExports.get(projectId, id);
  const noticesOf = async ({ id }: BatchExport) =>
    (await rows.db('notifications').where({ batch_export_id: id }).orderBy('created_at')) as {
      kind: NoticeKind;
      channel: string;
      content: { summary: string };
    }[];
  const kindsTold = async (one: BatchExport) => (await noticesOf(one)).map(({ kind }) => kind);
  const messages = async ({ id }: BatchExport) =>
    (await rows.stores.logs.list({ batchExportId: id, limit: 100, offset: 0 })).results.map(({ message }) => message);

  describe('pauses the export', () => {
    it('when it is the fourth failure in seven, and records so in the row, the log and a notice', async () => {
      const one = await build();
      assert.deepEqual(await endAll(one, FAILED, COMPLETED, FAILED, COMPLETED, FAILED), {
        closed: true,
        paused: false,
      });
      assert.equal((await now(one)).paused, false);
      assert.deepEqual(await end(one, FAILED), { closed: true, paused: true });

      const { paused, pausedReason, lastPausedAt, version } = await now(one);
      assert.equal(paused, true);
      assert.equal(pausedReason, '4 of the last 7 runs failed. The last one said: The bucket does not exist.');
      assert.ok(Date.now() - Date.parse(lastPausedAt!) < 60_000);
      assert.ok(version > one.version, 'its schedule is to follow');
      const [span] = await rows.stores.gaps.listPauses(one.id);
      assert.equal(span?.unpausedAt, null);
      assert.ok((await messages(one)).includes(`Paused: ${pausedReason}`));
      const notices = await noticesOf(one);
      assert.equal(notices.at(-1)?.kind, 'paused');
      assert.equal(notices.at(-1)?.content.summary, `Paused: ${pausedReason}`);
    });

    it('with the row that says it failed, or not at all', async () => {
      const one = await build();
      await endAll(one, FAILED, FAILED, FAILED);
      const run = await rows.buildRun(one, { start: 0, end: DAY });
      const crash = new Error('the worker was killed before the commit');
      await assert.rejects(
        rows.stores.inTransaction(async (inside) => {
          assert.deepEqual(await closeRun(inside, run, FAILED), { closed: true, paused: true });
          throw crash;
        }),
        crash,
      );
      assert.equal((await now(one)).paused, false);
      assert.equal((await rows.stores.runs.getById(run.id)).status, 'Starting');
      assert.deepEqual(await kindsTold(one), ['failed']);
    });

    it('once, when the last two failures come at the same time', async () => {
      const one = await build();
      await endAll(one, FAILED, FAILED);
      const closings = await Promise.all([end(one, FAILED), end(one, FAILED)]);
      assert.equal(closings.filter(({ paused }) => paused).length, 1);
      assert.deepEqual(
        (await kindsTold(one)).filter((kind) => kind === 'paused'),
        ['paused'],
      );
    });

    it('once, without a deadlock, when many whose requests it cancels fail at the same time', async () => {
      const one = await build();
      await endAll(one, FAILED, FAILED, FAILED);
      const backfill = await openBackfill(one, 12);
      const plan = { cutoff: await rows.stores.batchExports.now() } as Plan;
      const running = await Promise.all(
        Array.from({ length: 12 }, async (_, day) => ({
          ...(await rows.buildRun(one, { start: day * DAY, end: (day + 1) * DAY })),
          plan,
        })),
      );
      let attempts = 0;
      const closings = await Promise.all(
        running.map((run) =>
          rows.stores.inTransaction((inside) => {
            attempts += 1;
            return closeRun(inside, run, FAILED);
          }),
        ),
      );
      assert.equal(attempts, 12, 'none was made again');
      assert.ok(closings.every(({ closed }) => closed));
      assert.equal(closings.filter(({ paused }) => paused).length, 1);
      assert.equal((await rows.stores.backfills.get(one.projectId, one.id, backfill)).status, 'Cancelled');
    });

    it('and cancels its unfinished backfills, but no other requests', async () => {
      const one = await build();
      const backfill = await openBackfill(one);
      await rows.stores.runRequests.open(one.id, [{ start: DAY, end: 2 * DAY }], 'gap');
      await endAll(one, FAILED, FAILED, FAILED, FAILED);
      const { status } = await rows.stores.backfills.get(one.projectId, one.id, backfill);
      assert.equal(status, 'Cancelled');
      assert.equal(await rows.stores.runRequests.countOpen(one.id), 1);
      assert.match((await messages(one))[0]!, /Cancelled 1 unfinished backfill\.$/);
    });

    const not: { what: string; ends: RunEnd[]; overrides?: Partial<BatchExport> }[] = [
      { what: 'for failures that are tried again', ends: Array.from({ length: 10 }, () => PASSING) },
      {
        what: 'for failures that seven later runs have passed over',
        ends: [FAILED, FAILED, FAILED, ...Array.from({ length: 6 }, () => COMPLETED), FAILED],
      },
      { what: 'for deliveries of another timeline', ends: Array.from({ length: 7 }, () => DELIVERED_ELSEWHERE) },
      { what: 'for deliveries that would have shrunk', ends: Array.from({ length: 7 }, () => WOULD_SHRINK) },
      {
        what: 'for failures beside those that wait for a decision',
        ends: [FAILED, WOULD_SHRINK, FAILED, DELIVERED_ELSEWHERE, DELIVERED_ELSEWHERE, FAILED],
      },
      {
        what: 'for runs that somebody cancelled',
        ends: Array.from({ length: 7 }, () => ({ status: 'Cancelled', closedBy: 'api' }) as const),
      },
    ];
    for (const { what, ends } of not) {
      it(`but not ${what}`, async () => {
        const one = await build();
        assert.equal((await endAll(one, ...ends)).paused, false);
        assert.deepEqual([(await now(one)).paused, (await now(one)).pausedReason], [false, null]);
      });
    }

    it('but not for rows of erased persons that were gone while it read them', async () => {
      const one = await build();
      const fault = { code: 'interval_shrank', owner: 'you', field: null } as const;
      const shrank: RunEnd = { ...FAILED, errorType: 'IntervalShrank', fault };
      const erase = async (from: number) => {
        const erasure = { id: randomUUID(), project_id: one.projectId, persons: 1, person_ids: [], distinct_ids: [] };
        await rows.db('erasures').insert({ ...erasure, stored_before: rows.db.fn.now() });
        const ofDays = Array.from({ length: 4 }, (_, after) => ({
          erasure_id: erasure.id,
          batch_export_id: one.id,
          data_interval_start: dayAt(from + after),
          data_interval_end: dayAt(from + after + 1),
          rows: 1,
        }));
        await rows.db('erased_deliveries').insert(ofDays);
      };
      await erase(intervals);
      assert.equal((await endAll(one, shrank, shrank, shrank, shrank)).paused, false);
      assert.equal((await endAll(one, shrank, shrank, shrank)).paused, false, 'fewer than four without an erasure');
      assert.equal((await end(one, shrank)).paused, true);
    });

    it('and cancels no backfill of a paused one for runs that wait for a decision', async () => {
      const one = await build({ paused: true });
      await rows.stores.pauses.begin(one.id, SOMEBODY);
      await endAll(one, FAILED, FAILED, FAILED, FAILED);
      const backfill = await openBackfill(one);
      await end(one, DELIVERED_ELSEWHERE);
      assert.notEqual((await rows.stores.backfills.get(one.projectId, one.id, backfill)).status, 'Cancelled');
    });

    it('but not at the first failure after a person has unpaused it', async () => {
      const one = await build();
      await endAll(one, FAILED, FAILED, FAILED, FAILED);
      await rows.stores.batchExports.update(one.id, { paused: false, pausedReason: null });
      await rows.stores.pauses.end(one.id);
      assert.equal((await endAll(one, FAILED, FAILED, FAILED)).paused, false);
      assert.equal((await end(one, FAILED)).paused, true);
    });

    it('but ends the backfills of one that is paused already and still fails', async () => {
      const one = await build({ paused: true });
      await rows.stores.pauses.begin(one.id, SOMEBODY);
      const backfill = await openBackfill(one);
      assert.equal((await endAll(one, FAILED, FAILED, FAILED, FAILED)).paused, false);
      assert.equal((await rows.stores.backfills.get(one.projectId, one.id, backfill)).status, 'Cancelled');
      assert.equal((await now(one)).pausedReason, null, 'a person paused it');
    });
  });

  describe('is announced', () => {
    it('when it is the first failure, and when it is the first success after it', async () => {
      const one = await build();
      await endAll(one, COMPLETED, FAILED, PASSING, FAILED, COMPLETED, COMPLETED, PASSING);
      assert.deepEqual(await kindsTold(one), ['failed', 'recovered', 'failed']);
      const [failed, recovered, again] = (await noticesOf(one)).map(({ content }) => content.summary);
      assert.equal(failed, 'A run failed: The bucket does not exist. It waits for you.');
      assert.equal(recovered, 'Runs succeed again.');
      assert.equal(again, 'A run failed: The store is away. Sluice will retry it.');
    });

    it('on each channel, of the kinds that the export subscribes to', async () => {
      const notifications = { ...tells(['recovered']), emails: ['a@example.com'] };
      const one = await build({ notifications });
      await endAll(one, FAILED, COMPLETED);
      const notices = await noticesOf(one);
      assert.deepEqual(notices.map(({ kind, channel }) => `${kind} ${channel}`).sort(), [
        'recovered mail',
        'recovered webhook',
      ]);
    });

    it('to nobody where nobody is subscribed', async () => {
      for (const notifications of [null, tells([]), { ...tells(), webhook: null }]) {
        const one = await build({ notifications });
        await endAll(one, FAILED, COMPLETED);
        assert.deepEqual(await noticesOf(one), []);
      }
    });
  });
});
