import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { parquetMetadata, parquetReadObjects } from 'hyparquet';
import type { Compression } from '../../../src/exports/formats/file-encoding.ts';
import type { Column } from '../../../src/conditions/rows/columns.ts';
import { emptyFile, encodeFile } from '../../../src/exports/formats/file.ts';
import { readExportedFile } from '../../../src/exports/formats/read-file.ts';
import { RowsDigester } from '../../../src/conditions/rows/rows-digest.ts';
import { UnreadableFile } from '../../../src/exports/formats/unreadable.ts';
import { chunked, readAll, copyBinary } from '../../support/database/copy-stream.ts';
import { watchMemory } from '../../support/flags/garbage.ts';
import { copiedColumns, copyOf, buildTableOfEveryType } from '../../support/database/tables.ts';

const COLUMNS: Column[] = [
  { name: 'uuid', type: 'uuid' },
  { name: 'event', type: 'text' },
  { name: 'properties', type: 'jsonb' },
  { name: 'timestamp', type: 'timestamptz' },
];
const LARGE = Buffer.from(`\u0001{"text": "${'x'.repeat(1000)}"}`);
/** The rows of more than one row group, which ends at 64 MiB: each holds about 1,070 bytes. */
const MANY_ROWS = 70_000;

function buildRow(n: number, properties: Buffer = LARGE): Uint8Array[] {
  const uuid = Buffer.alloc(16, 0);
  uuid.writeUInt32BE(n, 12);
  const timestamp = Buffer.alloc(8);
  timestamp.writeBigInt64BE(BigInt(n) * 1_000_000n);
  return [uuid, Buffer.from(`event ${n % 5}`), properties, timestamp];
}

const encode = (rows: AsyncIterable<Uint8Array>, compression: Compression | null = 'snappy') =>
  encodeFile(rows, { columns: COLUMNS, format: 'Parquet', compression });

const metadataOf = (bytes: Buffer) => parquetMetadata(new Uint8Array(bytes).buffer);

async function readBack(bytes: Buffer, digest?: RowsDigester) {
  return readExportedFile(chunked(bytes, [50_000]), { format: 'Parquet', compression: null }, digest);
}

describe('Parquet', () => {
  it('has row groups of bounded size, with bounds of what is in them', async () => {
    const rows = copyBinary(Array.from({ length: MANY_ROWS }, (_, n) => buildRow(n)));
    const file = encode(chunked(rows, [65_536]));
    const bytes = await readAll(file.bytes);
    const { row_groups: groups } = metadataOf(bytes);
    assert.equal(groups.length, 2);
    assert.equal(
      groups.reduce((sum, group) => sum + Number(group.num_rows), 0),
      MANY_ROWS,
    );
    const statistics = groups[1]!.columns[3]!.meta_data!.statistics!;
    assert.equal(
      (statistics.max_value as Date).toISOString(),
      new Date(946_684_800_000 + (MANY_ROWS - 1) * 1000).toISOString(),
    );
    assert.equal(statistics.null_count, 0n);

    const digest = new RowsDigester();
    const read = await readBack(bytes, digest);
    const { rows: count, digest: written, contentSha256 } = file.summary();
    assert.deepEqual({ ...read, digest: digest.digest() }, { ...read, rows: count, digest: written, contentSha256 });
  });

  it('is the same to the last byte for the same rows, however they arrive', async () => {
    const rows = copyBinary(Array.from({ length: 3000 }, (_, n) => buildRow(n, Buffer.from(`\u0001${n}`))));
    for (const compression of [null, 'zstd', 'lz4', 'snappy', 'gzip', 'brotli'] as const) {
      const files = [97, 5000, 1_000_000].map((size) => readAll(encode(chunked(rows, [size]), compression).bytes));
      const [first, ...others] = await Promise.all(files);
      for (const other of others) assert.ok(other.equals(first!), String(compression));
    }
  });

  it('keeps a dictionary only where values repeat', async () => {
    const rows = Array.from({ length: 20_000 }, (_, n) => [...buildRow(n, Buffer.from('\u0001{}'))]);
    for (const row of rows) row[0] = randomBytes(16);
    const { row_groups: groups } = metadataOf(await readAll(encode(chunked(copyBinary(rows), [65_536])).bytes));
    const [uuid, event, properties, timestamp] = groups[0]!.columns.map(({ meta_data: column }) => column!);
    assert.ok(event!.total_compressed_size < 10_000n, `${event!.total_compressed_size} bytes`);
    assert.ok(properties!.total_compressed_size < 200n, `${properties!.total_compressed_size} bytes`);
    assert.deepEqual(event!.encodings, ['RLE', 'PLAIN', 'RLE_DICTIONARY']);
    assert.ok(uuid!.encodings.includes('PLAIN'));
    assert.deepEqual(timestamp!.encodings, ['RLE', 'PLAIN']);
  });

  it('says the nearest that it can of instants and dates without end', async () => {
    const columns: Column[] = [
      ...COLUMNS.slice(0, 1),
      { name: 'at', type: 'timestamptz' },
      { name: 'on', type: 'date' },
    ];
    const [uuid] = buildRow(1);
    const endless = ['7fffffffffffffff', '8000000000000000'].map((hex) => Buffer.from(hex, 'hex'));
    const rows = copyBinary(
      endless.map((at) => [uuid!, at, at[0] === 0x7f ? Buffer.from('7fffffff', 'hex') : at.subarray(0, 4)]),
    );
    const bytes = await readAll(
      encodeFile(chunked(rows, [100]), { columns, format: 'Parquet', compression: null }).bytes,
    );
    const read = await parquetReadObjects({
      file: new Uint8Array(bytes).buffer,
      parsers: { timestampFromMicroseconds: (value) => value, dateFromDays: (value) => value },
    });
    assert.deepEqual(
      read.map(({ at, on }) => ({ at: at as unknown, on: on as unknown })),
      [
        { at: 2n ** 63n - 1n, on: 2 ** 31 - 1 },
        { at: -(2n ** 63n), on: -(2 ** 31) },
      ],
    );
  });

  it('has its columns without any row', async () => {
    const table = buildTableOfEveryType(0);
    const file = emptyFile({ format: 'Parquet', compression: 'zstd', columns: copiedColumns(table) });
    const bytes = await readAll(file.bytes);
    const { schema, row_groups: groups } = metadataOf(bytes);
    assert.deepEqual([schema.slice(1).map(({ name }) => name), groups], [table.columns.map(({ name }) => name), []]);
    const { rows, contentSha256 } = await readBack(bytes);
    assert.deepEqual({ rows, contentSha256 }, { rows: 0, contentSha256: file.summary().contentSha256 });
  });

  it('keeps its memory bounded', async () => {
    const body = copyBinary(
      Array.from({ length: 200 }, (_, n) => buildRow(n, Buffer.from(`\u0001"${randomBytes(500).toString('hex')}"`))),
    );
    async function* rows() {
      yield body.subarray(0, 19);
      // As a socket gives them: memory of their own.
      for (let i = 0; i < 600; i++) yield Uint8Array.from(body.subarray(19, -2));
      yield body.subarray(-2);
    }
    const watched = watchMemory(rows());
    const file = encode(watched.rows, 'zstd');
    for await (const _ of file.bytes);
    assert.equal(file.summary().rows, 120_000);
    assert.ok(watched.growth() < 80_000_000, `${watched.growth() / 1e6} MB`);
  });

  for (const [name, spoil] of [
    ['cut short', (bytes: Buffer) => bytes.subarray(0, -5)],
    [
      'with a page changed',
      (bytes: Buffer) => Buffer.concat([bytes.subarray(0, 60), randomBytes(200), bytes.subarray(260)]),
    ],
    ['of another format', () => Buffer.from('{"uuid":"00000000-0000-4000-8000-000000000000"}\n')],
  ] as const) {
    it(`is not read ${name}`, async () => {
      const rows = copyOf(buildTableOfEveryType(2000));
      const whole = await readAll(
        encodeFile(chunked(rows, [65_536]), {
          columns: copiedColumns(buildTableOfEveryType(0)),
          format: 'Parquet',
          compression: 'zstd',
        }).bytes,
      );
      await assert.rejects(readBack(spoil(whole)), UnreadableFile);
    });
  }
});
