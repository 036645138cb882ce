import assert from 'node:assert/strict';
import { createMemory } from '../../src/capture/memory.ts';

const refuses = (take: () => void) => assert.throws(take, { name: 'Unavailable' });

describe('the memory of capture', () => {
  it('gives one sender half of it, and keeps the rest for others', () => {
    const open = createMemory(100);
    const first = open('10.0.0.1');
    for (let i = 0; i < 50; i++) first.hold(1);
    refuses(() => first.hold(1));
    refuses(() => open('10.0.0.1').hold(1));
    open('10.0.0.2').hold(25);
  });

  it('counts what is held for the project once it is known', () => {
    const open = createMemory(100);
    const flood = Array.from({ length: 5 }, (_, n) => open(`10.0.0.${n}`));
    for (const request of flood) {
      request.hold(10);
      request.belongTo(1);
    }
    const late = open('10.0.0.9');
    late.hold(10);
    refuses(() => late.belongTo(1));
    const other = open('10.0.0.9');
    other.hold(10);
    other.belongTo(2);
    refuses(() => flood[0]!.hold(10));
  });

  it('forgets a request that is over, and one that was refused', () => {
    const open = createMemory(100);
    for (let i = 0; i < 1_000; i++) {
      const request = open('10.0.0.1');
      request.hold(30);
      request.belongTo(1);
      refuses(() => request.hold(60));
      request.release();
      request.release();
    }
    open('10.0.0.1').hold(100);
  });

  it('forgets a request that was refused when its project became known', () => {
    const open = createMemory(100);
    const held = open('10.0.0.1');
    held.hold(40);
    held.belongTo(1);
    const refused = open('10.0.0.2');
    refused.hold(25);
    refuses(() => refused.belongTo(1));
    refused.release();
    held.release();
    open('10.0.0.1').hold(100);
  });
});
