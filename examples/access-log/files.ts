/** Exported files: where they are, and what is in them. */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { gunzip, zstdDecompress } from 'node:zlib';
import { GetObjectCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import type { Content, Delivered } from './content.ts';

/** Files by key; the keys are those of the manifests. */
export type FileStore = { list(): Promise<string[]>; read(key: string): Promise<Buffer> };

export type S3Place = {
  endpoint: string;
  bucket: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
};

/** Below `root`, everything in `folder`. */
export function localFiles(root: string, folder: string): FileStore {
  return {
    async list() {
      const found = await readdir(path.join(root, folder), { recursive: true, withFileTypes: true });
      const files = found.filter((entry) => entry.isFile());
      return files.map((entry) => path.relative(root, path.join(entry.parentPath, entry.name))).sort();
    },
    read: (key) => readFile(path.join(root, key)),
  };
}

/** Everything under `prefix` in the bucket. */
export function s3Files(place: S3Place, prefix: string): FileStore {
  const client = new S3Client({
    endpoint: place.endpoint,
    region: place.region,
    forcePathStyle: true,
    credentials: { accessKeyId: place.accessKeyId, secretAccessKey: place.secretAccessKey },
  });
  return {
    async list() {
      const keys: string[] = [];
      let token: string | undefined;
      do {
        const page = await client.send(
          new ListObjectsV2Command({ Bucket: place.bucket, Prefix: `${prefix}/`, ContinuationToken: token }),
        );
        keys.push(...(page.Contents ?? []).map((object) => object.Key ?? ''));
        token = page.NextContinuationToken;
      } while (token !== undefined);
      return keys.sort();
    },
    async read(key) {
      const { Body } = await client.send(new GetObjectCommand({ Bucket: place.bucket, Key: key }));
      return Buffer.from((await Body?.transformToByteArray()) ?? []);
    },
  };
}

type Manifest = {
  state: string;
  batch_export: string;
  data_interval_start: string;
  data_interval_end: string;
  epoch: number;
  rows: number;
  digest: string;
  files: { key: string; rows: number; bytes: number; sha256: string }[];
};

type Row = { uuid: string; timestamp: string };

/**
 * Reads every byte of every file. What the manifests say is checked against what the files hold, and no file may be there
 * that no manifest names.
 */
export async function readFiles(store: FileStore, exportId: string): Promise<Content> {
  const keys = new Set(await store.list());
  const differences: string[] = [];
  const delivered: Delivered[] = [];
  const fingerprint = createHash('sha256');

  for (const key of [...keys].filter((key) => key.endsWith('_manifest.json'))) {
    const bytes = await store.read(key);
    fingerprint.update(`${key} ${sha256(bytes)}\n`);
    keys.delete(key);
    const manifest = JSON.parse(bytes.toString()) as Manifest;
    const rows: Row[] = [];
    if (manifest.state !== 'complete') differences.push(`${key} is ${manifest.state}, not complete`);
    if (manifest.batch_export !== exportId) differences.push(`${key} is of another export`);
    for (const file of manifest.files) {
      const content = await store.read(file.key);
      fingerprint.update(`${file.key} ${sha256(content)}\n`);
      keys.delete(file.key);
      const held = await rowsOf(file.key, content);
      if (sha256(content) !== file.sha256) differences.push(`${file.key} is not the file that its manifest describes`);
      if (held.length !== file.rows)
        differences.push(`${file.key} holds ${held.length} rows, its manifest says ${file.rows}`);
      rows.push(...held);
    }
    delivered.push({
      start: manifest.data_interval_start,
      end: manifest.data_interval_end,
      epoch: manifest.epoch,
      claimed: { rows: manifest.rows, digest: manifest.digest },
      rows,
    });
  }
  for (const stray of keys) differences.push(`${stray} is in no manifest`);
  return { delivered, differences, fingerprint: fingerprint.digest('hex') };
}

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

async function rowsOf(key: string, content: Buffer): Promise<Row[]> {
  const text = await unpack(key, content);
  return text
    .toString()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Row);
}

async function unpack(key: string, content: Buffer): Promise<Buffer> {
  if (key.endsWith('.gz')) return promisify(gunzip)(content);
  if (key.endsWith('.zst')) return promisify(zstdDecompress)(content);
  return content;
}
