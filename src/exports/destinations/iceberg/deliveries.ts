/** Lists the deliveries of an export: by the snapshots that the table still knows and, for those that expired, by the names of data files. */
import type { IntervalBounds } from '../contract.ts';
import type { TableMetadata } from './catalog.ts';
import type { Lake } from './lake.ts';
import { findManifests, readManifestList } from './manifests.ts';
import { ancestors, boundsOfFile, currentSnapshot, summaryValue } from './present.ts';

const FOREVER = { start: -(2n ** 63n), end: 2n ** 63n - 1n };

/**
 * Leaves out intervals whose snapshots have expired and whose files another program has rewritten, because such files name no interval.
 * @param openLake called only if snapshots have expired
 */
export async function* listDeliveriesIn(
  metadata: TableMetadata,
  exportId: string,
  openLake: () => Promise<Lake>,
): AsyncGenerator<IntervalBounds> {
  const seen = new Set<string>();
  const isNew = ({ start, end }: IntervalBounds) => seen.size < seen.add(`${start}/${end}`).size;
  let first;
  for (const snapshot of ancestors(metadata)) {
    first = snapshot;
    const start = summaryValue(snapshot, 'interval-start');
    const end = summaryValue(snapshot, 'interval-end');
    if (summaryValue(snapshot, 'export') === exportId && start && end && isNew({ start, end })) yield { start, end };
  }
  // No snapshot has expired, so the snapshots have named every interval.
  if ((first?.['parent-snapshot-id'] ?? null) === null) return;

  const lake = await openLake();
  try {
    const list = await readManifestList(lake, currentSnapshot(metadata));
    for (const { ours } of await findManifests(lake, metadata, list, { exportId, ...FOREVER })) {
      for (const { file_path } of ours) {
        const bounds = boundsOfFile(file_path);
        if (bounds && isNew(bounds)) yield bounds;
      }
    }
  } finally {
    lake.store.close();
  }
}
