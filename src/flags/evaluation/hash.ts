/**
 * Where a person or group falls in `[0, 1]` for a flag: the first 60 bits of SHA-1, as upstream's server and every SDK take them,
 * so that all of them give the same answer.
 *
 * A short ASCII text, as nearly all are, is one block of SHA-1: done here, at a third of the price of a call into OpenSSL.
 */
import { hash } from 'node:crypto';
import { block, first60BitsOfSha1 } from './sha1-block.ts';

/** What fits into one block beside the padding. */
const MAX_BLOCK_TEXT = 55;
const MAX_ASCII = 0x7f;
/** Of 60 bits, all set; as a float. */
const SCALE = 2 ** 60;

/**
 * Hashes `<prefix><id><salt>` for one id after the other. What is the same for all is prepared, and nothing is joined to a text.
 *
 * @param prefix `<flag key>.`, or `holdout-` for holdouts
 * @param salt `variant` for variants
 */
export function hash01(prefix: string, salt = ''): (id: string) => number {
  const maxId = isAscii(prefix + salt) ? MAX_BLOCK_TEXT - prefix.length - salt.length : -1;
  const head = new Int32Array(16);
  if (maxId > 0) put(prefix, head, 0);

  return (id) => {
    if (id.length > maxId) return hash01OfAny(prefix + id + salt);
    const length = prefix.length + id.length + salt.length;
    block.set(head);
    if (put(id, block, prefix.length) > MAX_ASCII) return hash01OfAny(prefix + id + salt);
    put(salt, block, length - salt.length);
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

function isAscii(text: string): boolean {
  return Buffer.byteLength(text) === text.length;
}
