/**
 * The manifest lists the files of a data interval, and shows that all of them exist. Readers use an interval once its manifest
 * exists and its `state` is `complete`; `replacing` means that the files are being replaced right now.
 */
import { compile, stringEnum, Type, type Static } from '../../../platform/schema.ts';
import type { DeliveredFile, Receipt } from '../contract.ts';
import type { StagedPart } from '../delivery.ts';
import type { Delivery } from '../delivery.ts';
import { totalsOf } from '../totals.ts';
import { folderOfDelivery } from './event-folders.ts';
import { objectStoreFault } from './faults.ts';
import { folderOfKey } from './keys.ts';
import type { ObjectHead, ObjectStore } from './store.ts';

/** Limit far above the largest interval's manifest, because a hostile store may send any amount. */
const MAX_MANIFEST_BYTES = 32 * 1024 * 1024;

const Manifest = Type.Object({
  version: Type.Literal(1),
  state: stringEnum(['complete', 'replacing']),
  batch_export: Type.String(),
  model: Type.String(),
  data_interval_start: Type.String(),
  data_interval_end: Type.String(),
  cutoff: Type.String({ description: 'The files contain rows stored before this instant.' }),
  epoch: Type.Integer({
    description: 'The epoch of the delivery, which increases with every delivery of the interval.',
  }),
  run_id: Type.Optional(Type.String({ description: 'The ID of the run that delivered the interval.' })),
  timeline: Type.Optional(
    Type.String({
      description:
        'The timeline of the database that delivered the interval; it changes when the database is restored.',
    }),
  ),
  rows: Type.Integer(),
  digest: Type.String({ description: 'The sum, modulo 2^64, of the low 60 bits of the UUID of each row.' }),
  bytes: Type.Integer(),
  files: Type.Array(
    Type.Object({
      key: Type.String(),
      rows: Type.Integer(),
      bytes: Type.Integer(),
      sha256: Type.String(),
      content_sha256: Type.String(),
      identity: Type.String(),
      checksum: Type.Union([Type.String(), Type.Null()]),
      event: Type.Optional(
        Type.Union([Type.String(), Type.Null()], {
          description:
            'The event of all rows of the file; null: events that have no files of their own. Absent if the prefix has no `{event}`.',
        }),
      ),
    }),
  ),
});

export type Manifest = Static<typeof Manifest>;

const isManifest = compile(Manifest);

/** @param files every file of the interval, including surplus files of earlier, longer deliveries, which are now empty */
export function manifestOf(
  state: Manifest['state'],
  delivery: Delivery,
  parts: readonly StagedPart[],
  files: readonly DeliveredFile[],
  timeline: string,
): Manifest {
  return {
    version: 1,
    state,
    batch_export: delivery.exportId,
    model: delivery.model,
    data_interval_start: delivery.start,
    data_interval_end: delivery.end,
    cutoff: delivery.cutoff,
    epoch: delivery.epoch,
    run_id: delivery.runId,
    timeline,
    ...totalsOf(parts),
    bytes: files.reduce((sum, file) => sum + file.bytes, 0),
    files: [...files],
  };
}

/** @throws DestinationRejected when the manifest would be too large to be read again */
export function encodeManifest(manifest: Manifest): Uint8Array {
  const bytes = Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`);
  if (bytes.length <= MAX_MANIFEST_BYTES) return bytes;
  throw objectStoreFault('manifest_too_large', {
    sentence: `The manifest of the ${manifest.files.length} files that the data interval has had would be too large. Choose another prefix or directory.`,
  });
}

/** A manifest and a tag that was read before it, so it is never newer: a write conditional on the tag cannot replace a newer manifest. */
export type TaggedManifest = { manifest: Manifest; tag: string | null };

/** @returns undefined when there is none. @throws DestinationRejected as `readManifest` does */
export async function readTaggedManifest(
  store: ObjectStore,
  key: string,
  delivery: Delivery,
): Promise<TaggedManifest | undefined> {
  const head = await store.head(key);
  const manifest = head && (await readManifest(store, key, delivery));
  return manifest && { manifest, tag: head.tag };
}

/**
 * Reads the interval's current manifest.
 * @returns undefined when there is none
 * @throws DestinationRejected when the object is not a manifest of this export: data of others is never overwritten
 */
export async function readManifest(store: ObjectStore, key: string, delivery: Delivery): Promise<Manifest | undefined> {
  const manifest = await readAnyManifest(store, key);
  if (manifest === undefined || isManifestOf(manifest, delivery)) return manifest;
  throw objectStoreFault('manifest_foreign', {
    sentence: `${store.locate(key)} is not of this batch export. Two exports may not write to the same place: choose another prefix.`,
  });
}

/** Like `readManifest`, but returns undefined when the object is not a manifest of this export. */
export async function readOwnManifest(
  store: ObjectStore,
  key: string,
  delivery: Delivery,
): Promise<Manifest | undefined> {
  const manifest = await readAnyManifest(store, key);
  return isManifestOf(manifest, delivery) ? manifest : undefined;
}

/** @returns undefined if there is no such object; null if it is not a manifest */
async function readAnyManifest(store: ObjectStore, key: string): Promise<Manifest | null | undefined> {
  const content = await store.get(key);
  return content && (parseManifest(await readText(content)) ?? null);
}

function isManifestOf(manifest: Manifest | null | undefined, { exportId }: Delivery): manifest is Manifest {
  return manifest?.batch_export === exportId;
}

function parseManifest(text: string | undefined): Manifest | undefined {
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isManifest(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

async function readText(content: AsyncIterable<Uint8Array>): Promise<string | undefined> {
  const blocks: Uint8Array[] = [];
  let bytes = 0;
  for await (const block of content) {
    bytes += block.length;
    if (bytes > MAX_MANIFEST_BYTES) return undefined;
    blocks.push(block);
  }
  return Buffer.concat(blocks).toString('utf8');
}

/** The folder of the interval's objects. @param key of the manifest */
export function locationOf(store: ObjectStore, key: string): string {
  return store.locate(folderOfDelivery(folderOfKey(key)));
}

/** The receipt of a manifest. @param cutoff this run's cutoff, which the manifest lacks if equal content was left in place */
export function receiptOf(store: ObjectStore, key: string, manifest: Manifest, cutoff = manifest.cutoff): Receipt {
  return {
    rows: manifest.rows,
    digest: manifest.digest,
    bytes: manifest.bytes,
    location: locationOf(store, key),
    epoch: manifest.epoch,
    cutoff,
    files: manifest.files,
    manifest: key,
    run_id: manifest.run_id ?? null,
    timeline: manifest.timeline ?? null,
    ...(manifest.state === 'replacing' && { interrupted: true }),
  };
}

/** Whether the visible object is the described file: made by the same upload, and unchanged since. */
export function isObject(visible: ObjectHead | undefined, file: DeliveredFile): boolean {
  if (visible?.identity !== file.identity || visible.bytes !== file.bytes) return false;
  return visible.checksum === null || file.checksum === null || visible.checksum === file.checksum;
}
