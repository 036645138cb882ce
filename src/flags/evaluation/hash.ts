/**
 * Hashes a person or group for a flag to a number in `[0, 1]`: the first 60 bits of SHA-1. Upstream's server and every SDK compute the same
 * number.
 *
 * Nearly all texts are short and ASCII, so they fit into one block of SHA-1, which is hashed here at a third of the cost of OpenSSL.
 */
import { hash } from 'node:crypto';
import { block, first60BitsOfSha1 } from '../../platform/hashing/sha1.ts';

/** Bytes that fit into one block next to the padding. */
const MAX_BLOCK_TEXT = 55;
const MAX_ASCII = 0x7f;
/** Largest number of 60 bits, as a float. */
const SCALE = 2 ** 60;

/**
 * Hashes `<prefix><id><salt>` for many ids. Prepares the prefix once, and joins no texts.
 *
 * @param prefix `<flag key>.`, or `holdout-` for holdouts
 * @returns a function; its salt is `variant` for variants
 */
export function hash01(prefix: string): (id: string, salt?: string) => number {
  const head = new Int32Array(16);
  // A longer prefix writes past the array, which has no effect; such a head is never used.
  const maxLength = writeBytes(prefix, head, 0) <= MAX_ASCII ? MAX_BLOCK_TEXT : -1;

  return (id, salt = '') => {
    const length = prefix.length + id.length + salt.length;
    if (length > maxLength) return hash01ByOpenssl(prefix + id + salt);
    block.set(head);
    const usedBits = writeBytes(id, block, prefix.length) | writeBytes(salt, block, length - salt.length);
    if (usedBits > MAX_ASCII) return hash01ByOpenssl(prefix + id + salt);
    block[length >> 2]! |= 0x80 << (24 - (length & 3) * 8);
    block[15] = length * 8;
    return first60BitsOfSha1() / SCALE;
  };
}

function hash01ByOpenssl(text: string): number {
  return Number(BigInt(`0x${hash('sha1', text, 'hex').slice(0, 15)}`)) / SCALE;
}

/** Writes text into a block, starting at a byte. @returns the bitwise OR of its code units */
function writeBytes(text: string, words: Int32Array, from: number): number {
  let usedBits = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    const at = from + index;
    usedBits |= code;
    words[at >> 2]! |= code << (24 - (at & 3) * 8);
  }
  return usedBits;
}
