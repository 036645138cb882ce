/**
 * The distinct values of a column chunk. While they are few, pages hold small numbers instead of values.
 * Format: https://parquet.apache.org/docs/file-format/data-pages/encodings/, "Dictionary Encoding".
 */
import { varint } from './page.ts';

/** Limit of distinct values; low, so look-ups and giving up are quick. */
const MAX_VALUES = 4096;
const MAX_VALUE_BYTES = 128;
const ROWS_PER_VALUE = 4;
/** Size of the hash table: a power of two, at most a quarter full. */
const SLOTS = 4 * MAX_VALUES;

export class Dictionary {
  /** Bytes of the distinct values, one value after the other. */
  #bytes = Buffer.allocUnsafeSlow(16 * 1024);
  /** Position at which each value starts, and at which the last one ends. */
  readonly #starts: number[] = [0];
  readonly #slots = new Int16Array(SLOTS).fill(-1);
  /** For each row that is not null, the number of its value. */
  #indexes = new Uint16Array(1024);
  /** Values that were added, repetitions included. */
  rows = 0;

  get size(): number {
    return this.#starts.length - 1;
  }

  /** @returns false when the value does not fit; earlier values stay */
  add(source: Buffer, start: number, length: number): boolean {
    const index = this.#indexOf(source, start, length);
    if (index < 0) return false;
    if (this.rows === this.#indexes.length) {
      const larger = new Uint16Array(2 * this.rows);
      larger.set(this.#indexes);
      this.#indexes = larger;
    }
    this.#indexes[this.rows++] = index;
    return true;
  }

  #indexOf(source: Buffer, start: number, length: number): number {
    if (length > MAX_VALUE_BYTES) return -1;
    let slot = hash(source, start, length) & (SLOTS - 1);
    for (; this.#slots[slot]! >= 0; slot = (slot + 1) & (SLOTS - 1)) {
      if (this.#equals(this.#slots[slot]!, source, start, length)) return this.#slots[slot]!;
    }
    const index = this.size;
    if (index === MAX_VALUES) return -1;
    this.#slots[slot] = index;
    this.#append(source, start, length);
    return index;
  }

  #equals(index: number, source: Buffer, start: number, length: number): boolean {
    const at = this.#starts[index]!;
    if (this.#starts[index + 1]! - at !== length) return false;
    for (let i = 0; i < length; i++) if (this.#bytes[at + i] !== source[start + i]) return false;
    return true;
  }

  #append(source: Buffer, start: number, length: number): void {
    const end = this.#starts[this.size]!;
    if (end + length > this.#bytes.length) {
      const larger = Buffer.allocUnsafeSlow(2 * this.#bytes.length);
      this.#bytes.copy(larger, 0, 0, end);
      this.#bytes = larger;
    }
    source.copy(this.#bytes, end, start, start + length);
    this.#starts.push(end + length);
  }

  /** Whether the dictionary saves enough; a column of mostly distinct values is smaller without one. */
  get isWorthwhile(): boolean {
    return this.rows >= ROWS_PER_VALUE * this.size;
  }

  /** Passes each distinct value to `write`, in the order of their numbers. */
  values(write: (source: Buffer, start: number, length: number) => void): void {
    for (let index = 0; index < this.size; index++) {
      const start = this.#starts[index]!;
      write(this.#bytes, start, this.#starts[index + 1]! - start);
    }
  }

  /** Encodes the rows' numbers: their width in bits, then one run, which is packed, or repeated if there is only one value. */
  packedRows(): Uint8Array[] {
    const width = 32 - Math.clz32(this.size - 1);
    if (width === 0) return [Uint8Array.of(0), varint((this.rows << 1) >>> 0)];
    const groups = (this.rows + 7) >> 3;
    const packed = new Uint8Array(groups * width);
    for (let row = 0; row < this.rows; row++) {
      const bit = row * width;
      const at = bit >>> 3;
      const shifted = this.#indexes[row]! << (bit & 7);
      packed[at]! |= shifted;
      if (shifted > 0xff) packed[at + 1]! |= shifted >> 8;
      if (shifted > 0xffff) packed[at + 2]! |= shifted >> 16;
    }
    return [Uint8Array.of(width), varint(((groups << 1) | 1) >>> 0), packed];
  }
}

/** FNV-1a. */
function hash(source: Buffer, start: number, length: number): number {
  let value = 0x811c9dc5;
  for (let i = start; i < start + length; i++) value = Math.imul(value ^ source[i]!, 0x01000193);
  return value ^ (value >>> 15);
}
