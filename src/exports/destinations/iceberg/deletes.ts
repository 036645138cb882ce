/** Deletes that other writers made beside the interval's files: readers apply them, so the files alone do not say which rows are seen. */
import { severalAtOnce } from '../at-once.ts';
import type { TableMetadata } from './catalog.ts';
import type { Lake } from './lake.ts';
import type { DataFile, ManifestEntry, ManifestFile } from './manifest-schemas.ts';
import {
  DELETED,
  isOfInterval,
  mayHold,
  readManifest,
  type HeldManifest,
  type IntervalPartition,
} from './manifests.ts';

/** The `content` of manifests that list delete files. */
const DELETE_MANIFEST = 1;

const sequenceOf = (entry: ManifestEntry, manifest: ManifestFile) => entry.sequence_number ?? manifest.sequence_number;

/** Finds the delete files in the interval's partitions that may affect its data files: a delete file older than all of them cannot. */
export async function findDeletes(
  lake: Lake,
  metadata: TableMetadata,
  { list, manifests }: { list: readonly ManifestFile[]; manifests: readonly HeldManifest[] },
  interval: IntervalPartition,
): Promise<DataFile[]> {
  const sequences = manifests.flatMap(({ manifest, live }) =>
    live.filter(({ data_file }) => isOfInterval(data_file, interval)).map((entry) => sequenceOf(entry, manifest)),
  );
  if (sequences.length === 0) return [];
  const oldest = sequences.reduce((least, one) => (one < least ? one : least));
  const candidates = list.filter(
    (manifest) => manifest.content === DELETE_MANIFEST && mayHold(metadata, manifest, interval),
  );
  const found = await severalAtOnce(candidates, async (manifest) => {
    const entries = await readManifest(lake, manifest);
    return entries.flatMap((entry) => {
      const isEffective = entry.status !== DELETED && sequenceOf(entry, manifest) >= oldest;
      return isEffective && isOfInterval(entry.data_file, interval) ? [entry.data_file] : [];
    });
  });
  return found.flat();
}
