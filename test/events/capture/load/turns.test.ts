import assert from 'node:assert/strict';
import { createTurns, probableSender } from '../../../../src/events/capture/turns.ts';

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

describe('turns of the event loop', () => {
  it('take one large body at a time, and let everything else happen in between', async () => {
    const takeTurn = createTurns();
    let taken = 0;
    for (let i = 0; i < 10; i++) void Promise.resolve(takeTurn('a')).then(() => (taken += 1));
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
      await takeTurn(sender);
      order.push(sender);
    });
    await Promise.all(all);
    assert.equal(order.join(''), 'aabcabaaa');
  });

  it('are free again when nothing waits', async () => {
    const takeTurn = createTurns();
    await Promise.all(['a', 'b', 'a'].map(async (sender) => takeTurn(sender)));
    await nextTurn();
    assert.equal(takeTurn('a'), undefined);
  });
});

describe('the probable sender of a body', () => {
  it('is the first project key in it', () => {
    const bodies = {
      '{"api_key":"phc_first-1","batch":[{"token":"phc_second"}]}': 'phc_first-1',
      '[{"event":"e","properties":{"token":"phc_only"}}]': 'phc_only',
      '{"api_key":"other","batch":[]}': '',
      phc_: 'phc_',
    };
    for (const [body, sender] of Object.entries(bodies)) assert.equal(probableSender(Buffer.from(body)), sender);
  });
});
