/** Reading an exported file back, to its last byte: unpacked, and every row parsed by other code than wrote it. */
import { createHash, type Hash } from 'node:crypto';
import { PassThrough, type Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import zlib from 'node:zlib';
import type { Compression, FileFormat } from '../destinations/contract.ts';
import type { RowsDigester } from './rows-digest.ts';

const LINE_FEED = 10;
const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

type ReadRows = (blocks: AsyncIterable<Uint8Array>, digest: RowsDigester) => Promise<number>;

const READERS: Record<FileFormat, ReadRows> = { JSONLines: readJsonLines };

const DECOMPRESSORS: Record<Compression, () => Transform> = {
  gzip: zlib.createGunzip,
  brotli: zlib.createBrotliDecompress,
  zstd: zlib.createZstdDecompress,
};

/** The bytes are no file of that format and compression. The message says where it ends to be one. */
export class UnreadableFile extends Error {}

/**
 * @param stored the file as a destination keeps it
 * @param digest every row's uuid is added to it
 * @returns rows, and the sha256 (hex) of the file as stored and of its uncompressed content
 * @throws UnreadableFile
 */
export async function readExportedFile(
  stored: AsyncIterable<Uint8Array>,
  { format, compression }: { format: FileFormat; compression: Compression | null },
  digest: RowsDigester,
): Promise<{ rows: number; sha256: string; contentSha256: string }> {
  const [packed, content] = [createHash('sha256'), createHash('sha256')];
  const unpack = compression ? DECOMPRESSORS[compression]() : new PassThrough();
  let rows = 0;
  try {
    await pipeline(hashed(stored, packed), unpack, async (blocks: AsyncIterable<Uint8Array>) => {
      rows = await READERS[format](hashed(blocks, content), digest);
    });
  } catch (error) {
    throw isUnpackingError(error) ? new UnreadableFile('it cannot be unpacked', { cause: error }) : error;
  }
  return { rows, sha256: packed.digest('hex'), contentSha256: content.digest('hex') };
}

async function* hashed(blocks: AsyncIterable<Uint8Array>, hash: Hash): AsyncGenerator<Uint8Array> {
  for await (const block of blocks) {
    hash.update(block);
    yield block;
  }
}

/** zlib names its errors by what was wrong with the data; the store's own are ours. */
function isUnpackingError(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && /^(Z_|ERR__?ERROR|ERR_BROTLI|ERR_ZLIB|ZSTD_)/.test(code);
}

async function readJsonLines(blocks: AsyncIterable<Uint8Array>, digest: RowsDigester): Promise<number> {
  let rows = 0;
  let begun: Uint8Array[] = [];
  for await (const block of blocks) {
    let from = 0;
    for (let at = block.indexOf(LINE_FEED); at >= 0; at = block.indexOf(LINE_FEED, from)) {
      const line = Buffer.concat([...begun, block.subarray(from, at)]);
      digest.add(uuidOf(line.toString(), ++rows), 0);
      begun = [];
      from = at + 1;
    }
    if (from < block.length) begun.push(block.subarray(from));
  }
  if (begun.length > 0) throw new UnreadableFile(`line ${rows + 1} has no end`);
  return rows;
}

/** @returns the 16 bytes of the row's uuid */
function uuidOf(line: string, number: number): Uint8Array {
  const { uuid } = parse(line) ?? {};
  if (typeof uuid === 'string' && UUID.test(uuid)) return Buffer.from(uuid.replaceAll('-', ''), 'hex');
  throw new UnreadableFile(`line ${number} is no row`);
}

function parse(line: string): { uuid?: unknown } | null {
  try {
    return JSON.parse(line) as { uuid?: unknown } | null;
  } catch {
    return null;
  }
}
