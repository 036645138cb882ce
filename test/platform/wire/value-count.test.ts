import assert from 'node:assert/strict';
import { hasMoreValuesThan, textHasMoreValuesThan } from '../../../src/platform/wire/value-count.ts';

const FILLING = 'x'.repeat(1000);

describe('the number of values in a JSON text', () => {
  const counted: [json: unknown, count: number][] = [
    [[FILLING, 1, 2], 3],
    [{ a: FILLING, b: { c: [] }, d: [{}, {}] }, 9],
    [[`${FILLING},{[,"\\,`, '",[{', '\\'], 3],
    [{ '{,"': FILLING, '\\"': 1 }, 2],
  ];
  for (const [json, count] of counted) {
    it(`is ${count}: ${JSON.stringify(json).replace(FILLING, '…')}`, () => {
      const text = JSON.stringify(json);
      assert.equal(hasMoreValuesThan(Buffer.from(text), count - 1), true);
      assert.equal(hasMoreValuesThan(Buffer.from(text), count), false);
      assert.equal(textHasMoreValuesThan(text, count), false);
    });
  }

  it('counts the shortest values, too', () => {
    const text = `[${'[],'.repeat(100)}[]]`;
    assert.equal(textHasMoreValuesThan(text, 200), true);
    assert.equal(textHasMoreValuesThan(text, 202), false);
  });

  it('counts levels, and what is no JSON', () => {
    for (const text of ['['.repeat(201), '{"":'.repeat(101), `${','.repeat(201)}"`]) {
      assert.equal(textHasMoreValuesThan(text, 100), true, text);
    }
    for (const text of ['"'.repeat(1001), `"${'\\'.repeat(1000)}`, `"${','.repeat(1000)}`]) {
      assert.equal(textHasMoreValuesThan(text, 100), false, text);
    }
  });
});
