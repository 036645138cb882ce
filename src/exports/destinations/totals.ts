/** Sums over the parts of a delivery. */
import type { StagedPart } from './delivery.ts';
import type { RowsDigest } from '../../conditions/rows/columns.ts';

/** Rows and digest of all parts together. */
export function totalsOf(parts: readonly StagedPart[]): { rows: number; digest: RowsDigest } {
  const digest = parts.reduce((sum, part) => sum + BigInt(part.digest), 0n);
  return { rows: parts.reduce((sum, part) => sum + part.rows, 0), digest: BigInt.asUintN(64, digest).toString() };
}
