import assert from 'node:assert/strict';
import { createPool, type Pool } from '../../../src/platform/db/connection.ts';
import { createIngest, INGEST_TIMEOUTS } from '../../../src/events/ingest/ingest.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts';
import { buildRows } from '../../support/events/events.ts';
import { eventOf, identify, mergeDangerously, set, type Line } from '../../support/events/person-lines.ts';
import { PROJECT } from '../../support/events/person-memory.ts';
import { buildPersonEvent } from '../../support/database/stored-persons.ts';

const MANY = 10_000;

const describing = (key: string, name: string, length: number) => ({
  ...buildPersonEvent(eventOf(['x', 'a'])),
  group: { typeIndex: 1, key, properties: JSON.stringify({ [name]: 'x'.repeat(length) }) },
});

describe('a request about very many persons, in a database that knows nothing of them yet', () => {
  let database: TestDatabase;
  let pool: Pool;

  before(async () => {
    database = await createTestDatabase();
    pool = createPool({ url: database.url, applicationName: 'test', ...INGEST_TIMEOUTS });
  });
  after(async () => {
    await pool.end();
    await database.drop();
  });

  async function store(lineOf: (index: number) => Line, count = MANY): Promise<void> {
    const events = Array.from({ length: count }, (_, index) => buildPersonEvent(eventOf(lineOf(index))));
    await createIngest(pool).store(PROJECT, [buildRows(events, { projectId: PROJECT })]);
  }
  const count = async (table: string): Promise<unknown> =>
    (await pool.query(`select count(*)::int as n from ${table}`)).rows[0];

  it('makes, changes, names and merges them, each within the time that a transaction has', async () => {
    await store((index) => ['x', `a-${index}`]);
    await store((index) => set(`a-${index}`, { x: 1 }));
    await store((index) => identify(`b-${index}`, `a-${index}`));
    await store((index) => ['x', `c-${index}`]);
    await store((index) => mergeDangerously(`c-${index}`, `a-${index}`));
    assert.deepEqual(await count('persons'), { n: MANY });
    assert.deepEqual(await count(`person_versions where properties = '{"x": 1}'`), { n: 6 * MANY });
  });

  it('stores events of a large person in as many transactions as its memory limit requires', async () => {
    await store(() => set('large', { x: 'x'.repeat(1_000_000) }), 1);
    await store((index) => ['x', 'large', { index }], 100);
    const instants = `(select distinct inserted_at from events where distinct_id = 'large' and properties ? 'index') as _`;
    assert.deepEqual(await count(`events where distinct_id = 'large'`), { n: 101 });
    assert.deepEqual(await count(instants), { n: 8 });
  });

  it('stores events of many large persons', async () => {
    await pool.query(
      `with made as (
         insert into persons select $1, gen_random_uuid(), jsonb_build_object('x', repeat('x', 1000000)), false, now()
         from generate_series(1, 100) returning id
       )
       insert into person_distinct_ids select $1, 'heavy-' || row_number() over (), id, 1, now() from made`,
      [PROJECT],
    );
    await store((index) => ['x', `heavy-${index + 1}`], 100);
    assert.deepEqual(await count(`events where distinct_id like 'heavy-%' and person_properties ? 'x'`), { n: 100 });
  });

  it('leaves a group unchanged that would grow too large, with a warning', async () => {
    const warningTexts: string[] = [];
    const ingest = createIngest(pool, {
      onWarnings: (_, warnings) =>
        void warningTexts.push(...warnings.map(({ code, detail }) => `${code}: ${detail.slice(0, 16)}`)),
    });
    const store = (...events: ReturnType<typeof describing>[]) =>
      ingest.store(PROJECT, [buildRows(events, { projectId: PROJECT })]);
    await store(describing('grown', 'a', 600_000), describing('small', 'a', 10));
    assert.deepEqual(warningTexts, []);
    assert.deepEqual(await store(describing('grown', 'b', 600_000), describing('small', 'b', 10)), [[]]);
    assert.deepEqual(warningTexts, ['group_properties_size_violation: The group "grown']);
    await store(describing('new', 'a', 2_000_000));
    const { rows } = await pool.query(
      `select group_key, array(select jsonb_object_keys(properties) order by 1) as names from groups
        where group_type_index = 1 order by 1`,
    );
    assert.deepEqual(rows, [
      { group_key: 'grown', names: ['a'] },
      { group_key: 'small', names: ['a', 'b'] },
    ]);
  });

  it('leaves a group as it is that would have more than 25,000 values, until it has fewer', async () => {
    const warningCodes: string[] = [];
    const ingest = createIngest(pool, {
      onWarnings: (_, warnings) => void warningCodes.push(...warnings.map(({ code }) => code)),
    });
    const namesOf = async () =>
      (
        await pool.query(
          `select count(*)::int as n from groups, jsonb_object_keys(properties) where group_key = 'wide'`,
        )
      ).rows[0] as { n: number };
    const describeWide = (from: number, to: number, value: unknown = 1) => {
      const properties = Object.fromEntries(
        Array.from({ length: to - from }, (_, index) => [`m${from + index}`, value]),
      );
      const group = { typeIndex: 1, key: 'wide', properties: JSON.stringify(properties) };
      return ingest.store(PROJECT, [
        buildRows([{ ...buildPersonEvent(eventOf(['x', 'a'])), group }], { projectId: PROJECT }),
      ]);
    };
    await describeWide(0, 15_000);
    await describeWide(15_000, 25_000, ',[{');
    assert.deepEqual([await namesOf(), warningCodes], [{ n: 25_000 }, []]);
    await describeWide(25_000, 25_001);
    assert.deepEqual([await namesOf(), warningCodes], [{ n: 25_000 }, ['group_properties_size_violation']]);
    // Of before there was a limit.
    await pool.query(
      `update groups set properties = properties || jsonb_build_object('more', properties) where group_key = 'wide'`,
    );
    await describeWide(0, 1, 2);
    assert.deepEqual(warningCodes, ['group_properties_size_violation'], 'its values may change');
  });

  it('refuses the event alone that would make a value larger than Postgres can have', async () => {
    // As Postgres says it of 256 MiB, which would take this test a minute.
    await pool.query(`
      create function refuse() returns trigger language plpgsql as
        $$ begin raise 'total size of jsonb object elements exceeds the maximum' using errcode = 'program_limit_exceeded'; end $$;
      create trigger refuse before insert on groups for each row when (new.group_key = 'giant') execute function refuse();
    `);
    const groups = ['acme', 'giant', 'globex'].map((key) => ({ typeIndex: 0, key, properties: '{}' }));
    const events = groups.map((group) => ({ ...buildPersonEvent(eventOf(['x', 'a'])), group }));
    const refused = await createIngest(pool).store(PROJECT, [buildRows(events, { projectId: PROJECT })]);
    assert.deepEqual(refused, [[1]]);
    assert.deepEqual(await count('groups where group_type_index = 0'), { n: 2 });
  });
});
