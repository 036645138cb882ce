/** Classes of Unicode's: a few characters of a pattern that stand for hundreds of ranges. */
import assert from 'node:assert/strict';
import { InvalidInput } from '../../../src/platform/errors.ts';
import { parseCohortFilters } from '../../../src/flags/cohorts/filters.ts';
import { unicodeClass, wordChars, type CharSet } from '../../../src/conditions/regex/char-sets.ts';
import { validateFilters as checkedFlagFilters } from '../../../src/flags/feature-flags/checks/check-filters.ts';
import { Readings, StepsSpent } from '../../../src/conditions/operators/readings.ts';
import { getSearch } from '../../../src/conditions/regex/regex.ts';
import { parseRegex } from '../../../src/conditions/regex/regex-syntax.ts';
import { parseQuery } from '../../../src/analytics/queries/parsing/parse.ts';
import { parseFilters } from '../../../src/conditions/sql/filters.ts';

const LETTERS = String.raw`\p{L}`;
const AT_ONCE_MS = 150;

/** Before the limits these took from 0.2 to 10 seconds. */
const LARGE: Readonly<Record<string, string>> = {
  'letters in any case': `(?i)${LETTERS.repeat(1900)}`,
  'all but letters': `[^${LETTERS}]`.repeat(1200),
  'letters that are cut': `[${`${LETTERS}&&`.repeat(1400)}a]`,
  'letters that are cut in any case': `(?i)[${`${LETTERS}&&`.repeat(1400)}a]`,
  'letters inside of each other in any case': `(?i)${`[${LETTERS}`.repeat(190)}${']'.repeat(190)}`,
  words: String.raw`\w`.repeat(4900),
  'other words in any case': `(?i)${String.raw`\W`.repeat(4900)}`,
  'classes of many names': namesOfClasses()
    .map((name) => `\\p{${name}}`)
    .join(''),
};

function namesOfClasses(): string[] {
  const scripts =
    'Greek Latin Cyrillic Han Arabic Hebrew Thai Armenian Bengali Tamil Telugu Kannada Lao Tibetan Hangul Ethiopic';
  return `${scripts} Lu Ll Lt Lm Lo Mn Mc Me Nd Nl No Pc Pd Ps Pe Pi Pf Po Sm Sc Sk So Zs Cc Cf Co Cn Alphabetic Emoji`.split(
    ' ',
  );
}

/** In processor time: others use the machine, too. */
function ms(work: () => unknown): number {
  const { user, system } = process.threadCpuUsage();
  work();
  const after = process.threadCpuUsage();
  return (after.user - user + after.system - system) / 1000;
}

const filter = (value: string, key = 'q') => ({ type: 'person', key, operator: 'regex', value });

describe('classes of Unicode in patterns', () => {
  for (const [what, pattern] of Object.entries(LARGE)) {
    it(`are refused where there are too many: ${what}`, () => {
      const took = ms(() => assert.throws(() => parseRegex(pattern), InvalidInput));
      assert.ok(took < AT_ONCE_MS, `${took} ms`);
    });
  }

  it('are read as many as people write', () => {
    parseRegex(String.raw`(?i)^[\p{L}\p{N}._%+-]+@(?:[\w-]+\.)+\p{L}{2,}$`);
    parseRegex(String.raw`\w+\s\w+\s\w+\s\w+\s\w+\s\w+\s\w+\s\w+\s\w+\s\w+\s\w+\s\w+`);
    parseRegex('(?i).*a.*b.*c.*d.*e.*f.*g.*h.*i.*j.*k.*l.*m.*n.*o.*p.*q.*r.*s.*t.*');
  });

  it('are together no more than a flag, a cohort, a query or an export may have', () => {
    const many = Array.from({ length: 90 }, (_, index) => filter(`${LETTERS.repeat(5)}${index}`, `q${index}`));
    const ways: (() => unknown)[] = [
      () => checkedFlagFilters({ groups: [{ properties: many }] }),
      () => parseCohortFilters({ properties: { type: 'AND', values: many } }),
      () => parseFilters(many, 'events'),
      () => parseQuery({ kind: 'TrendsQuery', series: many.map((one) => ({ kind: 'EventsNode', properties: [one] })).slice(0, 20), properties: many }), // prettier-ignore
    ];
    for (const way of ways) {
      assert.throws(way, (error) => error instanceof InvalidInput && error.message.includes('together are too large'));
    }
    assert.doesNotThrow(() => parseFilters(many.slice(0, 20), 'events'));
  });

  it('cost the first request that uses them its steps, and the next one none', () => {
    const search = getSearch(`${LETTERS}+x`);
    assert.throws(() => search('ax', new Readings(1000)), StepsSpent);
    assert.equal(search('ax', new Readings(1000)), true);
  });

  it('hold what each character says of itself', () => {
    const sets: [name: string, set: CharSet][] =
      ['L', 'Cn', 'Co', 'Any', 'Han', 'White_Space', 'Noncharacter_Code_Point', 'Default_Ignorable_Code_Point'] // prettier-ignore
        .map((name) => [name, unicodeClass(name)!]);
    for (const [name, set] of sets) assert.deepEqual(set, byCharacter(name), name);
    assert.equal(wordChars().length > 700, true);
  });
});

function byCharacter(name: string): [number, number][] {
  const pattern = new RegExp(
    /^[A-Z][a-z]{2}$/.test(name) && name !== 'Any' ? `\\p{Script=${name}}` : `\\p{${name}}`,
    'u',
  );
  const ranges: [number, number][] = [];
  for (let codePoint = 0; codePoint <= 0x10ffff; codePoint++) {
    if (codePoint === 0xd800) codePoint = 0xe000;
    if (!pattern.test(String.fromCodePoint(codePoint))) continue;
    const previous = ranges.at(-1);
    if (previous?.[1] === codePoint - 1) previous[1] = codePoint;
    else ranges.push([codePoint, codePoint]);
  }
  return ranges;
}
