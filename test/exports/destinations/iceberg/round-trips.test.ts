import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { DuckDBInstance } from '@duckdb/node-api';
import fc from 'fast-check';
import { currentSnapshot } from '../../../../src/exports/destinations/iceberg/present.ts';
import {
  ARROW_TYPES,
  assertSame,
  contentOf,
  DUCKDB_TYPES,
  jsonSafe,
  type Content,
} from '../../../support/database/table-content.ts';
import { anyTable, buildTableOfEveryType, type Table } from '../../../support/database/tables.ts';
import { testInterval } from '../../../support/exports/deliveries.ts';
import { makeIcebergPlace, type IcebergPlace } from '../../../support/exports/iceberg-place.ts';
import { needsPyiceberg, python } from '../../../support/exports/iceberg-reader.ts';
import { lakeReader } from '../../../support/exports/lake-reader.ts';
import { OBJECT_STORE_KEYS } from '../../../support/servers/object-store.ts';

/** `npm run test:round-trips` sets both. */
const TABLES = Number(process.env['ROUND_TRIPS'] ?? 15);
const SEED = Number(process.env['ROUND_TRIPS_SEED'] ?? Date.now() % 1_000_000);
const SCRIPT = path.join(import.meta.dirname, 'read_lake_tables.py');
const OURS = ['_sluice_export', '_sluice_interval_time'];

const nameOf = (n: number) => `table_${n}`;

describe(`random tables, delivered to Iceberg (seed ${SEED})`, () => {
  let place: IcebergPlace;
  let folder: string;
  const tables: Table[] = [buildTableOfEveryType(2000), ...fc.sample(anyTable, { numRuns: TABLES, seed: SEED })];

  before(async function () {
    needsPyiceberg(this);
    this.timeout(30_000 + TABLES * 5_000);
    folder = await mkdtemp(path.join(tmpdir(), 'sluice-round-trips-'));
    place = await makeIcebergPlace();
    for (const [n, table] of tables.entries()) {
      const config = { ...(place.config as object), table_name: nameOf(n) };
      await testInterval({ ...place, config }, { format: 'Parquet', compression: 'zstd' }).deliver([table]);
    }
  });
  after(async () => {
    await place?.stop();
    if (folder) await rm(folder, { recursive: true });
  });

  it('are the source to pyiceberg', async () => {
    const { uri, namespace, bucket } = place.server;
    const { accessKeyId, secretAccessKey } = OBJECT_STORE_KEYS;
    const names = tables.map((_, n) => `${namespace}.${nameOf(n)}`);
    const { stdout } = await promisify(execFile)(
      python(),
      [SCRIPT, uri, bucket.endpoint, accessKeyId, secretAccessKey, ...names],
      { maxBuffer: 512 * 1024 * 1024 },
    );
    const lines = stdout.trim().split('\n');
    assert.equal(lines.length, tables.length);
    for (const [n, table] of tables.entries()) {
      const read = JSON.parse(lines[n]!) as Content;
      assertSame(read, jsonSafe(table, contentOfSource(table, ARROW_TYPES)), nameOf(n));
    }
  });

  it('are the source to DuckDB, in the files that the snapshot names', async () => {
    const { loadTable, filesOf, bytesOf } = lakeReader(place.server);
    const duckdb = await (await DuckDBInstance.create()).connect();
    try {
      for (const [n, table] of tables.entries()) {
        const snapshot = currentSnapshot((await loadTable(nameOf(n)))!)!;
        const files = await filesOf(snapshot['manifest-list']);
        if (table.rows.length === 0 && files.length === 0) continue;
        assert.equal(files.length, 1, nameOf(n));
        const file = path.join(folder, `${n}.parquet`);
        await writeFile(file, await bytesOf(files[0]!));
        const read = contentOf(await duckdb.runAndReadAll(`select * from read_parquet($file)`, { file }));
        assertSame(withoutOurs(read), contentOfSource(table, DUCKDB_TYPES), nameOf(n));
      }
    } finally {
      duckdb.closeSync();
    }
  });
});

function contentOfSource({ columns, rows }: Table, types: typeof ARROW_TYPES): Content {
  return { names: columns.map(({ name }) => name), types: columns.map(({ type }) => types[type]), rows };
}

/** The content without the columns that Sluice adds, where files hold them. */
function withoutOurs({ names, types, rows }: Content): Content {
  const keep = <T>(values: readonly T[]) => values.filter((_, i) => !OURS.includes(names[i]!));
  return { names: keep(names), types: keep(types), rows: rows.map(keep) };
}
