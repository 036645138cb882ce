/**
 * Places a person or group in `[0, 1]` for a flag: the first 60 bits of SHA-1, as upstream's server and every SDK compute it,
 * so all of them give the same answer.
 *
 * A short ASCII text, as nearly all are, is one block of SHA-1. It is hashed here, at a third of the cost of a call into OpenSSL.
 */
import { hash } from 'node:crypto';
import { block, first60BitsOfSha1 } from '../../platform/hashing/sha1.ts';

/** Bytes that fit into one block next to the padding. */
const MAX_BLOCK_TEXT = 55;
const MAX_ASCII = 0x7f;
/** Largest number of 60 bits, as a float. */
const SCALE = 2 ** 60;

/**
 * Hashes `<prefix><id><salt>` for many ids: the prefix is prepared once, and no texts are joined.
 *
 * @param prefix `<flag key>.`, or `holdout-` for holdouts
 * @returns a function; its salt is `variant` for variants
 */
export function hash01(prefix: string): (id: string, salt?: string) => number {
  const head = new Int32Array(16);
  // Bytes that do not fit into the head are not written, and then the head is not used.
  const maxLength = put(prefix, head, 0) <= MAX_ASCII ? MAX_BLOCK_TEXT : -1;

  return (id, salt = '') => {
    const length = prefix.length + id.length + salt.length;
    if (length > maxLength) return hash01OfAny(prefix + id + salt);
    block.set(head);
    const seen = put(id, block, prefix.length) | put(salt, block, length - salt.length);
    if (seen > MAX_ASCII) return hash01OfAny(prefix + id + salt);
    block[length >> 2]! |= 0x80 << (24 - (length & 3) * 8);
    block[15] = length * 8;
    return first60BitsOfSha1() / SCALE;
  };
}

function hash01OfAny(text: string): number {
  return Number(BigInt(`0x${hash('sha1', text, 'hex').slice(0, 15)}`)) / SCALE;
}

/** Puts text into a block, from a byte on. @returns all bits that are set in any of its code units */
function put(text: string, words: Int32Array, from: number): number {
  let seen = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    const at = from + index;
    seen |= code;
    words[at >> 2]! |= code << (24 - (at & 3) * 8);
  }
  return seen;
}
