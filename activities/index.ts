/** All activities that workflows call, over one engine. */
import { activity } from './activity.ts';
import type { Engine } from './engine.ts';
import { deliverNotifications } from './rounds/deliver-notifications.ts';
import { dispatchRequests } from './rounds/dispatch-requests.ts';
import { exportPart, exportParts } from './runs/export-part.ts';
import { finishRun } from './runs/finish-run.ts';
import { prepareRun } from './runs/prepare-run.ts';
import { reconcileAll } from './rounds/reconcile.ts';

export function createActivities(engine: Engine) {
  // tooth: activity-names
  return {
    prepareRun: activity(engine, prepareRun),
    exportPart: activity(engine, exportPart),
    exportParts: activity(engine, exportParts),
    finishRun: activity(engine, finishRun),
    dispatchRequests: activity(engine, dispatchRequests),
    reconcileAll: activity(engine, reconcileAll),
    deliverNotifications: activity(engine, deliverNotifications),
  };
}

export type Activities = ReturnType<typeof createActivities>;
