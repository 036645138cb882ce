import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { countRead, stopReading } from '../../../src/platform/wire/paced-reading.ts';

const MB = 1024 * 1024;
const CHUNK = Buffer.alloc(64 * 1024);
const BODY_BYTES = 2 * MB;

/** A body that has arrived: all of it can be read at once. */
function arrivedBody(): Readable {
  let left = BODY_BYTES;
  return new Readable({
    read() {
      if (left === 0) return void this.push(null);
      left -= CHUNK.length;
      this.push(CHUNK);
    },
  });
}

describe('bodies that stream in', () => {
  it('are read a few megabytes in each turn of the loop, and to their ends', async () => {
    const bodies = Array.from({ length: 50 }, arrivedBody);
    let bytesInTurn = 0;
    let ended = 0;
    for (const body of bodies) {
      body.on('data', (chunk: Buffer) => {
        bytesInTurn += chunk.length;
        countRead(body, chunk);
      });
      body.on('end', () => (ended += 1));
    }
    let total = 0;
    let longest = 0;
    while (ended < bodies.length) {
      await nextTurn();
      longest = Math.max(longest, bytesInTurn);
      total += bytesInTurn;
      bytesInTurn = 0;
    }
    assert.equal(total, bodies.length * BODY_BYTES);
    // A body is paused only after it has read a chunk, even when the turn's budget is spent.
    assert(longest <= 4 * MB + bodies.length * CHUNK.length, `${longest / MB} MB in one turn`);
  });

  it('are not read on after they were stopped, though others are', async () => {
    const [stopped, other] = [arrivedBody(), arrivedBody()];
    const ended = new Promise((resolve) => other.on('end', resolve));
    let readOfStopped = 0;
    for (const body of [stopped, other]) {
      body.on('data', () => {
        if (body === stopped) readOfStopped += 1;
        // Each chunk uses the turn up.
        countRead(body, Buffer.alloc(4 * MB));
      });
    }
    await nextTurn();
    stopReading(stopped);
    const before = readOfStopped;
    await ended;
    assert(before > 0);
    assert.equal(readOfStopped, before);
  });
});
