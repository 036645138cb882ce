/** Tables as other programs read them, pyiceberg and DuckDB; pyiceberg also appends to them. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { DuckDBInstance } from '@duckdb/node-api';
import { currentSnapshot } from '../../../src/exports/destinations/iceberg/present.ts';
import { cacheFolder } from '../../../src/platform/config.ts';
import { contentOf, type Content } from '../database/table-content.ts';
import { OBJECT_STORE_KEYS } from '../servers/object-store.ts';
import { skipSuite } from '../missing.ts';
import type { TestNamespace } from '../servers/iceberg-catalog.ts';
import { lakeReader } from './lake-reader.ts';

const SCRIPT = 'test/support/servers/iceberg-catalog/rows.py';
const CONTENT_SCRIPT = 'test/exports/destinations/iceberg/read_lake_tables.py';
const OURS = ['_sluice_export', '_sluice_interval_time'];

export const python = () => path.join(cacheFolder(), 'python/pyiceberg-0.12.0/bin/python');

/** Skips the suite without pyiceberg. To be called in a `before` hook or a test. @param suite its `this` */
export function needsPyiceberg(suite: Mocha.Context): void {
  if (!existsSync(python())) skipSuite(suite, 'pyiceberg is not installed: .ci/run installs it');
}

async function runScript({ uri, namespace, bucket }: TestNamespace, table: string, mode: string[]): Promise<string> {
  const { accessKeyId, secretAccessKey } = OBJECT_STORE_KEYS;
  const options = [SCRIPT, uri, `${namespace}.${table}`, bucket.endpoint, accessKeyId, secretAccessKey, ...mode];
  return (await promisify(execFile)(python(), options, { maxBuffer: 256 * 1024 * 1024 })).stdout;
}

export async function readByPyiceberg(server: TestNamespace, table = 'events'): Promise<Record<string, unknown>[]> {
  return JSON.parse(await runScript(server, table, ['read'])) as Record<string, unknown>[];
}

/** Appends a row, as another writer of the table does. @throws Error if pyiceberg refuses it */
export async function appendByPyiceberg(server: TestNamespace, table = 'events', uuid = 'foreign'): Promise<void> {
  await runScript(server, table, ['append', uuid]);
}

/** @returns the content of each table, without the columns that Sluice adds, with what JSON cannot say as `jsonSafe` has it */
export async function contentsByPyiceberg(
  { uri, namespace, bucket }: TestNamespace,
  tables: readonly string[],
): Promise<Content[]> {
  const { accessKeyId, secretAccessKey } = OBJECT_STORE_KEYS;
  const names = tables.map((table) => `${namespace}.${table}`);
  const { stdout } = await promisify(execFile)(
    python(),
    [CONTENT_SCRIPT, uri, bucket.endpoint, accessKeyId, secretAccessKey, ...names],
    { maxBuffer: 512 * 1024 * 1024 },
  );
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Content);
}

/** @returns the content of the files that the table's current snapshot names, without the columns that Sluice adds; nothing if it names none */
export async function contentByDuckdb(server: TestNamespace, table = 'events'): Promise<Content | undefined> {
  const { loadTable, filesOf, bytesOf } = lakeReader(server);
  const urls = await filesOf(currentSnapshot((await loadTable(table))!)!['manifest-list']);
  if (urls.length === 0) return undefined;
  const folder = await mkdtemp(path.join(tmpdir(), 'sluice-lake-'));
  const duckdb = await (await DuckDBInstance.create()).connect();
  try {
    for (const [n, url] of urls.entries()) await writeFile(path.join(folder, `${n}.parquet`), await bytesOf(url));
    const files = path.join(folder, '*.parquet');
    return withoutOurs(contentOf(await duckdb.runAndReadAll('select * from read_parquet($files)', { files })));
  } finally {
    duckdb.closeSync();
    await rm(folder, { recursive: true });
  }
}

function withoutOurs({ names, types, rows }: Content): Content {
  const keep = <T>(values: readonly T[]) => values.filter((_, i) => !OURS.includes(names[i]!));
  return { names: keep(names), types: keep(types), rows: rows.map(keep) };
}
