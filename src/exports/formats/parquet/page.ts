/**
 * The body of a data page (version 1) of an optional, flat column, before compression: definition levels, then values.
 * Format: https://parquet.apache.org/docs/file-format/data-pages/
 */

/** A page ends once its values take this many bytes; its last value may exceed them. */
const PAGE_BYTES = 1024 * 1024;
/** First size of a page's memory; small, because a column of small values never fills a page. */
const FIRST_BYTES = 16 * 1024;
/** Size of a buffer for a full page, with room for a last value of ordinary size that exceeds `PAGE_BYTES`. */
const FULL_BYTES = PAGE_BYTES + 64 * 1024;
/** Bytes kept free before the values, for the definition levels of a page without nulls: a single run of ones. */
const LEVELS_BYTES = 16;

/** Buffers of pages that were written to the file, kept for reuse, because discarded ones would pile up until garbage collection. */
export class SparePages {
  readonly #buffers: Buffer[] = [];

  take(): Buffer {
    return this.#buffers.pop() ?? Buffer.allocUnsafeSlow(FULL_BYTES);
  }

  /** @param body from `PageBuilder.take`; the caller must not use it any more */
  giveBack({ buffer }: Uint8Array): void {
    if (buffer.byteLength === FULL_BYTES) this.#buffers.push(Buffer.from(buffer as ArrayBuffer));
  }
}

export class PageBuilder {
  readonly #spare: SparePages;
  /** Writers ask for space with `reserve`, write into `bytes` from `position` on, and move `position`. */
  bytes: Buffer = Buffer.allocUnsafeSlow(FIRST_BYTES);
  position = LEVELS_BYTES;
  /** Values so far, nulls included. */
  count = 0;
  nulls = 0;
  /** One bit for each value, 0 for nulls; created by the first null. */
  #defined: Uint8Array | undefined;

  constructor(spare: SparePages) {
    this.#spare = spare;
  }

  reserve(size: number): void {
    const needed = this.position + size;
    if (needed <= this.bytes.length) return;
    const twice = 2 * this.bytes.length;
    const larger =
      needed > FULL_BYTES || twice < PAGE_BYTES ? Buffer.allocUnsafeSlow(Math.max(needed, twice)) : this.#spare.take();
    this.bytes.copy(larger, 0, 0, this.position);
    this.bytes = larger;
  }

  /** Counts a value; call it for each one that is written. */
  addValue(): void {
    if (this.#defined) this.#setDefined(this.count);
    this.count++;
  }

  addNull(): void {
    if (!this.#defined) {
      this.#defined = new Uint8Array(64);
      for (let i = 0; i < this.count; i++) this.#setDefined(i);
    }
    this.count++;
    this.nulls++;
  }

  #setDefined(index: number): void {
    const at = index >> 3;
    if (at >= this.#defined!.length) {
      const larger = new Uint8Array(Math.max(at + 1, 2 * this.#defined!.length));
      larger.set(this.#defined!);
      this.#defined = larger;
    }
    this.#defined![at]! |= 1 << (index & 7);
  }

  append(bytes: Uint8Array): void {
    this.reserve(bytes.length);
    this.bytes.set(bytes, this.position);
    this.position += bytes.length;
  }

  isFull(): boolean {
    return this.position >= PAGE_BYTES;
  }

  /** Returns the values without levels, for a dictionary page. The builder cannot be used afterwards. */
  takeValues(): Buffer {
    return this.bytes.subarray(LEVELS_BYTES, this.position);
  }

  /** Returns the page's body, whose memory then belongs to the caller, and empties the builder. */
  take(): Buffer {
    const levels = this.#levels();
    const start = LEVELS_BYTES - levels.length;
    const values = this.bytes.subarray(LEVELS_BYTES, this.position);
    let body: Buffer;
    if (start < 0) body = Buffer.concat([levels, values]);
    else {
      levels.copy(this.bytes, start);
      body = this.bytes.subarray(start, this.position);
      this.bytes = this.bytes.length < PAGE_BYTES ? Buffer.allocUnsafeSlow(this.bytes.length) : this.#spare.take();
    }
    this.position = LEVELS_BYTES;
    this.count = 0;
    this.nulls = 0;
    this.#defined = undefined;
    return body;
  }

  /** Definition levels, 0 or 1, as one run: a repeated 1 if there is no null, otherwise packed bits. */
  #levels(): Buffer {
    let run: Uint8Array[];
    if (this.#defined) {
      const packed = new Uint8Array((this.count + 7) >> 3);
      packed.set(this.#defined.subarray(0, packed.length));
      run = [varint(((packed.length << 1) | 1) >>> 0), packed];
    } else run = [varint((this.count << 1) >>> 0), Uint8Array.of(1)];
    const length = Buffer.alloc(4);
    length.writeUInt32LE(run.reduce((sum, piece) => sum + piece.length, 0));
    return Buffer.concat([length, ...run]);
  }
}

/** Encodes an unsigned number, seven bits per byte, low bits first. */
export function varint(value: number): Uint8Array {
  const bytes = [];
  let rest = value;
  for (; rest > 127; rest >>>= 7) bytes.push((rest & 127) | 128);
  bytes.push(rest);
  return Uint8Array.from(bytes);
}
