/** Generates ids for requests that came without one. */
import { randomUUID } from 'node:crypto';

/** Characters of an id before its last twelve digits, which are a counter. */
const PREFIX_LENGTH = 24;
/** Start of the counter; like `LAST` it has twelve digits, so all ids have the same length. */
const FIRST = 100_000_000_000;
const LAST = 999_999_999_999;

let prefix = '';
let next = LAST;

/** @returns a unique UUID (version 4): its random part is drawn once, the rest is a counter */
export function nextRequestId(): string {
  if (next >= LAST) {
    prefix = randomUUID().slice(0, PREFIX_LENGTH);
    next = FIRST;
  }
  next += 1;
  return prefix + next;
}
