/**
 * Bodies that stream in are read some megabytes in each turn of the event loop. libuv reads up to 2 MiB of each connection in one turn
 * (`uv__read`, 32 buffers of 64 KiB), so fifty large uploads would hold all other requests up for a quarter of a second.
 *
 * The budget is the process's own, like the loop.
 */
import type { Readable } from 'node:stream';

/** Limit of a turn, which is copied from the kernel in about ten milliseconds. */
const BYTES_PER_TURN = 4 * 1024 * 1024;
/** Bytes that a resumed request is assumed to read before it can be paused again: two buffers. */
const BYTES_PER_RESUME = 128 * 1024;

/** Paused requests, in the order in which they resume. */
const waiting = new Set<Readable>();
let spentBytes = 0;
let isTurnScheduled = false;

/** Counts a chunk that was read; pauses the request until a later turn when too much was read in this one. */
export function countRead(request: Readable, chunk: Buffer): void {
  spentBytes += chunk.length;
  if (!isTurnScheduled) {
    isTurnScheduled = true;
    setImmediate(beginTurn);
  }
  // tooth: paced-reading
  if (spentBytes >= BYTES_PER_TURN) waiting.add(request.pause());
}

/** Pauses the request for good. */
export function stopReading(request: Readable): void {
  waiting.delete(request);
  request.pause();
}

function beginTurn(): void {
  spentBytes = 0;
  isTurnScheduled = waiting.size > 0;
  if (isTurnScheduled) setImmediate(beginTurn);
  let remainingBytes = BYTES_PER_TURN;
  for (const request of waiting) {
    if (remainingBytes <= 0) break;
    remainingBytes -= BYTES_PER_RESUME;
    waiting.delete(request);
    request.resume();
  }
}
