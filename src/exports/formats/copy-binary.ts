/**
 * Finds rows and fields in a stream of Postgres's COPY BINARY without making a JavaScript value of any of them.
 * Format: https://www.postgresql.org/docs/current/sql-copy.html, "Binary Format".
 */
import { Unavailable } from '../../platform/errors.ts';

const SIGNATURE = Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1');
/** Signature, flags, length of the header extension. */
const HEADER_BYTES = SIGNATURE.length + 8;
/** In place of a row's number of fields. */
const END = -1;
/** A header without extension. */
export const HEADER: Uint8Array = Buffer.concat([SIGNATURE, Buffer.alloc(8)]);
export const TRAILER: Uint8Array = Buffer.from([0xff, 0xff]);
/** A whole stream without rows. */
export const NO_ROWS: Uint8Array = Buffer.concat([HEADER, TRAILER]);
const WINDOW_BYTES = 256 * 1024;
/** A window that a large row has stretched beyond this size is replaced by a normal one once the row is read. */
const LARGE_WINDOW_BYTES = 4 * 1024 * 1024;

/**
 * Holds a window of the stream. Add chunks of any size by `push`, then call `next` until it returns false; the fields of the
 * present row are `bytes[starts[i]] … bytes[starts[i] + lengths[i]]`, with length -1 for null. They are valid until the next
 * call of `next` or `push`. The window grows to hold the longest row, which Postgres keeps below 1 GiB.
 */
export class CopyBinaryReader {
  /** The window; a new object after some pushes. */
  bytes = Buffer.allocUnsafeSlow(WINDOW_BYTES);
  readonly starts: Int32Array;
  readonly lengths: Int32Array;
  /** Bytes pushed so far. */
  totalBytes = 0;
  readonly #columnCount: number;
  #position = 0;
  #filled = 0;
  #state: 'header' | 'rows' | 'ended' = 'header';

  constructor(columnCount: number) {
    this.#columnCount = columnCount;
    this.starts = new Int32Array(columnCount);
    this.lengths = new Int32Array(columnCount);
  }

  /** Adds a chunk; its memory may be reused afterwards. Rows that are in the window already must have been read. */
  push(chunk: Uint8Array): void {
    this.#ensureCapacity(chunk.length);
    this.bytes.set(chunk, this.#filled);
    this.#filled += chunk.length;
    this.totalBytes += chunk.length;
  }

  #ensureCapacity(bytes: number): void {
    const unread = this.#filled - this.#position;
    const needed = unread + bytes;
    const shrink = this.bytes.length > LARGE_WINDOW_BYTES && needed <= WINDOW_BYTES;
    if (needed <= this.bytes.length && !shrink) {
      if (this.#position > 0) this.bytes.copyWithin(0, this.#position, this.#filled);
    } else {
      // Doubling keeps the cost linear for a row that arrives in many small chunks.
      const capacity = Math.max(needed, shrink ? WINDOW_BYTES : 2 * this.bytes.length);
      const larger = Buffer.allocUnsafeSlow(capacity);
      larger.set(this.bytes.subarray(this.#position, this.#filled));
      this.bytes = larger;
    }
    this.#position = 0;
    this.#filled = unread;
  }

  /** Moves to the next row. @returns false when the window holds no further whole row */
  next(): boolean {
    if (this.#state === 'header') this.#readHeader();
    if (this.#state !== 'rows') return false;
    const { bytes, starts, lengths } = this;
    const filled = this.#filled;
    let position = this.#position;
    if (position + 2 > filled) return false;
    const fields = ((bytes[position]! << 24) >> 16) | bytes[position + 1]!;
    if (fields === END) return this.#end();
    if (fields !== this.#columnCount) throw new Error(`COPY row of ${fields} fields, expected ${this.#columnCount}`);
    position += 2;
    for (let i = 0; i < fields; i++) {
      if (position + 4 > filled) return false;
      const length =
        (bytes[position]! << 24) | (bytes[position + 1]! << 16) | (bytes[position + 2]! << 8) | bytes[position + 3]!;
      position += 4;
      starts[i] = position;
      lengths[i] = length;
      if (length > 0) position += length;
    }
    if (position > filled) return false;
    this.#position = position;
    return true;
  }

  #readHeader(): void {
    const available = this.#filled - this.#position;
    if (available < HEADER_BYTES) return;
    if (this.bytes.compare(SIGNATURE, 0, SIGNATURE.length, 0, SIGNATURE.length) !== 0) {
      throw new Error('Not a COPY BINARY stream: the signature is missing');
    }
    const header = HEADER_BYTES + this.bytes.readInt32BE(HEADER_BYTES - 4);
    if (available < header) return;
    this.#position = header;
    this.#state = 'rows';
  }

  #end(): false {
    this.#state = 'ended';
    return false;
  }

  /** Must be called at the end of the stream. @throws Unavailable when the trailer is missing, because then rows are missing too */
  finish(): void {
    if (this.#state !== 'ended') throw new Unavailable('The rows from Postgres ended before the last one.');
  }
}
