import assert from 'node:assert/strict';
import { createPool, type Pool } from '../../../src/platform/db/connection.ts';
import { createIngest, INGEST_TIMEOUTS } from '../../../src/events/ingest/ingest.ts';
import { personIdOf } from '../../../src/events/persons/person-id.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts';
import { buildRows } from '../../support/events/events.ts';
import { eventOf, identify, mergeDangerously, type Line } from '../../support/events/person-lines.ts';
import { PROJECT } from '../../support/events/person-memory.ts';
import { buildPersonEvent } from '../../support/database/stored-persons.ts';

describe("overrides that keep a person's flags as another id had them", () => {
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
  beforeEach(async () => {
    await pool.query(
      'truncate persons, person_distinct_ids, person_versions, feature_flag_hash_key_overrides, cohort_members',
    );
  });

  async function store(...lines: Line[]): Promise<void> {
    const events = lines.map((line) => buildPersonEvent(eventOf(line)));
    await createIngest(pool).store(PROJECT, [buildRows(events, { projectId: PROJECT })]);
  }
  const override = (distinctId: string, flag: string, hashKey: string) =>
    pool.query('insert into feature_flag_hash_key_overrides values ($1, $2, $3, $4)', [
      PROJECT,
      personIdOf(PROJECT, distinctId),
      flag,
      hashKey,
    ]);
  const overrides = async () => {
    const { rows } = await pool.query<{ person_id: string; flag: string; hash_key: string }>(
      'select person_id, feature_flag_key as flag, hash_key from feature_flag_hash_key_overrides order by 1, 2',
    );
    return rows.map((row) => [row.person_id, row.flag, row.hash_key]);
  };

  it('move with a merge; where both see one, that of the survivor stays', async () => {
    await store(['x', 'user'], ['x', 'anon']);
    await override('anon', 'new-menu', 'anon');
    await override('anon', 'new-price', 'anon');
    await override('user', 'new-price', 'user');
    await store(identify('user', 'anon'));
    const user = personIdOf(PROJECT, 'user');
    assert.deepEqual(await overrides(), [
      [user, 'new-menu', 'anon'],
      [user, 'new-price', 'user'],
    ]);
  });

  it('move to the survivor of a chain of merges in one group', async () => {
    await store(['x', 'a'], ['x', 'b'], ['x', 'c']);
    await override('a', 'new-menu', 'a');
    await override('b', 'new-price', 'b');
    await store(mergeDangerously('b', 'a'), mergeDangerously('c', 'b'));
    const survivor = personIdOf(PROJECT, 'c');
    assert.deepEqual(await overrides(), [
      [survivor, 'new-menu', 'a'],
      [survivor, 'new-price', 'b'],
    ]);
  });

  it('end with a person that is deleted', async () => {
    await store(['x', 'a']);
    await override('a', 'new-menu', 'a');
    await pool.query('select delete_persons($1, $2)', [PROJECT, [personIdOf(PROJECT, 'a')]]);
    assert.deepEqual(await overrides(), []);
  });
});
