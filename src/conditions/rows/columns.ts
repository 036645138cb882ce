/** Columns and versions of rows, as reading, encoding and delivering share them. */

/** How a value of a column travels in COPY BINARY, and so what a destination can know of it. */
export type ColumnType = 'uuid' | 'text' | 'jsonb' | 'timestamptz' | 'date' | 'int4' | 'int8' | 'float8' | 'bool';
export type Column = {
  name: string;
  type: ColumnType;
  /** Travels with the rows for our own bookkeeping: a table keeps it, a file leaves it out. */
  hidden?: true;
};

/**
 * Rows with equal `key` are versions of one row: the one with the highest `version` is the newest; null: the one of the latest data
 * interval, and of that what was delivered last.
 */
export type RowVersions = { key: readonly string[]; version: string | null };

/** How rows leave: as encoded files, or one by one into a table. */
export type Carrier = 'files' | 'rows';

/** Digest of a set of rows: the sum, modulo 2^64, of the low 60 bits of each row's uuid; decimal. Order does not matter. */
export type RowsDigest = string;
