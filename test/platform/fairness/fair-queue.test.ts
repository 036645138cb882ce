import assert from 'node:assert/strict';
import { Unavailable } from '../../../src/platform/errors.ts';
import { createLine } from '../../../src/platform/fairness/fair-queue.ts';

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

describe('a line', () => {
  it('lets one in at a time, of one sender after the other', async () => {
    const { order, most } = await visits(1, 'aaabb');
    assert.deepEqual([order, most], ['a1 a2 b4 a3 b5', 1]);
  });

  it('lets as many in at once as it has places, and is free again when all have left', async () => {
    const line = createLine({ capacity: 2 });
    const { order, most } = await visits(2, 'aaaabc', line);
    assert.deepEqual([order, most], ['a1 a2 a3 b5 c6 a4', 2]);
    assert.equal((await visits(2, 'ab', line)).most, 2);
  });

  it('turns away those who wait for too long while its place is taken, and lets the next ones in', async () => {
    const enter = createLine({ maxWaitMs: 5 });
    const leave = await enter('a');
    const others = await Promise.allSettled(['a', 'b', 'b'].map(async (sender) => enter(sender)));
    for (const other of others) assert.ok(other.status === 'rejected' && other.reason instanceof Unavailable);
    const next = enter('c');
    leave();
    (await next)();
    await enter('a');
  });
});

/** @param senders of visits that come at once, each a letter @returns the order in which they got in, and how many were inside at most */
async function visits(places: number, senders: string, enter = createLine({ capacity: places })) {
  const order: string[] = [];
  let inside = 0;
  let most = 0;
  async function visit(sender: string, index: number): Promise<void> {
    const leave = await enter(sender);
    order.push(`${sender}${index + 1}`);
    inside += 1;
    most = Math.max(most, inside);
    await nextTurn();
    inside -= 1;
    leave();
  }
  await Promise.all(senders.split('').map(visit));
  return { order: order.join(' '), most };
}
