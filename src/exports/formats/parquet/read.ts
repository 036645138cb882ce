/** Reads Parquet back: hyparquet decodes every value, and the pages' bodies are hashed as the encoder hashed them. */
import { mkdtemp, open, rm, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  parquetMetadataAsync,
  parquetRead,
  type AsyncBuffer,
  type ColumnMetaData,
  type CompressionCodec,
  type DecodedArray,
  type FileMetaData,
} from 'hyparquet';
// The package's root exports no function that reads a page's header alone. This path is one of its `exports`, and the version is fixed.
import { parquetHeader } from 'hyparquet/src/column.js';
import type { RowsDigester } from '../../../conditions/rows/rows-digest.ts';
import type { SoughtRows } from '../sought-rows.ts';
import { UnreadableFile } from '../unreadable.ts';
import { uuidBytes } from '../uuid-text.ts';
import { CODECS } from './codecs.ts';
import { ContentHash, hashOf } from './content.ts';

const DECOMPRESSORS = Object.fromEntries(
  Object.values(CODECS).map(({ name, decompress }) => [name, decompress]),
) as Partial<Record<CompressionCodec, (packed: Uint8Array, size: number) => Uint8Array>>;

/**
 * Reads one column of a row group at a time; the file is stored on disk first, because its footer is needed first.
 * @param digest receives every row's `uuid`; undefined if there is no such column
 * @param sought counts rows with one of its texts; undefined if nothing is sought
 * @throws UnreadableFile
 */
export async function readParquet(
  stored: AsyncIterable<Uint8Array>,
  digest: RowsDigester | undefined,
  sought?: SoughtRows,
): Promise<{ rows: number; contentSha256: string }> {
  const folder = await mkdtemp(path.join(tmpdir(), 'sluice-parquet-'));
  const spool = await open(path.join(folder, 'file'), 'wx+');
  try {
    for await (const block of stored) await spool.writeFile(block);
    const file = await asyncBuffer(spool);
    return await readWhole(file, digest, sought).catch((error: unknown) => {
      throw error instanceof UnreadableFile ? error : new UnreadableFile('it is not valid Parquet', { cause: error });
    });
  } finally {
    await spool.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function asyncBuffer(spool: FileHandle): Promise<AsyncBuffer> {
  const { size } = await spool.stat();
  return {
    byteLength: size,
    async slice(start, end = size) {
      const bytes = new Uint8Array(end - start);
      await spool.read(bytes, 0, bytes.length, start);
      return bytes.buffer;
    },
  };
}

async function readWhole(file: AsyncBuffer, digest: RowsDigester | undefined, sought: SoughtRows | undefined) {
  const metadata = await parquetMetadataAsync(file);
  const content = new ContentHash(metadata.schema.slice(1));
  let rows = 0;
  for (const group of metadata.row_groups) {
    const range = { rowStart: rows, rowEnd: rows + Number(group.num_rows) };
    const soughtRows = new Set<number>();
    for (const { meta_data: column } of group.columns) {
      for await (const hash of pageHashes(file, column!)) content.addPage(column!.codec, hash);
      const [name = ''] = column!.path_in_schema;
      const values = await readValues(file, metadata, name, range);
      if (digest && name === 'uuid') addUuids(values, rows, digest);
      if (sought) for (let i = 0; i < values.length; i++) if (sought.isSought(name, values[i])) soughtRows.add(i);
    }
    if (sought) sought.found += soughtRows.size;
    rows = range.rowEnd;
  }
  if (digest && !metadata.schema.some(({ name }) => name === 'uuid')) throw new UnreadableFile('it has no uuids');
  return { rows, contentSha256: content.digest() };
}

async function* pageHashes(file: AsyncBuffer, column: ColumnMetaData): AsyncGenerator<Uint8Array> {
  const start = Number(column.dictionary_page_offset ?? column.data_page_offset);
  const bytes = await file.slice(start, start + Number(column.total_compressed_size));
  const reader = { view: new DataView(bytes), offset: 0 };
  while (reader.offset < bytes.byteLength) {
    const { compressed_page_size: size, uncompressed_page_size: rawSize } = parquetHeader(reader);
    const body = new Uint8Array(bytes, reader.offset, size);
    yield await hashOf(DECOMPRESSORS[column.codec]?.(body, rawSize) ?? body);
    reader.offset += size;
  }
}

type RowRange = { rowStart: number; rowEnd: number };

/** Reads one column at a time, because a whole row group would take many times the file's size in memory. */
async function readValues(
  file: AsyncBuffer,
  metadata: FileMetaData,
  name: string,
  { rowStart, rowEnd }: RowRange,
): Promise<DecodedArray> {
  const chunks: DecodedArray[] = [];
  await parquetRead({
    file,
    metadata,
    rowStart,
    rowEnd,
    columns: [name],
    compressors: DECOMPRESSORS,
    onChunk: ({ columnData }) => chunks.push(columnData),
  });
  const [values = []] = chunks;
  if (values.length === rowEnd - rowStart) return values;
  throw new UnreadableFile(`rows ${rowStart + 1} to ${rowEnd} have ${values.length} values of ${name}`);
}

function addUuids(values: DecodedArray, rowsBefore: number, digest: RowsDigester): void {
  for (let i = 0; i < values.length; i++) {
    const uuid = uuidBytes(values[i]);
    if (!uuid) throw new UnreadableFile(`row ${rowsBefore + i + 1} has no uuid`);
    digest.add(uuid, 0);
  }
}
