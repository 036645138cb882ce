/** Tables of every column type, made by hand or at random, and their rows as COPY BINARY delivers them. */
import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import type { Column, ColumnType } from '../../../src/conditions/rows/columns.ts';
import { ROW_ID } from '../../../src/conditions/rows/rows-digest.ts';
import { copyBinary } from './copy-stream.ts';

/**
 * A value as tests write it. Text for uuid, text and jsonb; microseconds since 1970, as a bigint, for timestamptz; days since 1970 for date;
 * a bigint for int8.
 */
export type Value = string | number | bigint | boolean | null;
export type Table = { columns: readonly Column[]; rows: readonly (readonly Value[])[] };

const MICROSECONDS_TO_2000 = 946_684_800_000_000n;
const DAYS_TO_2000 = 10_957;

const FIELDS: Record<ColumnType, (value: never) => Buffer> = {
  uuid: (value: string) => Buffer.from(value.replaceAll('-', ''), 'hex'),
  text: (value: string) => Buffer.from(value),
  jsonb: (value: string) => Buffer.from(`\u0001${value}`),
  timestamptz: (value: bigint) => int64(value - MICROSECONDS_TO_2000),
  date: (value: number) => int32(value - DAYS_TO_2000),
  int4: int32,
  int8: int64,
  float8: float64,
  bool: (value: boolean) => Buffer.from([value ? 1 : 0]),
};

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

function int64(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64BE(value);
  return bytes;
}

function float64(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleBE(value);
  return bytes;
}

/** The columns that COPY delivers: the table's columns after a row id, which no file shows. */
export function copiedColumns({ columns }: Table): Column[] {
  return [ROW_ID, ...columns];
}

export function copyOf({ columns, rows }: Table): Buffer {
  return copyBinary(
    rows.map((row) => [
      randomBytes(16),
      ...row.map((value, i) => (value === null ? null : FIELDS[columns[i]!.type](value as never))),
    ]),
  );
}

/** Text that Postgres can hold: no NUL, no lone surrogate; control characters, quotes, separators, every plane. */
const text = fc
  .oneof(
    fc.string({ unit: 'binary', maxLength: 60 }),
    fc.string({ unit: fc.constantFrom('"', ',', '\r', '\n', '\\', "'", '\u0001', 'é', '🦦', '\u2028', ' ', 'a') }),
    fc.constantFrom('', 'null', 'NULL', 'NaN', '\\N', '=1+1', '@sum', '-1', '\t', "''", '""'),
    // Longer than dictionaries accept.
    fc.string({ unit: 'grapheme', minLength: 100, maxLength: 300 }),
  )
  .map((value) => value.replaceAll('\0', '').toWellFormed());

/** JSON in any formatting, because Sluice passes it on as text. */
const json = fc.json({ maxDepth: 3, stringUnit: 'binary' }).map((value) => value.toWellFormed());
const DAYS = { min: -2_000_000, max: 100_000_000 };
const MICROSECONDS = { min: -200_000_000_000_000_000n, max: 9_000_000_000_000_000_000n };

const VALUES: Record<ColumnType, fc.Arbitrary<Value>> = {
  uuid: fc.uuid(),
  text,
  jsonb: json,
  timestamptz: fc.oneof(fc.bigInt({ min: -(10n ** 15n), max: 3n * 10n ** 15n }), fc.bigInt(MICROSECONDS)),
  date: fc.oneof(fc.integer({ min: -50_000, max: 50_000 }), fc.integer(DAYS)),
  int4: fc.integer(),
  int8: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  float8: fc.double(),
  bool: fc.boolean(),
};
const TYPES = Object.keys(VALUES) as ColumnType[];

type Kind = { type: ColumnType; nulls: 'none' | 'some' | 'all'; few: boolean };

/** Kinds of columns; `few`: the column repeats one to three values. */
const columnKind: fc.Arbitrary<Kind> = fc.record({
  type: fc.constantFrom(...TYPES),
  nulls: fc.constantFrom('none', 'some', 'some', 'all'),
  few: fc.boolean(),
});

export const anyTable: fc.Arbitrary<Table> = fc
  .tuple(fc.array(columnKind, { minLength: 1, maxLength: 8 }), fc.nat(60))
  .chain(([kinds, rows]) =>
    fc.tuple(...kinds.map((one) => columnOf(one, rows))).map((columns) => ({
      columns: kinds.map(({ type }, i) => ({ name: `${type} "${i}", é`, type })),
      rows: Array.from({ length: rows }, (_, row) => columns.map((values) => values[row]!)),
    })),
  );

function columnOf({ type, nulls, few }: Kind, rows: number): fc.Arbitrary<Value[]> {
  const values = VALUES[type];
  const times = { minLength: rows, maxLength: rows };
  if (nulls === 'all') return fc.array(fc.constant(null), times);
  const many = (value: fc.Arbitrary<Value>) =>
    fc.array(nulls === 'none' ? value : fc.option(value, { freq: 2 }), times);
  return few
    ? fc.array(values, { minLength: 1, maxLength: 3 }).chain((some) => many(fc.constantFrom(...some)))
    : many(values);
}

/** A table with a column of every type: extremes, nulls, empty strings and nested JSON. */
export function buildTableOfEveryType(rows: number): Table {
  const columns = TYPES.map((type) => ({ name: type, type }));
  return { columns, rows: Array.from({ length: rows }, (_, n) => TYPES.map((type) => extremeValue(type, n))) };
}

const EXTREMES: Record<ColumnType, readonly Value[]> = {
  uuid: ['00000000-0000-4000-8000-000000000000', 'ffffffff-ffff-4fff-bfff-ffffffffffff', null],
  text: ['', ' ', 'plain', 'a,b', 'a "quoted" b', 'two\r\nlines', 'naïve 🦦 \u2028', null, '=1+1', 'NULL'],
  jsonb: ['{}', '{"a": {"b": [1, {"c": "\\"\\u0001é🦦"}]}}', '[]', 'null', '"text"', '-1.5e300', null],
  timestamptz: [0n, -1n, 1_431_857_103_000_001n, -62_135_596_800_000_000n, 253_402_300_799_999_999n, null],
  date: [0, -1, 16_572, 2_932_896, null],
  int4: [0, -1, 2 ** 31 - 1, -(2 ** 31), null],
  int8: [0n, -1n, 2n ** 63n - 1n, -(2n ** 63n), 2n ** 53n + 1n, null],
  float8: [0, -0, 0.1, Number.MAX_VALUE, Number.MIN_VALUE, NaN, Infinity, -Infinity, null],
  bool: [true, false, null],
};

function extremeValue(type: ColumnType, n: number): Value {
  const values = EXTREMES[type];
  return values[n % values.length]!;
}
