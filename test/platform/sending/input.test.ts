import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { CommandFailed } from '../../../src/platform/errors.ts';
import { openInput } from '../../../src/platform/sending/input.ts';
import { lines } from '../../../src/platform/sending/lines.ts';

async function* blocks(...parts: (string | Buffer)[]): AsyncGenerator<Buffer> {
  for (const part of parts) yield Buffer.from(part);
}

async function read(bytes: AsyncIterable<Buffer>): Promise<[number, string | undefined][]> {
  const found: [number, string | undefined][] = [];
  for await (const line of lines(bytes)) found.push([line.number, line.bytes?.toString()]);
  return found;
}

const textsOf = async (bytes: AsyncIterable<Buffer>) => (await read(bytes)).map(([, text]) => text);

describe('an input', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'sluice-input-'));
  });
  after(() => rm(folder, { recursive: true }));

  it('is read from a file, plain or gzipped (in one or several members), regardless of the file’s extension', async () => {
    const plain = path.join(folder, 'plain.gz');
    const packed = path.join(folder, 'packed.log');
    await writeFile(plain, 'a\nb\n');
    await writeFile(packed, Buffer.concat([gzipSync('a\n'), gzipSync('b\n')]));
    for (const file of [plain, packed]) {
      const input = await openInput(file);
      assert.deepEqual(await textsOf(input.bytes), ['a', 'b']);
      assert.equal(input.bytesRead(), input.totalBytes);
    }
  });

  it('is read from standard input for the path -, plain or gzipped, even if its first byte arrives alone', async () => {
    const packed = gzipSync('a\nb');
    for (const bytes of [blocks('a\nb'), blocks(packed.subarray(0, 1), packed.subarray(1))]) {
      const input = await openInput('-', bytes);
      assert.equal(input.totalBytes, undefined);
      assert.deepEqual(await textsOf(input.bytes), ['a', 'b']);
    }
  });

  it('may be empty', async () => {
    assert.deepEqual(await textsOf((await openInput('-', blocks())).bytes), []);
  });

  it('is refused, with the reason, if it is a missing file, a folder or a truncated archive', async () => {
    await assert.rejects(
      openInput(path.join(folder, 'none')),
      new CommandFailed(`${folder}/none cannot be read (ENOENT). Give the path of a file, or - for standard input.`),
    );
    await assert.rejects(openInput(folder), CommandFailed);
    const truncated = await openInput('-', blocks(gzipSync('a\n'.repeat(1000)).subarray(0, 20)));
    await assert.rejects(textsOf(truncated.bytes), CommandFailed);
  });
});

describe('lines', () => {
  it('end with \\n, with \\r\\n or with the input, however the input is split into blocks', async () => {
    assert.deepEqual(await textsOf(blocks('a\r', '\nb', 'b\n\n', 'c')), ['a', 'bb', '', 'c']);
  });

  it('are numbered; one of more than 4 MiB has no bytes, and the next one is still read', async () => {
    const long = Buffer.alloc(3e6, 'a');
    assert.deepEqual(await read(blocks(long, long, '\nnext\n')), [
      [1, undefined],
      [2, 'next'],
    ]);
  });
});
