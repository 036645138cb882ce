/**
 * SHA-1 (FIPS 180-4) in JavaScript, for the short texts that are hashed for every event and for every flag of a request. A call of node:crypto
 * takes three times as long before it even begins. Loops are unrolled as far as that saves moving words, and sums begin with the operands
 * that are known first: both together halve the time.
 */

const BLOCK_BYTES = 64;
/** A one bit and the length in 64 bits follow the message. */
const PADDING_BYTES = 9;
const K0 = 0x5a827999;
const K20 = 0x6ed9eba1;
const K40 = 0x8f1bbcdc | 0;
const K60 = 0xca62c1d6 | 0;

/** The message schedule: the block's 16 words, and 64 that are made of them. Longer than 80, so no index needs a check. */
const words = new Int32Array(128);
/** Input of `first60BitsOfSha1`, which its caller fills. */
export const block = words.subarray(0, 16);
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
  resetState();
  for (let index = 0; index < end; index += BLOCK_BYTES) {
    for (let i = 0; i < 16; i++) words[i] = bytes.readInt32BE(index + i * 4);
    addBlock();
  }
  return state;
}

export function paddedLength(length: number): number {
  return Math.ceil((length + PADDING_BYTES) / BLOCK_BYTES) * BLOCK_BYTES;
}

/** @returns the start of the digest of `block`: a whole number below 2^60, rounded to a float once, as a 60-bit integer would be */
export function first60BitsOfSha1(): number {
  resetState();
  addBlock();
  return (state[0]! >>> 0) * 2 ** 28 + (state[1]! >>> 4);
}

function resetState(): void {
  state[0] = 0x67452301;
  state[1] = 0xefcdab89;
  state[2] = 0x98badcfe;
  state[3] = 0x10325476;
  state[4] = 0xc3d2e1f0;
}

function addBlock(): void {
  extendBlock();
  mixBlock();
}

// prettier-ignore
function extendBlock(): void {
  let w0 = words[0]!, w1 = words[1]!, w2 = words[2]!, w3 = words[3]!, w4 = words[4]!, w5 = words[5]!, w6 = words[6]!, w7 = words[7]!;
  let w8 = words[8]!, w9 = words[9]!, w10 = words[10]!, w11 = words[11]!, w12 = words[12]!, w13 = words[13]!, w14 = words[14]!, w15 = words[15]!;
  for (let t = 16; t < 80; t += 16) {
    words[t] = w0 = left1(w13 ^ w8 ^ w2 ^ w0);
    words[t + 1] = w1 = left1(w14 ^ w9 ^ w3 ^ w1);
    words[t + 2] = w2 = left1(w15 ^ w10 ^ w4 ^ w2);
    words[t + 3] = w3 = left1(w0 ^ w11 ^ w5 ^ w3);
    words[t + 4] = w4 = left1(w1 ^ w12 ^ w6 ^ w4);
    words[t + 5] = w5 = left1(w2 ^ w13 ^ w7 ^ w5);
    words[t + 6] = w6 = left1(w3 ^ w14 ^ w8 ^ w6);
    words[t + 7] = w7 = left1(w4 ^ w15 ^ w9 ^ w7);
    words[t + 8] = w8 = left1(w5 ^ w0 ^ w10 ^ w8);
    words[t + 9] = w9 = left1(w6 ^ w1 ^ w11 ^ w9);
    words[t + 10] = w10 = left1(w7 ^ w2 ^ w12 ^ w10);
    words[t + 11] = w11 = left1(w8 ^ w3 ^ w13 ^ w11);
    words[t + 12] = w12 = left1(w9 ^ w4 ^ w14 ^ w12);
    words[t + 13] = w13 = left1(w10 ^ w5 ^ w15 ^ w13);
    words[t + 14] = w14 = left1(w11 ^ w6 ^ w0 ^ w14);
    words[t + 15] = w15 = left1(w12 ^ w7 ^ w1 ^ w15);
  }
}

// prettier-ignore
function mixBlock(): void {
  let a = state[0]!, b = state[1]!, c = state[2]!, d = state[3]!, e = state[4]!;
  for (let t = 0; t < 20; t += 5) {
    e = (left5(a) + (choice(b, c, d) + (e + (K0 + words[t]!)))) | 0; b = left30(b);
    d = (left5(e) + (choice(a, b, c) + (d + (K0 + words[t + 1]!)))) | 0; a = left30(a);
    c = (left5(d) + (choice(e, a, b) + (c + (K0 + words[t + 2]!)))) | 0; e = left30(e);
    b = (left5(c) + (choice(d, e, a) + (b + (K0 + words[t + 3]!)))) | 0; d = left30(d);
    a = (left5(b) + (choice(c, d, e) + (a + (K0 + words[t + 4]!)))) | 0; c = left30(c);
  }
  for (let t = 20; t < 40; t += 5) {
    e = (left5(a) + (parity(b, c, d) + (e + (K20 + words[t]!)))) | 0; b = left30(b);
    d = (left5(e) + (parity(a, b, c) + (d + (K20 + words[t + 1]!)))) | 0; a = left30(a);
    c = (left5(d) + (parity(e, a, b) + (c + (K20 + words[t + 2]!)))) | 0; e = left30(e);
    b = (left5(c) + (parity(d, e, a) + (b + (K20 + words[t + 3]!)))) | 0; d = left30(d);
    a = (left5(b) + (parity(c, d, e) + (a + (K20 + words[t + 4]!)))) | 0; c = left30(c);
  }
  for (let t = 40; t < 60; t += 5) {
    e = (left5(a) + (majority(b, c, d) + (e + (K40 + words[t]!)))) | 0; b = left30(b);
    d = (left5(e) + (majority(a, b, c) + (d + (K40 + words[t + 1]!)))) | 0; a = left30(a);
    c = (left5(d) + (majority(e, a, b) + (c + (K40 + words[t + 2]!)))) | 0; e = left30(e);
    b = (left5(c) + (majority(d, e, a) + (b + (K40 + words[t + 3]!)))) | 0; d = left30(d);
    a = (left5(b) + (majority(c, d, e) + (a + (K40 + words[t + 4]!)))) | 0; c = left30(c);
  }
  for (let t = 60; t < 80; t += 5) {
    e = (left5(a) + (parity(b, c, d) + (e + (K60 + words[t]!)))) | 0; b = left30(b);
    d = (left5(e) + (parity(a, b, c) + (d + (K60 + words[t + 1]!)))) | 0; a = left30(a);
    c = (left5(d) + (parity(e, a, b) + (c + (K60 + words[t + 2]!)))) | 0; e = left30(e);
    b = (left5(c) + (parity(d, e, a) + (b + (K60 + words[t + 3]!)))) | 0; d = left30(d);
    a = (left5(b) + (parity(c, d, e) + (a + (K60 + words[t + 4]!)))) | 0; c = left30(c);
  }
  state[0]! += a;
  state[1]! += b;
  state[2]! += c;
  state[3]! += d;
  state[4]! += e;
}

function left1(word: number): number {
  return (word << 1) | (word >>> 31);
}

function left5(word: number): number {
  return (word << 5) | (word >>> 27);
}

function left30(word: number): number {
  return (word << 30) | (word >>> 2);
}

function choice(b: number, c: number, d: number): number {
  return d ^ (b & (c ^ d));
}

function parity(b: number, c: number, d: number): number {
  return b ^ c ^ d;
}

function majority(b: number, c: number, d: number): number {
  return (b & c) | (d & (b | c));
}
