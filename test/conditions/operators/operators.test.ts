/** Answers of the operators: cases recorded from upstream's evaluators, and the rules behind them. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { checkCondition } from '../../../src/conditions/operators/check-condition.ts';
import { parseJson, type Json, type Properties } from '../../../src/conditions/operators/json-values.ts';
import { OPERATORS } from '../../../src/conditions/operators/operator-table.ts';
import { matchesProperty, type MatchContext } from '../../../src/conditions/operators/operators.ts';
import { leastProcessorMs } from '../../support/durations.ts';

type Case = {
  evaluator: string;
  filter: { key: string; operator?: string; value?: Json };
  person_properties: Properties;
  partial_props?: boolean;
  team_timezone?: string;
  property_matching_version?: 1 | 2;
  now?: string;
  expected: boolean | 'error';
};

const VECTORS = new URL('../../flags/vectors/property-operators.json', import.meta.url);
const { cases } = parseJson(readFileSync(VECTORS, 'utf8')) as unknown as { cases: Case[] };

function contextOf({ partial_props, team_timezone, property_matching_version, now }: Case): MatchContext {
  return {
    timeZone: team_timezone ?? 'UTC',
    now: now === undefined ? Date.now() : Date.parse(now),
    version: property_matching_version ?? 1,
    partial: partial_props ?? false,
  };
}

/** Lookaround and back-references: matched upstream within a limit of steps, refused here. */
function isRefused({ filter }: Case): boolean {
  return typeof filter.value === 'string' && /\(\?<?[=!]|\\[1-9]/.test(filter.value);
}

const NOW: MatchContext = { timeZone: 'UTC', now: Date.parse('2024-03-31T12:00:00Z') };
const matches = (operator: string, value: Json, found: Json, context = NOW) =>
  matchesProperty({ key: 'it', operator, value }, { it: found }, context);

describe('operators on properties', () => {
  it('answer every recorded case as upstream', () => {
    const wrong = cases
      .filter((one) => !isRefused(one))
      .filter((one) => matchesProperty(one.filter, one.person_properties, contextOf(one)) !== (one.expected === true));
    assert.deepEqual(wrong, []);
  });

  it('match nothing with a pattern that needs more than linear time, and saving it names why', () => {
    const refused = cases.filter(isRefused);
    assert.ok(refused.length > 15);
    for (const { filter, person_properties } of refused) {
      assert.throws(() => checkCondition(filter), {
        attr: 'value',
        code: 'invalid_value',
        message: /look(ahead|behind)|back-reference/,
      });
      for (const operator of ['regex', 'not_regex']) {
        assert.equal(matchesProperty({ ...filter, operator }, person_properties, NOW), false);
      }
    }
  });

  const rules: [rule: string, operator: string, value: Json, found: Json, expected: boolean][] = [
    ['a month before the 31st is the last of February', 'is_date_exact', '1m', '2024-02-29T12:00:00Z', true],
    ['months are stepped through one by one', 'is_date_exact', '2m', '2024-01-29T12:00:00Z', true],
    ['years keep the day', 'is_date_exact', '1y', '2023-03-31T12:00:00Z', true],
    ['10,000 of a unit is no date', 'is_date_after', '10000d', '2024-03-31', false],
    ['a day that no calendar has is no date', 'is_date_after', '2024-02-30', '2024-03-31', false],
    ['microseconds count', 'is_date_before', '2024-01-01T00:00:00.000002Z', '2024-01-01 00:00:00.000001', true],
    ['a text of digits is seconds', 'is_date_exact', '1970-01-01T00:33:44', '2024', true],
    ['a year is its first day', 'is_date_exact', '2024', '2024-01-01', true],
    ['a year as a number, too', 'is_date_exact', 2024, '2024-01-01', true],
    ['a month is its first day', 'is_date_exact', '2024-06', '2024-06-01', true],
    ['a filter of seconds', 'is_date_exact', '1700000000', '2023-11-14T22:13:20Z', true],
    ['a filter of seconds as a number', 'is_date_exact', 1_700_000_000.5, '2023-11-14T22:13:20.5Z', true],
    ['a filter of milliseconds', 'is_date_exact', '1700000000500', '2023-11-14T22:13:20.5Z', true],
    ['a day by its name', 'is_date_exact', 'Thu Nov 16 2023', '2023-11-16', true],
    [
      'an instant as JavaScript writes it',
      'is_date_exact',
      'Thu Nov 16 2023 10:20:30 GMT+0100 (CET)',
      '2023-11-16T09:20:30Z',
      true,
    ],
    ['an instant as mail has it', 'is_date_exact', 'Thu, 16 Nov 2023 10:20:30 GMT', '2023-11-16T10:20:30Z', true],
    ['a month by its name', 'is_date_exact', 'September 16, 2023', '2023-09-16', true],
    ['a day before its month', 'is_date_exact', '16 Sept 2023', '2023-09-16', true],
    ['a month before its day', 'is_date_exact', '11/16/2023 10:20', '2023-11-16T10:20:00Z', true],
    ['a compact day', 'is_date_exact', '20231116', '2023-11-16', true],
    ['a compact day as a number', 'is_date_exact', 20_231_116, '2023-11-16', true],
    ['a compact instant', 'is_date_exact', '20231116T102030Z', '2023-11-16T10:20:30Z', true],
    ['a compact instant with an offset', 'is_date_exact', '20231116T102030.5+0100', '2023-11-16T09:20:30.5Z', true],
    ['a compact day and an hour', 'is_date_exact', '20231116T10', '2023-11-16T10:00:00Z', true],
    ['a compact day before a time', 'is_date_exact', '20231116 10:20', '2023-11-16T10:20:00Z', true],
    ['twelve digits', 'is_date_exact', '202311161020', '2023-11-16T10:20:00Z', true],
    ['fourteen digits', 'is_date_exact', '20231116102030', '2023-11-16T10:20:30Z', true],
    ['a compact day that no calendar has', 'is_date_after', '20230230', '2024-03-31', false],
    ['six digits', 'is_date_after', '202311', '2024-03-31', false],
    ['slashes after a year', 'is_date_before', '2023/11/16', '2023-11-15', true],
    ['a month that is none', 'is_date_before', '16/11/2023', '2023-11-15', false],
    ['a weekday that is none', 'is_date_before', 'Foo Nov 16 2023', '2023-11-15', false],
    ['a list is no date', 'is_date_after', '2024-01-01', ['2024-03-31'], false],
    ['a pre-release is below its release', 'semver_lt', '1.0.0', '1.0.0-rc.1', true],
    ['numbers of a pre-release compare as numbers', 'semver_gt', '1.0.0-rc.9', '1.0.0-rc.10', true],
    ['names sort after numbers', 'semver_gt', '1.0.0-1', '1.0.0-alpha', true],
    ['fewer identifiers sort first', 'semver_lt', '1.0.0-alpha.1', '1.0.0-alpha', true],
    ['a range takes pre-releases of its own start only', 'semver_caret', '1.2.3-beta.1', '1.2.3-beta.2', true],
    ['a range takes no other pre-release', 'semver_caret', '1.2.3-beta.1', '1.2.4-beta.2', false],
    ['a star takes no pre-release', 'semver_wildcard', '*', '1.0.0-alpha', false],
    ['nothing but stars follows a star', 'semver_wildcard', '1.*.3', '1.2.3', false],
    ['four numbers are no version to order', 'semver_gt', '1.0.0', '1.2.3.4', false],
    ['nor is an empty part', 'semver_gt', '1.0.0', '1..2', false],
    ['nor a negative one', 'semver_gt', '1.0.0', '1.-2.3', false],
    ['word characters are those of all scripts', 'regex', String.raw`^\w+$`, 'žluťoučký', true],
    ['case is ignored on request, in all scripts', 'regex', '(?i)^ŽLU', 'žluť', true],
    ['only in its group', 'regex', '^(?i:a)b$', 'AB', false],
    ['classes intersect', 'regex', '^[a-z&&[^aeiou]]+$', 'bcd', true],
    ['classes may be named', 'regex', String.raw`^\p{Greek}+$`, 'λόγος', true],
    ['lines have their own ends on request', 'regex', '(?m)^b$', 'a\nb\nc', true],
    ['and spaces are left out', 'regex', '(?x) a b # comment', 'ab', true],
    ['a brace alone is a brace', 'regex', '^{$', '{', true],
    ['an infinite number is none', 'lt', 5, '-Infinity', false],
    ['nor is a bound', 'between', ['-inf', 5], 1, false],
  ];
  for (const [rule, operator, value, found, expected] of rules) {
    it(`${operator}: ${rule}`, () => assert.equal(matches(operator, value, found), expected));
  }

  it('read a naive date in the project’s zone: the earlier of two, and in a gap by the offset before it', () => {
    const berlin = { timeZone: 'Europe/Berlin', now: NOW.now };
    assert.ok(matches('is_date_exact', '2024-10-27 02:30:00', '2024-10-27T00:30:00Z', berlin));
    assert.ok(matches('is_date_exact', '2024-03-31 02:30:00', '2024-03-31T01:30:00Z', berlin));
    assert.ok(matches('is_date_after', '2024-03-31 02:30:00', '2025-01-01', berlin));
    assert.ok(matches('is_date_exact', '2024-03-31T01:30:00Z', '2024-03-31 02:30:00', berlin));
    const dayAfterGap = { timeZone: 'Europe/Berlin', now: Date.parse('2024-04-01T02:30:00+02:00') };
    assert.ok(matches('is_date_exact', '-1d', '2024-03-31T01:30:00Z', dayAfterGap));
    const apia = { timeZone: 'Pacific/Apia', now: NOW.now };
    assert.ok(matches('is_date_exact', '2011-12-30', '2011-12-31', apia));
    assert.ok(matches('is_date_exact', '2024-07-01', '2024-06-30T22:00:00Z', berlin));
    assert.ok(matches('is_date_exact', 'Mon Jul 1 2024', '2024-06-30T22:00:00Z', berlin));
    assert.ok(matches('is_date_exact', 'Mon Jul 1 2024 00:00 UTC', '2024-07-01T00:00:00Z', berlin));
  });

  it('search in linear time', async () => {
    const text = `${'a'.repeat(50_000)}!`;
    const took = await leastProcessorMs(2_000, () => {
      for (const pattern of ['(a+)+$', '(a|a)*b', '(a*)*b', '^(([a-z])+.)+[A-Z]([a-z])+$']) {
        assert.equal(matches('regex', pattern, text), false, pattern);
      }
    });
    assert.ok(took < 2_000, `${took} ms`);
  });

  it('never raise', () => {
    const json = fc.jsonValue() as fc.Arbitrary<Json>;
    fc.assert(
      fc.property(fc.constantFrom(...OPERATORS), json, json, (operator, value, found) => {
        assert.equal(typeof matches(operator, value, found), 'boolean');
      }),
      { numRuns: 2000 },
    );
  });
});

describe('regular expressions', () => {
  it('are as RegExp reads them, where the two have the same syntax', () => {
    const atom = fc.constantFrom(
      'a',
      'b',
      '.',
      '[ab]',
      '[^a]',
      String.raw`\d`,
      String.raw`\.`,
      '(?:ab|c)',
      '(b)',
      '^',
      '$',
      '',
    );
    const pattern = fc.array(fc.tuple(atom, fc.constantFrom('', '', '*', '+', '?', '{1,2}', '*?')), { maxLength: 5 });
    fc.assert(
      fc.property(
        pattern,
        fc.string({ unit: fc.constantFrom('a', 'b', 'c', '1', '.', '\n'), maxLength: 8 }),
        (parts, text) => {
          const source = parts
            .map(([one, times]) => (one === '' || one === '^' || one === '$' ? one : one + times))
            .join('');
          assert.equal(matches('regex', source, text), new RegExp(source, 'u').test(text), source);
        },
      ),
      { numRuns: 1000 },
    );
  });
});
