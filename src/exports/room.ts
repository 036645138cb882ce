/** Batch exports for the API. */
import type { FindProtected } from '../platform/http/access.ts';
import type { Room } from '../platform/http/room.ts';
import type { Route } from '../platform/http/route.ts';
import { accessControlRoutes, type AccessControlsApi } from '../people/access/access-controls.routes.ts';
import type { ExportsApi } from './api.ts';
import { backfills, type BackfillsOptions } from './backfills/backfills.ts';
import { backfillRoutes } from './backfills/backfills.routes.ts';
import { batchExports, type BatchExportsOptions } from './batch-exports/batch-exports.ts';
import { batchExportRoutes } from './batch-exports/batch-exports.routes.ts';
import { protectedExports } from './batch-exports/protected.ts';
import { bulkRoutes } from './bulk/bulk.routes.ts';
import { exportDiagnoses } from './diagnosis/diagnosis.ts';
import { diagnosisRoutes } from './diagnosis/diagnosis.routes.ts';
import { integrations } from './integrations/integrations.ts';
import { integrationRoutes } from './integrations/integrations.routes.ts';
import { exportTestSteps } from './integrations/test-steps.ts';
import { testStepRoutes } from './integrations/test-steps.routes.ts';
import { destinationRoutes } from './integrations/destinations.routes.ts';
import { exportIntervals } from './intervals/intervals.ts';
import { intervalMapRoutes } from './intervals/interval-map.routes.ts';
import { intervalRoutes } from './intervals/intervals.routes.ts';
import { createLive } from './live/live.ts';
import { liveRoutes } from './live/live.routes.ts';
import { exportOverviews } from './monitoring/overview.ts';
import { overviewRoutes } from './monitoring/overview.routes.ts';
import { pauseRoutes } from './pauses/pauses.routes.ts';
import { exportPreviews, type PreviewsOptions } from './previews/previews.ts';
import { previewRoutes } from './previews/previews.routes.ts';
import { attemptRoutes } from './runs/attempts.routes.ts';
import { logRoutes } from './runs/logs.routes.ts';
import { metricRoutes } from './runs/metrics.routes.ts';
import { exportRuns, type ExportRunsOptions } from './runs/runs.ts';
import { runRoutes } from './runs/runs.routes.ts';
import { foreignDeliveries } from './timeline/accept-delivery.ts';
import { foreignDeliveryRoutes } from './timeline/foreign-deliveries.routes.ts';
import { schedulePreviewRoutes } from './schedules/schedule-preview.routes.ts';
import type { ExportStores } from './stores.ts';

export const exportRoutes: readonly Route<ExportsApi & AccessControlsApi>[] = [
  ...testStepRoutes,
  ...overviewRoutes,
  ...bulkRoutes,
  ...destinationRoutes,
  ...schedulePreviewRoutes,
  ...batchExportRoutes,
  ...pauseRoutes,
  ...previewRoutes,
  ...runRoutes,
  ...attemptRoutes,
  ...diagnosisRoutes,
  ...backfillRoutes,
  ...intervalRoutes,
  ...intervalMapRoutes,
  ...foreignDeliveryRoutes,
  ...logRoutes,
  ...metricRoutes,
  ...integrationRoutes,
  ...liveRoutes,
  ...accessControlRoutes({ resource: 'batch_export', path: '/batch_exports/', activity: { scope: 'BatchExport' } }),
];

/** Look-ups of protected objects for access control. */
export function protectedExportObjects(stores: Pick<ExportStores, 'batchExports'>): Record<string, FindProtected> {
  return { batch_export: protectedExports(stores.batchExports) };
}

/** Dependencies of the operations that answer requests about exports. */
export type ExportsRoomOptions = BatchExportsOptions &
  BackfillsOptions &
  ExportRunsOptions &
  PreviewsOptions & {
    /** Database for the separate connection that LISTENs for changes. */
    databaseUrl: string;
  };

export type ExportsRoom = Room<ExportsApi> & {
  /** Ends all live streams. */
  drain(): void;
  close(): Promise<void>;
};

export function createExportsRoom(engine: ExportsRoomOptions): ExportsRoom {
  const live = createLive(engine);
  const runs = exportRuns(engine);
  return {
    collaborators: {
      batchExports: batchExports(engine),
      backfills: backfills(engine),
      foreignDeliveries: foreignDeliveries(engine),
      intervals: exportIntervals(engine),
      overviews: exportOverviews(engine),
      previews: exportPreviews(engine),
      runs,
      diagnoses: exportDiagnoses({ ...engine, runs }),
      exportLogs: engine.stores.logs,
      integrations: integrations(engine),
      testSteps: exportTestSteps(engine),
      live,
    },
    drain: live.drain,
    close: live.close,
  };
}
