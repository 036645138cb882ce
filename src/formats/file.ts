/** A part's rows, as they come from Postgres, to the file that a destination stores. */
import { createHash, type Hash } from 'node:crypto';
import type { Column, Compression, FileFormat, PartSummary } from '../destinations/contract.ts';
import { BlockWriter } from './block-writer.ts';
import { compress, compressionExtension } from './compression.ts';
import { CopyBinaryReader } from './copy-binary.ts';
import { jsonLinesEncoder } from './json-lines.ts';
import { RowsDigester, rowIdColumn } from './rows-digest.ts';

type Encoder = (row: CopyBinaryReader) => void;

const FORMATS: Record<
  FileFormat,
  { extension: string; encoder(columns: readonly Column[], out: BlockWriter): Encoder }
> = {
  JSONLines: { extension: '.jsonl', encoder: jsonLinesEncoder },
};

export type FileOptions = {
  /** What COPY delivers, in this order; one of them is `uuid`. */
  columns: readonly Column[];
  format: FileFormat;
  compression: Compression | null;
};

export type EncodedFile = {
  /** The file, to be read once, in blocks whose memory is the reader's. Leaving it early ends the rows as well. */
  bytes: AsyncIterable<Uint8Array>;
  /** What was encoded, before compression. @throws Error before `bytes` came to its end */
  summary(): PartSummary;
};

/** `.jsonl`, `.jsonl.gz`, … */
export function fileExtension(format: FileFormat, compression: Compression | null): string {
  return FORMATS[format].extension + compressionExtension(compression);
}

/**
 * Encodes and compresses while rows arrive; memory stays a few MiB, or the longest row.
 * @param rows COPY BINARY with header and trailer, in chunks of any size; their memory may be reused once the next is asked for
 */
export function encodeFile(rows: AsyncIterable<Uint8Array>, options: FileOptions): EncodedFile {
  const content = { rows: 0, digest: new RowsDigester(), hash: createHash('sha256'), bytes: 0 };
  let summary: PartSummary | undefined;

  async function* bytes() {
    yield* compress(encodedBlocks(rows, options, content), options.compression);
    summary = {
      rows: content.rows,
      digest: content.digest.digest(),
      contentBytes: content.bytes,
      contentSha256: content.hash.digest('hex'),
    };
  }
  return {
    bytes: bytes(),
    summary() {
      if (!summary) throw new Error('The file has not been read to its end');
      return summary;
    },
  };
}

type Content = { rows: number; digest: RowsDigester; hash: Hash; bytes: number };

async function* encodedBlocks(
  rows: AsyncIterable<Uint8Array>,
  { columns, format }: FileOptions,
  content: Content,
): AsyncGenerator<Uint8Array> {
  const uuid = rowIdColumn(columns);
  const reader = new CopyBinaryReader(columns.length);
  const out = new BlockWriter();
  const encode = FORMATS[format].encoder(columns, out);
  function* finished() {
    for (const block of out.take()) {
      content.hash.update(block);
      content.bytes += block.length;
      yield block;
    }
  }

  for await (const chunk of rows) {
    reader.push(chunk);
    while (reader.next()) {
      content.rows++;
      content.digest.add(reader.bytes, reader.starts[uuid]!);
      encode(reader);
    }
    yield* finished();
  }
  reader.finish();
  out.end();
  yield* finished();
}

/** A file of no rows. */
export function emptyFile(compression: Compression | null): AsyncIterable<Uint8Array> {
  return compress(noBlocks(), compression);
}

async function* noBlocks(): AsyncGenerator<Uint8Array> {}
