/** The three destinations under test, each with eyes of its own that share no code with what they look at. */
import { GetObjectCommand, ListMultipartUploadsCommand, ListObjectsV2Command } from '@aws-sdk/client-s3';
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import zlib from 'node:zlib';
import { createPool } from '../../src/platform/db/connection.ts';
import { createEmptyDatabase } from '../support/database/database.ts';
import { createTestBucket, OBJECT_STORE_KEYS } from '../support/servers/object-store.ts';

/** Keys and contents of everything visible. */
type Objects = Map<string, Buffer>;

export type Place = {
  type: string;
  /** @param label of an export: no two share a place */
  config(label: string): Record<string, unknown>;
  /** A fingerprint of every byte or row that a reader can see of the export. */
  snapshot(label: string): Promise<string>;
  /**
   * uuids of all delivered rows, with repeats.
   * @param superseded keys of files that are on record to be deleted, and that no manifest has to name
   * @throws Error for anything torn: a manifest that is not true, a line that does not parse
   */
  rows(label: string, superseded: ReadonlySet<string>): Promise<string[]>;
  /** Names of what nobody sees and nobody needs any more once all runs have ended: temporary files, open uploads. */
  unfinished(label: string): Promise<string[]>;
  close(): Promise<void>;
};

/** Files of about this many MiB before compression, so that full intervals have several. */
const MAX_FILE_SIZE_MB = 1;

export async function localFilePlace(projectFolder: string): Promise<Place> {
  const objects = async (label: string): Promise<Objects> => {
    const found: Objects = new Map();
    const folder = path.join(projectFolder, label);
    const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      if (!entry.isFile() || entry.name.startsWith('.')) continue;
      const file = path.join(entry.parentPath, entry.name);
      found.set(path.relative(folder, file), await readFile(file));
    }
    return found;
  };
  return {
    type: 'LocalFile',
    config: (label) => ({ directory: label, compression: 'gzip', max_file_size_mb: MAX_FILE_SIZE_MB }),
    snapshot: async (label) => fingerprint(await objects(label)),
    rows: async (label, superseded) => rowsOf(await objects(label), superseded),
    async unfinished(label) {
      const names = await readdir(path.join(projectFolder, label), { recursive: true }).catch(() => []);
      return names.filter((name) => name.endsWith('.tmp'));
    },
    async close() {},
  };
}

export async function s3Place(): Promise<Place> {
  const { endpoint, bucket, region, client } = await createTestBucket();
  const objects = async (label: string): Promise<Objects> => {
    const found: Objects = new Map();
    let after: string | undefined;
    do {
      const page = await client.send(
        new ListObjectsV2Command({ Bucket: bucket, Prefix: `${label}/`, ContinuationToken: after }),
      );
      for (const { Key } of page.Contents ?? []) {
        const object = await client.send(new GetObjectCommand({ Bucket: bucket, Key: Key! }));
        found.set(Key!, Buffer.from(await object.Body!.transformToByteArray()));
      }
      after = page.NextContinuationToken;
    } while (after);
    return found;
  };
  return {
    type: 'S3Compatible',
    config: (label) => ({
      bucket_name: bucket,
      region,
      prefix: label,
      endpoint_url: endpoint,
      aws_access_key_id: OBJECT_STORE_KEYS.accessKeyId,
      aws_secret_access_key: OBJECT_STORE_KEYS.secretAccessKey,
      compression: 'zstd',
      max_file_size_mb: MAX_FILE_SIZE_MB,
    }),
    snapshot: async (label) => fingerprint(await objects(label)),
    rows: async (label, superseded) => rowsOf(await objects(label), superseded),
    async unfinished(label) {
      const command = new ListMultipartUploadsCommand({ Bucket: bucket, Prefix: `${label}/` });
      const { Uploads = [] } = await client.send(command);
      return Uploads.map(({ Key }) => Key!);
    },
    async close() {},
  };
}

function tableOf(label: string): string {
  return `events_${label.replaceAll('-', '_')}`;
}

export async function postgresPlace(): Promise<Place> {
  const database = await createEmptyDatabase();
  const url = new URL(database.url);
  const pool = createPool({ url: database.url, applicationName: 'test-eyes', maxConnections: 2 });
  const select = async <T extends object>(label: string, what: string): Promise<T[]> => {
    const { rows: tables } = await pool.query<{ name: string | null }>('select to_regclass($1)::text as name', [
      tableOf(label),
    ]);
    return tables[0]?.name ? (await pool.query<T>(`select ${what} from ${tableOf(label)} as one`)).rows : [];
  };
  return {
    type: 'Postgres',
    config: (label) => ({
      host: url.hostname,
      port: Number(url.port),
      user: url.username,
      password: url.password,
      database: url.pathname.slice(1),
      schema: 'public',
      table_name: tableOf(label),
    }),
    async snapshot(label) {
      const [table] = await select<{ all: string | null }>(
        label,
        'md5(string_agg(one::text, chr(10) order by one::text)) as all',
      );
      return table?.all ?? 'empty';
    },
    rows: async (label) => (await select<{ uuid: string }>(label, 'uuid')).map(({ uuid }) => uuid),
    unfinished: async () => [],
    async close() {
      await pool.end();
      await database.drop();
    },
  };
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function fingerprint(objects: Objects): string {
  const lines = [...objects].map(([key, bytes]) => `${sha256(bytes)} ${key}`).sort();
  return sha256(Buffer.from(lines.join('\n')));
}

type Manifest = { state: string; files: { key: string; rows: number; bytes: number; sha256: string }[] };

function rowsOf(objects: Objects, superseded: ReadonlySet<string>): string[] {
  const uuids: string[] = [];
  const seenUuids = new Set<string>();
  for (const [key, bytes] of objects) {
    if (!key.endsWith('_manifest.json')) continue;
    const manifest = JSON.parse(bytes.toString()) as Manifest;
    if (manifest.state !== 'complete') throw new Error(`torn: ${key} is ${manifest.state}`);
    for (const file of manifest.files) {
      const found = [...objects.keys()].find((one) => one === file.key || file.key.endsWith(`/${one}`));
      const content = found && objects.get(found);
      if (!found || !content || sha256(content) !== file.sha256)
        throw new Error(`torn: ${file.key} is not what ${key} says`);
      const lines = unpacked(found, content).toString().split('\n').filter(Boolean);
      if (lines.length !== file.rows) throw new Error(`torn: ${file.key} has ${lines.length} rows, not ${file.rows}`);
      for (const line of lines) uuids.push((JSON.parse(line) as { uuid: string }).uuid);
      seenUuids.add(found);
    }
  }
  const isSuperseded = (key: string) => [...superseded].some((one) => one === key || one.endsWith(`/${key}`));
  const untold = [...objects.keys()].filter(
    (key) => !key.endsWith('_manifest.json') && !seenUuids.has(key) && !isSuperseded(key),
  );
  if (untold.length > 0) throw new Error(`torn: no manifest names ${untold.join(', ')}`);
  return uuids;
}

function unpacked(key: string, bytes: Buffer): Buffer {
  if (key.endsWith('.gz')) return zlib.gunzipSync(bytes);
  if (key.endsWith('.zst')) return zlib.zstdDecompressSync(bytes);
  return bytes;
}
