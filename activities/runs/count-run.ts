/** Counts an ended run, for Prometheus and the log. Call it after the transaction that ends the run, so no rolled-back end is counted. */
import { millisOf } from '../../src/exports/domain/instants.ts';
import type { Run } from '../../src/exports/runs/runs.store.ts';
import type { Engine } from '../engine.ts';

type Counting = Pick<Engine, 'stores' | 'metrics' | 'traces' | 'log'>;

/** @returns the run as it ended */
export async function countRun({ stores, metrics, traces, log }: Counting, runId: string): Promise<Run> {
  const run = await stores.runs.getById(runId);
  const { destinationType, interval } = await stores.batchExports.getIncludingDeleted(run.batchExportId);
  const endedRun = {
    status: run.status,
    destination: destinationType,
    interval,
    rows: run.recordsCompleted ?? 0,
    bytes: run.bytesExported ?? 0,
    seconds: (millisOf(run.finishedAt ?? run.lastUpdatedAt) - millisOf(run.createdAt)) / 1000,
  };
  metrics.runEnded(endedRun);
  const { id, batchExportId, projectId, workflowRunId, end } = run;
  log.info(
    {
      run_id: id,
      batch_export_id: batchExportId,
      project_id: projectId,
      workflow_run_id: workflowRunId,
      interval_end: end,
      ...endedRun,
      ...(traces && { trace_id: traces.currentId() }),
    },
    'run ended',
  );
  return run;
}
