/** Reads an interval's files from a store as a careful reader would. */
import { createHash } from 'node:crypto';
import zlib from 'node:zlib';

const UNPACK: Record<string, (bytes: Buffer) => Buffer> = {
  '.gz': zlib.gunzipSync,
  '.zst': zlib.zstdDecompressSync,
  '.br': zlib.brotliDecompressSync,
  '.jsonl': (bytes) => bytes,
};

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Every visible object, by key. */
export type Objects = Map<string, Buffer>;

const isManifest = (key: string) => key.endsWith('_manifest.json');

export function snapshotOf(objects: Objects): Record<string, string> {
  return Object.fromEntries([...objects].map(([key, bytes]) => [key, sha256(bytes)]));
}

/**
 * Reads an interval by the rule of docs/destinations/files.md: only if its manifest says "complete", and only files that the manifest names.
 * Where names are stable, it reads the manifest again at the end, and begins again if that has changed.
 * @param list returns the visible objects with such keys, or all, at the moment of the call
 * @returns uuids of every row in those files, sorted; undefined while no complete manifest is there
 */
export async function readInterval(
  list: (isWanted?: (key: string) => boolean) => Promise<Objects>,
  layout: 'stable' | 'versioned' = 'stable',
): Promise<string[] | undefined> {
  for (;;) {
    const before = manifestIn(await list(isManifest));
    if (before === undefined || !before.includes('"state": "complete"')) return undefined;
    const objects = await list();
    if (layout === 'versioned') return rowsOf(objects, before);
    if (manifestIn(objects) !== before || manifestIn(await list(isManifest)) !== before) continue;
    return rowsOf(objects, before);
  }
}

function manifestIn(objects: Objects): string | undefined {
  for (const [key, bytes] of objects) if (isManifest(key)) return bytes.toString();
  return undefined;
}

function rowsOf(objects: Objects, manifestText: string): string[] {
  const manifest = JSON.parse(manifestText) as { files: { key: string; sha256: string; rows: number }[] };
  return manifest.files
    .flatMap((entry) => {
      const { key } = entry;
      const bytes = objects.get(key);
      if (!bytes) throw new Error(`torn: ${key} is not there`);
      if (entry.sha256 !== sha256(bytes)) throw new Error(`torn: ${key} is not what the manifest says`);
      const lines = unpack(key, bytes).split('\n').filter(Boolean);
      if (lines.length !== entry.rows) throw new Error(`torn: ${key} holds another number of rows`);
      return lines.map((line) => (JSON.parse(line) as { uuid: string }).uuid);
    })
    .sort();
}

function unpack(key: string, bytes: Buffer): string {
  const ending = /\.(gz|zst|br|jsonl)$/.exec(key)![0];
  return UNPACK[ending]!(bytes).toString();
}
