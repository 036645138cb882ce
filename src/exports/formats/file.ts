/** Converts a part's rows from Postgres to the file that a destination stores. */
import type { FileEncoding, FileFormat } from './file-encoding.ts';
import type { PartSummary } from './part-summary.ts';
import type { Column } from '../../conditions/rows/columns.ts';
import { compress, compressionExtension } from './compression.ts';
import { CopyBinaryReader, NO_ROWS } from './copy-binary.ts';
import { csvEncoder } from './csv.ts';
import type { Encoder } from './encoder.ts';
import { jsonLinesEncoder } from './json-lines.ts';
import { lineEncoder } from './lines.ts';
import { parquetEncoder, type TableFields } from './parquet/encoder.ts';
import { RowsDigester, rowIdColumn } from '../../conditions/rows/rows-digest.ts';

export type FileOptions = Pick<FileEncoding, 'format' | 'compression' | 'formulaSafe'> & {
  /** Columns as COPY delivers them, in order; one of them identifies the row. Hidden ones are not in the file. */
  columns: readonly Column[];
  /** Parquet: for the files of a table. */
  table?: TableFields;
};

type Format = {
  extension: string;
  /** Whether the file is compressed as a whole; otherwise the encoder compresses its parts. */
  compressesWhole: boolean;
  encoder(options: FileOptions): Encoder;
};

const FORMATS: Record<FileFormat, Format> = {
  JSONLines: {
    extension: '.jsonl',
    compressesWhole: true,
    encoder: ({ columns }) => lineEncoder((out) => jsonLinesEncoder(columns, out)),
  },
  CSV: {
    extension: '.csv',
    compressesWhole: true,
    encoder: ({ columns, formulaSafe = false }) => lineEncoder((out) => csvEncoder(columns, out, { formulaSafe })),
  },
  Parquet: {
    extension: '.parquet',
    compressesWhole: false,
    encoder: ({ columns, compression, table }) => parquetEncoder(columns, compression, table),
  },
};

export type EncodedFile = {
  /** The file, to be read once, in blocks whose memory belongs to the reader. A reader that stops early also ends the rows. */
  bytes: AsyncIterable<Uint8Array>;
  /** Summary of the content before compression. @throws Error unless `bytes` has been read to its end */
  summary(): PartSummary;
  /** Rows encoded so far, and their size before compression. */
  progress(): { rows: number; bytes: number };
};

/** `.jsonl`, `.jsonl.gz`, `.parquet`, … Parquet needs no codec in its name, because readers find it in the file. */
export function fileExtension({ format, compression, codecInName = false }: FileEncoding): string {
  const { extension, compressesWhole } = FORMATS[format];
  return compressesWhole || codecInName ? extension + compressionExtension(compression) : extension;
}

/**
 * Encodes and compresses while rows arrive; memory stays a few MiB (for Parquet a compressed row group), or the longest row.
 * @param rows COPY BINARY with header and trailer, in chunks of any size; their memory may be reused once the next is asked for
 */
export function encodeFile(rows: AsyncIterable<Uint8Array>, options: FileOptions): EncodedFile {
  let summary: PartSummary | undefined;
  const totals = { rows: 0, bytes: 0, digest: new RowsDigester() };

  async function* bytes() {
    const { encoder: encoderOf, compressesWhole } = FORMATS[options.format];
    const encoder = encoderOf(options);
    const blocks = encodedBlocks(rows, options.columns, encoder, totals);
    yield* compressesWhole ? compress(blocks, options.compression) : blocks;
    const content = encoder.content();
    summary = {
      rows: totals.rows,
      digest: totals.digest.digest(),
      contentBytes: content.bytes,
      contentSha256: content.sha256,
    };
  }
  return {
    bytes: bytes(),
    summary() {
      if (!summary) throw new Error('The file has not been read to its end');
      return summary;
    },
    progress: () => ({ rows: totals.rows, bytes: totals.bytes }),
  };
}

async function* encodedBlocks(
  rows: AsyncIterable<Uint8Array>,
  columns: readonly Column[],
  encoder: Encoder,
  counted: { rows: number; bytes: number; digest: RowsDigester },
): AsyncGenerator<Uint8Array> {
  const rowId = rowIdColumn(columns);
  const reader = new CopyBinaryReader(columns.length);
  for await (const chunk of rows) {
    reader.push(chunk);
    while (reader.next()) {
      counted.rows++;
      counted.digest.add(reader.bytes, reader.starts[rowId]!);
      encoder.add(reader);
    }
    for await (const block of encoder.readyBlocks()) {
      counted.bytes += block.byteLength;
      yield block;
    }
  }
  reader.finish();
  yield* encoder.end();
}

/** A file without rows; it still names the columns if the format does. */
export function emptyFile(options: FileOptions): EncodedFile {
  return encodeFile(noRows(), options);
}

async function* noRows(): AsyncGenerator<Uint8Array> {
  yield NO_ROWS;
}
