/** A run that has ended, for Prometheus: once it is committed, so that nothing is counted that did not happen. */
import { millisOf } from '../src/exports/domain/instants.ts';
import type { Run } from '../src/exports/runs.store.ts';
import type { Engine } from './engine.ts';

/** @returns the run as it ended */
export async function countRun({ stores, metrics }: Pick<Engine, 'stores' | 'metrics'>, runId: string): Promise<Run> {
  const run = await stores.runs.byId(runId);
  const { destinationType, interval } = await stores.batchExports.evenDeleted(run.batchExportId);
  metrics.runEnded({
    status: run.status,
    destination: destinationType,
    interval,
    rows: run.recordsCompleted ?? 0,
    bytes: run.bytesExported ?? 0,
    seconds: (millisOf(run.finishedAt ?? run.lastUpdatedAt) - millisOf(run.createdAt)) / 1000,
  });
  return run;
}
