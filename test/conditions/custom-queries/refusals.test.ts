/** Refusals of custom queries, and how they are worded. */
import assert from 'node:assert/strict';
import { InvalidInput } from '../../../src/platform/errors.ts';
import { compileExpression, compileQuery } from '../../../src/conditions/custom-queries/compile.ts';
import { INTERVAL } from '../../support/analytics/queried-projects.ts';
import { leastProcessorMs } from '../../support/durations.ts';

/** A query, and the whole message; or a part of it that says what is wrong. */
type Refusal = [query: string, message: string];

const EVENT_FIELDS =
  'created_at, distinct_id, elements_chain, event, person_id, person_properties, properties, team_id, timestamp, uuid';
const ofWhere = (where: string) => `select event from events where ${where}`;
const ofItem = (item: string) => `select ${item} as x from events`;
const times = (count: number, text: string) => text.repeat(count);

/** As the batch exports that users come from say it, word for word. */
const KNOWN_MESSAGES: Refusal[] = [
  ['', 'Failed to parse query'],
  ['  \n ', 'Failed to parse query'],
  ['select event from events union all select event from events', 'UNIONs are not supported'],
  ['select event from events intersect select event from events', 'UNIONs are not supported'],
  ['select event from events where true except select 1', 'UNIONs are not supported'],
  ['select event from events, persons', 'JOINs are not supported'],
  ['select event from events join persons on true', 'JOINs are not supported'],
  ['select event from events e left join persons p on e.person_id = p.id', 'JOINs are not supported'],
  ['select event from events cross join projects', 'JOINs are not supported'],
  ['select event from events e full outer join projects', 'JOINs are not supported'],
  ['select event from events array join properties.list', 'JOINs are not supported'],
  ['with x as (select 1) select event from events', 'CTEs are not supported'],
  ['with recursive x as (select 1) select event from events', 'CTEs are not supported'],
  ['select event from (select * from events)', 'Subqueries are not supported'],
  ['select event from (events)', 'Subqueries are not supported'],
  [ofWhere('uuid in (select uuid from events)'), 'Subqueries are not supported'],
  [ofWhere('exists(select 1 from projects)'), 'Subqueries are not supported'],
  [ofWhere('event = (select api_token from projects limit 1)'), 'Subqueries are not supported'],
  [ofItem('(select api_token from projects)'), 'Subqueries in SELECT expressions are not supported'],
  [ofItem('coalesce((select 1), 2)'), 'Subqueries in SELECT expressions are not supported'],
  ['select 1 as x', 'Query must SELECT FROM events'],
  ['select event', 'Query must SELECT FROM events'],
  [
    'select event, secret, e.other, foo.bar from events e',
    `Batch exports cannot read these fields: e.other, foo.bar, secret. Supported fields are: ${EVENT_FIELDS}.`,
  ],
  [
    ofWhere('project_id = 2'),
    `Batch exports cannot read these fields: project_id. Supported fields are: ${EVENT_FIELDS}.`,
  ],
];

/** Calls that would write, wait, grow, tell or differ. */
const UNLISTED =
  `pg_sleep(10) pg_read_file(event) lo_import(event) dblink(event,event) version() set_config('role','x',true)
  current_setting('x') query_to_xml(event,true,true,'') generate_series(1,9) unnest(properties) nextval(event)
  jsonb_array_elements(properties) pg_terminate_backend(1) pg_advisory_lock(1) repeat(event,1000000000) random()
  txid_current() lpad(event,1000000000) ingest_now() make_event_partitions() match(event,'(a+)+$') toTimeZone(timestamp)
  constructor() __proto__(1) hasOwnProperty(1) toString2(1)`.split(/\s+/);

const REFUSALS: Record<string, Refusal[]> = {
  'other tables': [
    ['select event from projects', 'Query must only SELECT FROM events or persons, not "projects"'],
    ['select event from pg_user', 'Query must only SELECT FROM events'],
    ['select event from pg_catalog.pg_class', 'Query must only SELECT FROM events'],
    ['select event from public.events', 'Query must only SELECT FROM events'],
    ['select event from events.persons', 'Query must only SELECT FROM events'],
    ['select event from "events; drop table events"', 'Query must only SELECT FROM events'],
    ['select event from event_ids', 'Query must only SELECT FROM events'],
    ['select event from numbers(10)', 'table functions are not supported (line 1, column 26)'],
    ['select event from generate_series(1, 1000000)', 'table functions are not supported'],
    [`select event from 'events'`, 'unexpected "\'events\'" (line 1, column 19)'],
    ['select event from $1', 'Query must only SELECT FROM events'],
  ],
  'fields of the database, of rows, or of nobody': [
    ...['ctid', 'xmin', 'tableoid', 'row_bytes', 'interval_time', 'current_user', 'session_user', 'api_token'].map(
      (name): Refusal => [ofItem(name), `Batch exports cannot read these fields: ${name}.`],
    ),
    [ofItem('events'), 'cannot read these fields: events.'],
    [ofItem('e.*'), 'unexpected "*"'],
    [ofItem('person.created_at'), 'cannot read these fields: person.created_at'],
    [ofItem('person'), 'cannot read these fields: person.'],
    [ofItem('persons.properties.email'), 'cannot read these fields: persons.properties.email'],
    [ofItem('event.name'), 'event has no properties (line 1, column 8)'],
    ['select elements_chain from persons', 'Supported fields are: _inserted_at, created_at, distinct_id'],
    ['select event from events where persons.distinct_id is null', 'cannot read these fields: persons.distinct_id'],
  ],
  'more than SELECT, FROM and WHERE': [
    ['select event from events group by event', 'GROUP BY is not supported (line 1, column 26)'],
    ['select event from events having true', 'HAVING is not supported'],
    ['select event from events order by event', 'ORDER BY is not supported'],
    ['select event from events limit 10', 'LIMIT is not supported'],
    ['select event from events where true offset 1', 'OFFSET is not supported'],
    ['select event from events window w as ()', 'WINDOW is not supported'],
    ['select event from events final', 'FINAL is not supported'],
    ['select event from events sample 0.1', 'SAMPLE is not supported'],
    ['select event from events prewhere true', 'PREWHERE is not supported'],
    ['select event from events settings max_threads = 1', 'SETTINGS is not supported'],
    ['select event from events format CSV', 'FORMAT is not supported'],
    ['select event from events for update', 'FOR is not supported'],
    ['select event into outfile from events', 'INTO is not supported'],
    ['select event into stolen from events', 'INTO is not supported'],
    ['select distinct event from events', 'DISTINCT is not supported (line 1, column 8)'],
    [ofItem('row_number() over (order by event)'), 'window functions are not supported'],
    [ofItem('lower(event) over ()'), 'window functions are not supported'],
  ],
  'several statements and comments': [
    ['select event from events;', 'only one statement is supported, without ";" (line 1, column 25)'],
    ['select event from events; drop table events', 'only one statement is supported'],
    ['select event from events -- where', 'comments are not supported (line 1, column 26)'],
    ['select event /* all */ from events', 'comments are not supported'],
    ['select event from events # x', 'comments are not supported'],
    [ofWhere(`event = 'a' or 1=1 --`), 'comments are not supported'],
  ],
  'anything but SELECT': [
    ...['drop table events', 'delete from events', 'update events set event = 1', 'insert into events values (1)'].map(
      (query): Refusal => [query, 'Failed to parse query: unexpected'],
    ),
    ["copy events to program 'sh'", 'Failed to parse query: unexpected "copy" (line 1, column 1)'],
    ['explain select event from events', 'Failed to parse query: unexpected "explain"'],
    ['table events', 'Failed to parse query: unexpected "table"'],
    ['values (1)', 'Failed to parse query: unexpected "values"'],
    ['(select event from events)', 'Failed to parse query: unexpected "("'],
    ['set role postgres', 'Failed to parse query: unexpected "set"'],
    ['begin', 'Failed to parse query: unexpected "begin"'],
    ['do $$ begin end $$', 'Failed to parse query: unexpected "do"'],
    ['call f()', 'Failed to parse query: unexpected "call"'],
  ],
  'functions that are not on the list': [
    ...UNLISTED.map((call): Refusal => {
      return [ofItem(call), `the function "${call.slice(0, call.indexOf('('))}" is not supported (line 1, column 8)`];
    }),
    ...['count()', 'count(*)', 'count(distinct event)', 'sum(properties.n)', 'uniqIf(event, true)', 'any(event)'].map(
      (call): Refusal => [ofItem(call), 'aggregate functions are not supported'],
    ),
    [ofItem('now()'), 'use {data_interval_end}'],
    [ofItem('lower(*)'), 'lower takes neither DISTINCT nor *'],
    [ofItem('lower(distinct event)'), 'lower takes neither DISTINCT nor *'],
    [ofItem('pg_catalog.pg_sleep(1)'), 'unexpected "("'],
    [ofItem('"pg_sleep"(1)'), 'unexpected "("'],
    [ofItem('lower()'), 'lower takes 1 argument, not 0'],
    [ofItem('lower(event, event)'), 'lower takes 1 argument, not 2'],
    [ofItem('multiIf(true, 1)'), 'multiIf takes conditions'],
    [ofItem(`coalesce(${times(101, '1,')}1)`), 'coalesce takes 1 to 100 arguments, not 102'],
  ],
  'placeholders that do not exist': [
    [ofItem('{team_id}'), 'only {data_interval_start} and {data_interval_end} are supported, not "{team_id}"'],
    [ofItem('{constructor}'), 'not "{constructor}"'],
    [ofItem('{filters}'), 'not "{filters}"'],
    [ofItem('{data_interval_start.x}'), 'unexpected "."'],
    [ofItem('{}'), 'unexpected "}"'],
  ],
  'types that do not fit': [
    [ofItem(`1 + 'x'`), '"x" cannot be read as float (line 1, column 12)'],
    [ofItem('1 + true'), 'an operand of "+" must be float, not boolean (line 1, column 12)'],
    [ofItem('timestamp + 1'), 'must be float, not timestamp'],
    [ofItem('properties + 1'), 'must be float, not JSON'],
    [ofItem('properties = person_properties'), 'JSON cannot be compared'],
    [ofItem('properties in (properties)'), 'JSON cannot be compared'],
    [ofItem('timestamp > 5'), 'timestamp and integer cannot be compared'],
    [ofItem(`timestamp > 'yesterday'`), '"yesterday" cannot be read as timestamp'],
    [ofItem(`timestamp > '2023-02-29'`), '"2023-02-29" cannot be read as timestamp'],
    [ofItem(`uuid = '1'`), '"1" cannot be read as UUID'],
    [ofItem('uuid = 1'), 'UUID and integer cannot be compared'],
    [ofItem('if(event, 1, 2) + uuid'), 'must be float, not UUID'],
    [ofItem(`if(true, 1, 'x')`), 'one of these values has another type than the others (integer and text)'],
    [ofItem('coalesce(properties.n, 0)'), '(text and integer): convert it'],
    [ofItem('case when true then uuid else 1 end'), '(UUID and integer): convert it'],
    [ofWhere('1'), 'a condition must be boolean, not integer'],
    [ofWhere('timestamp and true'), 'a condition must be boolean, not timestamp'],
    [ofWhere(`'x'`), '"x" cannot be read as boolean'],
    [ofItem('toUUID(1)'), 'integer cannot be converted to UUID'],
    [ofItem('event::json'), 'text cannot be converted to JSON'],
    [ofItem('event::regclass'), 'there is no type "regclass"'],
    [ofItem('cast(event as constructor)'), 'there is no type "constructor"'],
    [ofItem('JSONExtractString(event, event)'), 'argument 1 of JSONExtractString must be JSON, not text'],
    [ofItem('JSONExtractString(properties, event)'), 'a key of JSON must be an integer literal'],
    [ofItem('intDiv(1.5, 2)'), 'argument 1 of intDiv must be integer, not float'],
    [ofItem('9223372036854775808'), 'the number is too large'],
    [ofItem('1e999'), 'the number is too large'],
    [ofItem('round(1.5, 99)'), 'round takes at most 15 digits'],
    [ofItem('round(1.5, properties.n)'), 'must be an integer literal'],
    [ofItem('properties.list[0]'), 'array indexes are whole numbers, from 1 on'],
    [ofItem('properties.list[1.5]'), 'array indexes are whole numbers, from 1 on'],
    [ofItem('interval 1 day'), 'an INTERVAL can only be added to a timestamp'],
    [ofItem('timestamp + interval 1001 year'), 'an interval is at most 1000 years'],
    [ofItem('timestamp + interval 1.5 day'), 'an INTERVAL is a whole number of units'],
    [ofItem('timestamp + interval 1 fortnight'), 'units of time are second, minute'],
    [ofItem(`dateTrunc('constructor', timestamp)`), 'units of time are second, minute'],
    [ofItem('dateTrunc(event, timestamp)'), 'the unit of time must be a text literal'],
    [ofItem(`formatDateTime(timestamp, '%Q')`), 'the format has the unknown "%Q"'],
    [ofItem('event like distinct_id'), 'the pattern of LIKE must be a text literal'],
    [ofItem(String.raw`event like 'a\\'`), 'ends with a backslash that escapes nothing'],
    [ofItem(`event like '${times(1001, '%')}'`), 'the pattern of LIKE is longer than 1000 characters'],
    [ofItem(`replaceAll(event, '', 'x')`), 'what is replaced must not be empty'],
    [ofItem('replaceAll(event, event, event)'), 'what is replaced must be a text literal'],
  ],
  'columns without a usable name': [
    [
      'select lower(event) from events',
      'every selected expression must be a field or have an alias (line 1, column 8)',
    ],
    ['select event, 1 from events', 'every selected expression must be a field or have an alias (line 1, column 15)'],
    ['select properties.list[1] from events', 'every selected expression must be a field or have an alias'],
    ['select event, distinct_id as event from events', 'two columns are named "event" (line 1, column 15)'],
    ['select event, distinct_id as EVENT from events', 'two columns are named "EVENT"'],
    ['select *, uuid from events', 'two columns are named "uuid"'],
    [`select event as "a""; drop" from events`, `cannot be a column's name`],
    ['select event as "a\nb" from events', `cannot be a column's name`],
    [`select event as ${times(64, 'x')} from events`, `cannot be a column's name`],
    ['select event as _sluice_row from events', 'names that begin with _sluice_ are ours'],
    [`select ${Array.from({ length: 201 }, (_, i) => `event as c${i}`).join()} from events`, 'more than 200 columns'],
  ],
  'what cannot be read': [
    ['select', 'Failed to parse query: it ends too early (line 1, column 1)'],
    ['select event from events where', 'Failed to parse query: it ends too early (line 1, column 26)'],
    ['select event,\n  , uuid from events', 'Failed to parse query: unexpected "," (line 2, column 3)'],
    ['select event from events where (event', 'it ends too early'],
    [ofWhere(`event = 'a`), `unexpected "'" (line 1, column 40)`],
    [ofWhere('event = = 1'), 'unexpected "="'],
    [ofWhere('a = b = c'), 'unexpected "="'],
    [ofWhere('event in ()'), 'unexpected ")"'],
    [ofWhere('event ~ 1'), 'unexpected "~"'],
    [ofWhere('event = ?'), 'unexpected "?"'],
    [ofWhere('event = 1abc'), 'unexpected "1"'],
    [ofWhere('event = 0x10'), 'unexpected "0"'],
    [ofWhere(String.raw`event = 'a\0b'`), 'texts cannot hold U+0000'],
    [ofWhere(`event = '\ud800'`), 'half a surrogate pair'],
    [ofWhere('event = \u0000'), 'unexpected'],
    ['ｓｅｌｅｃｔ event from events', 'unexpected "ｓ" (line 1, column 1)'],
  ],
};

/** Large enough to hurt whoever reads them without limits. */
const HUGE: Record<string, Refusal> = {
  'a megabyte': [`select '${times(1_000_000, 'a')}' as x from events`, 'longer than 20000 characters'],
  'a megabyte of brackets': [times(1_000_000, '('), 'longer than 20000 characters'],
  'brackets 15,000 deep': [ofWhere(times(15_000, '(')), 'brackets are nested more than 50 deep'],
  'functions 1,000 deep': [ofItem(`${times(1000, 'lower(')}event${times(1000, ')')}`), 'nested more than 50 deep'],
  'CASE 500 deep': [ofItem(times(500, 'case when true then ')), 'nested more than 50 deep'],
  'depth hidden behind names of keywords': [
    ofItem(`${times(60, '(')}properties.end ${times(60, ')')}`),
    'nested more than 50 deep',
  ],
  '15,000 signs': [ofItem(`${times(7000, '- ')}1`), 'more than 100 levels deep'],
  '4,000 NOTs': [ofWhere(`${times(4000, 'not ')}true`), 'more than 100 levels deep'],
  'a sum of 5,000 terms': [ofItem(`1${times(5000, '+1')}`), 'more than 100 levels deep'],
  '1,000 casts': [ofItem(`1${times(1000, '::int')}`), 'more than 100 levels deep'],
  'a CASE of CASEs, each written several times': [
    ofItem(`${times(40, 'case ')}properties.a${times(40, " when '1' then '2' when '3' then '4' end")}`),
    'becomes too large',
  ],
  'columns that are large CASEs': [
    `select ${Array.from({ length: 30 }, (_, n) => `${times(11, 'case ')}properties.a${times(11, " when '1' then '2' when '3' then '4' end")} as c${n}`).join()} from events`, // prettier-ignore
    'becomes too large',
  ],
  '1,500 names in a row': [`select event from events e ${times(1500, 'x ')}`, 'unexpected "x" (line 1, column 28)'],
};

describe('a custom query is refused', () => {
  for (const [query, message] of KNOWN_MESSAGES) {
    it(`in known words: ${shown(query)}`, () => assert.equal(refusalOf(query), message));
  }

  for (const [subject, refusals] of Object.entries(REFUSALS)) {
    describe(`for ${subject}`, () => {
      for (const [query, message] of refusals) {
        it(shown(query), () => assert(refusalOf(query).includes(message), refusalOf(query)));
      }
    });
  }

  for (const [what, [query, message]] of Object.entries(HUGE)) {
    it(`at once: ${what}`, async () => {
      let refusal = '';
      const took = await leastProcessorMs(1_000, () => (refusal = refusalOf(query)));
      assert(took < 1_000, `${took} ms`);
      assert(refusal.includes(message), refusal);
      assert(refusal.length < 1000);
    });
  }

  const EXPRESSIONS: Refusal[] = [
    ['event in (select 1)', 'Subqueries are not supported'],
    ['true; drop table events', 'only one statement is supported'],
    ['true) or (true', 'unexpected ")"'],
    ['team_id', 'a condition must be boolean'],
    ['true order by 1', 'ORDER BY is not supported'],
    ['project_id = 2', 'cannot read these fields: project_id'],
  ];
  for (const [text, message] of EXPRESSIONS) {
    it(`as the expression of a filter: ${text}`, () => {
      const refusal = messageOf(() => compileExpression(text, 'events', INTERVAL));
      assert(refusal.includes(message), refusal);
    });
  }
});

function refusalOf(query: string): string {
  return messageOf(() => compileQuery(query, INTERVAL));
}

/** @throws whatever is not InvalidInput of the query's field */
function messageOf(compile: () => unknown): string {
  try {
    compile();
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    assert.equal(error.attr, 'hogql_query');
    assert.equal(error.code, 'invalid_input');
    return error.message;
  }
  return 'it was accepted';
}

function shown(query: string): string {
  return JSON.stringify(query.length > 80 ? `${query.slice(0, 80)}…` : query);
}
