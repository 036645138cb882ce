/** Manifests that are damaged, hostile, or written by other versions. */
import { PutObjectCommand } from '@aws-sdk/client-s3';
import assert from 'node:assert/strict';
import { deflateRawSync } from 'node:zlib';
import { readAvro, writeAvro, type AvroSchema } from '../../../../src/exports/destinations/iceberg/avro.ts';
import {
  MANIFEST_LIST_SCHEMA,
  type ManifestFile,
} from '../../../../src/exports/destinations/iceberg/manifest-schemas.ts';
import { currentSnapshot } from '../../../../src/exports/destinations/iceberg/present.ts';
import type { DestinationUnavailable } from '../../../../src/platform/errors.ts';
import { UnreadableFile } from '../../../../src/exports/formats/unreadable.ts';
import { buildRows, testInterval, uuidsOf } from '../../../support/exports/deliveries.ts';
import { makeIcebergPlace, type IcebergPlace } from '../../../support/exports/iceberg-place.ts';
import { needsIcebergCatalog } from '../../../support/servers/iceberg-catalog.ts';
import { needsObjectStore } from '../../../support/servers/object-store.ts';

const SYNC = Buffer.alloc(16, 7);
const MIB = 1024 * 1024;

/** An Avro long. */
function long(value: bigint): Buffer {
  const bytes: number[] = [];
  for (let left = BigInt.asUintN(64, (value << 1n) ^ (value >> 63n)); ; left >>= 7n) {
    bytes.push(Number(left & 0x7fn) | (left > 0x7fn ? 0x80 : 0));
    if (left <= 0x7fn) return Buffer.from(bytes);
  }
}
const sized = (bytes: Buffer) => Buffer.concat([long(BigInt(bytes.length)), bytes]);

/** A file of one block, whose records are what the bytes say. */
function container(schema: AvroSchema, { count, content }: { count: bigint; content: Buffer }, codec = 'null'): Buffer {
  const meta = { 'avro.codec': codec, 'avro.schema': JSON.stringify(schema) };
  const pairs = Object.entries(meta).flatMap((pair) => pair.map((text) => sized(Buffer.from(text))));
  const header = [Buffer.from('Obj\u0001'), long(2n), ...pairs, long(0n), SYNC];
  return Buffer.concat([...header, long(count), sized(content), SYNC]);
}

const record = (type: AvroSchema): AvroSchema => ({ type: 'record', name: 'r', fields: [{ name: 'a', type }] });

/** @returns nothing for a file that is refused */
const recordsOf = async (bytes: Buffer) => (await readAvro(bytes).catch(() => undefined))?.length;

describe('a file of Avro', () => {
  const manifests = Array.from({ length: 3 }, (_, n) => ({
    manifest_path: `s3://bucket/${n}`,
    manifest_length: 5n,
    partition_spec_id: 0,
    content: 0,
    sequence_number: -(2n ** 63n),
    min_sequence_number: 1n,
    added_snapshot_id: 2n ** 63n - 1n,
    added_files_count: 1,
    existing_files_count: 0,
    deleted_files_count: -7,
    added_rows_count: 1n,
    existing_rows_count: 300n,
    deleted_rows_count: 0n,
    key_metadata: Buffer.from([0, 255]),
    partitions: [{ contains_null: true, contains_nan: null, lower_bound: Buffer.from('é'), upper_bound: null }],
  }));

  it('is read as it was written', async () => {
    assert.deepEqual(await readAvro(await writeAvro(MANIFEST_LIST_SCHEMA, {}, manifests)), manifests);
    assert.deepEqual(await readAvro(await writeAvro(MANIFEST_LIST_SCHEMA, {}, [])), []);
  });

  it('is refused wherever it is cut off', async () => {
    const whole = await writeAvro(MANIFEST_LIST_SCHEMA, {}, manifests);
    // Behind the header ends a file without records, which is valid; a table whose snapshot counts files refuses such a list.
    const empty = (await writeAvro(MANIFEST_LIST_SCHEMA, {}, [])).length;
    for (let end = 0; end < whole.length; end++)
      if (end !== empty)
        assert.equal(await recordsOf(whole.subarray(0, end)), undefined, `${end} of ${whole.length} bytes`);
  });

  for (const [name, bytes] of [
    [
      'an array of 2^40 nulls',
      container(record({ type: 'array', items: 'null' }), {
        count: 1n,
        content: Buffer.concat([long(2n ** 40n), long(0n)]),
      }),
    ],
    [
      'an array that says it has 2^40 numbers',
      container(record({ type: 'array', items: 'int' }), {
        count: 1n,
        content: Buffer.concat([long(-(2n ** 40n)), long(1n), long(0n)]),
      }),
    ],
    [
      '2^40 records of no bytes',
      container({ type: 'record', name: 'r', fields: [] }, { count: 2n ** 40n, content: Buffer.alloc(0) }),
    ],
    ['a text longer than the file', container(record('string'), { count: 1n, content: long(2n ** 40n) })],
    ['a text of less than no bytes', container(record('string'), { count: 1n, content: long(-5n) })],
    ['a record that contains itself', container(record('r'), { count: 1n, content: Buffer.from([0]) })],
    [
      'a gigabyte of zeros in a megabyte',
      container(record('bytes'), { count: 1n, content: deflateRawSync(Buffer.alloc(1024 * MIB)) }, 'deflate'),
    ],
    ['an unknown type', container(record('constructor'), { count: 1n, content: Buffer.from([0]) })],
    ['a schema that is null', container(null as unknown as AvroSchema, { count: 1n, content: Buffer.from([0]) })],
  ] as const)
    it(`is refused at once for ${name}`, async () => {
      const before = process.memoryUsage().rss;
      await assert.rejects(readAvro(bytes), UnreadableFile);
      assert.ok(process.memoryUsage().rss - before < 300 * MIB);
    });
});

async function put({ server }: IcebergPlace, url: string, bytes: Buffer): Promise<void> {
  const Key = new URL(url).pathname.slice(1);
  await server.bucket.client.send(new PutObjectCommand({ Bucket: server.bucket.bucket, Key, Body: bytes }));
}
/** A table with the rows of another export, and the address of its list of manifests. */
async function madeTable() {
  const place = await makeIcebergPlace();
  const rows = buildRows(2);
  await testInterval(place).deliver([rows]);
  const list = currentSnapshot((await place.metadata())!)!['manifest-list'];
  const manifests = await place.readAvro<ManifestFile>(list);
  return { place, rows, list, manifests };
}
const isFault = (code: string) => (error: DestinationUnavailable) => error.fault?.code === code;

/** A whole list, but without manifests. */
const withoutRecords = async () => writeAvro(MANIFEST_LIST_SCHEMA, {}, []);
const older = (name: string) => name.replace(/_files_count$/, '_data_files_count');

describe('a table whose manifests', () => {
  before(async function () {
    needsIcebergCatalog(this);
    await needsObjectStore(this);
  });

  for (const [name, code, damage] of [
    ['are cut off', 'metadata_unreadable', (bytes: Buffer) => bytes.subarray(0, -1)],
    ['are cut off behind the header', 'metadata_unreadable', withoutRecords],
    ['are empty', 'metadata_unreadable', () => Buffer.alloc(0)],
    ['are larger than any that an engine writes', 'metadata_too_large', () => Buffer.alloc(33 * MIB)],
  ] as const)
    it(`${name} is not written to, so no rows are lost`, async () => {
      const { place, rows, list, manifests } = await madeTable();
      const whole = await writeAvro(MANIFEST_LIST_SCHEMA, {}, manifests);
      await put(place, list, await damage(whole));
      const interval = testInterval(place);
      await assert.rejects(interval.deliver([buildRows(1)]), isFault(code));
      await put(place, list, whole);
      const more = buildRows(1);
      await interval.deliver([more]);
      assert.deepEqual(await place.read(), uuidsOf([rows, more]));
    });

  it('have the names of earlier versions of Iceberg keeps its rows', async () => {
    const { place, rows, list, manifests } = await madeTable();
    const { fields, ...schema } = MANIFEST_LIST_SCHEMA as unknown as { fields: { name: string }[] };
    const renamed = { ...schema, fields: fields.map((field) => ({ ...field, name: older(field.name) })) };
    const records = manifests.map((one) =>
      Object.fromEntries(Object.entries(one).map(([name, value]) => [older(name), value])),
    );
    await put(place, list, await writeAvro(renamed, {}, records));
    const more = buildRows(1);
    await testInterval(place).deliver([more]);
    assert.deepEqual(await place.read(), uuidsOf([rows, more]));
  });

  it('lack the counts of their files is not written to', async () => {
    const { place, list, manifests } = await madeTable();
    const { fields, ...schema } = MANIFEST_LIST_SCHEMA as unknown as { fields: { name: string }[] };
    const fewer = { ...schema, fields: fields.filter(({ name }) => !name.endsWith('_files_count')) };
    await put(place, list, await writeAvro(fewer, {}, manifests));
    await assert.rejects(testInterval(place).deliver([buildRows(1)]), isFault('metadata_unreadable'));
  });

  it('are not as long as the list says is not written to', async () => {
    const { place, list, manifests } = await madeTable();
    const longer = manifests.map((one) => ({ ...one, manifest_length: one.manifest_length + 1n, partitions: null }));
    await put(place, list, await writeAvro(MANIFEST_LIST_SCHEMA, {}, longer));
    await assert.rejects(testInterval(place).deliver([buildRows(1)]), isFault('metadata_unreadable'));
  });
});
