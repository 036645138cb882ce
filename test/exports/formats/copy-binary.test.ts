import assert from 'node:assert/strict';
import fc from 'fast-check';
import { Unavailable } from '../../../src/platform/errors.ts';
import { CopyBinaryReader } from '../../../src/exports/formats/copy-binary.ts';
import { chunked, chunkSizes, copyBinary, headerWithExtension } from '../../support/database/copy-stream.ts';

const field = fc.option(fc.uint8Array({ maxLength: 300 }));
const table = fc
  .integer({ min: 1, max: 5 })
  .chain((columns) => fc.array(fc.array(field, { minLength: columns, maxLength: columns }), { maxLength: 50 }));

async function read(bytes: Uint8Array, columns: number, sizes: readonly number[]): Promise<(Uint8Array | null)[][]> {
  const reader = new CopyBinaryReader(columns);
  const rows: (Uint8Array | null)[][] = [];
  for await (const chunk of chunked(bytes, sizes)) {
    reader.push(chunk);
    while (reader.next()) rows.push(Array.from(reader.starts, (start, i) => copyOf(reader, start, reader.lengths[i]!)));
  }
  reader.finish();
  assert.equal(reader.totalBytes, bytes.length);
  return rows;
}

const copyOf = ({ bytes }: CopyBinaryReader, start: number, length: number) =>
  length < 0 ? null : Uint8Array.from(bytes.subarray(start, start + length));

describe('reading COPY BINARY', () => {
  it('returns every field of arbitrary rows, however the stream is split into chunks', async () => {
    await fc.assert(
      fc.asyncProperty(table, chunkSizes, async (rows, sizes) => {
        assert.deepEqual(await read(copyBinary(rows), rows[0]?.length ?? 1, sizes), rows);
      }),
    );
  });

  it('returns every field from chunks of one byte', async () => {
    const rows = [
      [Buffer.alloc(3000, 'x'), null],
      [Buffer.alloc(0), Buffer.from('y')],
    ];
    const expected = rows.map((row) => row.map((value) => value && Uint8Array.from(value)));
    assert.deepEqual(await read(copyBinary(rows), 2, [1]), expected);
  });

  it('skips the extension of the header', async () => {
    const bytes = copyBinary([[Buffer.from('a')]], headerWithExtension(Buffer.from('to come')));
    for (const size of [1, 20, 1000]) assert.deepEqual(await read(bytes, 1, [size]), [[Uint8Array.of(97)]]);
  });

  it('grows its buffer for a row of many megabytes and shrinks it afterwards', async () => {
    const large = Buffer.alloc(20_000_000, 'x');
    const reader = new CopyBinaryReader(1);
    const sizes: number[] = [];
    for await (const chunk of chunked(copyBinary([[large], [Buffer.from('small')]]), [65_536])) {
      reader.push(chunk);
      while (reader.next()) sizes.push(reader.lengths[0]!);
    }
    assert.deepEqual(sizes, [20_000_000, 5]);
    reader.push(Buffer.alloc(1));
    assert.ok(reader.bytes.length < 1_000_000);
  });

  it('fails if the trailer is missing, because rows may be missing too', async () => {
    const bytes = copyBinary([[Buffer.from('a')], [Buffer.from('b')]]);
    for (const length of [0, 5, 19, 24, bytes.length - 1]) {
      await assert.rejects(read(bytes.subarray(0, length), 1, [1000]), Unavailable);
    }
  });

  it('refuses other data, and rows with another number of columns', async () => {
    await assert.rejects(read(Buffer.from('{"json": "lines", "not": "binary"}'), 1, [1000]), /signature/);
    await assert.rejects(read(copyBinary([[null, null]]), 1, [1000]), /row of 2 fields/);
  });
});
