/**
 * Queries that nobody thought of: whatever is accepted runs without an error in a read-only transaction, and sees rows of our
 * project only; whatever is not is InvalidInput.
 */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { InvalidInput } from '../../../src/platform/errors.ts';
import { compileQuery, type CompiledQuery } from '../../../src/conditions/custom-queries/compile.ts';
import {
  buildQueriedProjects,
  INTERVAL,
  OURS,
  RICH,
  type QueriedProjects,
} from '../../support/analytics/queried-projects.ts';

const quotedText = fc
  .string({
    unit: fc.oneof(
      fc.constantFrom("'", '\\', '%', '"', '-', ' ', '0', 'e', '\n', '$'),
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
    ),
    maxLength: 6,
  })
  .map((text) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`);
const property = fc
  .constantFrom(...Object.keys(RICH), 'price', 'currency', 'missing')
  .map((key) => `properties['${key}']`);
const integer = fc.oneof(fc.maxSafeInteger(), fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n), fc.integer({ min: -3, max: 3 }));
const float = fc.double({ noNaN: true, noDefaultInfinity: true }).map((x) => x.toExponential());
const unit = fc.constantFrom('second', 'minute', 'hour', 'day', 'week', 'month', 'quarter', 'year');
const instant = fc
  .date({ min: new Date('0001-01-01T00:00:00Z'), max: new Date('9999-12-31T23:59:59Z'), noInvalidDate: true })
  .map((date) => `toDateTime('${date.toISOString()}')`);

/** Expressions of each type, made of smaller ones: `{text}` stands for any expression of that type. */
const SHAPES = {
  text: shapes(String.raw`
    event | distinct_id | elements_chain | lower({text}) | upper({text}) | trim({text}) | ({text} || {any}) | MD5({text})
    substring({text}, {int}) | substring({text}, {int}, {int}) | left({text}, {int}) | right({text}, {int}) | SHA256({text})
    replaceAll({text}, 'a', 'bcd') | concat({any}, {any}, {text}) | toString({any}) | domain({text}) | path({text})
    if({bool}, {text}, {text}) | coalesce({text}, {text}) | nullIf({text}, {text}) | greatest({text}, {text})
    formatDateTime({time}, '%F %T.%f') | case {text} when {text} then {text} end`),
  /** A text that is no literal: literals are checked when a query is saved, and these would not pass. */
  read: shapes('trim({text}) | lower({text}) | concat({any}, {text}) | properties.a.b | if({bool}, {text}, {text})'),
  int: shapes(`
    team_id | toInt({any}) | length({text}) | position({text}, {text}) | ({int} + {int}) | ({int} - {int}) | ({int} * {int})
    ({int} % {int}) | intDiv({int}, {int}) | (- {int}) | abs({int}) | toUnixTimestamp({time}) | toYear({time})
    dateDiff({unit}, {time}, {time}) | toDayOfWeek({time}) | toYYYYMMDD({time}) | toSecond({time}) | least({int}, {int})
    JSONExtractInt(properties, 'n') | if({bool}, {int}, {int}) | multiIf({bool}, 1, {bool}, 2, 3)`),
  float: shapes(`
    toFloat({any}) | ({float} + {float}) | ({float} - {int}) | ({float} * {float}) | ({float} / {float}) | (- {float})
    round({float}) | round({float}, 3) | floor({float}) | ceil({float}) | sqrt({float}) | abs({float}) | trunc({float})
    ({int} / {int}) | ({read} * {read}) | sign({read}) | case when {bool} then {int} else {float} end`),
  bool: shapes(String.raw`
    ({int} = {float}) | ({text} < {text}) | ({read} >= {float}) | ({time} <= {time}) | ({read} <> {time}) | toBool({read})
    toBool({int}) | ({bool} and {bool}) | ({bool} or {bool}) | (not {bool}) | ({any} is null) | ({text} in ({text}, {text}))
    ({int} not in ({int}, {float}, {read})) | ({float} between {int} and {read}) | ({text} like '%a_') | true | false
    ({text} not ilike '\\%é%') | startsWith({text}, {text}) | endsWith({text}, {text}) | empty({text}) | ({uuid} = {uuid})
    (not ({date} > {time})) | JSONHas(properties, 'a', 'list', 2) | isNull({any})`),
  time: shapes(`
    timestamp | created_at | {data_interval_start} | toDateTime({read}) | toDateTime({float}) | toDateTime({int})
    ({time} + interval 1000 year) | ({time} - interval 7 day) | dateAdd({unit}, -200, {time}) | dateTrunc({unit}, {time})
    toStartOfHour({time}) | fromUnixTimestamp({float}) | fromUnixTimestamp({int}) | if({bool}, {date}, {time})
    coalesce({time}, {date})`),
  date: shapes(`
    toDate({read}) | toDate({time}) | toMonday({time}) | toStartOfYear({time}) | toStartOfMonth({date})
    greatest({date}, {date})`),
  uuid: shapes('uuid | person_id | person.id | toUUID({read}) | coalesce({uuid}, {uuid})'),
  json: shapes(`properties | person.properties | properties.a | JSONExtractRaw(properties, 'a', 'list', 1)`),
};

function shapes(list: string): string[] {
  return list
    .split(/ \| |\n/)
    .map((shape) => shape.trim())
    .filter(Boolean);
}

type Type = keyof typeof SHAPES;

const LEAVES: Record<Type, fc.Arbitrary<string>> = {
  read: property,
  text: fc.oneof(quotedText, property, fc.constantFrom('event', 'properties.a.b', 'properties.$browser')),
  int: integer.map(String),
  float,
  bool: fc.constantFrom('true', 'false', 'null', 'properties.yes'),
  time: fc.oneof(instant, fc.constantFrom('timestamp', 'toDateTime(null)', '{data_interval_end}')),
  date: instant.map((time) => `toDate(${time})`),
  uuid: fc.constantFrom('uuid', 'person_id'),
  json: fc.constant('properties'),
};

/** Types that can be converted to any other. */
const ANY: readonly Type[] = ['read', 'read', 'int', 'float', 'bool', 'time'];

function expression(type: Type, depth: number): fc.Arbitrary<string> {
  if (depth === 0) return LEAVES[type];
  return fc.oneof(LEAVES[type], {
    arbitrary: fc.constantFrom(...SHAPES[type]).chain((shape) => filled(shape, depth)),
    weight: 4,
  });
}

function filled(shape: string, depth: number): fc.Arbitrary<string> {
  const pieces = shape.split(/(\{(?:any|unit|text|read|int|float|bool|time|date|uuid|json)\})/);
  return fc.tuple(...pieces.map((piece) => hole(piece, depth))).map((made) => made.join(''));
}

function hole(piece: string, depth: number): fc.Arbitrary<string> {
  if (piece === '{unit}') return unit.map((name) => `'${name}'`);
  if (piece === '{any}') return fc.constantFrom(...ANY).chain((type) => expression(type, depth - 1));
  const type = /^\{(\w+)\}$/.exec(piece)?.[1];
  return type && Object.hasOwn(SHAPES, type) ? expression(type as Type, depth - 1) : fc.constant(piece);
}

const TYPES = Object.keys(SHAPES) as Type[];
const query = fc
  .tuple(
    fc.array(
      fc.constantFrom(...TYPES).chain((type) => expression(type, 4)),
      { minLength: 1, maxLength: 4 },
    ),
    expression('bool', 4),
  )
  .map(
    ([items, where]) => `select ${items.map((item, i) => `${item} as c${i}`).join(', ')} from events where ${where}`,
  );

/** Fragments that a hostile hand puts in between. */
const SPLINTERS = [
  ...Array.from(`'"\`\\;(),.*{}[]%-#$ \0\ud800`),
  ...shapes(
    `-- | /* | */ | :: | $$ | 0x | 1e | 1e309 | pg_sleep(9) | (select 1) | team_id = 2 | project_id | ; drop table events;`,
  ),
  ...[
    'or true',
    'union all select api_token from projects',
    ') or (1=1',
    'from projects',
    'as x',
    'null',
    'not',
    'in',
  ].map((words) => ` ${words} `),
  ...shapes(`between | case | end | group by 1 | limit 1 | join persons | events. | properties. | ||`).map(
    (words) => ` ${words}`,
  ),
];
const mutation = fc.record({ at: fc.nat(), remove: fc.nat({ max: 8 }), put: fc.constantFrom('', ...SPLINTERS) });
const mutated = fc.tuple(query, fc.array(mutation, { minLength: 1, maxLength: 4 })).map(([text, mutations]) =>
  mutations.reduce((changed, { at, remove, put }) => {
    const start = at % (changed.length + 1);
    return changed.slice(0, start) + put + changed.slice(start + remove);
  }, text),
);
const nonsense = fc
  .array(fc.oneof(fc.constantFrom('select ', 'from ', 'events ', 'where ', 'event ', ...SPLINTERS), fc.string()), {
    maxLength: 30,
  })
  .map((pieces) => pieces.join(''));

describe('a generated custom query', () => {
  let projects: QueriedProjects;

  before(async () => {
    projects = await buildQueriedProjects();
  });
  after(async () => projects?.close());

  /** @returns whether it was accepted */
  async function isHarmless(text: string): Promise<boolean> {
    const compiled = accepted(text);
    if (!compiled) return false;
    const owner = { name: 'owner of the row', type: 'text', sql: 'distinct_id' } as const;
    const rows = await projects.rowsOf({ ...compiled, columns: [...compiled.columns, owner] });
    for (const row of rows) assert(row[owner.name]!.endsWith(`-${OURS}`), text);
    // Every expression over every row.
    const condition = { name: 'the condition', type: 'bool', sql: compiled.where } as const;
    await projects.rowsOf({ ...compiled, columns: [...compiled.columns, condition], where: 'true' });
    return true;
  }

  it('of fitting types is accepted and runs', async () => {
    await fc.assert(
      fc.asyncProperty(query, async (text) => assert(await isHarmless(text))),
      { numRuns: 300 },
    );
  });

  it('that was tampered with is refused, or sees our rows alone', async () => {
    await fc.assert(
      fc.asyncProperty(mutated, async (text) => void (await isHarmless(text))),
      { numRuns: 300 },
    );
  });

  it('that is nonsense is refused, or sees our rows alone', async () => {
    await fc.assert(
      fc.asyncProperty(nonsense, async (text) => void (await isHarmless(text))),
      { numRuns: 1000 },
    );
  });

  it('reads numbers as they were sent', async () => {
    const numbers = fc
      .double({ noNaN: true, noDefaultInfinity: true, min: -1e99, max: 1e99 })
      .filter((x) => Math.abs(x) > 1e-99);
    await fc.assert(
      fc.asyncProperty(numbers, async (number) => {
        const [row] = await projects.run(`select concat('${number}', '')::float as x from events where event = 'rich'`);
        assert.equal(Number(row!['x']), number);
      }),
      { numRuns: 50 },
    );
  });

  it('reads every day that there was, and no other', async () => {
    const days = fc.tuple(
      fc.integer({ min: 0, max: 9999 }),
      fc.integer({ min: 0, max: 13 }),
      fc.integer({ min: 0, max: 32 }),
    );
    const leap = fc.tuple(
      fc.constantFrom(1900, 2000, 2023, 2024, 2100),
      fc.constant(2),
      fc.integer({ min: 28, max: 30 }),
    );
    await fc.assert(
      fc.asyncProperty(fc.oneof(days, leap), async ([year, month, day]) => {
        const text = `${padded(year, 4)}-${padded(month, 2)}-${padded(day, 2)}`;
        const [row] = await projects.run(`select toDate(concat('${text}', '')) as x from events where event = 'rich'`);
        assert.equal(row!['x'], exists(year, month, day) ? text : null);
      }),
      { numRuns: 200 },
    );
  });

  it('leaves every row where it was', async () => {
    assert.equal(await projects.countStored(), 18);
  });
});

/** @throws whatever is not InvalidInput */
function accepted(text: string): CompiledQuery | undefined {
  try {
    return compileQuery(text, INTERVAL);
  } catch (error) {
    if (error instanceof InvalidInput) return undefined;
    throw error;
  }
}

function padded(number: number, digits: number): string {
  return String(number).padStart(digits, '0');
}

function exists(year: number, month: number, day: number): boolean {
  const lengths = [
    31,
    year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28,
    31,
    30,
    31,
    30,
    31,
    31,
    30,
    31,
    30,
    31,
  ];
  return year > 0 && day > 0 && day <= (lengths[month - 1] ?? 0);
}
