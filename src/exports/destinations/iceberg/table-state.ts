/** The state of a table for one data interval: its files, the deletes of others, and the delivery that they belong to. */
import type { SessionContext } from '../contract.ts';
import type { Delivery } from '../delivery.ts';
import type { Catalog, TableMetadata } from './catalog.ts';
import { findDeletes } from './deletes.ts';
import { icebergFault } from './faults.ts';
import type { Lake } from './lake.ts';
import type { DataFile, ManifestFile } from './manifest-schemas.ts';
import { findManifests, readManifestList, type HeldManifest, type IntervalPartition } from './manifests.ts';
import { currentSnapshot, findInFiles, findInSnapshots, type PresentDelivery } from './present.ts';

export type TableSession = {
  catalog: Catalog;
  lake: Lake;
  delivery: Delivery;
  interval: IntervalPartition;
  context: SessionContext;
  /** For people. */
  location: string;
};

/** The interval's files in the table, and the delivery that they belong to. */
export type TableState = {
  metadata: TableMetadata;
  list: ManifestFile[];
  manifests: HeldManifest[];
  files: DataFile[];
  /** Other writers' delete files that readers apply to the interval's files. */
  deletes: DataFile[];
  present: PresentDelivery | undefined;
};

export async function readTable(session: TableSession, metadata: TableMetadata): Promise<TableState> {
  const { lake, interval, delivery, context, location } = session;
  if (metadata['format-version'] !== 2) throw icebergFault('format_unsupported');
  const list = await readManifestList(lake, currentSnapshot(metadata));
  const manifests = await findManifests(lake, metadata, list, interval);
  const files = manifests.flatMap(({ ours }) => ours);
  const deletes = await findDeletes(lake, metadata, { list, manifests }, interval);
  const present =
    findInSnapshots(metadata, delivery, location) ??
    (await findInFiles(lake, files, { ownership: context.ownership, delivery, location }));
  return { metadata, list, manifests, files, deletes, present };
}

const ownMetadata = ({ location }: TableMetadata) => `${location.replace(/\/$/, '')}/metadata/sluice-`;

/** Beginning of the addresses of the manifests that a run writes for its delivery. */
export const metadataPrefix = (metadata: TableMetadata, runId: string) => `${ownMetadata(metadata)}${runId}-`;

/** Beginning of the addresses of the manifests that an attempt of a run writes to compact its delivery. */
export const compactionPrefix = (metadata: TableMetadata, runId: string, attempt: string) =>
  `${ownMetadata(metadata)}compaction-${runId}-${attempt}-`;

export const isOwnMetadata = (metadata: TableMetadata, url: string) => url.startsWith(ownMetadata(metadata));
