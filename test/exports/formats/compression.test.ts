import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import zlib from 'node:zlib';
import { compress, compressionExtension } from '../../../src/exports/formats/compression.ts';
import { emptyFile, fileExtension } from '../../../src/exports/formats/file.ts';
import { ROW_ID } from '../../../src/conditions/rows/rows-digest.ts';
import { chunked, readAll } from '../../support/database/copy-stream.ts';

const CODECS = [
  { compression: null, extension: '', decode: (bytes: Buffer) => bytes, program: 'cat' },
  { compression: 'gzip', extension: '.gz', decode: zlib.gunzipSync, program: 'gunzip' },
  { compression: 'brotli', extension: '.br', decode: zlib.brotliDecompressSync, program: 'brotli' },
  { compression: 'zstd', extension: '.zst', decode: zlib.zstdDecompressSync, program: 'zstd' },
] as const;

/** Some that compresses well and some that does not at all: more output than input. */
const CONTENT = Buffer.concat([Buffer.alloc(5_000_000, '{"event":"viewed"}\n'), randomBytes(3_000_001)]);
const BLOCK = 1_050_000;

for (const { compression, extension, decode, program } of CODECS) {
  describe(`a file compressed by ${compression ?? 'nothing'}`, () => {
    it('has its extension', () => {
      assert.equal(compressionExtension(compression), extension);
      assert.equal(fileExtension({ format: 'JSONLines', compression }), `.jsonl${extension}`);
    });

    it('decodes to its content', async () => {
      const bytes = await readAll(compress(chunked(CONTENT, [BLOCK]), compression));
      assert.ok(decode(bytes).equals(CONTENT));
      const decoded = await decodeWith(program, bytes);
      assert.ok(decoded === undefined || decoded.equals(CONTENT));
    });

    it('is valid without any content', async () => {
      const bytes = await readAll(emptyFile({ format: 'JSONLines', compression, columns: [ROW_ID] }).bytes);
      assert.equal(decode(bytes).length, 0);
      assert.equal((await decodeWith(program, bytes))?.length ?? 0, 0);
    });

    it('takes no more blocks than it works on while nothing reads', async () => {
      const source = counted();
      const file = compress(source.blocks(), compression)[Symbol.asyncIterator]();
      await file.next();
      for (let i = 0; i < 200; i++) await turn();
      assert.ok(source.taken <= 20, `${source.taken} blocks taken`);
      await file.return?.();
      assert.ok(source.closed);
    });

    it('ends with the failure of its source', async () => {
      await assert.rejects(readAll(compress(failingStream(), compression)), /the connection is gone/);
    });
  });
}

async function* failingStream() {
  yield CONTENT.subarray(0, BLOCK);
  throw new Error('the connection is gone');
}

function counted() {
  const source = {
    taken: 0,
    closed: false,
    async *blocks() {
      try {
        for (; source.taken < 200; source.taken++) yield CONTENT.subarray(-BLOCK);
      } finally {
        source.closed = true;
      }
    },
  };
  return source;
}

/** By the program that people have; undefined where it is not installed. */
function decodeWith(program: string, bytes: Buffer): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
    const args = program === 'cat' ? [] : ['-dc'];
    const options = { encoding: 'buffer', maxBuffer: 2 * CONTENT.length } as const;
    const child = execFile(program, args, options, (error, decoded) => {
      if (error && error.code !== 'ENOENT') reject(error);
      else resolve(error ? undefined : decoded);
    });
    child.stdin?.on('error', () => {});
    child.stdin?.end(bytes);
  });
}
