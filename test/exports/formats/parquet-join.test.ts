/** Files of parts that are joined to one. */
import assert from 'node:assert/strict';
import { parquetMetadata, parquetReadObjects, type FileMetaData } from 'hyparquet';
import { zstdDecompressSync } from 'node:zlib';
import { encodeFile } from '../../../src/exports/formats/file.ts';
import { joinFiles } from '../../../src/exports/formats/parquet/join.ts';
import { UnreadableFile } from '../../../src/exports/formats/unreadable.ts';
import { chunked, readAll } from '../../support/database/copy-stream.ts';
import { buildTableOfEveryType, copiedColumns, copyOf, type Table } from '../../support/database/tables.ts';

const encode = async (table: Table) =>
  readAll(
    encodeFile(chunked(copyOf(table), [65_536]), {
      columns: copiedColumns(table),
      format: 'Parquet',
      compression: 'zstd',
    }).bytes,
  );

/** @param sizes of the chunks in which the files arrive */
const join = (files: readonly Buffer[], sizes = [1000]) =>
  joinFiles(files.map((file) => async () => chunked(file, sizes)));

const bufferOf = (bytes: Buffer) => new Uint8Array(bytes).buffer;
const rowsOf = async (bytes: Buffer) =>
  parquetReadObjects({ file: bufferOf(bytes), compressors: { ZSTD: (packed) => zstdDecompressSync(packed) } });
const groupsOf = ({ row_groups: groups }: FileMetaData) =>
  groups.map(({ num_rows, columns }) => [num_rows, columns.map(({ meta_data: column }) => column!.statistics)]);

describe('joined Parquet files', () => {
  const table = buildTableOfEveryType(20);
  const parts = [table.rows.slice(0, 7), [], table.rows.slice(7)].map((rows) => ({ ...table, rows }));

  for (const sizes of [[1], [3, 1000], [1 << 20]])
    it(`have the rows, row groups and statistics of all, read in chunks of ${sizes.join(' and ')}`, async () => {
      const files = await Promise.all(parts.map(encode));
      const joined = join(files, sizes);
      const bytes = await readAll(joined.bytes);
      assert.equal(joined.rows(), table.rows.length);
      assert.deepEqual(await rowsOf(bytes), (await Promise.all(files.map(rowsOf))).flat());
      const [metadata, ...others] = [bytes, ...files].map((file) => parquetMetadata(bufferOf(file)));
      assert.deepEqual(groupsOf(metadata!), others.flatMap(groupsOf));
      assert.deepEqual(metadata!.schema, others[0]!.schema);
      assert.equal(metadata!.num_rows, BigInt(table.rows.length));
    });

  it('may be joined again', async () => {
    const files = await Promise.all(parts.map(encode));
    const once = await readAll(join(files).bytes);
    const twice = await readAll(join([once, files[0]!]).bytes);
    assert.equal((await rowsOf(twice)).length, table.rows.length + 7);
  });

  it('refuse files with other columns, of other programs, and what is no Parquet', async () => {
    const file = await encode(table);
    const other = await encode({ columns: table.columns.slice(1), rows: table.rows.map((row) => row.slice(1)) });
    const foreign = Buffer.from(file);
    foreign.write('another', foreign.indexOf('sluice version 1'));
    for (const bad of [other, foreign, file.subarray(0, -1), Buffer.from('PAR1PAR1'), Buffer.alloc(0)])
      await assert.rejects(readAll(join([file, bad]).bytes), UnreadableFile);
  });
});
