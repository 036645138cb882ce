/** Patterns that docs/feature-flags.md gives in the place of lookaround and back-references match the same. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { validateFilters } from '../../../src/flags/feature-flags/checks/check-filters.ts';
import { matchesProperty } from '../../../src/conditions/operators/operators.ts';

const PAGE = readFileSync(new URL('../../../docs/feature-flags.md', import.meta.url), 'utf8');

type Rewrite = { pattern: string; conditions: { operator: string; value?: string }[] };

function rewritesOf(page: string): Rewrite[] {
  const table = /<!-- rewrites -->\n(.*?)\n\n?<!-- rewrites end -->/s.exec(page)?.[1] ?? '';
  return table
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => {
      const [, pattern = '', instead = ''] = line.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|'));
      const words = [...instead.matchAll(/`(is_set|not_regex|regex)`(?: `([^`]+)`)?/g)];
      const conditions = words.map(([, operator = '', value]) => ({ operator, ...(value !== undefined && { value }) }));
      return { pattern: pattern.slice(1, -1), conditions };
    });
}

/** Every text that the patterns tell apart, and parts of them put together. */
const PARTS = (
  'admin root ada test a b a-a a-b b-b pro prom prome promo trial -trial checkout /v2 /v3 @ example.com .js .ts .jsx paid un n u ' +
  '" \' x 7 secret77'
).split(' ');
const TEXTS = PARTS.flatMap((one) =>
  ['', ...PARTS].flatMap((two) => [one + two, one + two + 'a', `${two}${one}${two}`]),
);

/** PHP's and Perl's, which JavaScript has not: the texts are those in which they find the same. */
function asJavaScript(pattern: string): RegExp {
  return new RegExp(pattern.replace('(?>a+)', 'a+').replace('++', '+'));
}

const setOf = (...conditions: Rewrite['conditions']) => ({
  groups: [{ properties: conditions.map((one) => ({ type: 'person', key: 'q', ...one })) }],
});

describe('rewritten patterns', () => {
  const rewrites = rewritesOf(PAGE);

  it('stand in the docs', () => assert.equal(rewrites.length, 15));

  for (const { pattern, conditions } of rewrites) {
    it(`say what ${pattern} says, which is refused`, () => {
      assert.throws(() => validateFilters(setOf({ operator: 'regex', value: pattern })), { code: 'invalid_value' });
      assert.ok(conditions.length > 0);
      assert.doesNotThrow(() => validateFilters(setOf(...conditions)));
      const original = asJavaScript(pattern);
      const answers = new Set<boolean>();
      for (const q of TEXTS) {
        const found = conditions.every((one) =>
          matchesProperty({ key: 'q', ...one }, { q }, { timeZone: 'UTC', now: 0 }),
        );
        assert.equal(found, original.test(q), q);
        answers.add(found);
      }
      assert.equal(answers.size, 2);
      const missing = conditions.every((one) => matchesProperty({ key: 'q', ...one }, {}, { timeZone: 'UTC', now: 0 }));
      assert.equal(missing, false);
    });
  }
});
