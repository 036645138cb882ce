/** Computes the digest of a set of rows, which does not depend on their order, so source and destination can be compared. */
import type { Column, RowsDigest } from './columns.ts';

const TWO_TO_32 = 2 ** 32;

/** Adds up the low 60 bits of uuids modulo 2^64, in two 32-bit halves, because a BigInt per row would cost more than everything else. */
export class RowsDigester {
  #high = 0;
  #low = 0;

  /** @param offset offset of the uuid's 16 bytes */
  add(bytes: Uint8Array, offset: number): void {
    const low =
      this.#low +
      (((bytes[offset + 12]! << 24) |
        (bytes[offset + 13]! << 16) |
        (bytes[offset + 14]! << 8) |
        bytes[offset + 15]!) >>>
        0);
    const carry = low >= TWO_TO_32 ? 1 : 0;
    const high =
      ((bytes[offset + 8]! & 0x0f) << 24) |
      (bytes[offset + 9]! << 16) |
      (bytes[offset + 10]! << 8) |
      bytes[offset + 11]!;
    this.#low = low - carry * TWO_TO_32;
    this.#high = (this.#high + high + carry) >>> 0;
  }

  digest(): RowsDigest {
    return ((BigInt(this.#high) << 32n) | BigInt(this.#low)).toString();
  }
}

/** The hidden column that identifies a row if no exported column does. */
export const ROW_ID: Column = { name: '_sluice_row', type: 'uuid', hidden: true };

/** Index of the column whose uuid identifies a row. @throws Error without such a column, because such rows have no digest */
export function rowIdColumn(columns: readonly Column[]): number {
  const indexOf = (id: string) => columns.findIndex(({ name, type }) => name === id && type === 'uuid');
  const index = [ROW_ID.name, 'uuid'].map(indexOf).find((found) => found >= 0);
  if (index === undefined) throw new Error('Rows without a uuid column cannot be digested');
  return index;
}

/**
 * The same digest as an SQL aggregate, as text; `0` for no rows.
 * @param column an SQL expression of type uuid: trusted text, never a user's
 */
export function rowsDigestSql(column: string): string {
  return `(coalesce(sum(('x' || right(replace((${column})::text, '-', ''), 15))::bit(60)::bigint), 0) % 18446744073709551616)::text`;
}
