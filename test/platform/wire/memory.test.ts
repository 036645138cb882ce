import assert from 'node:assert/strict';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { createMemory } from '../../../src/platform/wire/memory.ts';

/** Opens accounts of requests from an address that announced a body of so many bytes. */
function accounts(limit: number) {
  const open = createMemory(limit);
  return (remoteAddress: string, bytes = 100) => {
    const request = new IncomingMessage(Object.defineProperty(new Socket(), 'remoteAddress', { value: remoteAddress }));
    request.headers['content-length'] = String(bytes);
    return open(request);
  };
}

const refuses = (take: () => void) => assert.throws(take, { name: 'Unavailable' });

describe('the memory of requests under way', () => {
  it('gives one sender half of it, and keeps the rest for others', () => {
    const open = accounts(100);
    const first = open('10.0.0.1');
    for (let i = 0; i < 50; i++) first.hold(1);
    refuses(() => first.hold(1));
    refuses(() => open('10.0.0.1').hold(1));
    open('10.0.0.2').hold(25);
  });

  it('counts what is held for the project once it is known', () => {
    const open = accounts(100);
    const flood = Array.from({ length: 5 }, (_, n) => open(`10.0.0.${n}`));
    for (const request of flood) {
      request.hold(10);
      request.belongTo('phc_a');
    }
    const late = open('10.0.0.9');
    late.hold(10);
    refuses(() => late.belongTo('phc_a'));
    const other = open('10.0.0.9');
    other.hold(10);
    other.belongTo('phc_b');
    refuses(() => flood[0]!.hold(10));
  });

  it('keeps room for small bodies beside the large ones of the same proxy', () => {
    const open = accounts(100);
    const large = open('10.0.0.1', 1_000_000);
    large.hold(50);
    refuses(() => large.hold(1));
    open('10.0.0.1', 100).hold(1);
  });

  it('takes a small body that inflates to more for a large one of its address', () => {
    const open = accounts(10_000_000);
    const bomb = open('10.0.0.1', 100);
    bomb.hold(100);
    bomb.hold(4_000_000);
    refuses(() => open('10.0.0.1', 1_000_000).hold(4_000_000));
    open('10.0.0.1', 100).hold(4_000);
    bomb.release();
    open('10.0.0.1').hold(30_000);
    open('10.0.0.1', 1_000_000).hold(4_000_000);
  });

  it('forgets a request that has ended, and one that was refused', () => {
    const open = accounts(100);
    for (let i = 0; i < 1_000; i++) {
      const request = open('10.0.0.1');
      request.hold(30);
      request.belongTo('phc_a');
      refuses(() => request.hold(60));
      request.release();
      request.release();
    }
    open('10.0.0.1').hold(100);
  });

  it('forgets a request that was refused when its project became known', () => {
    const open = accounts(100);
    const held = open('10.0.0.1');
    held.hold(40);
    held.belongTo('phc_a');
    const refused = open('10.0.0.2');
    refused.hold(25);
    refuses(() => refused.belongTo('phc_a'));
    refused.release();
    held.release();
    open('10.0.0.1').hold(100);
  });
});
