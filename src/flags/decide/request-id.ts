/** Names for requests that came without one. */
import { randomUUID } from 'node:crypto';

/** The last twelve digits of an id are counted. */
const PREFIX_LENGTH = 24;
/** Of twelve digits, so that all of them have as many. */
const FIRST = 100_000_000_000;
const LAST = 999_999_999_999;

let prefix = '';
let next = LAST;

/** @returns a UUID (version 4) that nobody else has: what is random in it is drawn once, and the rest counted */
export function nextRequestId(): string {
  if (next >= LAST) {
    prefix = randomUUID().slice(0, PREFIX_LENGTH);
    next = FIRST;
  }
  next += 1;
  return prefix + next;
}
