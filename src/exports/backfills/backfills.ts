/** Requests runs of past data intervals (a backfill), or of one interval again (a retry, which is a backfill of one interval). */
import type { Pool } from '../../platform/db/connection.ts';
import { Conflict, InvalidInput, LimitReached } from '../../platform/errors.ts';
import { changesBetween, type Author } from '../../people/audit/audit-log.ts';
import type { Logger } from '../../platform/telemetry/logger.ts';
import type { ExportExecutions } from '../temporal/executions.ts';
import { SYSTEM_AUTHOR, recordBackfill } from '../batch-exports/audit.ts';
import { backfillPreviews, type Preview } from './backfill-previews.ts';
import { planExamined, planWhole, type BackfillPlan, type ExaminedPlan, type StatusFilter } from './backfill-plan.ts';
import { findRetriable, planRetry, type Retriable, type RetryOptions } from './failed-intervals.ts';
import { presentPreview } from './backfills.present.ts';
import { checkRange } from './backfill-range.ts';
import type { Backfill, NewBackfill } from './backfills.store.ts';
import type { BatchExport } from '../batch-exports/batch-export.ts';
import { runWorkflowId } from '../domain/ids.ts';
import { millisOf } from '../domain/instants.ts';
import { intervalsEnding, intervalsWithin } from '../domain/intervals.ts';
import { isLive, isOpen } from '../domain/statuses.ts';
import { assertInSource, sourceStartOfExport } from '../intervals/expired.ts';
import { intervalStates } from '../intervals/interval-states.ts';
import type { BoundStores, ExportStores } from '../stores.ts';

export type BackfillsOptions = {
  stores: ExportStores;
  pool: Pool;
  executions: ExportExecutions;
  limits: { backfillsPerProject: number; runsPerProject: number };
  log: Logger;
  /** @throws Unavailable while Temporal is away */
  ensureTemporal(): Promise<void>;
};

/** ISO instants. `only`: statuses that limit the range. `plan`: the token of the preview to carry out. */
export type BackfillRange = { startAt: string; endAt: string; only?: StatusFilter; plan?: string | undefined };

const OUTDATED_REASON =
  'The data intervals have changed since the preview, and nothing was requested. The present plan is in `plan`: check it, and send its token.';

export function backfills({ stores, pool, executions, limits, log, ensureTemporal }: BackfillsOptions) {
  const states = intervalStates(pool);
  const previews = backfillPreviews({ stores, pool, limits });

  /** If this fails, the reconciler wakes the dispatcher within a minute. */
  async function wake(exportId: string): Promise<void> {
    await executions
      .wakeDispatcher(exportId)
      .catch((error: unknown) =>
        log.warn(
          { err: error, batch_export_id: exportId },
          'the dispatcher could not be woken: the reconciler tries again',
        ),
      );
  }

  /**
   * Stores the header and a first batch of its requests; the dispatcher writes the others.
   * @param mayWait whether the backfill may exceed the project's limit; the dispatcher then writes its requests when its turn comes
   */
  async function openBackfill(
    tx: BoundStores,
    header: NewBackfill,
    author: Author,
    { mayWait = false } = {},
  ): Promise<Backfill> {
    const { projectId, batchExportId, kind } = header;
    await tx.batchExports.lock(projectId, batchExportId);
    if (kind === 'backfill' && !mayWait) await checkLimit(tx, projectId);
    const waits = mayWait && (await tx.backfills.countLive(projectId)) >= limits.backfillsPerProject;
    const id = await tx.backfills.open({ ...header, waits });
    if (!waits) await tx.backfills.writeRequests(id, await tx.batchExports.getTiling(batchExportId));
    await tx.backfills.storeResults(batchExportId);
    const opened = await tx.backfills.get(projectId, batchExportId, id);
    await recordBackfill(tx, author, opened, { activity: 'created', changes: [] });
    return opened;
  }

  async function checkLimit(tx: BoundStores, projectId: number): Promise<void> {
    const live = await tx.backfills.countLive(projectId);
    if (live < limits.backfillsPerProject) return;
    throw new LimitReached(
      `This team already has ${live} batch export backfills running. Wait for some to finish or cancel them before creating more.`,
      'too_many_concurrent_backfills',
    );
  }

  async function examine(
    batchExport: BatchExport,
    start: number,
    end: number,
    only: StatusFilter,
  ): Promise<ExaminedPlan> {
    const tiling = await stores.batchExports.getTiling(batchExport.id);
    return planExamined({ stores, states, batchExport }, intervalsWithin(tiling, start, end), only);
  }

  async function planBackfill(
    batchExport: BatchExport,
    start: number,
    end: number,
    range: BackfillRange,
  ): Promise<BackfillPlan> {
    const { only = null, plan } = range;
    const wholePlan = planWhole(await stores.batchExports.getTiling(batchExport.id), start, end);
    if (only === null && plan === undefined) return wholePlan;
    const examined = await examine(batchExport, start, end, only);
    // tooth: backfill-as-shown
    if (plan !== undefined && plan !== examined.token) {
      const preview = await previews.of(batchExport, examined, { start, end });
      throw new Conflict(OUTDATED_REASON, { plan: presentPreview(preview) });
    }
    return examined;
  }

  return {
    get: stores.backfills.get,
    list: stores.backfills.list,

    /**
     * Requests a run for every data interval that lies wholly within `[startAt, endAt]`, or for those that the range's `only` and `plan`
     * choose. Works while the export is paused; an open request of an interval is shared.
     * @throws InvalidInput for the range as `checkRange` does, or when it holds no whole interval, or too many
     * @throws Conflict with the present plan when it is no longer the one that was previewed
     * @throws LimitReached when too many backfills of the project are under way
     */
    async request(
      projectId: number,
      exportId: string,
      range: BackfillRange,
      author: Author = SYSTEM_AUTHOR,
    ): Promise<Backfill> {
      const batchExport = await stores.batchExports.get(projectId, exportId);
      const { start, end } = checkRange(batchExport, range, await stores.batchExports.now());
      const plan = await planBackfill(batchExport, start, end, range);
      await ensureTemporal();
      const backfill = await stores.inTransaction(async (tx) =>
        openBackfill(tx, { projectId, batchExportId: exportId, kind: 'backfill', start, end, ...plan }, author),
      );
      await wake(exportId);
      return backfill;
    },

    /** Previews a backfill; changes nothing. @throws InvalidInput as `request` does */
    async preview(projectId: number, exportId: string, range: BackfillRange): Promise<Preview> {
      const batchExport = await stores.batchExports.get(projectId, exportId);
      const { start, end } = checkRange(batchExport, range, await stores.batchExports.now());
      planWhole(await stores.batchExports.getTiling(exportId), start, end);
      return previews.of(batchExport, await examine(batchExport, start, end, range.only ?? null), { start, end });
    },

    /**
     * Runs one data interval again, with a new plan.
     * @throws Conflict while the run is still under way
     * @throws InvalidInput when the source of the interval has expired
     */
    async retry(projectId: number, exportId: string, runId: string, author: Author = SYSTEM_AUTHOR): Promise<Backfill> {
      const batchExport = await stores.batchExports.get(projectId, exportId);
      const run = await stores.runs.get(projectId, exportId, runId);
      if (isOpen(run.status))
        throw new Conflict(`A run that is in '${run.status}' status cannot be retried: wait for its end.`);
      const interval = { start: millisOf(run.start), end: millisOf(run.end) };
      assertInSource(batchExport, interval.start, null);
      await ensureTemporal();
      const header = { projectId, batchExportId: exportId, kind: 'retry' as const, ...interval };
      const backfill = await stores.inTransaction(async (tx) =>
        openBackfill(tx, { ...header, wanted: [interval], totalRuns: 1 }, author),
      );
      await wake(exportId);
      return backfill;
    },

    /**
     * Requests exactly the data intervals that ended during a pause and have had no run, in the transaction that unpauses. If the
     * project is at its limit of backfills, this one waits for its turn. The caller wakes the dispatcher after the commit.
     * @returns undefined when the pause missed none
     */
    async openForPause(
      tx: BoundStores,
      batchExport: BatchExport,
      author: Author = SYSTEM_AUTHOR,
    ): Promise<Backfill | undefined> {
      const { id, projectId, startAt, endAt } = batchExport;
      const pausedAt = Math.max(...(await tx.gaps.listPauses(id)).map((pause) => millisOf(pause.pausedAt)));
      const start = Math.max(pausedAt, startAt === null ? -Infinity : millisOf(startAt));
      const sourceStart = sourceStartOfExport(batchExport);
      const end = Math.min(millisOf(await tx.batchExports.now()), endAt === null ? Infinity : millisOf(endAt));
      // An interval that ended at the instant of the pause may have no run either.
      const ended = intervalsEnding(await tx.batchExports.getTiling(id), start - 1, end);
      const intervals = ended.filter((interval) => interval.start >= sourceStart);
      const { wanted, totalRuns } = await planExamined({ stores: tx, states, batchExport }, intervals, ['missing']);
      if (totalRuns === 0) return undefined;
      const range = { start: wanted[0]!.start, end: wanted.at(-1)!.end };
      return openBackfill(tx, { projectId, batchExportId: id, kind: 'backfill', ...range, wanted, totalRuns }, author, {
        mayWait: true,
      });
    },

    /** Finds the data intervals that `retryFailed` would request now. */
    async findRetriable(projectId: number, exportId: string, options: RetryOptions = {}): Promise<Retriable> {
      return findRetriable(stores, await stores.batchExports.get(projectId, exportId), options);
    },

    /**
     * Requests a run for every data interval whose newest run failed, in one backfill. Runs in progress that are retried too are ended by
     * the dispatcher, which then starts the new ones. The backfill waits for its turn if the project is at its limit of backfills.
     * @returns undefined if no interval can be retried, or all of them are requested already
     * @throws Conflict if the intervals are not those of the plan
     */
    async retryFailed(
      projectId: number,
      exportId: string,
      author: Author = SYSTEM_AUTHOR,
      options: RetryOptions = {},
    ): Promise<Backfill | undefined> {
      await ensureTemporal();
      const backfill = await stores.inTransaction(async (tx) => {
        const header = await planRetry(tx, await tx.batchExports.lock(projectId, exportId), author, options);
        return header && openBackfill(tx, header, author, { mayWait: true });
      });
      if (backfill) await wake(exportId);
      return backfill;
    },

    wake,

    /**
     * Ends a backfill: it requests no more runs, and runs that serve it alone end, unless they are delivering already.
     * @throws InvalidInput when the backfill has ended
     */
    async cancel(projectId: number, exportId: string, id: string, author: Author = SYSTEM_AUTHOR): Promise<void> {
      await stores.batchExports.get(projectId, exportId);
      await ensureTemporal();
      const ends = await stores.inTransaction(async (tx) => {
        await tx.batchExports.lock(projectId, exportId);
        const { status } = await tx.backfills.lock(projectId, exportId, id);
        if (!isLive(status)) throw new InvalidInput(`Cannot cancel a backfill that is in '${status}' status`);
        const changes = changesBetween('BatchExportBackfill', { status }, { status: 'Cancelled' });
        const backfill = await tx.backfills.get(projectId, exportId, id);
        await recordBackfill(tx, author, backfill, { activity: 'updated', changes });
        return tx.backfills.cancel(id);
      });
      await Promise.all(ends.map((end) => executions.cancel(runWorkflowId(exportId, millisOf(end)))));
    },
  };
}

export type Backfills = ReturnType<typeof backfills>;
