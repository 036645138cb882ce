/** Reads an exported file back completely: unpacks it, and parses every row with code other than the writer's. */
import { createHash, type Hash } from 'node:crypto';
import { PassThrough, type Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import zlib from 'node:zlib';
import type { Compression, FileFormat } from './file-encoding.ts';
import { readParquet } from './parquet/read.ts';
import { readCsv } from './read-csv.ts';
import { readJsonLines } from './read-json-lines.ts';
import type { RowsDigester } from '../../conditions/rows/rows-digest.ts';
import type { SoughtRows } from './sought-rows.ts';
import { UnreadableFile } from './unreadable.ts';

type ReadRows = (
  blocks: AsyncIterable<Uint8Array>,
  digest: RowsDigester | undefined,
  sought: SoughtRows | undefined,
) => Promise<number>;
type Content = { rows: number; contentSha256: string };

/** Formats whose files are compressed as a whole. */
const TEXT_READERS: Record<Exclude<FileFormat, 'Parquet'>, ReadRows> = { JSONLines: readJsonLines, CSV: readCsv };

const DECOMPRESSORS: Partial<Record<Compression, () => Transform>> = {
  gzip: zlib.createGunzip,
  brotli: zlib.createBrotliDecompress,
  zstd: zlib.createZstdDecompress,
};

/**
 * @param stored the file as a destination keeps it
 * @param digest receives every row's uuid; undefined for rows without one
 * @param sought counts rows with one of its texts; undefined if nothing is sought
 * @returns the number of rows, and the sha256 (hex) of the stored file and of its content (see `PartSummary`)
 * @throws UnreadableFile
 */
export async function readExportedFile(
  stored: AsyncIterable<Uint8Array>,
  { format, compression }: { format: FileFormat; compression: Compression | null },
  digest: RowsDigester | undefined,
  sought?: SoughtRows,
): Promise<Content & { sha256: string }> {
  const storedHash = createHash('sha256');
  const blocks = hashBlocks(stored, storedHash);
  const content =
    format === 'Parquet'
      ? await readParquet(blocks, digest, sought)
      : await readText(blocks, compression, (text) => TEXT_READERS[format](text, digest, sought));
  return { ...content, sha256: storedHash.digest('hex') };
}

async function readText(
  stored: AsyncIterable<Uint8Array>,
  compression: Compression | null,
  read: (blocks: AsyncIterable<Uint8Array>) => Promise<number>,
): Promise<Content> {
  const hash = createHash('sha256');
  const unpack = compression === null ? new PassThrough() : DECOMPRESSORS[compression]?.();
  if (!unpack) throw new Error(`${compression} does not compress whole files`);
  let [rows, bytes] = [0, 0];
  async function* countBytes() {
    for await (const block of stored) {
      bytes += block.length;
      yield block;
    }
  }
  try {
    await pipeline(countBytes, unpack, async (blocks: AsyncIterable<Uint8Array>) => {
      rows = await read(hashBlocks(blocks, hash));
    });
  } catch (error) {
    throw isUnpackingError(error) ? new UnreadableFile('it cannot be unpacked', { cause: error }) : error;
  }
  // Brotli and zstd ignore bytes after the end of their data.
  if ('bytesWritten' in unpack && Number(unpack.bytesWritten) < bytes)
    throw new UnreadableFile('something follows the end of its data');
  return { rows, contentSha256: hash.digest('hex') };
}

async function* hashBlocks(blocks: AsyncIterable<Uint8Array>, hash: Hash): AsyncGenerator<Uint8Array> {
  for await (const block of blocks) {
    hash.update(block);
    yield block;
  }
}

/** Codes of zlib mean damaged data; anything else, such as a network error of the store, is rethrown. */
function isUnpackingError(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && /^(Z_|ERR__?ERROR|ERR_BROTLI|ERR_ZLIB|ZSTD_)/.test(code);
}
