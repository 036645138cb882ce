/**
 * How the values of each column type are stored in Parquet: the schema's element, the bytes of the plain encoding, and the bounds if
 * they are cheap to compute. uuid and jsonb are strings, as in upstream's files: every reader supports strings, but DuckDB, Spark and
 * pyarrow disagree about the logical types UUID and JSON.
 */
import type { SchemaElement, Statistics } from 'hyparquet';
import type { ColumnType } from '../../../conditions/rows/columns.ts';
import { UUID_TEXT_BYTES, writeUuid } from '../uuid-text.ts';
import type { PageBuilder } from './page.ts';

/** Writes one value that is not null. */
type AppendValue = (page: PageBuilder, source: Buffer, start: number, length: number) => void;
type Bounds = Pick<Statistics, 'min_value' | 'max_value'>;

export type ValueWriter = {
  append: AppendValue;
  /** Bounds of the values since the last call. */
  bounds(): Bounds;
};

type ParquetType = {
  element: Omit<SchemaElement, 'name' | 'repetition_type'>;
  writer(): ValueWriter;
  /** Whether values repeat often and are long enough for a dictionary to pay. */
  usesDictionary: boolean;
};

const STRING = { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } } as const;

const DAYS_1970_TO_2000 = 10_957;
const INT32_MAX = 0x7fff_ffff;
const INT32_MIN = -0x8000_0000;
export const MICROSECONDS_1970_TO_2000 = 946_684_800_000_000n;
/** The two 32-bit halves of that number, because a BigInt for each instant would cost more than the rest of its encoding. */
const EPOCH_LOW = Number(MICROSECONDS_1970_TO_2000 & 0xffff_ffffn);
const EPOCH_HIGH = Number(MICROSECONDS_1970_TO_2000 >> 32n);

export const PARQUET_TYPES: Record<ColumnType, ParquetType> = {
  uuid: { element: STRING, writer: () => withoutBounds(appendUuid), usesDictionary: true },
  text: {
    element: STRING,
    writer: () => withoutBounds((page, source, start, length) => appendBytes(page, source, start, start + length)),
    usesDictionary: true,
  },
  jsonb: {
    element: STRING,
    // The first byte is the version of jsonb's binary form, 1: the JSON text follows.
    writer: () => withoutBounds((page, source, start, length) => appendBytes(page, source, start + 1, start + length)),
    usesDictionary: true,
  },
  timestamptz: {
    element: {
      type: 'INT64',
      converted_type: 'TIMESTAMP_MICROS',
      logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' },
    },
    writer: () => int64Writer(EPOCH_HIGH, EPOCH_LOW),
    usesDictionary: false,
  },
  date: {
    element: { type: 'INT32', converted_type: 'DATE', logical_type: { type: 'DATE' } },
    writer: () => int32Writer(DAYS_1970_TO_2000),
    usesDictionary: false,
  },
  int4: { element: { type: 'INT32' }, writer: () => int32Writer(0), usesDictionary: false },
  int8: { element: { type: 'INT64' }, writer: () => int64Writer(0, 0), usesDictionary: false },
  float8: { element: { type: 'DOUBLE' }, writer: () => withoutBounds(appendDouble), usesDictionary: false },
  bool: { element: { type: 'BOOLEAN' }, writer: () => withoutBounds(appendBool), usesDictionary: false },
};

function withoutBounds(append: AppendValue): ValueWriter {
  return { append, bounds: () => ({}) };
}

function appendBytes(page: PageBuilder, source: Buffer, start: number, end: number): void {
  const length = end - start;
  page.reserve(4 + length);
  writeInt32(length, page.bytes, page.position);
  source.copy(page.bytes, page.position + 4, start, end);
  page.position += 4 + length;
}

function appendUuid(page: PageBuilder, source: Buffer, start: number): void {
  page.reserve(4 + UUID_TEXT_BYTES);
  writeInt32(UUID_TEXT_BYTES, page.bytes, page.position);
  page.position = writeUuid(source, start, page.bytes, page.position + 4);
}

function appendDouble(page: PageBuilder, source: Buffer, start: number): void {
  page.reserve(8);
  page.bytes.writeDoubleLE(source.readDoubleBE(start), page.position);
  page.position += 8;
}

/** Packs eight values into a byte, the first one into the lowest bit; nulls take no bit. */
function appendBool(page: PageBuilder, source: Buffer, start: number): void {
  const bit = (page.count - page.nulls) & 7;
  if (bit === 0) {
    page.reserve(1);
    page.bytes[page.position++] = 0;
  }
  if (source[start] === 1) page.bytes[page.position - 1]! |= 1 << bit;
}

/** @param shift added to each value; values that do not fit, such as infinite dates, become the nearest that does */
function int32Writer(shift: number): ValueWriter {
  let [min, max] = [INT32_MAX, INT32_MIN];
  return {
    append(page, source, start) {
      const stored = readInt32(source, start);
      const value = stored === INT32_MIN ? stored : Math.min(stored + shift, INT32_MAX);
      if (value < min) min = value;
      if (value > max) max = value;
      page.reserve(4);
      writeInt32(value, page.bytes, page.position);
      page.position += 4;
    },
    bounds() {
      const found = min <= max ? { min_value: min, max_value: max } : {};
      [min, max] = [INT32_MAX, INT32_MIN];
      return found;
    },
  };
}

/** Does for 64 bits what `int32Writer` does for 32. The shift comes as two halves; the low one is unsigned. */
function int64Writer(shiftHigh: number, shiftLow: number): ValueWriter {
  const hasShift = shiftHigh !== 0 || shiftLow !== 0;
  let [minHigh, minLow, maxHigh, maxLow] = [INT32_MAX, 0xffff_ffff, INT32_MIN, 0];
  let isEmpty = true;
  return {
    append(page, source, start) {
      const storedHigh = readInt32(source, start);
      let high = storedHigh + shiftHigh;
      let low = (readInt32(source, start + 4) >>> 0) + shiftLow;
      if (low > 0xffff_ffff) {
        low -= 0x1_0000_0000;
        high++;
      }
      // Values beyond 64 bits and infinities become the largest or the smallest value.
      if (hasShift && (high > INT32_MAX || (storedHigh === INT32_MIN && readInt32(source, start + 4) === 0))) {
        high = storedHigh < 0 ? INT32_MIN : INT32_MAX;
        low = storedHigh < 0 ? 0 : 0xffff_ffff;
      }
      if (high < minHigh || (high === minHigh && low < minLow)) {
        minHigh = high;
        minLow = low;
      }
      if (high > maxHigh || (high === maxHigh && low > maxLow)) {
        maxHigh = high;
        maxLow = low;
      }
      isEmpty = false;
      page.reserve(8);
      writeInt32(low, page.bytes, page.position);
      writeInt32(high, page.bytes, page.position + 4);
      page.position += 8;
    },
    bounds() {
      const found = isEmpty ? {} : { min_value: int64(minHigh, minLow), max_value: int64(maxHigh, maxLow) };
      [minHigh, minLow, maxHigh, maxLow] = [INT32_MAX, 0xffff_ffff, INT32_MIN, 0];
      isEmpty = true;
      return found;
    },
  };
}

/** @param low unsigned */
function int64(high: number, low: number): bigint {
  return (BigInt(high) << 32n) | BigInt(low);
}

/** Reads four bytes, big-endian. The checks of Buffer's own methods would cost more than the rest of a value's encoding. */
function readInt32(source: Buffer, offset: number): number {
  return (source[offset]! << 24) | (source[offset + 1]! << 16) | (source[offset + 2]! << 8) | source[offset + 3]!;
}

function writeInt32(value: number, target: Buffer, offset: number): void {
  target[offset] = value;
  target[offset + 1] = value >>> 8;
  target[offset + 2] = value >>> 16;
  target[offset + 3] = value >>> 24;
}
