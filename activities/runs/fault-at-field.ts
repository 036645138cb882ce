/** Points a run's fault to the field that the owner of its export can correct. */
import type { Fault } from '../../src/platform/errors.ts';
import { faultAtField } from '../../src/exports/faults/fault-of.ts';
import type { Run } from '../../src/exports/runs/runs.store.ts';
import type { ExportStores } from '../../src/exports/stores.ts';

export async function runFaultAtField(
  { batchExports }: Pick<ExportStores, 'batchExports'>,
  { batchExportId }: Run,
  fault: Fault,
): Promise<Fault> {
  return faultAtField(fault, await batchExports.getIncludingDeleted(batchExportId));
}
