/**
 * Thrift's compact protocol, as far as Parquet's headers need it, to write structs.
 * https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md
 */

/** A number is an i32, a bigint an i64; a list has values of one kind. */
type Value = boolean | number | bigint | string | Uint8Array | Struct | readonly Value[];
/** Values by the ids of their fields; undefined values are left out. */
export type Struct = { readonly [id: number]: Value | undefined };

const [TRUE, FALSE, I32, I64, BINARY, LIST, STRUCT] = [1, 2, 5, 6, 8, 9, 12] as const;
const STOP = 0;
/** Lists of this length and longer have their length in bytes after the first. */
const SHORT = 15;

export function thriftBytes(struct: Struct): Uint8Array {
  const bytes: number[] = [];
  writeStruct(bytes, struct);
  return Uint8Array.from(bytes);
}

/** Writes the fields in ascending order of their ids, because JavaScript lists integer keys in that order. */
function writeStruct(bytes: number[], struct: Struct): void {
  let last = 0;
  for (const [name, value] of Object.entries(struct)) {
    if (value === undefined) continue;
    const id = Number(name);
    bytes.push(((id - last) << 4) | typeOf(value));
    last = id;
    writeValue(bytes, value);
  }
  bytes.push(STOP);
}

function typeOf(value: Value): number {
  if (typeof value === 'boolean') return value ? TRUE : FALSE;
  if (typeof value === 'number') return I32;
  if (typeof value === 'bigint') return I64;
  if (typeof value === 'string' || value instanceof Uint8Array) return BINARY;
  return Array.isArray(value) ? LIST : STRUCT;
}

/** Writes a value; a boolean in a struct is encoded in its type. */
function writeValue(bytes: number[], value: Value): void {
  if (typeof value === 'boolean') return;
  if (typeof value === 'number') return writeVarint(bytes, ((value << 1) ^ (value >> 31)) >>> 0);
  if (typeof value === 'bigint') return writeLong(bytes, BigInt.asUintN(64, (value << 1n) ^ (value >> 63n)));
  if (typeof value === 'string') return writeBinary(bytes, Buffer.from(value));
  if (value instanceof Uint8Array) return writeBinary(bytes, value);
  if (isList(value)) return writeList(bytes, value);
  writeStruct(bytes, value);
}

const isList = (value: Struct | readonly Value[]): value is readonly Value[] => Array.isArray(value);

function writeList(bytes: number[], list: readonly Value[]): void {
  const type = list.length === 0 ? STOP : typeOf(list[0]!);
  bytes.push((Math.min(list.length, SHORT) << 4) | type);
  if (list.length >= SHORT) writeVarint(bytes, list.length);
  for (const value of list) writeValue(bytes, value);
}

function writeBinary(bytes: number[], binary: Uint8Array): void {
  writeVarint(bytes, binary.length);
  for (const byte of binary) bytes.push(byte);
}

/** Writes seven bits per byte, the lowest first; the eighth bit is set if more bytes follow. @param value unsigned */
function writeVarint(bytes: number[], value: number): void {
  for (; value > 0x7f; value >>>= 7) bytes.push((value & 0x7f) | 0x80);
  bytes.push(value);
}

/** @param value unsigned */
function writeLong(bytes: number[], value: bigint): void {
  for (; value > 0x7fn; value >>= 7n) bytes.push(Number(value & 0x7fn) | 0x80);
  bytes.push(Number(value));
}
