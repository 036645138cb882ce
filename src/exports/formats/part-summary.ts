/** Summary of an encoded part. */
import type { RowsDigest } from '../../conditions/rows/columns.ts';

/** Summary of the rows that were read while a part was staged. */
export type PartSummary = {
  rows: number;
  digest: RowsDigest;
  /** Size and sha256 (hex) of the uncompressed encoding; for row streams the COPY bytes, and no hash. */
  contentBytes: number;
  contentSha256: string | null;
};
