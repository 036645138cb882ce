import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Delivery } from '../../../../src/exports/destinations/delivery.ts';
import { SUPPORTED_COMPRESSIONS, FILE_FORMATS } from '../../../../src/exports/formats/file-encoding.ts';
import { destinationOf } from '../../../../src/exports/destinations/index.ts';
import { fileKindOf } from '../../../../src/exports/destinations/object-store/keys.ts';
import { readExportedFile } from '../../../../src/exports/formats/read-file.ts';
import { chunked } from '../../../support/database/copy-stream.ts';
import { buildRows, testInterval } from '../../../support/exports/deliveries.ts';

const KINDS = FILE_FORMATS.flatMap((format) =>
  [null, ...SUPPORTED_COMPRESSIONS[format]].map((compression) => ({ format, compression })),
);

describe('files of every format', () => {
  let root: string;

  before(async () => {
    root = await mkdtemp(path.join(tmpdir(), 'sluice-formats-'));
  });
  after(() => rm(root, { recursive: true, force: true }));

  function interval(file: Partial<Delivery['file']>) {
    const environment = { localRoot: root, allowedHosts: [] };
    const config = { directory: crypto.randomUUID(), prefix: '' };
    return testInterval({ destination: destinationOf('LocalFile', environment), config, environment }, file);
  }

  for (const kind of KINDS) {
    it(`are delivered and read back whole: ${kind.format}, ${kind.compression ?? 'not compressed'}`, async () => {
      const { run, receipt } = await interval(kind).deliver([buildRows(300), buildRows(20)]);
      assert.equal(receipt.rows, 320);
      assert.deepEqual(await run.verify(receipt, true), []);
      const file = path.join(root, receipt.files![1]!.key);
      const bytes = await readFile(file);
      bytes[bytes.length >> 1]! ^= 1;
      await writeFile(file, bytes);
      assert.notDeepEqual(await run.verify(receipt, true), []);
    });
  }

  it('replace each other, and leave an empty file where the other format was', async () => {
    const file: Partial<Delivery['file']> = {};
    const one = interval(file);
    const rows = buildRows(30);
    const keys = new Set<string>();
    for (const kind of KINDS.filter(({ compression }) => compression === null || compression === 'gzip')) {
      Object.assign(file, kind);
      const { run, receipt } = await one.deliver([rows]);
      for (const { key } of receipt.files!) keys.add(key);
      assert.deepEqual(await run.verify(receipt, true), []);
      assert.deepEqual(
        receipt.files!.map(({ rows: count }) => count).sort((a, b) => b - a),
        [30, ...Array.from({ length: keys.size - 1 }, () => 0)],
      );
      for (const { key, rows: count } of receipt.files!) {
        const stored = await readFile(path.join(root, key));
        const read = await readExportedFile(chunked(stored, [1000]), fileKindOf(key), undefined);
        assert.equal(read.rows, count, key);
      }
    }
    // One name for Parquet, whatever is inside.
    assert.equal(keys.size, 5);
  });

  it('are written anew when only the compression inside changed', async () => {
    const file: Partial<Delivery['file']> = { format: 'Parquet', compression: 'zstd' };
    const one = interval(file);
    const rows = buildRows(30);
    const before = await one.deliver([rows]);
    assert.deepEqual((await one.deliver([rows])).receipt.files, before.receipt.files);
    file.compression = 'gzip';
    const { run, receipt } = await one.deliver([rows]);
    assert.notEqual(receipt.files![0]!.identity, before.receipt.files![0]!.identity);
    assert.deepEqual(await run.verify(receipt, true), []);
  });
});
