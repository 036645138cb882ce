/** Expressions of custom queries, run by Postgres over one event whose properties hold every kind of value (`RICH`). */
import assert from 'node:assert/strict';
import { compileExpression, compileQuery } from '../../../src/conditions/custom-queries/compile.ts';
import { buildQueriedProjects, INTERVAL, type QueriedProjects } from '../../support/analytics/queried-projects.ts';

/** An expression, its type, and its value as Postgres writes it. */
type Case = [expression: string, type: string, value: string | null];

const EXPRESSIONS: Record<string, Case[]> = {
  fields: [
    ['event', 'text', 'rich'],
    ['events.event', 'text', 'rich'],
    ['e.event', 'text', 'rich'],
    ['`event`', 'text', 'rich'],
    ['"event"', 'text', 'rich'],
    ['uuid', 'uuid', '00000000-0000-4000-8000-000000000010'],
    ['distinct_id', 'text', 'ann-1'],
    ['elements_chain', 'text', 'a:href="/"'],
    ['team_id', 'int8', '1'],
    ['timestamp', 'timestamptz', '2024-02-29 10:20:30.123456+00'],
    ['person_id = person.id', 'bool', 'true'],
    ['_inserted_at = inserted_at', 'bool', 'true'],
    ['person_properties', 'jsonb', '{"plan": {"name": "pro"}, "email": "ann@example.com"}'],
    ['person.properties', 'jsonb', '{"plan": {"name": "pro"}, "email": "ann@example.com"}'],
  ],
  properties: [
    ['properties.$browser', 'text', 'Firefox'],
    ['e.properties.$browser', 'text', 'Firefox'],
    ['properties.a.b', 'text', 'deep'],
    [`properties['my key']`, 'text', 'spaced'],
    ['properties.`my key`', 'text', 'spaced'],
    ['properties."my key"', 'text', 'spaced'],
    ['properties.from', 'text', 'a keyword'],
    [`properties['a'].b`, 'text', 'deep'],
    [`properties.a['b']`, 'text', 'deep'],
    ['properties.a.list[1]', 'text', '10'],
    ['properties.a.list[2].k', 'text', 'v'],
    ['properties.a.list[3]', 'text', null],
    ['properties.a.list[9]', 'text', null],
    ['properties.n', 'text', '12'],
    ['properties.yes', 'text', 'true'],
    ['properties.a', 'text', '{"b": "deep", "n": 7, "list": [10, {"k": "v"}, null]}'],
    ['properties.nothing', 'text', null],
    ['properties.missing.deeper', 'text', null],
    ['properties.n.deeper', 'text', null],
    ['properties.quote', 'text', `it's "q" \\ back`],
    ['person.properties.email', 'text', 'ann@example.com'],
    ['person_properties.plan.name', 'text', 'pro'],
    ['properties.a.list::json', 'jsonb', '[10, {"k": "v"}, null]'],
  ],
  literals: [
    [`'it''s'`, 'text', "it's"],
    [String.raw`'it\'s'`, 'text', "it's"],
    [String.raw`'a\\b\n\q'`, 'text', 'a\\b\n\\q'],
    [`'--; /* no comment */'`, 'text', '--; /* no comment */'],
    [`'🙂 $1 :name ?'`, 'text', '🙂 $1 :name ?'],
    ['1', 'int8', '1'],
    ['-1', 'int8', '-1'],
    ['-9223372036854775808', 'int8', '-9223372036854775808'],
    ['0.1 + 0.2', 'float8', '0.30000000000000004'],
    ['1.5e3', 'float8', '1500'],
    ['true', 'bool', 'true'],
    ['NULL', 'text', null],
    ['{data_interval_start}', 'timestamptz', '2024-02-29 00:00:00+00'],
    ['{data_interval_end}', 'timestamptz', '2024-03-01 00:00:00+00'],
  ],
  conversions: [
    ['toInt(properties.n)', 'int8', '12'],
    ['toInt(properties.text_n)', 'int8', '42'],
    ['toInt(properties.f)', 'int8', '1'],
    ['toInt(properties.exponent)', 'int8', '1500'],
    ['toInt(properties.largest)', 'int8', '9223372036854775807'],
    ['toInt(properties.huge)', 'int8', null],
    ['toInt(properties.bad)', 'int8', null],
    ['toInt(properties.empty)', 'int8', null],
    ['toInt(properties.missing)', 'int8', null],
    ['toInt(properties.a)', 'int8', null],
    ['toInt(-1.9)', 'int8', '-1'],
    ['toInt(1e19)', 'int8', null],
    ['toInt(true)', 'int8', '1'],
    ['toInt(timestamp)', 'int8', '1709202030'],
    ['toFloat(properties.f)', 'float8', '1.5'],
    ['toFloat(properties.huge)', 'float8', '1.2345678901234568e+29'],
    ['toFloat(properties.big)', 'float8', null],
    ['toFloat(properties.bad)', 'float8', null],
    ['properties.n::int', 'int8', '12'],
    ['properties.n::Float64', 'float8', '12'],
    ['CAST(properties.n AS Int64)', 'int8', '12'],
    ['toString(uuid)', 'text', '00000000-0000-4000-8000-000000000010'],
    ['toString(1.50)', 'text', '1.5'],
    ['toString(true)', 'text', 'true'],
    ['toString(timestamp)', 'text', '2024-02-29T10:20:30.123456Z'],
    ['toString(toDate(timestamp))', 'text', '2024-02-29'],
    ['toString(properties.a.list::json)', 'text', '[10, {"k": "v"}, null]'],
    ['toBool(properties.yes)', 'bool', 'true'],
    ['toBool(properties.no)', 'bool', 'false'],
    ['toBool(properties.zero)', 'bool', 'false'],
    ['toBool(properties.bad)', 'bool', null],
    ['toDateTime(properties.when)', 'timestamptz', '2024-02-29 10:30:00.5+00'],
    ['toDateTime(properties.day)', 'timestamptz', '2024-02-29 00:00:00+00'],
    ['toDateTime(properties.never)', 'timestamptz', null],
    ['toDateTime(properties.bad)', 'timestamptz', null],
    ['toDateTime(toInt(properties.secs))', 'timestamptz', '2023-11-14 22:13:20+00'],
    ['toDateTime(1e300)', 'timestamptz', null],
    ['toDate(properties.when)', 'date', '2024-02-29'],
    ['toDate(timestamp)', 'date', '2024-02-29'],
    ['toDate(properties.never)', 'date', null],
    ['toUUID(properties.id)', 'uuid', '018f8c52-0000-7000-8000-000000000000'],
    ['toUUID(properties.bad)', 'uuid', null],
  ],
  arithmetic: [
    ['1 + 2 * 3', 'int8', '7'],
    ['(1 + 2) * 3', 'int8', '9'],
    ['7 - 2 - 1', 'int8', '4'],
    ['- -5', 'int8', '5'],
    ['properties.n + 1', 'float8', '13'],
    ['toInt(properties.n) + 1', 'int8', '13'],
    ['properties.n * properties.f', 'float8', '18'],
    ['properties.bad * 2', 'float8', null],
    ['-properties.n', 'float8', '-12'],
    ['7 / 2', 'float8', '3.5'],
    ['7 / 0', 'float8', null],
    ['0 / 7', 'float8', '0'],
    ['0 / 0', 'float8', null],
    ['1 / properties.zero', 'float8', null],
    ['7 % 4', 'int8', '3'],
    ['7 % 0', 'int8', null],
    ['intDiv(7, 2)', 'int8', '3'],
    ['intDiv(-7, 2)', 'int8', '-3'],
    ['intDiv(1, 0)', 'int8', null],
    ['modulo(-7, 4)', 'int8', '-3'],
    ['9223372036854775807 + 1', 'int8', null],
    ['9223372036854775807 * 9223372036854775807', 'int8', null],
    ['-(-9223372036854775807 - 1)', 'int8', null],
    ['1e308 + 1e308', 'float8', null],
    ['1e200 * 1e200', 'float8', null],
    ['1e-200 * 1e-200', 'float8', null],
    ['1e200 / 1e-200', 'float8', null],
    ['0 * 1e300', 'float8', '0'],
    ['abs(properties.neg)', 'float8', '3'],
    ['abs(-3)', 'int8', '3'],
    ['round(2.567, 2)', 'float8', '2.57'],
    ['round(1e307, 2)', 'float8', null],
    ['round(1234.5, -2)', 'float8', '1200'],
    ['round(properties.f)', 'float8', '2'],
    ['floor(-1.5)', 'float8', '-2'],
    ['ceil(1.2)', 'float8', '2'],
    ['sqrt(9)', 'float8', '3'],
    ['sqrt(-1)', 'float8', null],
    ['sqrt(0)', 'float8', '0'],
    ['sign(properties.neg)', 'float8', '-1'],
  ],
  logic: [
    ['true and false or true', 'bool', 'true'],
    ['not true or true', 'bool', 'true'],
    ['not (true or true)', 'bool', 'false'],
    ['1 = 1', 'bool', 'true'],
    ['1 == 1', 'bool', 'true'],
    ['1 != 1.0', 'bool', 'false'],
    ['1 <> 2', 'bool', 'true'],
    ['properties.n > 9', 'bool', 'true'],
    [`properties.n > '9'`, 'bool', 'false'],
    ['properties.bad > 9', 'bool', null],
    ['properties.yes = true', 'bool', 'true'],
    ['properties.yes and properties.no', 'bool', 'false'],
    [`uuid = '00000000-0000-4000-8000-000000000010'`, 'bool', 'true'],
    [`timestamp >= '2024-02-29'`, 'bool', 'true'],
    ['toDate(timestamp) = {data_interval_start}', 'bool', 'true'],
    ['properties.when < timestamp', 'bool', 'false'],
    [`event in ('rich', 'poor')`, 'bool', 'true'],
    [`event not in ('rich', 'poor')`, 'bool', 'false'],
    ['properties.n in (1, 12)', 'bool', 'true'],
    ['properties.n between 1 and 12', 'bool', 'true'],
    ['properties.n not between 1 and 11.5', 'bool', 'true'],
    [`event like 'r%h'`, 'bool', 'true'],
    [`event not like 'R%'`, 'bool', 'true'],
    [`event ilike 'R_CH'`, 'bool', 'true'],
    [String.raw`'50%' like '50\\%'`, 'bool', 'true'],
    ['properties.nothing is null', 'bool', 'true'],
    ['properties.n is not null', 'bool', 'true'],
    ['null is null', 'bool', 'true'],
    ['null = 1', 'bool', null],
  ],
  choices: [
    [`case when properties.n > 10 then 'many' else 'few' end`, 'text', 'many'],
    [`case event when 'poor' then 1 when 'rich' then 2 end`, 'int8', '2'],
    [`case event when 'poor' then 1 end`, 'int8', null],
    ['case when true then 1 else 1.5 end', 'float8', '1'],
    ['case when true then null else null end', 'text', null],
    [`if(properties.yes, 'y', 'n')`, 'text', 'y'],
    [`if(null, 'y', 'n')`, 'text', 'n'],
    [`multiIf(false, 'a', properties.n = 12, 'b', 'c')`, 'text', 'b'],
    [`coalesce(properties.nothing, properties.n, 'x')`, 'text', '12'],
    [`ifNull(properties.nothing, 'x')`, 'text', 'x'],
    ['coalesce(toInt(properties.bad), 0)', 'int8', '0'],
    [`nullIf(properties.empty, '')`, 'text', null],
    ['isNull(properties.nothing)', 'bool', 'true'],
    ['isNotNull(properties.nothing)', 'bool', 'false'],
    ['greatest(1, 2.5, null)', 'float8', '2.5'],
    ['least(toInt(properties.n), 3)', 'int8', '3'],
  ],
  texts: [
    [`event || '-' || 1`, 'text', 'rich-1'],
    [`concat(event, properties.nothing, properties.n)`, 'text', 'rich12'],
    ['upper(event)', 'text', 'RICH'],
    ['LOWER(properties.$browser)', 'text', 'firefox'],
    ['length(properties.unicode)', 'int8', '8'],
    [`trim('  x ')`, 'text', 'x'],
    ['substring(event, 2)', 'text', 'ich'],
    ['substring(event, 2, 2)', 'text', 'ic'],
    ['substring(event, -5, 2)', 'text', 'ri'],
    ['substring(event, 1, -1)', 'text', ''],
    ['substring(event, 9223372036854775807, 9223372036854775807)', 'text', ''],
    [`substring(event, 1, position(event, 'c') - 1)`, 'text', 'ri'],
    ['left(event, 2)', 'text', 'ri'],
    ['right(event, 2)', 'text', 'ch'],
    ['left(event, -2)', 'text', ''],
    [`replaceAll(properties.quote, '"', '')`, 'text', `it's q \\ back`],
    [`replace(event, 'i', 'iii')`, 'text', 'riiich'],
    [`position(event, 'ch')`, 'int8', '3'],
    [`position(event, 'z')`, 'int8', '0'],
    [`startsWith(event, 'ri')`, 'bool', 'true'],
    [`endsWith(event, 'ri')`, 'bool', 'false'],
    ['empty(properties.empty)', 'bool', 'true'],
    ['notEmpty(properties.nothing)', 'bool', 'false'],
    ['domain(properties.url)', 'text', 'www.example.com'],
    ['path(properties.url)', 'text', '/a/b'],
    ['domain(event)', 'text', null],
    [`MD5('a')`, 'text', '0cc175b9c0f1b6a831c399e269772661'],
    [`SHA256('ż')`, 'text', '97306aa9ffb6f38e888e35c835d86f91abb3fa662bfe8d81029381979a820209'],
  ],
  times: [
    ['timestamp + interval 1 day', 'timestamptz', '2024-03-01 10:20:30.123456+00'],
    ['timestamp - INTERVAL 2 hours', 'timestamptz', '2024-02-29 08:20:30.123456+00'],
    ['timestamp + interval 1 year', 'timestamptz', '2025-02-28 10:20:30.123456+00'],
    [`toDateTime('9999-06-01') + interval 1 year`, 'timestamptz', null],
    [`toDateTime('0001-06-01') - interval 1000 years`, 'timestamptz', null],
    ['toStartOfHour(timestamp)', 'timestamptz', '2024-02-29 10:00:00+00'],
    ['toStartOfMinute(timestamp)', 'timestamptz', '2024-02-29 10:20:00+00'],
    ['toStartOfDay(timestamp)', 'timestamptz', '2024-02-29 00:00:00+00'],
    ['toMonday(timestamp)', 'date', '2024-02-26'],
    ['toStartOfWeek(timestamp)', 'date', '2024-02-25'],
    [`toStartOfWeek(toDate('2024-02-25'))`, 'date', '2024-02-25'],
    [`toStartOfWeek(toDate('0001-01-01'))`, 'date', null],
    ['toStartOfMonth(timestamp)', 'date', '2024-02-01'],
    ['toStartOfQuarter(timestamp)', 'date', '2024-01-01'],
    ['toStartOfYear(timestamp)', 'date', '2024-01-01'],
    ['toStartOfDay(properties.never)', 'timestamptz', null],
    [`dateTrunc('week', timestamp)`, 'timestamptz', '2024-02-26 00:00:00+00'],
    ['toYear(timestamp)', 'int8', '2024'],
    ['toQuarter(timestamp)', 'int8', '1'],
    ['toMonth(timestamp)', 'int8', '2'],
    ['toDayOfMonth(timestamp)', 'int8', '29'],
    ['toDayOfWeek(timestamp)', 'int8', '4'],
    ['toHour(timestamp)', 'int8', '10'],
    ['toMinute(timestamp)', 'int8', '20'],
    ['toSecond(timestamp)', 'int8', '30'],
    ['toYYYYMM(timestamp)', 'int8', '202402'],
    ['toYYYYMMDD(timestamp)', 'int8', '20240229'],
    ['toUnixTimestamp(timestamp)', 'int8', '1709202030'],
    ['fromUnixTimestamp(properties.secs)', 'timestamptz', '2023-11-14 22:13:20+00'],
    ['fromUnixTimestamp(properties.largest)', 'timestamptz', null],
    [`dateAdd('month', 1, toDate('2024-01-31'))`, 'timestamptz', '2024-02-29 00:00:00+00'],
    [`dateSub('second', 1, {data_interval_start})`, 'timestamptz', '2024-02-28 23:59:59+00'],
    [`dateDiff('day', toDateTime('2024-02-28T23:59:59'), timestamp)`, 'int8', '1'],
    [`dateDiff('hour', timestamp, toDateTime('2024-02-29'))`, 'int8', '-10'],
    [`dateDiff('month', toDate('2023-12-31'), timestamp)`, 'int8', '2'],
    [`dateDiff('year', toDate('2023-12-31'), timestamp)`, 'int8', '1'],
    [`formatDateTime(timestamp, '%Y/%m/%d "at" %H:%i:%S %%')`, 'text', '2024/02/29 "at" 10:20:30 %'],
  ],
  json: [
    [`JSONExtractString(properties, 'a', 'b')`, 'text', 'deep'],
    [`JSONExtractString(properties.a, 'b')`, 'text', 'deep'],
    [`JSONExtractInt(properties, 'a', 'n')`, 'int8', '7'],
    [`JSONExtractInt(properties, 'bad')`, 'int8', null],
    [`JSONExtractFloat(properties, 'f')`, 'float8', '1.5'],
    [`JSONExtractBool(properties, 'yes')`, 'bool', 'true'],
    [`JSONExtractRaw(properties, 'a', 'list', 2)`, 'jsonb', '{"k": "v"}'],
    ['JSONExtractRaw(properties.a.list)', 'jsonb', '[10, {"k": "v"}, null]'],
    [`JSONHas(properties, 'nothing')`, 'bool', 'true'],
    [`JSONHas(properties, 'missing')`, 'bool', 'false'],
    ['JSONLength(properties.a.list)', 'int8', '3'],
    [`JSONLength(properties, 'n')`, 'int8', null],
    [`JSONExtractString(coalesce(properties.a::json, properties), 'b')`, 'text', 'deep'],
  ],
};

describe('a custom query', () => {
  let projects: QueriedProjects;

  before(async () => {
    projects = await buildQueriedProjects();
  });
  after(async () => projects?.close());

  for (const [subject, cases] of Object.entries(EXPRESSIONS)) {
    it(`computes ${subject}`, async () => {
      const items = cases.map(([expression], i) => `${expression} as c${i}`).join(', ');
      const compiled = compileQuery(`select ${items} from events e where event = 'rich'`, INTERVAL);
      const [row] = await projects.rowsOf(compiled);
      const seen = cases.map(([expression], i) => [expression, compiled.columns[i]!.type, row![`c${i}`]]);
      assert.deepEqual(seen, cases);
    });
  }

  const FILTERS: [where: string, distinctIds: string][] = [
    [`event = 'paid'`, 'bob cid'],
    [`event = 'paid' and properties.price > 6`, 'bob'],
    ['properties.price >= 5.5', 'bob cid'],
    ['properties.price is not null', 'bob cid dot'],
    ['not properties.price > 6', 'cid'],
    [`properties.currency in ('EUR', 'CHF')`, 'bob'],
    [`person.properties.email like '%@example.com'`, 'ann bob'],
    ['timestamp >= {data_interval_start} and timestamp < {data_interval_end}', 'ann'],
    [`toDate(timestamp) = '2024-02-29'`, 'ann'],
    [`timestamp + interval 1 day > toDateTime('9999-12-31')`, ''],
    ['toFloat(properties.n) > 1', 'ann'],
    ['team_id = 1', 'ann bob bob cid dot'],
    ['team_id = 2', ''],
    ['team_id = 2 or true', 'ann bob bob cid dot'],
    [`distinct_id like '%-2' or 1 = 1`, 'ann bob bob cid dot'],
    [`event in ('rich') or event in ('odd')`, 'ann dot'],
    ['null', ''],
    ['properties.yes', 'ann'],
  ];
  for (const [where, distinctIds] of FILTERS) {
    it(`keeps the rows of our project where ${where}`, async () => {
      const rows = await projects.run(`SELECT distinct_id FROM events WHERE ${where}`);
      assert.deepEqual(
        rows.map((row) => row['distinct_id']),
        words(distinctIds).map((id) => `${id}-1`),
      );
    });
  }

  const EVENT =
    'uuid event distinct_id person_id properties person_properties elements_chain timestamp created_at _inserted_at';
  const PERSON =
    'team_id distinct_id person_id properties person_distinct_id_version person_version created_at _inserted_at is_deleted';
  const COLUMNS: [query: string, columns: string][] = [
    ['select * from events', EVENT],
    ['select *, properties.$browser from events', `${EVENT} $browser`],
    ['select event, properties.a.b, person.id from events', 'event b id'],
    ['SELECT\n\tevent "what",\n\tuuid AS `key`\nFROM events AS x', 'what key'],
    ['select event as end, uuid as from from events', 'end from'],
    ['select * from persons', PERSON],
    ['select distinct_id, properties.email, p.id, is_identified from persons p', 'distinct_id email id is_identified'],
  ];
  for (const [query, columns] of COLUMNS) {
    it(`names the columns of ${query}`, () => {
      assert.deepEqual(
        compileQuery(query, INTERVAL).columns.map(({ name }) => name),
        words(columns),
      );
    });
  }

  it('reads persons', async () => {
    const rows = await projects.run(`select distinct_id, properties.plan.name as plan, team_id from persons
      where properties.email like '%@example.com' and not is_deleted`);
    assert.deepEqual(rows, [
      { distinct_id: 'ann-1', plan: 'pro', team_id: '1' },
      { distinct_id: 'bob-1', plan: null, team_id: '1' },
    ]);
  });

  it('has types that do not depend on the interval', () => {
    const query = 'select {data_interval_start} as x, properties.n + 1 as y, event from events';
    const typesAt = (start: string) => compileQuery(query, { ...INTERVAL, start }).columns.map(({ type }) => type);
    assert.deepEqual(typesAt('1999-01-01T00:00:00.000000Z'), ['timestamptz', 'float8', 'text']);
  });

  it('compiles an expression for a filter', async () => {
    const where = compileExpression(`properties.price > 6 and events.event = 'paid'`, 'events', INTERVAL);
    const { rows } = await projects.pool.query(`select uuid from events where ${where}`);
    assert.equal(rows.length, 2);
  });
});

function words(text: string): string[] {
  return text.split(' ').filter(Boolean);
}
