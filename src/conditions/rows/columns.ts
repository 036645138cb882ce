/** Types of columns and versions of rows, shared by reading, encoding and delivering. */

/** Type of a column's values in COPY BINARY. */
export type ColumnType = 'uuid' | 'text' | 'jsonb' | 'timestamptz' | 'date' | 'int4' | 'int8' | 'float8' | 'bool';
export type Column = {
  name: string;
  type: ColumnType;
  /** Set for a column for internal bookkeeping, which is delivered to tables but not to files. */
  hidden?: true;
};

/**
 * Rows with equal `key` are versions of one row. The newest has the highest `version`; if `version` is null, the newest is the row of
 * the latest data interval, in its last delivery.
 */
export type RowVersions = { key: readonly string[]; version: string | null };

/** Form in which rows are delivered: as encoded files, or one by one into a table. */
export type Carrier = 'files' | 'rows';

/** Digest of a set of rows, independent of their order: the decimal sum, modulo 2^64, of the low 60 bits of each row's uuid. */
export type RowsDigest = string;
