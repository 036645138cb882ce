/** Previews of backfills: a plan, the rows that it would move, and an estimate from past runs. */
import type { Pool } from '../../platform/db/connection.ts';
import { keepsAllRows } from '../../conditions/rows/content.ts';
import { estimateRows, type Estimate, type EstimatedModel } from '../../events/table/estimate.ts';
import type { BatchExport } from '../batch-exports/batch-export.ts';
import { contentOf } from '../batch-exports/content.ts';
import { isoMicros } from '../domain/instants.ts';
import type { DataInterval } from '../domain/intervals.ts';
import type { ExportStores } from '../stores.ts';
import { estimateBackfill, type BackfillEstimate } from './backfill-estimate.ts';
import type { BackfillPlan, ExaminedPlan } from './backfill-plan.ts';

/** `rows`: rows that the intervals hold now, before filters; null for models whose rows cannot be counted in advance. */
export type Preview = ExaminedPlan & {
  startAt: string;
  endAt: string;
  rows: Estimate | null;
  estimate: BackfillEstimate;
};

/** Limits of past runs and backfills that an estimate uses. */
const PAST_RUNS = 100;
const PAST_BACKFILLS = 5;

type PreviewOptions = { stores: ExportStores; pool: Pool; limits: { runsPerProject: number } };

export function backfillPreviews({ stores, pool, limits }: PreviewOptions) {
  async function estimateStoredRows(
    { projectId, model }: BatchExport,
    { wanted }: BackfillPlan,
  ): Promise<Estimate | null> {
    if (model !== 'events' && model !== 'persons') return null;
    const intervals = wanted.map(({ start, end }) => ({ start: isoMicros(start), end: isoMicros(end) }));
    return estimateRows(pool, model satisfies EstimatedModel, projectId, intervals);
  }

  return {
    async of(batchExport: BatchExport, plan: ExaminedPlan, { start, end }: DataInterval): Promise<Preview> {
      const { id } = batchExport;
      const [rows, pastRuns, pastBackfills] = await Promise.all([
        estimateStoredRows(batchExport, plan),
        stores.runs.listPastRuns(id, PAST_RUNS),
        stores.backfills.listPast(id, PAST_BACKFILLS),
      ]);
      const past = { runs: pastRuns, backfills: pastBackfills };
      // Only the newest versions of persons and only matching events are delivered, so the number of stored rows may be too high.
      const deliversAllRows = batchExport.model === 'events' && keepsAllRows(contentOf(batchExport));
      const work = {
        runs: plan.totalRuns,
        maxConcurrent: Math.min(batchExport.maxConcurrentRuns, limits.runsPerProject),
        rows: deliversAllRows && rows ? rows.rows : null,
      };
      return {
        ...plan,
        startAt: isoMicros(start),
        endAt: isoMicros(end),
        rows,
        estimate: estimateBackfill(work, past),
      };
    },
  };
}
