import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { severalAtOnce } from '../../../src/exports/destinations/at-once.ts';

const items = Array.from({ length: 50 }, (_, index) => index);

describe('calls made several at once', () => {
  it('are eight at most, with the results in the order of the items', async () => {
    let [running, most] = [0, 0];
    const results = await severalAtOnce(items, async (item) => {
      most = Math.max(most, ++running);
      await sleep((item * 7) % 5);
      running -= 1;
      return item * 2;
    });
    assert.deepEqual(
      results,
      items.map((item) => item * 2),
    );
    assert.equal(most, 8);
  });

  it('have ended when a failure is thrown, and none begins after it', async () => {
    let running = 0;
    let startedCount = 0;
    const work = severalAtOnce(items, async (item) => {
      running += 1;
      startedCount += 1;
      await sleep(item === 3 ? 1 : 20);
      running -= 1;
      if (item === 3) throw new Error('no');
    });
    await assert.rejects(work, /^Error: no$/);
    assert.deepEqual([running, startedCount], [0, 8]);
  });
});
