/** Names, in a run's fault, the field of the export that its owner can correct. */
import type { Fault } from '../../src/platform/errors.ts';
import { faultAtField } from '../../src/exports/faults/fault-of.ts';
import type { Run } from '../../src/exports/runs/runs.store.ts';
import type { ExportStores } from '../../src/exports/stores.ts';

export async function addFaultField(
  { batchExports }: Pick<ExportStores, 'batchExports'>,
  { batchExportId }: Run,
  fault: Fault,
): Promise<Fault> {
  return faultAtField(fault, await batchExports.getIncludingDeleted(batchExportId));
}
