/** Columns and versions of rows, as reading, encoding and delivering share them. */

/** Type of a column's values in COPY BINARY, which is all that a destination knows of them. */
export type ColumnType = 'uuid' | 'text' | 'jsonb' | 'timestamptz' | 'date' | 'int4' | 'int8' | 'float8' | 'bool';
export type Column = {
  name: string;
  type: ColumnType;
  /** Sent with the rows for our own bookkeeping; tables keep the column, files leave it out. */
  hidden?: true;
};

/**
 * Rows with equal `key` are versions of one row: the one with the highest `version` is the newest; null: the one of the latest data
 * interval, and of that what was delivered last.
 */
export type RowVersions = { key: readonly string[]; version: string | null };

/** Form in which rows are delivered: as encoded files, or one by one into a table. */
export type Carrier = 'files' | 'rows';

/** Digest of a set of rows: the sum, modulo 2^64, of the low 60 bits of each row's uuid; decimal. Order does not matter. */
export type RowsDigest = string;
