import assert from 'node:assert/strict';
import fc from 'fast-check';
import { InvalidInput } from '../../../src/platform/errors.ts';
import { parseFormula } from '../../../src/analytics/queries/parsing/formula.ts';

/** Where A is 7, B is 2 and C is 0; as Python computes them, but for what is divided by zero. */
const COMPUTED: [string, number][] = [
  ['A', 7],
  [' b ', 2],
  ['A+B', 9],
  ['A - B - B', 3],
  ['A - (B - B)', 7],
  ['A / B / B', 1.75],
  ['A + B * 3', 13],
  ['(A + B) * 3', 27],
  ['A % B * 2', 2],
  ['-A % B', 1],
  ['A % -4', -1],
  ['B ** 3 ** B', 512],
  ['-B ** B', -4],
  ['B ** -1', 0.5],
  ['A ** C', 1],
  ['--A', 7],
  ['+-+A', -7],
  ['A * 1.5e1 + .5 + 1.', 106.5],
  ['A / C', 0],
  ['A % C', 0],
  ['C ** -1', 0],
  ['1', 1],
];

const REFUSED: [string, RegExp][] = [
  ['', /It ends too early/],
  ['A +', /It ends too early/],
  ['(A', /It ends too early/],
  ['A B', /"B" is not expected there/],
  ['A)', /"\)" is not expected there/],
  ['* A', /"\*" is not expected there/],
  ['A // B', /"\/" is not expected there/],
  ['A +* B', /"\*" is not expected there/],
  ['2A', /"A" is not expected there/],
  ['D', /There is no series "D"\. There are: A, B, C/],
  ['AB', /There is no series "AB"/],
  ['é', /"é" is not understood.*A formula is made of/],
  ['A; B', /"; B" is not understood/],
  ['A == B', /"== B" is not understood/],
  ['sqrt(A)', /There are no functions, so no "sqrt"\. A formula is made of/],
  ['B + f (A)', /There are no functions, so no "f"/],
  ['A(B)', /"\(" is not expected there/],
  ['constructor', /There is no series "constructor"/],
  ['__proto__', /There is no series "__proto__"/],
];

const parsed = (text: string) => parseFormula(text, 3, 'trendsFilter.formula');
const computed = (text: string, values: readonly number[]) => parsed(text)(values);

type Sum = { text: string; of: (values: readonly number[]) => number };

/** A text in which parentheses leave no doubt, beside what JavaScript computes. */
const { sum: anySum } = fc.letrec<{ sum: Sum; part: Sum; leaf: Sum }>((tie) => ({
  leaf: fc.oneof(
    fc.nat(2).map((n): Sum => ({ text: 'aBc'[n]!, of: (values) => values[n]! })),
    fc.constantFrom('0', '2', '0.25', '1e2').map((text): Sum => ({ text, of: () => Number(text) })),
  ),
  part: fc.oneof({ maxDepth: 5, withCrossShrink: true }, tie('leaf'), tie('sum')),
  sum: fc.oneof(
    fc.tuple(tie('part'), fc.constantFrom('+', '-', '*'), tie('part')).map(([left, sign, right]): Sum => ({
      text: `(${left.text} ${sign} ${right.text})`,
      of: (values) => {
        const [a, b] = [left.of(values), right.of(values)];
        return sign === '+' ? a + b : sign === '-' ? a - b : a * b;
      },
    })),
    tie('part').map(({ text, of }): Sum => ({ text: `(-${text})`, of: (values) => -of(values) })),
  ),
}));

describe('a formula', () => {
  for (const [text, value] of COMPUTED) {
    it(`is computed: ${text}`, () => assert.equal(computed(text, [7, 2, 0]), value));
  }

  it('is what its parentheses say', () => {
    const values = fc.tuple(fc.integer({ min: -9, max: 9 }), fc.integer({ min: 0, max: 9 }), fc.constant(0.5));
    fc.assert(
      fc.property(anySum, values, ({ text, of }, given) => assert.deepEqual(computed(text, given), of(given))),
      { numRuns: 200 },
    );
  });

  for (const [text, message] of REFUSED) {
    it(`is none: ${text}`, () => {
      assert.throws(
        () => parsed(text),
        (error) =>
          error instanceof InvalidInput &&
          error.message.startsWith('trendsFilter.formula: ') &&
          message.test(error.message),
      );
    });
  }

  it('is refused at once, however deep it is and wherever it breaks off', () => {
    for (const text of ['('.repeat(400), '-'.repeat(400), 'A**'.repeat(133), `${'('.repeat(199)}A`])
      assert.throws(() => parsed(text), /It ends too early/);
  });

  it('may be as deep as its text is long', () => {
    assert.equal(computed(`${'('.repeat(199)}A${')'.repeat(199)}`, [7, 0, 0]), 7);
    assert.equal(computed(`${'-'.repeat(399)}A`, [7, 0, 0]), -7);
  });
});
