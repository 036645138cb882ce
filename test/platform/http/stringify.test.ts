/** JSON of answers is written in turns: a large answer holds up nobody else. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { stringifyInTurns } from '../../../src/platform/http/stringify.ts';

const LARGE = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`name ${index}`, index]));

describe('an answer', () => {
  it('is what JSON.stringify makes of it', async () => {
    const value = fc.anything({ withNullPrototype: true, withDate: true, withSparseArray: true });
    await fc.assert(
      fc.asyncProperty(fc.oneof(value, fc.record({ results: fc.array(value), count: fc.nat() })), async (body) => {
        if (JSON.stringify(body) === undefined) return;
        assert.equal(await stringifyInTurns(body), JSON.stringify(body));
      }),
    );
  });

  for (const [what, body] of [
    ['a page', { count: 60, results: Array.from({ length: 20 }, () => LARGE) }],
    ['a list', Array.from({ length: 20 }, () => LARGE)],
    ['an object of large members', Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`m${index}`, LARGE]))],
  ] as const) {
    it(`lets others take turns while it is written: ${what}`, async () => {
      let turns = 0;
      const others = setInterval(() => (turns += 1), 0);
      await stringifyInTurns(body);
      clearInterval(others);
      assert.ok(turns >= 2, `${turns} turns`);
    });
  }
});
