import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { Unavailable } from '../../../src/platform/errors.ts';
import { createInflationLine, inflate } from '../../../src/platform/wire/inflate.ts';

const MIB = 1024 * 1024;
const PACKED: Record<string, (bytes: Buffer) => Buffer> = {
  gzip: (bytes) => gzipSync(bytes),
  deflate: (bytes) => deflateSync(bytes),
  br: (bytes) => brotliCompressSync(bytes),
  zstd: (bytes) => zstdCompressSync(bytes),
};

/** @returns `enterLine` of bodies from an address */
function lineOf(): (address: string) => () => Promise<() => void> {
  const enter = createInflationLine(({ socket }) => socket.remoteAddress!);
  return (remoteAddress) => () => enter({ headers: {}, socket: { remoteAddress } });
}

const enterLine = lineOf()('192.0.2.1');

const fullLine = () => Promise.reject(new Unavailable('The line is full.', 2));

describe('a body that is inflated', () => {
  for (const encoding of ['br', 'zstd']) {
    const packed = PACKED[encoding]!(Buffer.alloc(MIB, 0x20));

    it(`is one of four at a time where its window is not counted (${encoding})`, async () => {
      const growing = new Set<number>();
      let most = 0;
      const grow = async (index: number) => {
        const hold = () => void (most = Math.max(most, growing.add(index).size));
        await inflate(packed, encoding, { limit: 20 * MIB, hold, enterLine });
        growing.delete(index);
      };
      await Promise.all(Array.from({ length: 20 }, (_, index) => grow(index)));
      assert.ok(most <= 4, `${most} at a time`);
    });

    it(`waits no longer than others when one sender has many (${encoding})`, async () => {
      let ended = 0;
      const line = lineOf();
      const grow = async (from: string) => {
        await inflate(packed, encoding, { limit: 20 * MIB, hold: () => {}, enterLine: line(from) });
        ended += 1;
        return ended;
      };
      // On a busy machine the last of them are refused, because they have waited for too long.
      const busy = Promise.allSettled(Array.from({ length: 40 }, (_, n) => grow(`2001:db8::${n}`)));
      assert.ok((await grow('2001:db8:0:1::1')) < 20);
      await busy;
    });

    it(`does not wait when it is small (${encoding})`, () => {
      const text = Buffer.from(JSON.stringify(Array.from({ length: 20_000 }, (_, at) => at)));
      for (const bytes of [text, text.subarray(0, 100), randomBytes(60_000), Buffer.alloc(0)]) {
        const inflated = inflate(PACKED[encoding]!(bytes), encoding, {
          limit: MIB,
          hold: () => {},
          enterLine: fullLine,
        });
        assert.ok(Buffer.isBuffer(inflated) && inflated.equals(bytes));
      }
    });

    it(`waits when it is large (${encoding})`, async () => {
      for (const bytes of [packed, PACKED[encoding]!(randomBytes(70_000))]) {
        await assert.rejects(
          async () => inflate(bytes, encoding, { limit: 20 * MIB, hold: () => {}, enterLine: fullLine }),
          Unavailable,
        );
      }
    });
  }

  for (const [encoding, pack] of Object.entries(PACKED)) {
    it(`is counted while it grows, and grows no further than there is room for it (${encoding})`, async () => {
      const packed = pack(Buffer.alloc(20 * MIB, 0x20));
      let held = 0;
      let refusals = 0;
      const hold = (bytes: number) => {
        held += bytes;
        if (held <= MIB) return;
        refusals += 1;
        throw new Unavailable('There is no room.', 2);
      };
      await assert.rejects(async () => inflate(packed, encoding, { limit: 20 * MIB, hold, enterLine }), Unavailable);
      assert.ok(held < 1.5 * MIB, `${held} bytes`);
      assert.equal(refusals, 1);
    });

    it(`is counted whole, and is what was packed (${encoding})`, async () => {
      const bytes = Buffer.from(Array.from({ length: 30_000 }, (_, at) => at).join());
      for (const given of [bytes, bytes.subarray(0, 100)]) {
        let held = 0;
        const hold = (more: number) => void (held += more);
        const inflating = inflate(pack(given), encoding, { limit: 20 * MIB, hold, enterLine });
        // The pieces are still there while they are joined.
        const copies = Buffer.isBuffer(inflating) ? 1 : 2;
        assert.deepEqual([(await inflating).equals(given), held], [true, copies * given.length]);
      }
    });
  }
});
