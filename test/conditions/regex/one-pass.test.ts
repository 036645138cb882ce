import assert from 'node:assert/strict';
import fc from 'fast-check';
import { RE2JS } from 're2js';
import { onePassTest } from '../../../src/conditions/regex/one-pass.ts';
import { parseRegex } from '../../../src/conditions/regex/regex-syntax.ts';

const testOf = (pattern: string) => onePassTest(parseRegex(pattern));

/** With others of the same letter (the Kelvin sign, the long s), outside the first plane, and halves of a pair. */
const CHARACTERS = [
  'a',
  'B',
  'k',
  'K',
  '\u212a',
  's',
  '\u017f',
  '7',
  '-',
  '@',
  '\n',
  'é',
  '😀',
  '𐐀',
  '𐐨',
  '\ud83d',
  '\ude00',
];
const text = fc.array(fc.constantFrom(...CHARACTERS), { maxLength: 8 }).map((characters) => characters.join(''));

const part = fc.constantFrom(
  'a',
  'k',
  's',
  '7',
  '-',
  '@',
  '😀',
  '𐐀',
  '.',
  '[a-z]',
  '[0-9]',
  '[^a-z]',
  '[é😀]',
  '[^\\n@]',
);
const count = fc.constantFrom('', '', '?', '*', '+', '{2}', '{0,2}', '{1,3}', '{2,}');
const pattern = fc
  .tuple(
    fc.constantFrom('', '(?i)', '(?s)'),
    fc.array(fc.tuple(part, count), { maxLength: 5 }),
    fc.constantFrom('', '$'),
  )
  .map(([flags, parts, end]) => `${flags}^${parts.map((one) => one.join('')).join('')}${end}`)
  .filter((one) => testOf(one) !== undefined);

describe('patterns that one look at each character decides', () => {
  it('match what RE2 says that they match', () => {
    fc.assert(
      fc.property(pattern, fc.array(text, { minLength: 20, maxLength: 20 }), (one, texts) => {
        const [test, machine] = [testOf(one)!, RE2JS.compile(one)];
        for (const sample of texts) assert.equal(test(sample), machine.test(sample), JSON.stringify(sample));
      }),
      { numRuns: 500 },
    );
  });

  for (const one of [String.raw`^user-\d+@example\.com$`, '^a*b+c?$', '^a', '^', '^[^@]+@(?:x)$', '(?i)^K+$']) {
    it(`are of this form: ${one}`, () => assert.notEqual(testOf(one), undefined));
  }

  for (const one of ['a$', '^a|b$', '^a*a$', '^a?b?a$', '^(?:ab)*$', '^.*@', '(?m)^a$', String.raw`^\ba$`, '^a^b']) {
    it(`are not of this form: ${one}`, () => assert.equal(testOf(one), undefined));
  }
});
