/** Manifests and files as any reader finds them: no code is shared with what wrote them. */
import { GetObjectCommand, ListObjectsV2Command, NoSuchKey } from '@aws-sdk/client-s3';
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import zlib from 'node:zlib';
import type { FileType, Place } from './fleet.ts';
import type { Installation } from './installation.ts';
import { BUCKET, isManifest, type Store } from './store.ts';

export type Manifest = {
  state: 'complete' | 'replacing';
  batch_export: string;
  data_interval_start: string;
  data_interval_end: string;
  epoch: number;
  run_id: string;
  rows: number;
  files: { key: string; rows: number; bytes: number; sha256: string }[];
};

export type Stores = Record<FileType, Store>;

/** A store that this run of chaos has no server for. */
const ABSENT: Store = { manifests: async () => [], get: async () => undefined };

export function stores({ disk, objects, gcs, azure, projectId }: Installation): Stores {
  return {
    GCS: gcs?.store ?? ABSENT,
    AzureBlob: azure?.store ?? ABSENT,
    LocalFile: {
      async manifests({ label }) {
        const folder = path.join(String(projectId), label);
        const names = await readdir(path.join(disk.folder, folder)).catch(() => []);
        return names.filter(isManifest).map((name) => `${folder}/${name}`);
      },
      get: (key) => readFile(path.join(disk.folder, key)).catch(() => undefined),
    },
    S3Compatible: {
      async manifests({ label }) {
        const keys: string[] = [];
        let after: string | undefined;
        do {
          const page = await objects.client.send(
            new ListObjectsV2Command({ Bucket: BUCKET, Prefix: `${label}/`, ContinuationToken: after }),
          );
          keys.push(...(page.Contents ?? []).map(({ Key }) => Key!).filter(isManifest));
          after = page.NextContinuationToken;
        } while (after !== undefined);
        return keys;
      },
      async get(key) {
        try {
          const { Body } = await objects.client.send(new GetObjectCommand({ Bucket: BUCKET, Key: key }));
          return Buffer.from(await Body!.transformToByteArray());
        } catch (error) {
          if (error instanceof NoSuchKey) return undefined;
          throw error;
        }
      },
    },
  };
}

/** A row of events, or one of persons. */
export type Row =
  | { uuid: string; event: string; distinct_id: string }
  | { uuid?: undefined; event?: undefined; distinct_id: string; person_version: number };

/** @returns what no other row of its model has */
export const idOf = (row: Row) => row.uuid ?? `${row.distinct_id} in version ${row.person_version}`;

/** `manifest`: undefined when it does not parse, which is a problem. */
export type ReadInterval = { manifest: Manifest | undefined; rows: Row[]; problems: string[] };

/**
 * Reads an interval as the documentation has it: the manifest, then the files that it names.
 * @returns undefined while there is no complete manifest
 */
export async function readInterval(store: Store, key: string): Promise<ReadInterval | undefined> {
  const text = await store.get(key);
  if (!text) return undefined;
  const manifest = parseManifest(text);
  // Written as a whole in every layout: half of one is what a reader must never find.
  if (!manifest) return { manifest: undefined, rows: [], problems: [`${key} is no JSON`] };
  if (manifest.state !== 'complete') return undefined;
  const read: ReadInterval & { manifest: Manifest } = { manifest, rows: [], problems: [] };
  for (const file of manifest.files) {
    const content = await store.get(file.key);
    if (!content) read.problems.push(`${file.key}, which ${key} names, is not there`);
    else if (createHash('sha256').update(content).digest('hex') !== file.sha256)
      read.problems.push(`${file.key} is not what ${key} says`);
    else read.rows.push(...linesOf(file.key, content));
  }
  if (read.problems.length === 0 && read.rows.length !== manifest.rows)
    read.problems.push(`${key} says ${manifest.rows} rows, its files hold ${read.rows.length}`);
  return read;
}

function parseManifest(text: Buffer): Manifest | undefined {
  try {
    return JSON.parse(text.toString()) as Manifest;
  } catch {
    return undefined;
  }
}

function linesOf(key: string, content: Buffer): Row[] {
  return decompress(key, content)
    .toString()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Row);
}

function decompress(key: string, content: Buffer): Buffer {
  if (key.endsWith('.gz')) return zlib.gunzipSync(content);
  if (key.endsWith('.zst')) return zlib.zstdDecompressSync(content);
  return content;
}

/**
 * Data intervals at a place that hold the delivery of another export, which nothing may replace: an export that moved or was deleted
 * leaves its files behind. By their ends, in milliseconds.
 */
export async function occupiedBy(
  others: (exportId: string) => boolean,
  store: Store,
  place: Place,
): Promise<Set<number>> {
  const ends = new Set<number>();
  for (const key of await store.manifests(place)) {
    const manifest = JSON.parse((await store.get(key))!.toString()) as Manifest;
    if (others(manifest.batch_export)) ends.add(Date.parse(manifest.data_interval_end));
  }
  return ends;
}
