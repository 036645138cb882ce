/** Every workflow; the bundle's entry. */
export { exportRequests } from './export-requests.ts';
export { exportRun } from './export-run.ts';
export { reconcile } from './reconcile.ts';
export { timelineWitness } from './timeline-witness.ts';
