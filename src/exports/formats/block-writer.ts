/** Collects bytes that are written piece by piece into blocks, which are compressed independently of each other. */

/** Size of the first block; each further block is twice as large, so a small file takes little memory. */
const FIRST_BLOCK_BYTES = 64 * 1024;
/** Largest size of a block. */
const BLOCK_BYTES = 1024 * 1024;
/** Space after a full block, so an ordinary row need not be split. */
const SLACK_BYTES = 64 * 1024;

/** The writer of one file. Callers ask for space with `reserve`, write into `bytes` from `position` on, and move `position`. */
export class BlockWriter {
  /** The block being filled. */
  bytes = allocate(FIRST_BLOCK_BYTES);
  position = 0;
  #blockBytes = FIRST_BLOCK_BYTES;
  #full: Buffer[] = [];

  /** Makes sure that `size` bytes (at most 64 KiB) can be written at `position`. */
  reserve(size: number): void {
    if (this.position + size > this.bytes.length) this.cut();
  }

  /** Copies bytes of any length, into as many blocks as needed. */
  copy(source: Buffer, start: number, end: number): void {
    let position = start;
    while (position < end) {
      this.reserve(1);
      const size = Math.min(end - position, this.bytes.length - this.position);
      source.copy(this.bytes, this.position, position, position + size);
      this.position += size;
      position += size;
    }
  }

  /** Must be called after each row, so blocks end with a row if possible. */
  endRow(): void {
    if (this.position >= this.#blockBytes) this.cut();
  }

  /** Ends the current block and begins the next. */
  cut(): void {
    this.end();
    this.#blockBytes = Math.min(2 * this.#blockBytes, BLOCK_BYTES);
    this.bytes = allocate(this.#blockBytes);
    this.position = 0;
  }

  /** Ends the last block, unless it is empty. No more writes are possible afterwards. */
  end(): void {
    if (this.position > 0) this.#full.push(this.bytes.subarray(0, this.position));
  }

  /** The blocks that were ended since the last call, oldest first. */
  take(): readonly Buffer[] {
    const full = this.#full;
    if (full.length > 0) this.#full = [];
    return full;
  }
}

function allocate(blockBytes: number): Buffer {
  return Buffer.allocUnsafeSlow(blockBytes + SLACK_BYTES);
}
