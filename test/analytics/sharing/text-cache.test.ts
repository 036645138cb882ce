/** Text that is written for one visitor is enough for all, for a moment. */
import assert from 'node:assert/strict';
import { createTextCache, type Text } from '../../../src/analytics/sharing/text-cache.ts';

const nothing = () => Promise.reject(new Error('away'));
const textOf = (letters: string): Text => ({ bytes: Buffer.from(letters), headers: {} });

describe('a text that was written for a visitor', () => {
  let time: number;
  let written: string[];
  beforeEach(() => {
    time = 0;
    written = [];
  });

  function texts(mostBytes?: number) {
    const kept = createTextCache({ now: () => time, ...(mostBytes !== undefined && { maxBytes: mostBytes }) });
    return async (name: string, letters = name) => {
      const { bytes } = await kept.getText(name, async () => {
        written.push(name);
        return textOf(letters);
      });
      return bytes.toString();
    };
  }

  it('is given to those who come at once, and in the next three seconds', async () => {
    const visit = texts();
    assert.deepEqual(await Promise.all([visit('a', '1'), visit('a', '2'), visit('b', '3')]), ['1', '1', '3']);
    time = 2_999;
    assert.equal(await visit('a', '4'), '1');
    time = 3_000;
    assert.deepEqual(await Promise.all([visit('a', '5'), visit('a', '6')]), ['5', '5']);
    assert.deepEqual(written, ['a', 'b', 'a']);
  });

  it('is as old as what was read for it, however long it took', async () => {
    const kept = createTextCache({ now: () => time });
    const slow = Promise.withResolvers<Text>();
    const first = kept.getText('a', () => slow.promise);
    time = 3_000;
    const second = kept.getText('a', async () => textOf('new'));
    slow.resolve(textOf('old'));
    assert.equal((await first).bytes.toString(), 'old');
    assert.equal((await second).bytes.toString(), 'new');
    assert.equal(await kept.getText('a', () => slow.promise), await second);
  });

  it('is not kept when it could not be written', async () => {
    const kept = createTextCache();
    await Promise.all([1, 2].map(() => assert.rejects(kept.getText('a', nothing), /away/)));
    assert.equal((await kept.getText('a', async () => textOf('x'))).bytes.toString(), 'x');
  });

  it('makes room for newer ones, and is not kept where there is none', async () => {
    const visit = texts(10);
    for (const name of ['a', 'b']) await visit(name, 'xxxx');
    await visit('c', 'xxxx');
    assert.deepEqual(written, ['a', 'b', 'c']);
    for (const name of ['b', 'c', 'a']) await visit(name, 'xxxx');
    assert.deepEqual(written.slice(3), ['a'], 'the first of them was dropped');
    await visit('d', 'x'.repeat(10));
    await visit('d', 'x'.repeat(10));
    assert.deepEqual(written.slice(4), ['d', 'd'], 'it is larger than all that is kept');
  });
});
