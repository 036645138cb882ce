/** Merges small manifests, as Iceberg's own writers do when they commit: each delivery adds one, and each commit lists all of them. */
import { severalAtOnce } from '../../at-once.ts';
import type { TableMetadata } from '../catalog.ts';
import type { ManifestFile } from '../manifest-schemas.ts';
import { DELETED, existingEntry, readManifest, writeManifest, type Writing } from '../manifests.ts';
import { EXPORT_COLUMN, partitionFields } from '../table.ts';
import { isOwnMetadata } from '../table-state.ts';

/** A manifest with so many files is not small. */
const FILES = 1000;
/** Iceberg's own default. */
const USUAL_COUNT = 100;

/** @returns the number of small manifests of an export that are merged; fewer stay as they are */
export type MergeCount = (exportId: string) => number;

/** The count of every commit, as the owner of the table has set it for all engines and so for all exports. */
export function usualMergeCount({ properties = {} }: TableMetadata): MergeCount {
  const count = Math.max(2, Number(properties['commit.manifest.min-count-to-merge'] ?? USUAL_COUNT));
  return () => count;
}

/**
 * Merges small manifests where there are many: only Sluice's own, and of one export each, so that others are still skipped by readers.
 */
export async function mergeManifests(
  writing: Writing,
  manifests: readonly ManifestFile[],
  mergeCount: MergeCount,
): Promise<ManifestFile[]> {
  const merged: ManifestFile[] = [];
  for (const [isMany, members] of groups(writing.metadata, manifests, mergeCount))
    merged.push(...(isMany ? await merge(writing, members) : members));
  return merged;
}

/** Whether `mergeManifests` would merge any. */
export function hasManyManifests(
  metadata: TableMetadata,
  manifests: readonly ManifestFile[],
  mergeCount: MergeCount,
): boolean {
  return [...groups(metadata, manifests, mergeCount)].some(([isMany]) => isMany);
}

function* groups(
  metadata: TableMetadata,
  manifests: readonly ManifestFile[],
  mergeCount: MergeCount,
): Generator<[isMany: boolean, members: ManifestFile[]]> {
  const isOff = metadata.properties?.['commit.manifest-merge.enabled'] === 'false';
  const exportOf = new Map(manifests.map((manifest) => [manifest, exportIn(metadata, manifest)]));
  const groupOf = (manifest: ManifestFile) => `${manifest.partition_spec_id}/${exportOf.get(manifest) ?? ''}`;
  for (const members of Map.groupBy(manifests, groupOf).values()) {
    const exportId = exportOf.get(members[0]!);
    yield [!isOff && exportId !== undefined && members.length >= mergeCount(exportId), members];
  }
}

/** @returns the export of all files in the manifest; nothing for a manifest that is not to be merged */
function exportIn(metadata: TableMetadata, manifest: ManifestFile): string | undefined {
  const { manifest_path, content, partition_spec_id: spec, partitions } = manifest;
  if (content !== 0 || !isOwnMetadata(metadata, manifest_path)) return undefined;
  if (manifest.added_files_count + manifest.existing_files_count >= FILES) return undefined;
  const place = partitionFields(metadata, spec).findIndex(({ name }) => name === EXPORT_COLUMN.name);
  const { lower_bound: lower, upper_bound: upper } = partitions?.[place] ?? {};
  return lower && upper?.equals(lower) ? lower.toString() : undefined;
}

async function merge(writing: Writing, members: readonly ManifestFile[]): Promise<ManifestFile[]> {
  const read = await severalAtOnce(members, async (manifest) => {
    const entries = await readManifest(writing.lake, manifest);
    return entries.flatMap((entry) => (entry.status === DELETED ? [] : [existingEntry(entry, manifest)]));
  });
  const entries = read.flat();
  const merged: ManifestFile[] = [];
  for (let from = 0; from < entries.length; from += FILES)
    merged.push(await writeManifest(writing, members[0]!.partition_spec_id, entries.slice(from, from + FILES)));
  return merged;
}
