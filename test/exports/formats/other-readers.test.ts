import assert from 'node:assert/strict';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api';
import fc from 'fast-check';
import {
  SUPPORTED_COMPRESSIONS,
  type Compression,
  type FileFormat,
} from '../../../src/exports/formats/file-encoding.ts';
import type { ColumnType } from '../../../src/conditions/rows/columns.ts';
import { encodeFile, fileExtension } from '../../../src/exports/formats/file.ts';
import { chunked, readAll } from '../../support/database/copy-stream.ts';
import { needsPython, runPython } from '../../support/sdks/python.ts';
import {
  ARROW_TYPES,
  assertSame,
  contentOf,
  DUCKDB_TYPES,
  jsonSafe,
  type Content,
} from '../../support/database/table-content.ts';
import {
  anyTable,
  copiedColumns,
  copyOf,
  buildTableOfEveryType,
  type Table,
  type Value,
} from '../../support/database/tables.ts';

type Format = Exclude<FileFormat, 'JSONLines'>;
type Kind = { format: Format; compression: Compression | null };

const KINDS: Kind[] = (['Parquet', 'CSV'] as const).flatMap((format) =>
  [null, ...SUPPORTED_COMPRESSIONS[format]].map((compression) => ({ format, compression })),
);
const PYARROW = { name: 'pyarrow', version: '26.0.1' };
const RANDOM_TABLES = 200;
const ROWS = 5003;

describe('files read by other programs', () => {
  let folder: string;
  let duckdb: DuckDBConnection;

  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'sluice-formats-'));
    await chmod(folder, 0o755);
    duckdb = await (await DuckDBInstance.create()).connect();
  });

  after(async () => {
    duckdb?.closeSync();
    await rm(folder, { recursive: true, force: true });
  });

  async function writeTable(table: Table, kind: Kind, name: string): Promise<string> {
    const file = path.join(folder, name + fileExtension(kind));
    await writeFile(file, await encode(table, kind));
    return file;
  }

  async function readByDuckdb(file: string, { format, compression }: Kind): Promise<Content> {
    const reading =
      format === 'Parquet'
        ? `read_parquet($file)`
        : `read_csv($file, header = true, all_varchar = true, delim = ',', quote = '"', escape = '"', nullstr = '',
             allow_quoted_nulls = false,
             compression = '${compression ?? 'none'}', max_line_size = 10000000)`;
    return contentOf(await duckdb.runAndReadAll(`select * from ${reading}`, { file }));
  }

  for (const kind of KINDS) {
    // DuckDB has no brotli for CSV.
    if (kind.format === 'CSV' && kind.compression === 'brotli') continue;
    it(`hold the source’s rows for DuckDB: ${kind.format}, ${kind.compression ?? 'not compressed'}`, async () => {
      const table = buildTableOfEveryType(ROWS);
      const read = await readByDuckdb(await writeTable(table, kind, `duckdb-${kind.compression}`), kind);
      assertSame(read, await expectedContent(table, kind, DUCKDB_TYPES));
    });
  }

  it(`hold the source’s rows for DuckDB: ${RANDOM_TABLES} random tables`, async () => {
    let n = 0;
    await fc.assert(
      fc.asyncProperty(
        anyTable,
        fc.constantFrom(...KINDS.filter(({ format }) => format === 'Parquet')),
        async (table, kind) => {
          const read = await readByDuckdb(await writeTable(table, kind, `random-${n++}`), kind);
          assertSame(read, await expectedContent(table, kind, DUCKDB_TYPES));
        },
      ),
      { numRuns: RANDOM_TABLES },
    );
  });

  it('hold the source’s rows for pyarrow: every compression, and random tables', async function () {
    await needsPython(this, PYARROW);
    const seed = Date.now();
    const random = fc.sample(fc.tuple(anyTable, fc.constantFrom(...KINDS)), { numRuns: RANDOM_TABLES, seed });
    const files = await mkdtemp(path.join(folder, 'pyarrow-'));
    const wanted = new Map<string, Content>();
    for (const [n, [table, kind]] of [
      ...KINDS.map((one): [Table, Kind] => [buildTableOfEveryType(ROWS), one]),
      ...random,
    ].entries()) {
      const file = await writeTable(table, kind, `${path.basename(files)}/${n}`);
      wanted.set(path.basename(file), jsonSafe(table, await expectedContent(table, kind, ARROW_TYPES)));
    }
    const lines = (await runPython(PYARROW, path.join(import.meta.dirname, 'read_tables.py'), files))
      .trim()
      .split('\n');
    for (const line of lines) {
      const { file, ...read } = JSON.parse(line) as Content & { file: string };
      assertSame(read, wanted.get(file)!, `${file}, seed ${seed}`);
    }
    assert.equal(lines.length, wanted.size);
  });
});

async function encode(table: Table, kind: Kind | { format: 'JSONLines'; compression: null }): Promise<Buffer> {
  const file = encodeFile(chunked(copyOf(table), [65_536]), { ...kind, columns: copiedColumns(table) });
  return readAll(file.bytes);
}

/** The content that a reader of the file should see: text in every cell of CSV. */
async function expectedContent(table: Table, { format }: Kind, types: Record<ColumnType, string>): Promise<Content> {
  const names = table.columns.map(({ name }) => name);
  if (format === 'Parquet') return { names, types: table.columns.map(({ type }) => types[type]), rows: table.rows };
  return { names, types: names.map(() => types.text), rows: await asText(table) };
}

/** Instants and dates as in JSON lines, whose own tests compare them with Postgres. */
async function asText(table: Table): Promise<Value[][]> {
  const lines = (await encode(table, { format: 'JSONLines', compression: null })).toString().split('\n');
  return table.rows.map((row, n) => {
    const parsed = JSON.parse(lines[n]!) as Record<string, Value>;
    return row.map((value, i) => {
      const { name, type } = table.columns[i]!;
      // A row of one null is `""`: with nothing in it readers would skip it.
      if (value === null) return row.length === 1 ? '' : null;
      return type === 'timestamptz' || type === 'date' ? parsed[name]! : String(value);
    });
  });
}
