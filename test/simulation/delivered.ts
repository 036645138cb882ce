/** What a reader finds who follows the README: the files of each complete manifest, and their rows. */
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

/** By `<directory> <start> <end>`: sorted uuids. */
export type Delivered = Map<string, string[]>;

export type Found = {
  delivered: Delivered;
  /** Keys of files that no manifest names. */
  strays: string[];
  /** Manifests that say `replacing`, by the same key. */
  halfWay: Set<string>;
};

type Manifest = {
  state: string;
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
  const names = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = names.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
  const named = new Set<string>();
  const delivered: Delivered = new Map();
  const halfWay = new Set<string>();
  for (const file of files.filter((one) => one.endsWith('_manifest.json'))) {
    const manifest = JSON.parse(await readFile(file, 'utf8')) as Manifest;
    const directory = path.relative(folder, path.dirname(file));
    const key = placeKey(directory, manifest.data_interval_start, manifest.data_interval_end);
    for (const one of manifest.files) named.add(path.join(root, one.key));
    if (manifest.state === 'complete') delivered.set(key, await rowsOf(root, manifest));
    else halfWay.add(key);
  }
  const strays = files.filter((file) => !file.endsWith('_manifest.json') && !named.has(file));
  return { delivered, strays: strays.map((file) => path.relative(folder, file)), halfWay };
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
