/** Names derived from the work: repeating a start is harmless, because it is the same name. */
import { isoSeconds } from './instants.ts';
import type { Millis } from './millis.ts';

/** A run's workflow: `<export id>-<end of the data interval>`, exactly what Temporal makes of a schedule's action. */
export function runWorkflowId(exportId: string, end: Millis): string {
  return `${exportId}-${isoSeconds(end)}`;
}

/** The one workflow per export that asks for everything that the schedule did not start by itself. */
export function dispatcherWorkflowId(exportId: string): string {
  return `${exportId}-requests`;
}
