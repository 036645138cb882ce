/**
 * Where a person or group falls in `[0, 1]` for a flag: the first 60 bits of SHA-1, as upstream's server and every SDK take them,
 * so that all of them give the same answer.
 *
 * A short ASCII text, as nearly all are, is one block of SHA-1: done here, at half the price of a call into OpenSSL.
 */
import { hash } from 'node:crypto';

/** What fits into one block beside the padding. */
const MAX_BLOCK_TEXT = 55;
const MAX_ASCII = 0x7f;
/** Of 60 bits, all set; as a float. */
const SCALE = 2 ** 60;

const words = new Int32Array(80);

/**
 * The three texts are hashed as one; putting them together first would cost as much as half the hash.
 *
 * @param prefix `<flag key>.`, or `holdout-` for holdouts
 * @param salt `variant` for variants
 */
export function hash01(prefix: string, id: string, salt = ''): number {
  const length = prefix.length + id.length + salt.length;
  if (length > MAX_BLOCK_TEXT) return hash01OfAny(prefix + id + salt);
  // So few are cleared in less time than a call of `fill` takes.
  for (let t = 0; t < 16; t++) words[t] = 0;
  const seen = put(prefix, 0) | put(id, prefix.length) | put(salt, length - salt.length);
  if (seen > MAX_ASCII) return hash01OfAny(prefix + id + salt);
  words[length >> 2]! |= 0x80 << (24 - (length & 3) * 8);
  words[15] = length * 8;
  return hash01OfBlock();
}

function hash01OfAny(text: string): number {
  return Number(BigInt(`0x${hash('sha1', text, 'hex').slice(0, 15)}`)) / SCALE;
}

/** Puts text into the block, from a byte on. @returns all bits that are set in any of its code units */
function put(text: string, from: number): number {
  let seen = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    const at = from + index;
    seen |= code;
    words[at >> 2]! |= code << (24 - (at & 3) * 8);
  }
  return seen;
}

/**
 * FIPS 180-4, section 6.1.2; only the first two of the five words are needed. One loop for each of its four functions, all in
 * 32-bit integers: this runs for every flag of every request.
 */
function hash01OfBlock(): number {
  for (let t = 16; t < 80; t++) {
    const word = words[t - 3]! ^ words[t - 8]! ^ words[t - 14]! ^ words[t - 16]!;
    words[t] = (word << 1) | (word >>> 31);
  }
  let a = 0x67452301 | 0;
  let b = 0xefcdab89 | 0;
  let c = 0x98badcfe | 0;
  let d = 0x10325476 | 0;
  let e = 0xc3d2e1f0 | 0;
  let next = 0;
  for (let t = 0; t < 20; t++) {
    next = (((a << 5) | (a >>> 27)) + ((b & c) | (~b & d)) + e + 0x5a827999 + words[t]!) | 0;
    e = d;
    d = c;
    c = (b << 30) | (b >>> 2);
    b = a;
    a = next;
  }
  for (let t = 20; t < 40; t++) {
    next = (((a << 5) | (a >>> 27)) + (b ^ c ^ d) + e + 0x6ed9eba1 + words[t]!) | 0;
    e = d;
    d = c;
    c = (b << 30) | (b >>> 2);
    b = a;
    a = next;
  }
  for (let t = 40; t < 60; t++) {
    next = (((a << 5) | (a >>> 27)) + ((b & c) | (b & d) | (c & d)) + e + 0x8f1bbcdc + words[t]!) | 0;
    e = d;
    d = c;
    c = (b << 30) | (b >>> 2);
    b = a;
    a = next;
  }
  for (let t = 60; t < 80; t++) {
    next = (((a << 5) | (a >>> 27)) + (b ^ c ^ d) + e + 0xca62c1d6 + words[t]!) | 0;
    e = d;
    d = c;
    c = (b << 30) | (b >>> 2);
    b = a;
    a = next;
  }
  const first = (a + 0x67452301) >>> 0;
  const second = (b + 0xefcdab89) >>> 0;
  // Both are exact; their sum is rounded to a float once, as a 60-bit integer would be.
  return (first * 2 ** 28 + (second >>> 4)) / SCALE;
}
