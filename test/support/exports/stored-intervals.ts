/** Inserts facts about data intervals, as runs, requests and the reconciler would. */
import { randomUUID } from 'node:crypto';
import { isOpen, type RunStatus } from '../../../src/exports/domain/statuses.ts';
import { buildEvent, microseconds } from '../events/events.ts';
import type { ExportsApi } from '../api/exports-api.ts';

export type IntervalFacts = {
  /** Runs, oldest first. A completed run has delivered. */
  runs?: { status: RunStatus; closedBy?: string; error?: string }[];
  /** Whether a run before these has delivered. */
  delivered?: boolean;
  requested?: boolean;
  troubles?: string[];
  /** Whether the destination holds a delivery of another timeline. */
  foreign?: boolean;
  /** Whether an event was imported after these runs. */
  isLate?: boolean;
};

export async function storeInterval(
  { db, world }: Pick<ExportsApi, 'db' | 'world'>,
  interval: { exportId: string; start: string; end: string },
  { runs = [], delivered, requested, troubles = [], foreign, isLate }: IntervalFacts,
): Promise<void> {
  const { exportId, start, end } = interval;
  const key = { batch_export_id: exportId, data_interval_start: start, data_interval_end: end };
  const all = delivered ? [{ status: 'Completed' as const }, ...runs] : runs;
  let runId = '';
  for (const [number, { status, closedBy = 'run', error }] of all.entries()) {
    runId = randomUUID();
    await db('batch_export_runs').insert({
      ...key,
      id: runId,
      project_id: world.projectId,
      kind: 'scheduled',
      status,
      closed_by: isOpen(status) ? null : closedBy,
      latest_error: error,
      workflow_id: exportId,
      workflow_run_id: randomUUID(),
      created_at: new Date(Date.now() - 60_000 + number * 1000).toISOString(),
      finished_at: isOpen(status) ? null : new Date().toISOString(),
    } as never);
  }
  if (all.some(({ status }) => status === 'Completed')) {
    const receipt = JSON.stringify({ rows: 1, cutoff: new Date().toISOString() });
    await db('batch_export_intervals').insert({
      ...key,
      epoch: 1,
      state: 'delivered',
      run_id: runId,
      receipt,
    } as never);
  }
  if (requested) await db('batch_export_requests').insert({ ...key, id: randomUUID(), kind: 'backfill' } as never);
  for (const kind of troubles) await db('batch_export_troubles').insert({ ...key, kind } as never);
  if (foreign) await db('foreign_deliveries').insert({ ...key, run_id: '', epoch: 1, receipt: '{}' } as never);
  const middle = new Date((Date.parse(start) + Date.parse(end)) / 2).toISOString();
  if (isLate) await world.store([buildEvent({ timestamp: microseconds(middle) })]);
}
