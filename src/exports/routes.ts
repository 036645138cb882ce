/** Every route of this room. */
import type { Route } from '../http/route.ts';
import { accessControlRoutes, type AccessControlsApi } from '../identity/access-controls.routes.ts';
import type { ExportsApi } from './api.ts';
import { backfillRoutes } from './backfills.routes.ts';
import { batchExportRoutes } from './batch-exports.routes.ts';
import { foreignDeliveryRoutes } from './foreign-deliveries.routes.ts';
import { integrationRoutes } from './integrations.routes.ts';
import { intervalRoutes } from './intervals.routes.ts';
import { logRoutes } from './logs.routes.ts';
import { metricRoutes } from './metrics.routes.ts';
import { previewRoutes } from './previews.routes.ts';
import { runRoutes } from './runs.routes.ts';
import { testStepRoutes } from './test-steps.routes.ts';

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
