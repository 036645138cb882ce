/** Content of a table as readers that are not ours find it: DuckDB, and pyarrow, whose content comes as JSON. */
import assert from 'node:assert/strict';
import { DuckDBDateValue, DuckDBTimestampTZValue, type DuckDBResultReader, type DuckDBValue } from '@duckdb/node-api';
import type { ColumnType } from '../../../src/conditions/rows/columns.ts';
import type { Table, Value } from './tables.ts';

export type Content = { names: string[]; types: string[]; rows: readonly (readonly Value[])[] };

export const ARROW_TYPES: Record<ColumnType, string> = {
  uuid: 'string',
  text: 'string',
  jsonb: 'string',
  timestamptz: 'timestamp[us, tz=UTC]',
  date: 'date32[day]',
  int4: 'int32',
  int8: 'int64',
  float8: 'double',
  bool: 'bool',
};
export const DUCKDB_TYPES: Record<ColumnType, string> = {
  uuid: 'VARCHAR',
  text: 'VARCHAR',
  jsonb: 'VARCHAR',
  timestamptz: 'TIMESTAMP WITH TIME ZONE',
  date: 'DATE',
  int4: 'INTEGER',
  int8: 'BIGINT',
  float8: 'DOUBLE',
  bool: 'BOOLEAN',
};

export function contentOf(result: DuckDBResultReader): Content {
  return {
    names: result.columnNames(),
    types: result.columnTypes().map(String),
    rows: result.getRows().map((row) => row.map(plain)),
  };
}

/** DuckDB's own classes as our tests write such values. */
function plain(value: DuckDBValue): Value {
  if (value instanceof DuckDBTimestampTZValue) return value.micros;
  return value instanceof DuckDBDateValue ? value.days : (value as Value);
}

/** Row by row: the difference of two large tables takes minutes to describe. */
export function assertSame(read: Content, wanted: Content, message = ''): void {
  assert.deepEqual({ ...read, rows: read.rows.length }, { ...wanted, rows: wanted.rows.length }, message);
  for (const [n, row] of read.rows.entries()) assert.deepEqual(row, wanted.rows[n], `row ${n}, ${message}`);
}

/** As read_tables.py writes what JSON cannot say. */
export function jsonSafe(table: Table, { rows, ...rest }: Content): Content {
  return {
    ...rest,
    rows: rows.map((row) => row.map((value, i) => jsonValue(value, table.columns[i]!.type))),
  };
}

function jsonValue(value: Value, type: ColumnType): Value {
  if (typeof value === 'bigint') return String(value);
  if (type !== 'float8' || typeof value !== 'number') return value;
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleBE(value);
  return bytes.toString('hex');
}
