/** Rows of a compacted interval as other programs read them. */
import assert from 'node:assert/strict';
import {
  ARROW_TYPES,
  assertSame,
  DUCKDB_TYPES,
  jsonSafe,
  type Content,
} from '../../../support/database/table-content.ts';
import { buildTableOfEveryType } from '../../../support/database/tables.ts';
import { freezeAt, testInterval } from '../../../support/exports/deliveries.ts';
import { makeIcebergPlace } from '../../../support/exports/iceberg-place.ts';
import { contentByDuckdb, contentsByPyiceberg, needsPyiceberg } from '../../../support/exports/iceberg-reader.ts';
import { needsIcebergCatalog } from '../../../support/servers/iceberg-catalog.ts';
import { needsObjectStore } from '../../../support/servers/object-store.ts';

const ROWS = 3000;
/** Rows of the first part and of the second; the third has the rest. */
const PARTS = [1700, 1];

const textOf = (row: Content['rows'][number]): string =>
  row.map((value) => (Object.is(value, -0) ? '-0' : String(value))).join('\0');

/** Without an order, which neither a table nor a folder of files has. */
const sorted = ({ rows, ...rest }: Content): Content => {
  const texts = rows.map((row) => ({ row, text: textOf(row) }));
  return { ...rest, rows: texts.sort((a, b) => (a.text < b.text ? -1 : 1)).map(({ row }) => row) };
};

describe('an Iceberg table to other programs', () => {
  before(async function () {
    needsIcebergCatalog(this);
    needsPyiceberg(this);
    await needsObjectStore(this);
  });

  it('has the same rows, of every type, before and after a compaction', async () => {
    const place = await makeIcebergPlace({ compact: true });
    const table = buildTableOfEveryType(ROWS);
    const bounds = [0, PARTS[0]!, PARTS[0]! + PARTS[1]!, ROWS];
    const parts = bounds.slice(1).map((end, n) => ({ ...table, rows: table.rows.slice(bounds[n], end) }));
    const source = (types: typeof ARROW_TYPES) => ({
      names: table.columns.map(({ name }) => name),
      types: table.columns.map(({ type }) => types[type]),
      rows: table.rows,
    });
    async function assertRead(files: number): Promise<void> {
      assert.equal(Object.keys(await place.snapshot()).length, files);
      const [byPyiceberg] = await contentsByPyiceberg(place.server, ['events']);
      assertSame(sorted(byPyiceberg!), sorted(jsonSafe(table, source(ARROW_TYPES))), 'pyiceberg');
      assertSame(sorted((await contentByDuckdb(place.server))!), sorted(source(DUCKDB_TYPES)), 'DuckDB');
    }
    const interval = testInterval(place, { format: 'Parquet', compression: 'zstd' });
    const run = interval.plan(parts);
    const staged = await run.write();
    const frozen = freezeAt('compact');
    const commit = run.commit(staged, frozen.steps);
    await frozen.reached;
    await assertRead(parts.length);
    frozen.thaw();
    await commit;
    await assertRead(1);
    assert.deepEqual(interval.warnings(), []);
  });
});
