import assert from 'node:assert/strict';
import { createPool, type Pool } from '../../../src/platform/db/connection.ts';
import { createIngest, INGEST_TIMEOUTS, type Ingest } from '../../../src/events/ingest/ingest.ts';
import { personIdOf } from '../../../src/events/persons/person-id.ts';
import { createKnownPersons } from '../../../src/events/persons/known-persons.ts';
import type { LoadedPerson } from '../../../src/events/persons/person.ts';
import { StoredProperties } from '../../../src/events/persons/stored-properties.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts';
import { buildRows } from '../../support/events/events.ts';
import { eventOf, identify, set, type Line } from '../../support/events/person-lines.ts';
import { buildPersonEvent, personsOfEvents, type SeenPerson } from '../../support/database/stored-persons.ts';

describe('a person that a process knows', () => {
  let database: TestDatabase;
  let pool: Pool;
  let one: Ingest;
  let another: Ingest;
  let projectId = 0;

  before(async () => {
    database = await createTestDatabase();
    pool = createPool({ url: database.url, applicationName: 'test', ...INGEST_TIMEOUTS });
    one = createIngest(pool);
    another = createIngest(pool);
  });
  after(async () => {
    await pool.end();
    await database.drop();
  });
  beforeEach(async () => {
    projectId += 1;
    await store(one, set('user', { x: 1 }));
    await store(one, set('anon', { y: 1 }));
    assert.deepEqual(await store(one, ['seen', 'user']), { id: personIdOf(projectId, 'user'), properties: { x: 1 } });
  });

  /** @returns the person that the event was stored with */
  async function store(ingest: Ingest, line: Line): Promise<SeenPerson> {
    const event = buildPersonEvent(eventOf(line));
    await ingest.store(projectId, [buildRows([event], { projectId })]);
    return (await personsOfEvents(pool, projectId)).get(event.uuid)!;
  }
  const query = (sql: string) => pool.query(sql.replaceAll(':project', String(projectId)));

  it('is not read again as long as its versions stay', async () => {
    await query(`update persons set properties = '{"changed": "by nobody"}' where project_id = :project`);
    assert.deepEqual((await store(one, ['seen', 'user'])).properties, { x: 1 });
  });

  it('is read again after another process changed it', async () => {
    await store(another, set('user', { x: 2 }));
    assert.deepEqual((await store(one, ['seen', 'user'])).properties, { x: 2 });
    await store(another, set('user', { z: 3 }));
    assert.deepEqual((await store(one, set('user', { w: 4 }))).properties, { x: 2, z: 3, w: 4 });
  });

  it('is read again by each of its ids', async () => {
    await store(one, identify('user', 'anon'));
    await store(one, ['seen', 'anon']);
    await store(another, set('user', { x: 2 }));
    assert.deepEqual((await store(one, ['seen', 'anon'])).properties, { x: 2, y: 1 });
  });

  it('is another one after another process merged it', async () => {
    await store(another, identify('user', 'anon'));
    const seen = await store(one, ['seen', 'anon']);
    assert.deepEqual(seen, { id: personIdOf(projectId, 'user'), properties: { x: 1, y: 1 } });
  });

  it('is made anew after it was deleted', async () => {
    await query(`select delete_persons(:project, array(select id from persons where project_id = :project))`);
    assert.deepEqual((await store(one, ['seen', 'user'])).properties, {});
    assert.deepEqual((await store(one, set('user', { x: 5 }))).properties, { x: 5 });
    const { rows } = await query(`select count(*)::int as n from persons where project_id = :project`);
    assert.deepEqual(rows, [{ n: 1 }]);
  });

  it('is made anew in a database that never had it', async () => {
    for (const table of ['person_versions', 'person_distinct_ids', 'persons']) {
      await query(`delete from ${table} where project_id = :project`);
    }
    assert.deepEqual((await store(one, ['seen', 'user'])).properties, {});
  });

  it('is read again where a restored database gave its version to another person', async () => {
    await store(one, set('user', { x: 2 }));
    await store(one, ['seen', 'user']);
    await query(`update persons set properties = '{"x": 1}' where project_id = :project`);
    await query(`delete from person_versions where project_id = :project and distinct_id = 'user' and version = 2`);
    await query(`update person_distinct_ids set version = 1 where project_id = :project and distinct_id = 'user'`);
    await store(another, set('user', { x: 3 }));
    assert.deepEqual((await store(one, ['seen', 'user'])).properties, { x: 3 });
  });
});

describe('the memory of persons', () => {
  it('is of one project each', () => {
    const memory = createKnownPersons();
    memory.keep(1, 'user', person(10));
    assert.ok(memory.find(1, 'user'));
    assert.equal(memory.find(2, 'user'), undefined);
  });

  it('forgets those that were not requested, and keeps the others', () => {
    const memory = createKnownPersons(100_000);
    memory.keep(1, 'busy', person(100));
    memory.keep(1, 'idle', person(100));
    for (let index = 0; index < 1_000; index++) {
      memory.keep(1, `other-${index}`, person(600));
      assert.ok(memory.find(1, 'busy'));
    }
    const left = Array.from({ length: 1_000 }, (_, index) => memory.find(1, `other-${index}`)).filter(Boolean);
    assert.equal(memory.find(1, 'idle'), undefined);
    assert.ok(left.length > 40 && left.length <= 101, `${left.length} are left`);
  });

  it('does not hold very large ones', () => {
    const memory = createKnownPersons();
    memory.keep(1, 'large', person(100_000));
    assert.equal(memory.find(1, 'large'), undefined);
  });
});

function person(length: number): LoadedPerson {
  return {
    stamp: '1',
    id: 'id',
    properties: new StoredProperties('x'.repeat(length)),
    isIdentified: false,
    createdAt: 0n,
  };
}
