/** Counts rows that are passed on unchanged. */
import type { PartSummary } from './part-summary.ts';
import type { Column } from '../../conditions/rows/columns.ts';
import { CopyBinaryReader } from './copy-binary.ts';
import { RowsDigester, rowIdColumn } from '../../conditions/rows/rows-digest.ts';

export type ScannedRows = {
  /** The COPY BINARY stream, unchanged, to be read once. Stopping early ends its source too. */
  rows: AsyncIterable<Uint8Array>;
  /** Summary of the rows that passed; `contentBytes` counts the stream's own bytes. @throws Error before `rows` came to its end */
  summary(): PartSummary;
  /** Rows that have passed so far, and their size. */
  moving(): { rows: number; bytes: number };
};

/** Counts and digests a COPY BINARY stream while it passes. @param columns what COPY delivers; one of them is `uuid` */
export function scanRows(source: AsyncIterable<Uint8Array>, columns: readonly Column[]): ScannedRows {
  let summary: PartSummary | undefined;
  const passed = { rows: 0, bytes: 0 };

  async function* rows() {
    const uuid = rowIdColumn(columns);
    const reader = new CopyBinaryReader(columns.length);
    const digest = new RowsDigester();
    for await (const chunk of source) {
      reader.push(chunk);
      for (; reader.next(); passed.rows++) digest.add(reader.bytes, reader.starts[uuid]!);
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
    moving: () => ({ ...passed }),
  };
}
