/** Counts and digests rows while they pass, unchanged. */
import type { PartSummary } from './part-summary.ts';
import type { Column } from '../../conditions/rows/columns.ts';
import { CopyBinaryReader } from './copy-binary.ts';
import { RowsDigester, rowIdColumn } from '../../conditions/rows/rows-digest.ts';

export type ScannedRows = {
  /** The COPY BINARY stream, unchanged, to be read once. A reader that stops early also ends the source. */
  rows: AsyncIterable<Uint8Array>;
  /** Summary of all rows; `contentBytes` is the size of the stream. @throws Error unless `rows` has been read to its end */
  summary(): PartSummary;
  /** Rows that have passed so far, and their size. */
  progress(): { rows: number; bytes: number };
};

/** @param source a COPY BINARY stream @param columns the columns that COPY delivers, with `uuid` among them */
export function scanRows(source: AsyncIterable<Uint8Array>, columns: readonly Column[]): ScannedRows {
  let summary: PartSummary | undefined;
  const passed = { rows: 0, bytes: 0 };

  async function* rows() {
    const idColumn = rowIdColumn(columns);
    const reader = new CopyBinaryReader(columns.length);
    const digest = new RowsDigester();
    for await (const chunk of source) {
      reader.push(chunk);
      for (; reader.next(); passed.rows++) digest.add(reader.bytes, reader.starts[idColumn]!);
      passed.bytes += chunk.byteLength;
      yield chunk;
    }
    reader.finish();
    summary = { rows: passed.rows, digest: digest.digest(), contentBytes: reader.totalBytes, contentSha256: null };
  }
  return {
    rows: rows(),
    summary() {
      if (!summary) throw new Error('The rows have not been read to their end');
      return summary;
    },
    progress: () => ({ ...passed }),
  };
}
