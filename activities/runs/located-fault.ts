/** Points a run's fault to the field that the owner of its export can correct. */
import type { Fault } from '../../src/platform/errors.ts';
import { locatedFault } from '../../src/exports/faults/fault-of.ts';
import type { Run } from '../../src/exports/runs/runs.store.ts';
import type { ExportStores } from '../../src/exports/stores.ts';

export async function locateFault(
  { batchExports }: Pick<ExportStores, 'batchExports'>,
  { batchExportId }: Run,
  fault: Fault,
): Promise<Fault> {
  return locatedFault(fault, await batchExports.getIncludingDeleted(batchExportId));
}
