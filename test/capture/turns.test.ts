import assert from 'node:assert/strict';
import { createTurns } from '../../src/capture/turns.ts';

const body = (token: string, bytes: number) =>
  Buffer.from(JSON.stringify({ api_key: `phc_${token}`, batch: ['x'.repeat(bytes)] }));
const LARGE = 100_000;
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

describe('turns of the event loop', () => {
  it('take one large body at a time, and let everything else happen in between', async () => {
    const takeTurn = createTurns();
    let taken = 0;
    for (let i = 0; i < 10; i++) void Promise.resolve(takeTurn(body('a', LARGE))).then(() => (taken += 1));
    for (let turn = 1; turn <= 10; turn++) {
      await Promise.resolve();
      assert.equal(taken, turn);
      await nextTurn();
    }
  });

  it('go from one project to the next, however many bodies each has', async () => {
    const takeTurn = createTurns();
    const order: string[] = [];
    const senders = 'aaaaaabbc'.split('');
    const all = senders.map(async (sender) => {
      await takeTurn(body(sender, LARGE));
      order.push(sender);
    });
    await Promise.all(all);
    assert.equal(order.join(''), 'aabcabaaa');
  });

  it('do not keep small bodies waiting', () => {
    const takeTurn = createTurns();
    for (let i = 0; i < 10; i++) void takeTurn(body('a', LARGE));
    assert.equal(takeTurn(body('b', 1_000)), undefined);
  });

  it('are free again when nobody waits', async () => {
    const takeTurn = createTurns();
    await Promise.all(['a', 'b', 'a'].map(async (sender) => takeTurn(body(sender, LARGE))));
    await nextTurn();
    assert.equal(takeTurn(Buffer.alloc(LARGE)), undefined);
  });
});
