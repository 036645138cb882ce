/**
 * SHA-1 (FIPS 180-4) in JavaScript. For the short name that is hashed once for every event, node:crypto spends three times as
 * long on the way to its code as this does in all.
 */
const BLOCK_BYTES = 64;
/** A one bit and the length in 64 bits follow the message. */
const PADDING_BYTES = 9;
const schedule = new Int32Array(80);
const state = new Int32Array(5);

/**
 * @param bytes holds the message and room for its padding: `paddedLength(length)` bytes; what follows the message is overwritten
 * @returns the digest's five words, valid until the next call
 */
export function sha1(bytes: Buffer, length: number): Int32Array {
  const end = paddedLength(length);
  bytes[length] = 0x80;
  bytes.fill(0, length + 1, end - 4);
  bytes.writeUInt32BE(length * 8, end - 4);
  state.set([0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0]);
  for (let at = 0; at < end; at += BLOCK_BYTES) addBlock(bytes, at);
  return state;
}

export function paddedLength(length: number): number {
  return Math.ceil((length + PADDING_BYTES) / BLOCK_BYTES) * BLOCK_BYTES;
}

function addBlock(bytes: Buffer, start: number): void {
  const w = schedule;
  for (let i = 0; i < 16; i++) w[i] = bytes.readInt32BE(start + i * 4);
  for (let i = 16; i < 80; i++) w[i] = rotate(w[i - 3]! ^ w[i - 8]! ^ w[i - 14]! ^ w[i - 16]!, 1);
  let [a, b, c, d, e] = state as unknown as [number, number, number, number, number];
  for (let i = 0; i < 80; i++) {
    const next = (rotate(a, 5) + mix(i, b, c, d) + e + w[i]!) | 0;
    e = d;
    d = c;
    c = rotate(b, 30);
    b = a;
    a = next;
  }
  state[0]! += a;
  state[1]! += b;
  state[2]! += c;
  state[3]! += d;
  state[4]! += e;
}

function mix(round: number, b: number, c: number, d: number): number {
  if (round < 20) return ((b & c) | (~b & d)) + 0x5a827999;
  if (round < 40) return (b ^ c ^ d) + 0x6ed9eba1;
  if (round < 60) return ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdc;
  return (b ^ c ^ d) + 0xca62c1d6;
}

function rotate(word: number, bits: number): number {
  return (word << bits) | (word >>> (32 - bits));
}
