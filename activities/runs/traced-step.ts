/** Makes a step of a run a span, if traces are on. */
import { faultOf } from '../../src/exports/faults/fault-of.ts';
import type { Run } from '../../src/exports/runs/runs.store.ts';
import type { AttemptStep } from '../../src/exports/runs/attempts.store.ts';
import type { Attempt } from '../activity.ts';
import type { Engine } from '../engine.ts';

export function traceStep<T>(
  { traces }: Pick<Engine, 'traces'>,
  run: Run,
  { number }: Pick<Attempt, 'number'>,
  step: AttemptStep | 'receipt',
  work: () => Promise<T>,
): Promise<T> {
  if (!traces) return work();
  const attributes = {
    'sluice.project_id': run.projectId,
    'sluice.export_id': run.batchExportId,
    'sluice.run_id': run.id,
    'sluice.interval_end': run.end,
    'sluice.destination_type': run.plan?.destination?.type,
    'sluice.attempt': number,
    'temporal.workflow_id': run.workflowId,
    'temporal.run_id': run.workflowRunId,
  };
  return traces.traceStep<T>(step, { attributes, describe, codeOf: (error) => faultOf(error).code }, work);
}

/** A plan, a staging and a receipt all count rows; a receipt also counts bytes. */
function describe(result: unknown) {
  const { rows, bytes } = Object(result) as { rows?: number; bytes?: number };
  return { 'sluice.rows': rows, 'sluice.bytes': bytes };
}
