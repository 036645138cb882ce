/** Workflow ids derived from the work, so repeating a start is harmless. */
import { isoSeconds } from './instants.ts';
import type { Millis } from './millis.ts';

/** A run's workflow: `<export id>-<end of the data interval>`, exactly as Temporal names a schedule's action. */
export function runWorkflowId(exportId: string, end: Millis): string {
  return `${exportId}-${isoSeconds(end)}`;
}

/** The one workflow per export that requests all runs that the schedule does not start. */
export function dispatcherWorkflowId(exportId: string): string {
  return `${exportId}-requests`;
}
