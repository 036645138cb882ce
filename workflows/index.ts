/** Entry of the bundle: all workflows. */
export { exportRequests } from './export-requests.ts';
export { exportRun } from './export-run.ts';
export { reconcile } from './reconcile.ts';
export { timelineWitness } from './timeline-witness.ts';
