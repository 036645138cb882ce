import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  ARROW_TYPES,
  assertSame,
  DUCKDB_TYPES,
  jsonSafe,
  type Content,
} from '../../../support/database/table-content.ts';
import { anyTable, buildTableOfEveryType, type Table } from '../../../support/database/tables.ts';
import { testInterval } from '../../../support/exports/deliveries.ts';
import { makeIcebergPlace, type IcebergPlace } from '../../../support/exports/iceberg-place.ts';
import { contentByDuckdb, contentsByPyiceberg, needsPyiceberg } from '../../../support/exports/iceberg-reader.ts';

/** `npm run test:round-trips` sets both. */
const TABLES = Number(process.env['ROUND_TRIPS'] ?? 15);
const SEED = Number(process.env['ROUND_TRIPS_SEED'] ?? Date.now() % 1_000_000);

const nameOf = (n: number) => `table_${n}`;

describe(`random tables, delivered to Iceberg (seed ${SEED})`, () => {
  let place: IcebergPlace;
  const tables: Table[] = [buildTableOfEveryType(2000), ...fc.sample(anyTable, { numRuns: TABLES, seed: SEED })];

  before(async function () {
    needsPyiceberg(this);
    this.timeout(30_000 + TABLES * 5_000);
    place = await makeIcebergPlace();
    for (const [n, table] of tables.entries()) {
      const config = { ...(place.config as object), table_name: nameOf(n) };
      await testInterval({ ...place, config }, { format: 'Parquet', compression: 'zstd' }).deliver([table]);
    }
  });
  after(() => place?.stop());

  it('are the source to pyiceberg', async () => {
    const contents = await contentsByPyiceberg(
      place.server,
      tables.map((_, n) => nameOf(n)),
    );
    assert.equal(contents.length, tables.length);
    for (const [n, table] of tables.entries())
      assertSame(contents[n]!, jsonSafe(table, contentOfSource(table, ARROW_TYPES)), nameOf(n));
  });

  it('are the source to DuckDB, in the files that the snapshot names', async () => {
    for (const [n, table] of tables.entries()) {
      const read = await contentByDuckdb(place.server, nameOf(n));
      if (table.rows.length === 0 && !read) continue;
      assertSame(read!, contentOfSource(table, DUCKDB_TYPES), nameOf(n));
    }
  });
});

function contentOfSource({ columns, rows }: Table, types: typeof ARROW_TYPES): Content {
  return { names: columns.map(({ name }) => name), types: columns.map(({ type }) => types[type]), rows };
}
