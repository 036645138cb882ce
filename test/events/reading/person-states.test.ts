/** Rows that refer to states of persons are read as if they carried copies. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { createKnex, createPool, type Knex, type Pool } from '../../../src/platform/db/connection.ts';
import { runQuery } from '../../../src/analytics/queries/computing/run.ts';
import { parseQuery } from '../../../src/analytics/queries/parsing/parse.ts';
import { unfilteredContent, type Content } from '../../../src/conditions/rows/content.ts';
import { createIngest, INGEST_TIMEOUTS } from '../../../src/events/ingest/ingest.ts';
import { eventReader } from '../../../src/events/reading/read.ts';
import { columnsOf, type Slice } from '../../../src/events/reading/selection.ts';
import { eventStore } from '../../../src/events/records/events.store.ts';
import { createSealer } from '../../../src/events/table/seal.ts';
import { encodeFile } from '../../../src/exports/formats/file.ts';
import { resultsSql, type ResultsQuery } from '../../../src/flags/extensions/experiments/results/results-sql.ts';
import { buildTenant } from '../../support/api/identity.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts';
import { readAll } from '../../support/database/copy-stream.ts';
import { referToStates } from '../../support/database/person-states.ts';
import { buildPersonEvent } from '../../support/database/stored-persons.ts';
import { buildRows, microseconds } from '../../support/events/events.ts';

const START = '2020-01-01T00:00:00.000000Z';

const EVENTS = unfilteredContent('events');
const CONTENTS: Record<string, Content> = {
  events: EVENTS,
  'versions of persons': unfilteredContent('persons'),
  sessions: unfilteredContent('sessions'),
  'events of some persons': {
    ...EVENTS,
    filters: [{ key: 'plan', type: 'person', operator: 'exact', value: ['pro'] }],
  },
  'sessions of some persons': {
    ...unfilteredContent('sessions'),
    filters: [{ key: 'plan', type: 'person', operator: 'exact', value: ['pro'] }],
  },
  'a query of events': {
    ...EVENTS,
    query: `select uuid, person.properties.plan as plan, person.properties as person from events where person.properties.plan != 'free'`,
  },
  'a query of persons': { ...EVENTS, query: 'select distinct_id, properties.plan as plan, version from persons' },
  'events without a property of persons': {
    ...EVENTS,
    transformations: [{ path: 'person_properties.plan', action: 'drop' }],
  },
};

const PERSON = { type: 'person', key: 'plan', operator: 'exact', value: ['pro'] };
const VIEWED = { kind: 'EventsNode', event: '$pageview' };
const QUESTIONS = [
  { kind: 'TrendsQuery', series: [VIEWED], breakdownFilter: { breakdown: 'plan', breakdown_type: 'person' } },
  { kind: 'TrendsQuery', series: [{ ...VIEWED, properties: [PERSON] }] },
  { kind: 'FunnelsQuery', series: [VIEWED, { kind: 'EventsNode', event: 'paid', properties: [PERSON] }] },
  {
    kind: 'RetentionQuery',
    retentionFilter: {
      targetEntity: { id: '$pageview', type: 'events' },
      returningEntity: { id: 'paid', type: 'events' },
    },
    properties: [PERSON],
  },
  { kind: 'EventsQuery', select: ['uuid', 'person.properties.plan', 'person'], properties: [PERSON] },
];

/** Persons who saw a flag, and paid while they had a plan. */
const EXPERIMENT: Omit<ResultsQuery, 'projectId'> = {
  flagKey: 'checkout',
  variants: ['test'],
  groupTypeIndex: null,
  period: { start: START, end: '2999-01-01T00:00:00.000000Z' },
  countsFirstVariant: true,
  measures: [
    {
      uuid: 'one',
      name: null,
      kind: 'count',
      goal: 'increase',
      event: 'paid',
      filters: [{ key: 'plan', type: 'person', operator: 'exact', value: ['pro'] }],
      property: null,
      windowSeconds: null,
    },
  ],
};

describe('rows that refer to states of persons', () => {
  let database: TestDatabase;
  let pool: Pool;
  let db: Knex;
  let projectId: number;
  let slice: Omit<Slice, 'content'>;

  before(async () => {
    database = await createTestDatabase();
    pool = createPool({ url: database.url, applicationName: 'test', ...INGEST_TIMEOUTS });
    db = createKnex({ url: database.url, applicationName: 'test' });
    ({ projectId } = await buildTenant(db));
    await storeEvents();
    const cutoff = await createSealer(pool).seal();
    slice = { projectId, start: START, end: cutoff, cutoff };
  });
  after(async () => {
    await db.destroy();
    await pool.end();
    await database.drop();
  });

  async function storeEvents(): Promise<void> {
    const ingest = createIngest(pool);
    for (const [n, event] of [
      '$pageview',
      '$feature_flag_called',
      '$identify',
      'paid',
      '$pageview',
      'paid',
    ].entries()) {
      for (const id of ['a', 'b', 'c']) {
        const properties = {
          $session_id: `session-${id}`,
          ...(event === '$feature_flag_called' && { $feature_flag: 'checkout', $feature_flag_response: 'test' }),
          ...(event === '$identify' && { $anon_distinct_id: `${id}-before` }),
          ...(id !== 'c' && { $set: { plan: n > 2 && id === 'a' ? 'pro' : 'free', n, text: 'ü"\\ \n' } }),
        };
        const distinctId = n < 2 ? `${id}-before` : id;
        const timestamp = microseconds(new Date(Date.now() - 60_000 * (10 - n)).toISOString());
        const stored = buildPersonEvent({ event, distinctId, properties, timestamp });
        await ingest.store(projectId, [buildRows([stored], { projectId })]);
      }
    }
    // Equal as jsonb, but not the same text.
    for (const [event, n] of [
      ['paid', '1.0'],
      ['$pageview', '1.00'],
    ]) {
      await pool.query(`update events set person_properties = $1 where event = $2 and distinct_id = 'b'`, [
        `{"n": ${n}}`,
        event,
      ]);
    }
  }

  const reader = () => eventReader(pool);

  /** Parts and digest of a content, and its bytes in every format. */
  async function delivered(content: Content) {
    const whole = { ...slice, content };
    const columns = columnsOf(content, 'files');
    const encode = async (format: 'JSONLines' | 'CSV' | 'Parquet') =>
      (await readAll(encodeFile(reader().copy(whole, columns), { columns, format, compression: null }).bytes)).toString(
        'hex',
      );
    return {
      parts: await reader().measure(whole, { rows: 4, bytes: 1e9 }),
      digest: await reader().digest(whole),
      files: [await encode('JSONLines'), await encode('CSV'), await encode('Parquet')],
    };
  }

  async function everything() {
    const now = Date.parse(slice.end);
    const answers: Record<string, unknown> = {};
    for (const [name, content] of Object.entries(CONTENTS)) answers[name] = await delivered(content);
    for (const [n, question] of QUESTIONS.entries()) {
      const result = await runQuery(pool, { id: projectId }, parseQuery(question), { now });
      answers[`question ${n}`] = JSON.parse(JSON.stringify(result)) as unknown;
    }
    const experiment = resultsSql({ ...EXPERIMENT, projectId });
    answers['an experiment'] = (await pool.query(experiment.text, experiment.values as unknown[])).rows;
    const events = await eventStore(db).list(projectId, {}, { limit: 100 });
    answers['list of events'] = events;
    answers['an event'] = await eventStore(db).get(projectId, events[0]!.id);
    return answers;
  }

  it('are delivered, digested, counted and answered as rows with copies are', async () => {
    const copies = await everything();
    for (const name of Object.keys(CONTENTS))
      assert.ok((copies[name] as { digest: { rows: number } }).digest.rows > 0, name);
    assert.deepEqual(copies['an experiment'], [{ variant: 'test', actors: 3, sums: [2], squares: [4] }]);
    // `n` is 1.0 in two events of a person, and 1.00 in one; versions of persons do not say so.
    await referToStates(pool);
    const { rows } = await pool.query(
      `select count(*) filter (where person_properties is null)::int as referring, count(*)::int as events,
         count(*) filter (where person_state = 0)::int as empty, (select count(*)::int from person_states) as states from events`,
    );
    assert.deepEqual(rows, [{ referring: 18, events: 18, empty: 6, states: 14 }]);
    assert.deepEqual(await everything(), copies);
  });

  it('are counted without reading states, and not delivered while one is missing', async () => {
    await referToStates(pool);
    const { rows: before } = await reader().digest({ ...slice, content: EVENTS });
    await pool.query('delete from person_states where version = (select max(person_state) from events)');
    assert.equal((await reader().digest({ ...slice, content: EVENTS })).rows, before);
    await assert.rejects(delivered(EVENTS), /the state \d+ of a person is missing/);
    await assert.rejects(delivered(CONTENTS['sessions of some persons']!), /the state \d+ of a person is missing/);
  });

  it('are read in one place: other statements over the tables do not name the properties', () => {
    const direct = globSync('src/**/*.ts').filter((file) =>
      /\b(from|join) (events|person_versions)\b(?! (with|are|is|of)\b)/.test(readFileSync(file, 'utf8')),
    );
    const reading = direct.filter((file) => /person_properties/.test(readFileSync(file, 'utf8')));
    assert.deepEqual(reading, []);
  });
});
