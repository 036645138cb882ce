/** The codecs of Parquet's pages. Each page is compressed by one call on the thread pool. */
import { promisify } from 'node:util';
import zlib from 'node:zlib';
import type { CompressionCodec } from 'hyparquet';
import lz4 from 'lz4-napi';
import snappy from 'snappy';
import type { Compression } from '../file-encoding.ts';

type Codec = {
  name: CompressionCodec;
  compress(page: Uint8Array): Promise<Uint8Array>;
  decompress(packed: Uint8Array, size: number): Uint8Array;
};

const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_SIZE_HINT, ZSTD_c_compressionLevel } = zlib.constants;
const gzip = promisify<Uint8Array, zlib.ZlibOptions, Uint8Array>(zlib.gzip);
const brotli = promisify<Uint8Array, zlib.BrotliOptions, Uint8Array>(zlib.brotliCompress);
const zstd = promisify<Uint8Array, zlib.ZstdOptions, Uint8Array>(zlib.zstdCompress);
/** lz4-napi puts the length before the block; Parquet knows it from the page's header. */
const LZ4_LENGTH_BYTES = 4;

/** Size of output buffers: a page that compresses well fits into one, because each buffer costs a turn of the event loop. */
function outputBytes(page: Uint8Array): { chunkSize: number } {
  return { chunkSize: Math.max(1024, page.length >> 1) };
}

export const CODECS: Record<Compression, Codec> = {
  zstd: {
    name: 'ZSTD',
    compress: (page) => zstd(page, { ...outputBytes(page), params: { [ZSTD_c_compressionLevel]: 3 } }),
    decompress: (packed) => zlib.zstdDecompressSync(packed),
  },
  lz4: {
    name: 'LZ4_RAW',
    compress: async (page) =>
      (await lz4.compress(Buffer.from(page.buffer, page.byteOffset, page.length))).subarray(LZ4_LENGTH_BYTES),
    decompress(packed, size) {
      const block = Buffer.allocUnsafe(LZ4_LENGTH_BYTES + packed.length);
      block.writeUInt32LE(size);
      block.set(packed, LZ4_LENGTH_BYTES);
      return lz4.uncompressSync(block);
    },
  },
  snappy: {
    name: 'SNAPPY',
    compress: (page) => snappy.compress(Buffer.from(page.buffer, page.byteOffset, page.length)),
    decompress: (packed) => snappy.uncompressSync(Buffer.from(packed), { asBuffer: true }) as Buffer,
  },
  gzip: {
    name: 'GZIP',
    compress: (page) => gzip(page, { ...outputBytes(page), level: 6, memLevel: 9 }),
    decompress: (packed) => zlib.gunzipSync(packed),
  },
  brotli: {
    name: 'BROTLI',
    // About as fast as gzip at 6; the default, 11, is a hundred times slower.
    compress: (page) =>
      brotli(page, {
        ...outputBytes(page),
        params: { [BROTLI_PARAM_QUALITY]: 5, [BROTLI_PARAM_SIZE_HINT]: page.length },
      }),
    decompress: (packed) => zlib.brotliDecompressSync(packed),
  },
};
