/** Compression off the event loop: gzip members in parallel, which concatenate to one file; zstd and brotli as one stream. */
import { promisify } from 'node:util';
import { pipeline } from 'node:stream/promises';
import zlib from 'node:zlib';
import type { Compression } from './file-encoding.ts';

/** Blocks being compressed at once in one file; libuv's thread pool has four threads. */
const CONCURRENT_BLOCKS = 4;
/** Size of output buffers: most compressed blocks fit into one, because each buffer costs a turn of the event loop. */
const OUTPUT_BYTES = 256 * 1024;
/** Size of the blocks that are queued for the stream, so the stream need not wait for blocks. */
const WAITING_BYTES = 2 * 1024 * 1024;

type Compress = (blocks: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>;

const gzip = promisify<Uint8Array, zlib.ZlibOptions, Uint8Array>(zlib.gzip);
/** `memLevel` 9 is a tenth faster than the default, 8. */
const GZIP = { level: 6, memLevel: 9 };
/** Upper bound of what gzip adds to a block that it cannot compress. */
const GZIP_OVERHEAD_BYTES = 1024;
const STREAM = { chunkSize: OUTPUT_BYTES, writableHighWaterMark: WAITING_BYTES };
const { BROTLI_PARAM_QUALITY, ZSTD_c_compressionLevel, ZSTD_c_windowLog } = zlib.constants;
/** A window of 1 MiB instead of 2 stays in the cache: a tenth faster for a hundredth more bytes. */
const ZSTD = { [ZSTD_c_compressionLevel]: 3, [ZSTD_c_windowLog]: 20 };

/** Compressions of whole files; Parquet compresses its own pages, and has further codecs. */
const COMPRESSIONS: Partial<Record<Compression, Compress>> = {
  gzip: (blocks) =>
    compressInParallel(blocks, (block) =>
      gzip(block, { ...GZIP, chunkSize: Math.min(OUTPUT_BYTES, block.length + GZIP_OVERHEAD_BYTES) }),
    ),
  // Frames concatenate as well, but not all readers continue after the first one, and some stop there silently: Node's own
  // stream, python-zstandard.
  zstd: (blocks) => compressInOneStream(blocks, () => zlib.createZstdCompress({ ...STREAM, params: ZSTD })),
  brotli: (blocks) =>
    compressInOneStream(blocks, () =>
      // About as fast as gzip at 6; the default, 11, is a hundred times slower.
      zlib.createBrotliCompress({ ...STREAM, params: { [BROTLI_PARAM_QUALITY]: 5 } }),
    ),
};

const EXTENSIONS: Record<Compression, string> = {
  zstd: '.zst',
  lz4: '.lz4',
  snappy: '.sz',
  gzip: '.gz',
  brotli: '.br',
};

/** Extension with the dot; empty for no compression. */
export function compressionExtension(compression: Compression | null): string {
  return compression ? EXTENSIONS[compression] : '';
}

/**
 * Compresses a file that arrives in blocks. A file of no blocks still becomes a valid compressed file of no bytes.
 * @throws Error for a compression that only Parquet has
 */
export function compress(
  blocks: AsyncIterable<Uint8Array>,
  compression: Compression | null,
): AsyncIterable<Uint8Array> {
  if (compression === null) return blocks;
  const compressFile = COMPRESSIONS[compression];
  if (!compressFile) throw new Error(`whole files are not compressed by ${compression}`);
  return compressFile(blocks);
}

/** Compresses several blocks at once, and yields them in order. Takes no further block meanwhile, so a slow consumer slows the source. */
async function* compressInParallel(
  blocks: AsyncIterable<Uint8Array>,
  compressBlock: (block: Uint8Array) => Promise<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const inProgress: Promise<Uint8Array>[] = [];
  let isEmpty = true;
  for await (const block of blocks) {
    isEmpty = false;
    const compressed = compressBlock(block);
    // Blocks are awaited in order; a later block that fails first must not count as unhandled meanwhile.
    compressed.catch(() => {});
    inProgress.push(compressed);
    if (inProgress.length === CONCURRENT_BLOCKS) yield await inProgress.shift()!;
  }
  for (const compressed of inProgress) yield await compressed;
  if (isEmpty) yield await compressBlock(new Uint8Array());
}

/** Compresses all blocks in one stream, which takes one thread beside the event loop. */
async function* compressInOneStream(
  blocks: AsyncIterable<Uint8Array>,
  createStream: () => zlib.ZstdCompress | zlib.BrotliCompress,
): AsyncGenerator<Uint8Array> {
  const stream = createStream();
  const feeding = pipeline(blocks, stream);
  // A failure reaches the reader of the stream as well.
  feeding.catch(() => {});
  try {
    for await (const chunk of stream) yield chunk as Uint8Array;
  } finally {
    stream.destroy();
    await feeding.catch(() => {});
  }
}
