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

  it('is a file, plain or gzip (also of several members), whatever its name says', async () => {
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

  it('is standard input for a dash, plain or gzip, even when its first byte comes alone', async () => {
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

  it('says what is wrong with a missing file, a folder and a broken archive', async () => {
    await assert.rejects(
      openInput(path.join(folder, 'none')),
      new CommandFailed(`${folder}/none cannot be read (ENOENT). Give the path of a file, or - for standard input.`),
    );
    await assert.rejects(openInput(folder), CommandFailed);
    const torn = await openInput('-', blocks(gzipSync('a\n'.repeat(1000)).subarray(0, 20)));
    await assert.rejects(textsOf(torn.bytes), CommandFailed);
  });
});

describe('lines', () => {
  it('end with \\n or \\r\\n or with the input, in whatever blocks they come', async () => {
    assert.deepEqual(await textsOf(blocks('a\r', '\nb', 'b\n\n', 'c')), ['a', 'bb', '', 'c']);
  });

  it('are numbered, and withheld beyond 4 MiB while the next one is read', async () => {
    const long = Buffer.alloc(3e6, 'a');
    assert.deepEqual(await read(blocks(long, long, '\nnext\n')), [
      [1, undefined],
      [2, 'next'],
    ]);
  });
});
