import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import zlib from 'node:zlib';
import { readExportedFile } from '../../../src/exports/formats/read-file.ts';
import { UnreadableFile } from '../../../src/exports/formats/unreadable.ts';
import { RowsDigester } from '../../../src/conditions/rows/rows-digest.ts';

const PACK: Record<'gzip' | 'brotli' | 'zstd', (bytes: Buffer) => Buffer> = {
  gzip: zlib.gzipSync,
  brotli: zlib.brotliCompressSync,
  zstd: zlib.zstdCompressSync,
};

const uuids = Array.from({ length: 20 }, () => randomUUID());
const content = Buffer.from(uuids.map((uuid) => `${JSON.stringify({ uuid, text: 'é\n'.repeat(50) })}\n`).join(''));
const expected = new RowsDigester();
for (const uuid of uuids) expected.add(Buffer.from(uuid.replaceAll('-', ''), 'hex'), 0);

async function* inPieces(bytes: Buffer, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function read(bytes: Buffer, compression: keyof typeof PACK | null = null, size = 7) {
  const digest = new RowsDigester();
  const file = await readExportedFile(inPieces(bytes, size), { format: 'JSONLines', compression }, digest);
  return { rows: file.rows, digest: digest.digest() };
}

describe('reading an exported file', () => {
  for (const compression of [null, 'gzip', 'brotli', 'zstd'] as const) {
    it(`finds every row of ${compression ?? 'plain'} files, wherever blocks end`, async () => {
      const bytes = compression ? PACK[compression](content) : content;
      for (const size of [1, 7, 64, 1 << 20]) {
        assert.deepEqual(await read(bytes, compression, size), { rows: uuids.length, digest: expected.digest() });
      }
    });
  }

  for (const [name, bytes, compression, message] of [
    ['a file cut short', content.subarray(0, -1), null, /line 20 is not terminated/],
    ['a row that is no JSON', Buffer.concat([content, Buffer.from('{"uuid":\n')]), null, /line 21 is not a valid row/],
    ['a row without a uuid', Buffer.concat([Buffer.from('{}\n'), content]), null, /line 1 is not a valid row/],
    ['a packed file cut short', zlib.gzipSync(content).subarray(0, -9), 'gzip', /cannot be unpacked/],
    [
      'a packed file that goes on after its end',
      Buffer.concat([zlib.brotliCompressSync(content), Buffer.from('x')]),
      'brotli',
      /follows the end/,
    ],
    ['a row that is a list', Buffer.concat([Buffer.from('[]\n'), content]), null, /line 1 is not a valid row/],
    ['a file that is not packed', content, 'zstd', /cannot be unpacked/],
  ] as const) {
    it(`refuses ${name}`, async () => {
      await assert.rejects(
        read(bytes, compression),
        (error) => error instanceof UnreadableFile && message.test(error.message),
      );
    });
  }
});
