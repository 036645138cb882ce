/** The deliveries that a reader finds who follows the README: the files of each complete manifest, and their rows. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

/** By `<directory> <start> <end>`: sorted uuids. */
export type Delivered = Map<string, readonly string[]>;

/** A delivery's export and run, and the SHA-256 of its manifest and files. */
export type Delivery = { exportId: string; runId: string; sha256: string };

export type Found = {
  delivered: Delivered;
  /** All deliveries, complete or not, by the same key. */
  deliveries: Map<string, Delivery>;
  /** Keys of files that no manifest names. */
  strays: string[];
  /** Manifests that say `replacing`, by the same key. */
  halfWay: Set<string>;
};

type Manifest = {
  state: string;
  batch_export: string;
  run_id: string;
  data_interval_start: string;
  data_interval_end: string;
  rows: number;
  files: { key: string; rows: number }[];
};

export function placeKey(directory: string, start: string, end: string): string {
  return `${directory} ${start} ${end}`;
}

export async function readDelivered(root: string, projectId: number): Promise<Found> {
  const folder = path.join(root, String(projectId));
  const files = await filesBelow(folder);
  const named = new Set<string>();
  const delivered: Delivered = new Map();
  const deliveries = new Map<string, Delivery>();
  const halfWay = new Set<string>();
  for (const file of files.filter((one) => one.endsWith('_manifest.json'))) {
    const manifest = JSON.parse(await readFile(file, 'utf8')) as Manifest;
    const directory = path.relative(folder, path.dirname(file));
    const key = placeKey(directory, manifest.data_interval_start, manifest.data_interval_end);
    for (const one of manifest.files) named.add(path.join(root, one.key));
    const sha256 = await hashOf([file, ...manifest.files.map(({ key: name }) => path.join(root, name))]);
    deliveries.set(key, { exportId: manifest.batch_export, runId: manifest.run_id, sha256 });
    if (manifest.state === 'complete') delivered.set(key, await rowsOf(root, manifest));
    else halfWay.add(key);
  }
  const strays = files.filter((file) => !file.endsWith('_manifest.json') && !named.has(file));
  return { delivered, deliveries, strays: strays.map((file) => path.relative(folder, file)), halfWay };
}

/** Hashes the names and contents of all files below the project's folder. */
export async function hashDeliveredFiles(root: string, projectId: number): Promise<string> {
  return hashOf((await filesBelow(path.join(root, String(projectId)))).sort());
}

async function filesBelow(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return names.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
}

async function hashOf(files: readonly string[]): Promise<string> {
  const hash = createHash('sha256');
  for (const file of files) hash.update(file).update(await readFile(file).catch(() => 'missing'));
  return hash.digest('hex');
}

async function rowsOf(root: string, manifest: Manifest): Promise<string[]> {
  const uuids: string[] = [];
  for (const { key, rows } of manifest.files) {
    const lines = (await readFile(path.join(root, key), 'utf8')).split('\n').filter(Boolean);
    assert.equal(lines.length, rows, `${key} holds the rows that its manifest says`);
    uuids.push(...lines.map((line) => (JSON.parse(line) as { uuid: string }).uuid));
  }
  assert.equal(uuids.length, manifest.rows);
  return uuids.sort();
}
