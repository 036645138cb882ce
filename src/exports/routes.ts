/** Every route of this room. */
import type { Route } from '../platform/http/route.ts';
import { accessControlRoutes, type AccessControlsApi } from '../people/access/access-controls.routes.ts';
import type { ExportsApi } from './api.ts';
import { backfillRoutes } from './backfills/backfills.routes.ts';
import { batchExportRoutes } from './batch-exports/batch-exports.routes.ts';
import { foreignDeliveryRoutes } from './timeline/foreign-deliveries.routes.ts';
import { integrationRoutes } from './integrations/integrations.routes.ts';
import { intervalRoutes } from './intervals/intervals.routes.ts';
import { logRoutes } from './runs/logs.routes.ts';
import { metricRoutes } from './runs/metrics.routes.ts';
import { previewRoutes } from './previews/previews.routes.ts';
import { runRoutes } from './runs/runs.routes.ts';
import { testStepRoutes } from './integrations/test-steps.routes.ts';

export const exportRoutes: Route<ExportsApi & AccessControlsApi>[] = [
  ...testStepRoutes,
  ...batchExportRoutes,
  ...previewRoutes,
  ...runRoutes,
  ...backfillRoutes,
  ...intervalRoutes,
  ...foreignDeliveryRoutes,
  ...logRoutes,
  ...metricRoutes,
  ...integrationRoutes,
  ...accessControlRoutes({ resource: 'batch_export', path: '/batch_exports/', activity: { scope: 'BatchExport' } }),
];
