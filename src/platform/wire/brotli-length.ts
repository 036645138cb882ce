/** Reads the inflated size of a brotli body from its headers (RFC 7932, section 9), without decoding. */

/**
 * Needed because the decoder fills its window, up to 16 MiB, before any output, so a limit of the output does not bound its work.
 * @param max limit in bytes; the sizes of larger results are not needed
 * @returns bytes after inflation; undefined when there are more than `max`, or when a compressed meta-block is not the last one, because only
 *   a decoder finds the next header. A broken body may inflate to fewer bytes, never to more.
 */
export function brotliLength(body: Buffer, max: number): number | undefined {
  const read = bitReader(body);
  skipWindow(read);
  let length = 0;
  while (length <= max) {
    const isLast = read(1) === 1;
    if (isLast && read(1) === 1) return length;
    const nibbles = 4 + read(2);
    // Metadata, which no SDK sends.
    if (nibbles === 7) return undefined;
    const blockLength = 1 + read(4 * nibbles);
    length += blockLength;
    if (isLast) break;
    const isStored = read(1) === 1;
    if (!isStored) return undefined;
    read.skipBytes(blockLength);
  }
  return length > max ? undefined : length;
}

function skipWindow(read: BitReader): void {
  if (read(1) === 1 && read(3) === 0) read(3);
}

type BitReader = {
  /** @returns the next bits, the lowest first; zeros after the end */
  (bits: number): number;
  /** Moves to the next whole byte, then skips that many bytes. */
  skipBytes(bytes: number): void;
};

function bitReader(bytes: Buffer): BitReader {
  let position = 0;
  const read = (bits: number) => {
    let value = 0;
    for (let bit = 0; bit < bits; bit += 1, position += 1)
      value |= (((bytes[position >> 3] ?? 0) >> (position & 7)) & 1) << bit;
    return value;
  };
  const skipBytes = (count: number) => void (position = (Math.ceil(position / 8) + count) * 8);
  return Object.assign(read, { skipBytes });
}
