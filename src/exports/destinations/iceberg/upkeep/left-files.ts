/** Finds and deletes the files that only expired snapshots reference. */
import type { SessionContext } from '../../contract.ts';
import type { DeletedFiles } from '../../superseded.ts';
import type { LongInteger, Snapshot, TableMetadata } from '../catalog.ts';
import { faultCodeOf } from '../faults.ts';
import type { Lake } from '../lake.ts';
import type { ManifestFile } from '../manifest-schemas.ts';
import { DELETED, readManifest, readManifestList } from '../manifests.ts';
import { ancestors, boundsOfFile } from '../present.ts';
import { isOwnMetadata } from '../table-state.ts';

/** `next`: the snapshot that replaced it on the main branch. */
export type ExpiringSnapshot = { snapshot: Snapshot; next: Snapshot };

const sequenceOf = (snapshot: Snapshot) => BigInt(snapshot['sequence-number'] ?? 0);
const idOf = (id: LongInteger) => BigInt(id);

/**
 * A file is left if it went out of the main branch with the snapshot after an expiring one, and no snapshot that stays can name it. Files
 * that others wrote are left to them.
 * @returns URLs; incomplete if another program has deleted metadata that names some
 */
export async function findLeftFiles(
  lake: Lake,
  metadata: TableMetadata,
  expiring: readonly ExpiringSnapshot[],
): Promise<{ files: string[]; isIncomplete: boolean }> {
  const gone = new Set(expiring.map(({ snapshot }) => snapshot));
  const line = new Set(ancestors(metadata));
  const kept = (metadata.snapshots ?? []).filter((snapshot) => !gone.has(snapshot));
  /**
   * @param from sequence number of the snapshot that added the file
   * @param until that of the snapshot that removed it
   */
  const isKept = (from: bigint, until: bigint) =>
    kept.some((one) => sequenceOf(one) >= from && (sequenceOf(one) < until || !line.has(one)));
  // A file may have come to the main branch once more, from a snapshot beside it that is older than its entry there.
  const isBesideMain = kept.some((one) => !line.has(one));

  let isIncomplete = false;
  const ifThere = async <T>(reading: Promise<T>): Promise<T | undefined> =>
    reading.catch((error: unknown) => {
      if (faultCodeOf(error) !== 'metadata_missing') throw error;
      isIncomplete = true;
      return undefined;
    });
  const lists = new Map<Snapshot, Promise<ManifestFile[] | undefined>>();
  const listOf = (snapshot: Snapshot) => {
    const list = lists.get(snapshot) ?? ifThere(readManifestList(lake, snapshot));
    lists.set(snapshot, list);
    return list;
  };
  const left: string[] = [];
  for (const { snapshot, next } of expiring) {
    const [before, after] = [await listOf(snapshot), await listOf(next)];
    lists.delete(snapshot);
    const until = sequenceOf(next);
    left.push(snapshot['manifest-list']);
    // Without the list of the next snapshot, any manifest may be one that it still has.
    if (!after) continue;
    const stays = new Set(after.map(({ manifest_path }) => manifest_path));
    // tooth: iceberg-left-manifests
    const manifests = (before ?? []).filter(
      (one) => !stays.has(one.manifest_path) && !isKept(one.sequence_number, until),
    );
    left.push(...manifests.map(({ manifest_path }) => manifest_path));
    for (const manifest of after) {
      if (manifest.content !== 0 || manifest.deleted_files_count === 0) continue;
      if (manifest.added_snapshot_id !== idOf(next['snapshot-id'])) continue;
      const entries = (await ifThere(readManifest(lake, manifest))) ?? [];
      const removed = entries.filter(
        ({ status, sequence_number: from }) =>
          status === DELETED && from !== null && !isBesideMain && !isKept(from, until),
      );
      left.push(...removed.map(({ data_file }) => data_file.file_path));
    }
  }
  const folder = `${metadata.location.replace(/\/$/, '')}/`;
  // A manifest that others wrote could name any file of the bucket.
  const files = left.filter((url) => url.startsWith(folder) && (isOwnMetadata(metadata, url) || boundsOfFile(url)));
  return { files, isIncomplete };
}

/**
 * Deletes files whose grace period is over. Stops at the first file whose deletion the store denies. Manifest lists are deleted last: they
 * tell whether the run's expired snapshots are back.
 * @param metadata read before the URLs were asked for
 * @param recorded all files that the run recorded and that are not deleted yet, due or not
 */
export async function deleteLeftFiles(
  lake: Lake,
  metadata: TableMetadata,
  urls: readonly string[],
  recorded: readonly string[],
  { signal }: Pick<SessionContext, 'signal'>,
): Promise<DeletedFiles> {
  const lists = new Set(metadata.snapshots?.map((snapshot) => snapshot['manifest-list']));
  // A table that was registered again from old metadata has its expired snapshots back.
  // tooth: iceberg-snapshots-back
  if ([...urls, ...recorded].some((url) => lists.has(url))) return { goneKeys: [...urls], isDenied: false };
  const due = new Set(urls);
  const othersStay = recorded.some((url) => !isManifestList(url) && !due.has(url));
  const lastLists = othersStay ? [] : urls.filter(isManifestList);
  const goneKeys: string[] = [];
  for (const url of [...urls.filter((one) => !isManifestList(one)), ...lastLists]) {
    if (signal.aborted && goneKeys.length > 0) break;
    signal.throwIfAborted();
    if (url.startsWith(lake.urlOf('')) && (await lake.store.remove(lake.keyOf(url))) === 'denied')
      return { goneKeys, isDenied: true };
    goneKeys.push(url);
  }
  return { goneKeys, isDenied: false };
}

const isManifestList = (url: string) => url.endsWith('-list.avro');
