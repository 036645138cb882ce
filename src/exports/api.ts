/** Dependencies and shared parameters of the routes of batch exports. */
import { locationHeader } from '../platform/http/parameters/preconditions.ts';
import { Type } from '../platform/schema.ts';
import type { Backfills } from './backfills/backfills.ts';
import type { BatchExports } from './batch-exports/batch-exports.ts';
import type { ExportDiagnoses } from './diagnosis/diagnosis.ts';
import type { ForeignDeliveries } from './timeline/accept-delivery.ts';
import type { ExportIntervals } from './intervals/intervals.ts';
import type { Overviews } from './monitoring/overview.ts';
import type { Integrations } from './integrations/integrations.ts';
import type { Live } from './live/live.ts';
import type { LogStore } from './runs/logs.store.ts';
import type { ExportPreviews } from './previews/previews.ts';
import type { ExportRuns } from './runs/runs.ts';
import type { ExportTestSteps } from './integrations/test-steps.ts';

export type ExportsApi = {
  batchExports: BatchExports;
  backfills: Backfills;
  foreignDeliveries: ForeignDeliveries;
  intervals: ExportIntervals;
  overviews: Overviews;
  previews: ExportPreviews;
  runs: ExportRuns;
  diagnoses: ExportDiagnoses;
  exportLogs: LogStore;
  integrations: Integrations;
  testSteps: ExportTestSteps;
  live: Pick<Live, 'open'>;
};

const Id = Type.String({ format: 'uuid' });

/** Path of a batch export itself. */
export const BatchExportParams = Type.Object({ id: Id });
/** Path of a list that belongs to a batch export. */
export const BatchExportListParams = Type.Object({ batch_export_id: Id });
/** The batch export in `BatchExportParams`, for access control. */
export const EXPORT_BY_ID = { resource: 'batch_export', param: 'id' } as const;
/** Path of one item of such a list. */
export const BatchExportItemParams = Type.Object({ batch_export_id: Id, id: Id });
/** The batch export in `BatchExportListParams` and `BatchExportItemParams`, for access control. */
export const PARENT_EXPORT = { resource: 'batch_export', param: 'batch_export_id' } as const;

/** The `Location` of a backfill, under the same prefix as the URL of the request. */
export function backfillLocation(url: URL, exportId: string, backfillId: string): { Location: string } {
  const [before = ''] = url.pathname.split('/batch_exports/', 1);
  return locationHeader(new URL(`${before}/batch_exports/${exportId}/backfills/`, url), backfillId);
}
