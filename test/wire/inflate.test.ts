import assert from 'node:assert/strict';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { Unavailable } from '../../src/errors.ts';
import { inflate } from '../../src/wire/inflate.ts';

const MIB = 1024 * 1024;
const PACKED: Record<string, (bytes: Buffer) => Buffer> = {
  gzip: (bytes) => gzipSync(bytes),
  deflate: (bytes) => deflateSync(bytes),
  br: (bytes) => brotliCompressSync(bytes),
  zstd: (bytes) => zstdCompressSync(bytes),
};

describe('a body that is inflated', () => {
  it('is one of four at a time in brotli, whose windows are not counted', async () => {
    const packed = PACKED['br']!(Buffer.alloc(4 * MIB, 0x20));
    const growing = new Set<number>();
    let most = 0;
    const grow = async (index: number) => {
      const hold = () => void (most = Math.max(most, growing.add(index).size));
      await inflate(packed, 'br', { limit: 20 * MIB, hold });
      growing.delete(index);
    };
    await Promise.all(Array.from({ length: 20 }, (_, index) => grow(index)));
    assert.ok(most <= 4, `${most} at a time`);
  });

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
      await assert.rejects(async () => inflate(packed, encoding, { limit: 20 * MIB, hold }), Unavailable);
      assert.ok(held < 1.5 * MIB, `${held} bytes`);
      assert.equal(refusals, 1);
    });

    it(`is counted whole, and is what was packed (${encoding})`, async () => {
      const bytes = Buffer.from(Array.from({ length: 30_000 }, (_, at) => at).join());
      for (const given of [bytes, bytes.subarray(0, 100)]) {
        let held = 0;
        const hold = (more: number) => void (held += more);
        const inflated = await inflate(pack(given), encoding, { limit: 20 * MIB, hold });
        assert.deepEqual([inflated.equals(given), held], [true, given.length]);
      }
    });
  }
});
