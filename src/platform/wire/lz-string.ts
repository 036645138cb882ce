/**
 * Decodes the output of `LZString.compressToBase64` (lz-string 1.5), which old browser SDKs send as `compression=lz64`.
 *
 * The package's decoder has no limit, so a few kilobytes can become gigabytes. This one stops at a limit,
 * and takes no more memory than its output, because an entry of the dictionary is always a piece of the output so far.
 */
import { MalformedRequest, TooLarge } from '../errors.ts';

/** Characters of input. Browsers send far less. */
const LONGEST_INPUT = 2 * 1024 * 1024;

/** Codes outside the dictionary: a new character follows, or the end. */
const EIGHT_BITS = 0;
const SIXTEEN_BITS = 1;
const END = 2;

/**
 * @param limit UTF-16 units of the output
 * @returns the text, which may hold half surrogate pairs
 * @throws MalformedRequest for anything else than lz-string's Base64
 * @throws TooLarge over the limit
 */
export function decompressLz64(base64: string, limit: number): string {
  if (base64.length > LONGEST_INPUT) throw new TooLarge(`A body in lz64 may have at most ${LONGEST_INPUT} characters.`);
  const read = bitsOf(base64);
  const output = createOutput(limit);
  // Start and length, in the output, of each code's piece.
  const starts = [0, 0, 0];
  const lengths = [0, 0, 0];
  const define = (start: number, length: number) => {
    starts.push(start);
    lengths.push(length);
  };
  let previous: number | undefined;
  for (;;) {
    const code = read(32 - Math.clz32(starts.length));
    if (code === END) return output.text();
    const outputPosition = output.length();
    const isNew = code === EIGHT_BITS || code === SIXTEEN_BITS;
    if (isNew) define(outputPosition, 1);
    // The previous piece, and the first unit of this one.
    if (previous !== undefined) define(previous, outputPosition - previous + 1);
    if (code >= starts.length) throw invalidLz64();
    if (isNew) output.add(read(code === EIGHT_BITS ? 8 : 16));
    else output.repeat(starts[code]!, lengths[code]!);
    previous = outputPosition;
  }
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
/** The six bits of each character, by its code; the first bit of the stream is the lowest. */
const SIX_BITS = new Map(ALPHABET.split('').map((character, value) => [character.charCodeAt(0), reverseBits(value)]));

function reverseBits(sixBits: number): number {
  return Number.parseInt(sixBits.toString(2).padStart(6, '0').split('').toReversed().join(''), 2);
}

/** @returns a function that reads the next bits, at most 24 */
function bitsOf(base64: string): (count: number) => number {
  let position = 0;
  let bits = 0;
  let available = 0;
  return (count) => {
    for (; available < count; available += 6) {
      const next = SIX_BITS.get(base64.charCodeAt(position++));
      if (next === undefined) throw invalidLz64();
      bits |= next << available;
    }
    const value = bits & ((1 << count) - 1);
    bits >>>= count;
    available -= count;
    return value;
  };
}

function createOutput(limit: number) {
  let units = new Uint16Array(4096);
  let length = 0;
  function makeRoom(more: number): void {
    if (length + more > limit) throw new TooLarge(`The body is larger than ${limit} characters when it is inflated.`);
    if (length + more <= units.length) return;
    const larger = new Uint16Array(Math.max(length + more, units.length * 2));
    larger.set(units);
    units = larger;
  }
  return {
    length: () => length,
    add(unit: number): void {
      makeRoom(1);
      units[length++] = unit;
    },
    /** Copies unit by unit, because the piece may overlap its own output. */
    repeat(start: number, count: number): void {
      makeRoom(count);
      for (let index = start; index < start + count; index += 1) units[length++] = units[index]!;
    },
    text: () => Buffer.from(units.buffer, 0, length * 2).toString('utf16le'),
  };
}

function invalidLz64(): MalformedRequest {
  return new MalformedRequest('The body is not valid lz64.');
}
