import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { Column } from '../../../src/conditions/rows/columns.ts';
import { Unavailable } from '../../../src/platform/errors.ts';
import { encodeFile } from '../../../src/exports/formats/file.ts';
import { scanRows } from '../../../src/exports/formats/scan.ts';
import { watchMemory } from '../../support/flags/garbage.ts';
import { chunked, readAll, copyBinary } from '../../support/database/copy-stream.ts';

const COLUMNS: Column[] = [
  { name: 'uuid', type: 'uuid' },
  { name: 'event', type: 'text' },
];
const buildRow = (event = 'viewed') => [randomBytes(16), Buffer.from(event)];
const ROWS = copyBinary(Array.from({ length: 1000 }, () => buildRow()));

const encode = (rows: AsyncIterable<Uint8Array>) =>
  encodeFile(rows, { columns: COLUMNS, format: 'JSONLines', compression: 'gzip' });

describe('encoding a file', () => {
  it('gives the same content for the same rows, however they arrive', async () => {
    const hashes = [1, 100, 1_000_000].map(async (size) => {
      const file = encode(chunked(ROWS, [size]));
      await readAll(file.bytes);
      return file.summary().contentSha256;
    });
    assert.equal(new Set(await Promise.all(hashes)).size, 1);
  });

  it('has no summary before its end', async () => {
    const file = encode(chunked(ROWS, [1000]));
    assert.throws(() => file.summary(), /not been read/);
    await readAll(file.bytes);
    assert.equal(file.summary().rows, 1000);
  });

  it('fails when rows are missing, instead of becoming a shorter file', async () => {
    const file = encode(chunked(ROWS.subarray(0, -30), [1000]));
    await assert.rejects(readAll(file.bytes), Unavailable);
    assert.throws(() => file.summary(), /not been read/);
  });

  it('ends its source when it is left early', async () => {
    let closed = false;
    async function* endlessStream() {
      try {
        yield ROWS.subarray(0, -2);
        const more = ROWS.subarray(19, -2);
        for (;;) yield more;
      } finally {
        closed = true;
      }
    }
    for await (const chunk of encode(endlessStream()).bytes) if (chunk.length > 0) break;
    assert.ok(closed);
  });

  it('keeps its memory bounded', async function () {
    const row = buildRow('x'.repeat(1000));
    const body = copyBinary(Array.from({ length: 200 }, () => row)).subarray(19, -2);
    const repeats = Math.ceil(100_000_000 / body.length);
    async function* rows() {
      yield ROWS.subarray(0, 19);
      // As a socket gives them: memory of their own.
      for (let i = 0; i < repeats; i++) yield Uint8Array.from(body);
      yield ROWS.subarray(-2);
    }
    const watched = watchMemory(rows());
    const file = encode(watched.rows);
    for await (const _ of file.bytes);
    assert.equal(file.summary().rows, repeats * 200);
    assert.ok(watched.growth() < 60_000_000, `${watched.growth() / 1e6} MB`);
  });
});

describe('scanning rows', () => {
  it('passes them on untouched and sums up what passed', async () => {
    const file = encode(chunked(ROWS, [1000]));
    await readAll(file.bytes);
    const scanned = scanRows(chunked(ROWS, [777]), COLUMNS);
    assert.throws(() => scanned.summary(), /not been read/);
    assert.ok((await readAll(scanned.rows)).equals(ROWS));
    const { rows, digest } = file.summary();
    assert.deepEqual(scanned.summary(), { rows, digest, contentBytes: ROWS.length, contentSha256: null });
  });

  it('fails when rows are missing', async () => {
    await assert.rejects(readAll(scanRows(chunked(ROWS.subarray(0, -30), [1000]), COLUMNS).rows), Unavailable);
  });
});
