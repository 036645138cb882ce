/** Property filters: what may be saved, and that SQL says of every row what the same operators say in memory. */
import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { createClient } from '../../../src/platform/db/connection.ts';
import type { Model, PropertyFilter } from '../../../src/conditions/rows/content.ts';
import { parseJson, type Json, type Properties } from '../../../src/conditions/operators/json-values.ts';
import { OPERATORS, type Operator } from '../../../src/conditions/operators/operator-table.ts';
import { matchesProperty } from '../../../src/conditions/operators/operators.ts';
import { parseQuery } from '../../../src/analytics/queries/parsing/parse.ts';
import { parseFilters, filtersSql } from '../../../src/conditions/sql/filters.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts';

const INTERVAL = { start: '2024-03-30T12:00:00.000000Z', end: '2024-03-31T12:00:00.000000Z' };
const CONTEXT = { timeZone: 'UTC', now: Date.parse(INTERVAL.end) };

/** Texts of JSON values, by what operators make of them. */
const jsonStrings = (...texts: string[]) => fc.constantFrom(...texts).map((text) => JSON.stringify(text));
const numbers = fc.oneof(
  fc.integer({ min: -20, max: 20 }).map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }).map(String),
  fc.constantFrom(
    '323.0',
    '-0.0',
    '1e16',
    '1e-7',
    '9.9e-5',
    '1e+300',
    '1.50',
    '0.1e-3',
    '123456789012345680000.5',
    '4.9e-324',
  ),
  jsonStrings(
    ' 10',
    '10',
    '10 ',
    '1e3',
    '.5',
    '5.',
    '-1.25E+2',
    '1e-400',
    '-1e400',
    '+7',
    '1_0',
    '0x10',
    'NaN',
    '-Infinity',
    '٣',
  ),
);
const dates = fc.oneof(
  jsonStrings(
    '2024-03-01',
    '2024-02-30',
    '2024-03-31 12:00',
    '2024-03-31T11:59:59.9999999Z',
    '2024-03-31 13:00 +01:00',
    '2024-3-1 1:05 CET',
  ),
  jsonStrings(
    '2024-03-01t00:00z',
    '2023-03-31T12:00:00Z',
    '0000-01-01',
    '2024-03-31T24:00',
    '-7d',
    '1m',
    '1y',
    '2m',
    '0h',
    '10000d',
    '9999y',
  ),
  fc.integer({ min: 1_711_000_000, max: 1_712_000_000 }).map((seconds) => JSON.stringify(`${seconds}.25`)),
  fc
    .date({ min: new Date('2024-01-31'), max: new Date('2024-04-01'), noInvalidDate: true })
    .map((date) => JSON.stringify(date)),
);
const versions = fc.oneof(
  jsonStrings(
    '1.2.3',
    'v1.2.3',
    ' 1.02',
    '1.2.3-rc.1',
    '1.2.3-rc.10',
    '1.2.3-alpha',
    '1.2.3-alpha.1',
    '1.2.3+5',
    '1.2.3-rc.1+5',
    '1.2.4-rc.1',
  ),
  jsonStrings(
    '1.2.4',
    '1.3.0',
    '2',
    '1.2.3.4',
    '1.2.*',
    '1.*',
    '*',
    '1.*.3',
    '0.0.3',
    '0.0.4',
    '0.2.3',
    '18446744073709551616.0.0',
    '1.2.3-01',
  ),
);
const texts = fc.oneof(
  jsonStrings(
    'value',
    'VALUE',
    'Ä',
    'ä',
    'Σ',
    'ς',
    'ΟΔΟΣ',
    'οδος',
    'İ',
    'i̇',
    'true',
    'False',
    '',
    'a\nb',
    'foo.com',
    '😀',
    '"q"\\',
    '\u2003',
    "it's",
  ),
  fc.constantFrom(
    'null',
    'true',
    'false',
    '[]',
    '{}',
    '[true]',
    '["TRUE",[]]',
    '[1,2]',
    '{"b":1.0,"a":[null]}',
    '{"é":"\\u0001","z":2}',
  ),
  numbers,
);
const patterns = jsonStrings(
  '^v',
  String.raw`\.com$`,
  'a.b',
  '(?s)a.b',
  '(?i)^Ä$',
  String.raw`^\d+$`,
  '(?m)^b$',
  String.raw`^\S$`,
  '^{"',
  '(',
  'a(?=b)',
);

const FAMILIES: [test: RegExp, wanted: fc.Arbitrary<string>, found: fc.Arbitrary<string>][] = [
  [/date/, dates, dates],
  [/semver/, versions, versions],
  [/regex/, patterns, texts],
  [/between/, fc.tuple(numbers, numbers).map((two) => `[${two.join(',')}]`), numbers],
  [/^[gl]t/, numbers, numbers],
  [
    /./,
    fc.oneof(
      texts,
      fc.array(texts, { maxLength: 3 }).map((list) => `[${list.join(',')}]`),
    ),
    texts,
  ],
];
const anything = fc.oneof(texts, dates, versions, numbers, patterns);

/** Mostly what the operator is for, now and then anything. */
function fitting(values: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc.oneof({ weight: 9, arbitrary: values }, anything);
}

function conditionOn(operator: Operator): fc.Arbitrary<[PropertyFilter, properties: string]> {
  const [, wanted, found] = FAMILIES.find(([test]) => test.test(operator))!;
  const properties = fc.oneof(
    { weight: 15, arbitrary: fitting(found).map((it) => `{"it":${it}}`) },
    fc.constant('{"other":1}'),
  );
  return fc.tuple(
    fitting(wanted).map((value): PropertyFilter => ({ key: 'it', operator, type: 'event', value: parseJson(value) })),
    properties,
  );
}

const expression = (length: number) => ({ type: 'hogql', key: `event = '${'a'.repeat(length - 10)}'` });

const withoutNulls = (properties: Properties): Properties =>
  Object.fromEntries(Object.entries(properties).filter(([, value]) => value !== null));

describe('property filters', () => {
  let database: TestDatabase;
  let client: ReturnType<typeof createClient>;

  before(async () => {
    database = await createTestDatabase();
    client = createClient({ url: database.url, applicationName: 'test' });
    await client.connect();
  });
  after(async () => {
    await client.end();
    await database.drop();
  });

  /**
   * Asks Postgres about each filter and its properties, and the operators about the same properties as Postgres stores them, without
   * those that are null: queries take them for missing.
   */
  async function agree(pairs: readonly (readonly [PropertyFilter, properties: string])[]) {
    const selects = pairs.map(([filter, properties], index) => {
      const row = `(select ${client.escapeLiteral(properties)}::jsonb as properties) as events`;
      return `select ${index} as index, properties::text, ${filtersSql([filter], 'events', INTERVAL)} as matches from ${row}`;
    });
    const { rows } = await client.query<{ properties: string; matches: boolean }>(
      `${selects.join(' union all ')} order by index`,
    );
    for (const [index, { properties, matches }] of rows.entries()) {
      const [{ key, operator, value }] = pairs[index]!;
      const expected = matchesProperty(
        { key, operator, value: value as Json },
        withoutNulls(parseJson(properties) as Properties),
        CONTEXT,
      );
      assert.equal(matches, expected, inspect([pairs[index], properties], { depth: 5 }));
    }
  }

  it('say in SQL what they say in memory', async function () {
    this.timeout(300_000);
    const pair = fc.constantFrom(...OPERATORS).chain(conditionOn);
    const batch = fc.array(pair, { minLength: 100, maxLength: 100 });
    await fc.assert(fc.asyncProperty(batch, agree), { numRuns: 40, endOnFailure: true });
  });

  /** Of plans that are none, null and a text. */
  async function matching(operator: string, value?: Json) {
    const filters = parseFilters(
      [{ key: 'plan', type: 'event', operator, ...(value !== undefined && { value }) }],
      'events',
    );
    const { rows } = await client.query<{ name: string }>(`
        select name from (values ('none', '{}'::jsonb), ('null', '{"plan": null}'), ('text', '{"plan": "null"}')) as events(name, properties)
        where ${filtersSql(filters, 'events', INTERVAL)}`);
    return rows.map(({ name }) => name);
  }

  it('take null for no property', async () => {
    assert.deepEqual(await matching('is_set'), ['text']);
    assert.deepEqual(await matching('is_not_set'), ['none', 'null']);
    assert.deepEqual(await matching('exact', 'null'), ['text']);
    assert.deepEqual(await matching('icontains', 'nu'), ['text']);
    assert.deepEqual(await matching('is_not', 'null'), ['none', 'null']);
    assert.deepEqual(await matching('exact', 'false'), ['text']);
  });

  it('find the same with regexes of Postgres as with RE2', async function () {
    this.timeout(300_000);
    const atom = fc.constantFrom(
      'a',
      'B',
      '.',
      '[ab]',
      '[^a]',
      String.raw`\d`,
      String.raw`\w`,
      String.raw`\s`,
      '(?:ab|c)',
      '(b|)',
      '(?i:b)',
      'é',
      '[[:alpha:]&&[^a]]',
      '^',
      '$',
      '',
      String.raw`\b`,
      String.raw`\B`,
      '(?m)',
      '(?i)',
      '|',
    );
    const bare = /^(\^|\$||\\b|\\B|\(\?[mi]\)|\|)$/;
    const pattern = fc
      .array(fc.tuple(atom, fc.constantFrom('', '', '*', '+', '?', '{1,2}', '{2,}', '*?', '{0}')), { maxLength: 6 })
      .map((parts) => parts.map(([one, times]) => (bare.test(one) ? one : one + times)).join(''));
    const text = fc.string({
      unit: fc.constantFrom('a', 'b', 'B', 'c', '1', '.', '\n', ' ', 'é', 'É', '٣', '_'),
      maxLength: 6,
    });
    const pair = fc.tuple(pattern, text).map(([value, it]): [PropertyFilter, string] => {
      return [{ key: 'it', operator: 'regex', type: 'event', value }, JSON.stringify({ it })];
    });
    await fc.assert(fc.asyncProperty(fc.array(pair, { minLength: 50, maxLength: 50 }), agree), {
      numRuns: 30,
      endOnFailure: true,
    });
  });

  const CAPS: readonly [operator: Operator, wanted: Json, text: (length: number) => string, longest: number][] = [
    ['gt', '0', (length) => '1'.padStart(length, '0'), 400],
    ['between', [0, 5], (length) => '1'.padStart(length, '0'), 400],
    ['is_date_after', '2023-01-01', (length) => `2024-01-01T00:00:00.${'0'.repeat(length - 21)}Z`, 100],
    ['is_date_exact', '2024-01-01', (length) => `2024-01-01T00:00:00.${'0'.repeat(length - 21)}Z`, 100],
    ['semver_gt', '1.0.0', (length) => `1.2.3+${'a'.repeat(length - 6)}`, 256],
    ['semver_eq', '1.2.3', (length) => `1.2.3+${'a'.repeat(length - 6)}`, 256],
    ['semver_caret', '1.0.0', (length) => `1.2.3+${'a'.repeat(length - 6)}`, 256],
  ];
  for (const [operator, value, text, longest] of CAPS) {
    it(`read texts of ${longest} characters and no longer ones, as operators do: ${operator}`, async () => {
      const filter: PropertyFilter = { key: 'it', operator, type: 'event', value };
      const lengths = [longest - 1, longest, longest + 1, 10 * longest, 1_000_000];
      await agree(lengths.map((length) => [filter, JSON.stringify({ it: text(length) })]));
      const matched = lengths.map((length) =>
        matchesProperty({ key: 'it', operator, value }, { it: text(length) }, CONTEXT),
      );
      // A text that is no date, though short enough, is none to either.
      assert.deepEqual(matched.slice(2), [false, false, false]);
    });
  }

  it('read numbers of any length', async () => {
    const numbers = ['-6e-323', '1e300', '9'.repeat(500), `0.${'1'.repeat(500)}`, '1.2'];
    const filters = (['gt', 'lt', 'is_date_before', 'is_date_after', 'semver_eq', 'semver_lt'] as const).flatMap(
      (operator) =>
        ['1', '2024-01-01', '1.2.0'].map((value): PropertyFilter => ({ key: 'it', operator, type: 'event', value })),
    );
    await agree(filters.flatMap((filter) => numbers.map((it) => [filter, `{"it":${it}}`] as const)));
  });

  it('find one of many values, with and without what patterns mean', async () => {
    const values = ['50%', 'a_b', String.raw`c\d`, 'Ö', ''];
    const texts = ['x50%y', '50', 'A_B', 'axb', String.raw`C\D`, 'cd', 'ö', 'Ö', '', null, 5];
    const pairs = (['icontains_multi', 'not_icontains_multi'] as const).flatMap((operator) =>
      [...values.map((one) => [one]), values.slice(0, 4)].flatMap((value) =>
        texts.map((it): [PropertyFilter, string] => [
          { key: 'it', operator, type: 'event', value },
          JSON.stringify({ it }),
        ]),
      ),
    );
    await agree(pairs);
  });

  it('are planned in time, however many values they look for', async function () {
    this.timeout(300_000);
    const value = Array.from({ length: 1000 }, (_, index) => `v${index}`);
    const filters = Array.from({ length: 45 }, (_, index): PropertyFilter => {
      return { key: `q${index}`, operator: 'icontains_multi', type: 'event', value };
    });
    // A planner that takes minutes cannot be stopped by a time limit either.
    const sql = `explain select from (values ('{}'::jsonb), ('{}')) as events(properties) where ${filtersSql(filters, 'events', INTERVAL)}`;
    const started = performance.now();
    await client.query(sql);
    const tookMs = performance.now() - started;
    assert.ok(tookMs < 60_000, `${tookMs} ms`);
  });

  it('search in Postgres in linear time', async () => {
    const found = JSON.stringify({ it: `${'a'.repeat(50_000)}!` });
    const started = performance.now();
    for (const value of [
      '(a+)+$',
      '(a|a)*b',
      '(a*)*b',
      '^(([a-z])+.)+[A-Z]([a-z])+$',
      String.raw`(\w{1,100}){1,10}b`,
    ]) {
      await agree([[{ key: 'it', operator: 'regex', type: 'event', value }, found]]);
    }
    // Where it is not linear it takes minutes.
    assert.ok(performance.now() - started < 60_000);
  });

  it('hold all at once, each where its type says', async () => {
    const filters = parseFilters(
      [
        { key: '$browser', type: 'event', operator: 'exact', value: ['Safari', 'Chrome'] },
        { key: 'plan', type: 'person', value: "it's" },
      ],
      'events',
    );
    const { rows } = await client.query(`
      select n from (values (1, '{"$browser":"chrome"}'::jsonb, '{"plan":"IT''S"}'::jsonb), (2, '{"$browser":"chrome"}', null),
        (3, '{}', '{"plan":"it''s"}')) as events(n, properties, person_properties)
      where ${filtersSql(filters, 'events', INTERVAL)}`);
    assert.deepEqual(rows, [{ n: 1 }]);
    assert.equal(filtersSql([], 'events', INTERVAL), 'true');
  });

  it('are refused where a relation has no such properties, rather than matching nothing', () => {
    const filters = parseFilters([{ key: 'a', type: 'event', value: 1 }], 'events');
    assert.throws(() => filtersSql(filters, 'persons', INTERVAL), { name: 'InvalidInput', attr: 'filters' });
  });

  const refusals: [given: unknown, model: Model, message: RegExp | string][] = [
    [{}, 'events', "'filters' should be an array of filters"],
    ['x', 'events', "'filters' should be an array of filters"],
    [[1], 'events', 'Each filter must be an object'],
    [[null], 'events', 'Each filter must be an object'],
    [[{ key: 'a' }], 'events', "Each filter must have a 'type' of one of: 'event', 'hogql', 'person'"],
    [[{ key: 'a', type: 'cohort' }], 'events', "Each filter must have a 'type' of one of: 'event', 'hogql', 'person'"],
    [[{ type: 'event', value: 1 }], 'events', "Each filter must have a 'key'"],
    [
      [{ key: 'a', type: 'event', value: 1 }],
      'persons',
      "Filters of type 'event' are not supported for the 'persons' model",
    ],
    [[{ key: 'a', type: 'event', operator: 'like', value: 1 }], 'events', /^Filter 1: "like" is not an operator/],
    [[{ key: 'a', type: 'event', operator: 3, value: 1 }], 'events', "A filter's 'operator' must be a string"],
    [[{ key: 'a', type: 'event', operator: 'exact' }], 'events', 'Filter 1: This field is required.'],
    [[{ key: 'a', type: 'event', operator: 'gt', value: 'x' }], 'events', 'Filter 1: Must be a number.'],
    [
      [{ key: 'a', type: 'event', operator: 'between', value: [2, 1] }],
      'events',
      /^Filter 1: Must be a list of two numbers/,
    ],
    [[{ key: 'a', type: 'event', operator: 'is_date_after', value: 'soon' }], 'events', /^Filter 1: Must be a date/],
    [[{ key: 'a', type: 'event', operator: 'semver_gt', value: 'x' }], 'events', /^Filter 1: Must be a version/],
    [
      [{ key: 'a', type: 'event', operator: 'regex', value: 'a(?=b)' }],
      'events',
      /^Filter 1: A lookahead \(`\(\?=`\) is not supported/,
    ],
    [
      [{ key: 'a', type: 'event', operator: 'regex', value: String.raw`(a)\1` }],
      'events',
      /^Filter 1: A back-reference/,
    ],
    [
      [{ key: 'a', type: 'event', operator: 'regex', value: '(' }],
      'events',
      /^Filter 1: Not a valid regular expression/,
    ],
    [
      [{ key: 'a', type: 'event', operator: 'regex', value: '(a{99}){10}b{999}c{999}' }],
      'events',
      /as large as this is not supported/,
    ],
    [[{ key: 'a', type: 'event', operator: 'icontains', value: ['x'] }], 'events', 'Filter 1: Must be a text.'],
    [[{ key: 'a', type: 'event', value: 'a\0b' }], 'events', 'A filter contains characters that cannot be stored'],
    [[{ key: '\ud800', type: 'event', value: 'a' }], 'events', 'A filter contains characters that cannot be stored'],
    [
      Array.from({ length: 101 }, () => ({ key: 'a', type: 'event', value: 1 })),
      'events',
      'There may be at most 100 filters',
    ],
  ];
  for (const [given, model, message] of refusals) {
    it(`are refused for ${model}: ${inspect(given, { depth: 3, maxArrayLength: 1, breakLength: Infinity })}`, () => {
      assert.throws(() => parseFilters(given, model), { name: 'InvalidInput', attr: 'filters', message });
    });
  }

  it('have a limit on the characters of their expressions together', () => {
    const two = [expression(19_900), expression(19_900)];
    assert.equal(parseFilters(two, 'events').length, 2);
    const message = 'Filter 3: Expressions may have at most 40000 characters together';
    assert.throws(() => parseFilters([...two, expression(300)], 'events'), { attr: 'filters', message });
    const series = [{ kind: 'EventsNode', properties: [expression(300)] }];
    assert.throws(() => parseQuery({ kind: 'TrendsQuery', series, properties: two }), {
      attr: 'query',
      message: /at most 40000 characters together/,
    });
  });

  it('are saved with the operator that they mean', () => {
    assert.deepEqual(parseFilters([{ key: 'a', type: 'person', operator: 'min', value: 3, label: 'x' }], 'persons'), [
      { key: 'a', type: 'person', operator: 'gte', value: 3 },
    ]);
    assert.deepEqual(parseFilters([{ key: 'a', type: 'event', value: 'b' }], 'events'), [
      { key: 'a', type: 'event', operator: 'exact', value: 'b' },
    ]);
    assert.deepEqual(parseFilters(null, 'events'), []);
  });
});
