/** Asking for runs: of past data intervals (a backfill), or of one again (a retry: a backfill of one interval). */
import { Conflict, InvalidInput } from '../errors.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { ExportExecutions } from '../temporal/executions.ts';
import { millisOf } from './domain/instants.ts';
import { intervalsWithin, type DataInterval, type Tiling } from './domain/intervals.ts';
import { isOpen } from './domain/statuses.ts';
import type { Backfill, RequestKind } from './requests.store.ts';
import type { ExportStores } from './stores.ts';

/** Two years of five-minute intervals: more is asked for in several backfills. */
const MAX_RUNS = 210_240;

export type BackfillsOptions = {
  stores: ExportStores;
  executions: ExportExecutions;
  log: Logger;
  /** @throws Unavailable while Temporal is away */
  ensureTemporal(): Promise<void>;
};

export function backfills({ stores, executions, log, ensureTemporal }: BackfillsOptions) {
  /** What is stored is asked for, also when Temporal went away just now: the reconciler wakes the dispatcher within a minute. */
  async function wake(exportId: string): Promise<void> {
    await executions
      .wakeDispatcher(exportId)
      .catch((error: unknown) => log.warn({ err: error, batch_export_id: exportId }, 'the dispatcher is woken later'));
  }

  type Wanted = { projectId: number; exportId: string; kind: RequestKind; start: number; end: number };

  async function open(
    { projectId, exportId, kind, start, end }: Wanted,
    intervals: readonly DataInterval[],
  ): Promise<Backfill> {
    const backfill = await stores.inTransaction(async (inside) => {
      const id = await inside.requests.openBackfill(
        { projectId, batchExportId: exportId, kind, start, end },
        intervals,
      );
      return inside.requests.getBackfill(projectId, exportId, id);
    });
    await wake(exportId);
    return backfill;
  }

  return {
    get: stores.requests.getBackfill,
    list: stores.requests.listBackfills,

    /**
     * Requests a run for every data interval that lies wholly within `[startAt, endAt]`. Works while paused; an interval that is
     * requested already is shared.
     * @param range ISO instants
     * @throws InvalidInput when the range is empty, ends in the future, holds no whole interval or too many
     */
    async request(projectId: number, exportId: string, range: { startAt: string; endAt: string }): Promise<Backfill> {
      await stores.batchExports.get(projectId, exportId);
      const [start, end] = [millisOf(range.startAt), millisOf(range.endAt)];
      if (start >= end)
        throw new InvalidInput("The initial backfill datetime 'start_at' must be before 'end_at'", 'start_at');
      if (end > millisOf(await stores.batchExports.now())) {
        throw new InvalidInput(`The provided 'end_at' (${range.endAt}) is in the future`, 'end_at');
      }
      const intervals = wholeIntervals(await stores.batchExports.tiling(exportId), start, end);
      await ensureTemporal();
      return open({ projectId, exportId, kind: 'backfill', start, end }, intervals);
    },

    /**
     * Runs one data interval again, with a new plan.
     * @throws Conflict while the run is still under way
     */
    async retry(projectId: number, exportId: string, runId: string): Promise<Backfill> {
      await stores.batchExports.get(projectId, exportId);
      const run = await stores.runs.get(projectId, exportId, runId);
      if (isOpen(run.status))
        throw new Conflict(`A run that is in '${run.status}' status cannot be retried: wait for its end.`);
      await ensureTemporal();
      const interval = { start: millisOf(run.start), end: millisOf(run.end) };
      return open({ projectId, exportId, kind: 'retry', ...interval }, [interval]);
    },
  };
}

export type Backfills = ReturnType<typeof backfills>;

function wholeIntervals(tiling: Tiling, start: number, end: number): DataInterval[] {
  const intervals: DataInterval[] = [];
  for (const interval of intervalsWithin(tiling, start, end)) {
    intervals.push(interval);
    if (intervals.length > MAX_RUNS) {
      throw new InvalidInput(
        `The range holds more than ${MAX_RUNS} data intervals: ask for it in several backfills.`,
        'start_at',
      );
    }
  }
  if (intervals.length > 0) return intervals;
  throw new InvalidInput("No whole data interval of this export lies between 'start_at' and 'end_at'.", 'start_at');
}
