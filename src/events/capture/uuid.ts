/** Checks and creates ids of events. */
import { randomFillSync } from 'node:crypto';

const CANONICAL = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** @returns the uuid in lower case; undefined when it is not one in its usual form */
export function canonicalUuid(text: string): string | undefined {
  const uuid = text.toLowerCase();
  return CANONICAL.test(uuid) ? uuid : undefined;
}

const RANDOM_BYTES = 10;
const pool = Buffer.allocUnsafe(RANDOM_BYTES * 256);
let used = pool.length;

/** @returns a version 7 uuid (RFC 9562): 48 bits of milliseconds, then randomness */
export function uuidV7(nowMs = Date.now()): string {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  pool[used] = (pool[used]! & 0x0f) | 0x70;
  pool[used + 2] = (pool[used + 2]! & 0x3f) | 0x80;
  const random = pool.toString('hex', used, used + RANDOM_BYTES);
  used += RANDOM_BYTES;
  return joinUuid(nowMs, random);
}

/** @param hex ten bytes used instead of random ones, so the result is the same every time */
export function uuidV7Of(ms: number, hex: string): string {
  const bytes = Buffer.from(hex, 'hex');
  bytes[0] = (bytes[0]! & 0x0f) | 0x70;
  bytes[2] = (bytes[2]! & 0x3f) | 0x80;
  return joinUuid(ms, bytes.toString('hex'));
}

function joinUuid(ms: number, random: string): string {
  const time = ms.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-${random.slice(0, 4)}-${random.slice(4, 8)}-${random.slice(8)}`;
}
