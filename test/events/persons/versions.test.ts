import assert from 'node:assert/strict';
import { createPool, type Pool } from '../../../src/platform/db/connection.ts';
import { createIngest, INGEST_TIMEOUTS } from '../../../src/events/ingest/ingest.ts';
import { personIdOf } from '../../../src/events/persons/person-id.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts';
import { buildRows } from '../../support/events/events.ts';
import { eventOf, identify, mergeDangerously, set, type Line } from '../../support/events/person-lines.ts';
import {
  buildPersonEvent,
  personVersions,
  personsOfEvents,
  type PersonVersion,
} from '../../support/database/stored-persons.ts';

describe('versions of persons', () => {
  let database: TestDatabase;
  let pools: [Pool, Pool];
  let projectId = 0;

  before(async () => {
    database = await createTestDatabase();
    const open = () => createPool({ url: database.url, applicationName: 'test', ...INGEST_TIMEOUTS });
    pools = [open(), open()];
  });
  after(async () => {
    await Promise.all(pools.map((pool) => pool.end()));
    await database.drop();
  });
  beforeEach(() => (projectId += 1));

  /** One request. @returns the uuids of its events */
  async function store(lines: Line[], pool = pools[0]): Promise<string[]> {
    const events = lines.map((line) => buildPersonEvent(eventOf(line)));
    await createIngest(pool).store(projectId, [buildRows(events, { projectId })]);
    return events.map(({ uuid }) => uuid);
  }

  const versionsOf = async (distinctId: string): Promise<PersonVersion[]> =>
    (await personVersions(pools[0], projectId)).get(distinctId) ?? [];

  const factsOf = async (distinctId: string) =>
    (await versionsOf(distinctId)).map((row) => [row.version, row.person_id, row.is_deleted, row.properties]);

  const storedAt = async (uuid: string): Promise<string> => {
    const { rows } = await pools[0].query<{ inserted_at: string }>(
      'select inserted_at from events where project_id = $1 and uuid = $2',
      [projectId, uuid],
    );
    return rows[0]!.inserted_at;
  };

  it('are appended for every distinct id of a person that changed, at the instant of the event', async () => {
    await store([identify('user', 'anon'), identify('user', 'phone')]);
    const [uuid] = await store([set('phone', { plan: 'pro' })]);
    const instant = await storedAt(uuid!);
    for (const distinctId of ['user', 'anon', 'phone']) {
      const last = (await versionsOf(distinctId)).at(-1)!;
      assert.deepEqual(
        [last.version, last.person_id, last.properties, last.interval_time],
        [2, personIdOf(projectId, 'user'), { plan: 'pro' }, instant],
        distinctId,
      );
    }
  });

  it('are appended for the ids that a merge moves, and for those whose person it changes', async () => {
    await store([set('a', { x: 1 }), set('b', { y: 1 }), identify('a', 'a2')]);
    await store([mergeDangerously('b', 'a')]);
    for (const distinctId of ['a', 'a2', 'b']) {
      const last = (await versionsOf(distinctId)).at(-1)!;
      const person = personIdOf(projectId, 'b');
      assert.deepEqual([last.version, last.person_id, last.properties], [2, person, { x: 1, y: 1 }], distinctId);
    }
  });

  it('are not appended by events that change nothing', async () => {
    await store([set('a', { x: 1 })]);
    await store([set('a', { x: 1 }), ['$pageview', 'a'], ['paid', 'a', { $process_person_profile: false }]]);
    await store([['paid', 'nobody', { $process_person_profile: false }]]);
    const versions = await personVersions(pools[0], projectId);
    assert.deepEqual([...versions.keys()], ['a']);
    assert.equal(versions.get('a')?.length, 1);
  });

  it('say once what a whole group came to', async () => {
    await store([set('a', { x: 1 }), set('a', { x: 2 }), ['x', 'b'], mergeDangerously('b', 'a'), set('b', { x: 3 })]);
    const versions = await personVersions(pools[0], projectId);
    for (const rows of versions.values()) {
      assert.deepEqual(
        rows.map(({ version, properties }) => ({ version, properties })),
        [{ version: 1, properties: { x: 3 } }],
      );
    }
    assert.deepEqual([...versions.keys()], ['a', 'b']);
  });

  it('continue from where they were when a person is deleted and seen again', async () => {
    await store([identify('user', 'anon', { $set: { x: 1 } })]);
    await pools[0].query('select delete_persons($1, $2)', [projectId, [personIdOf(projectId, 'user')]]);
    await store([['x', 'anon']]);
    const [user, anon] = [personIdOf(projectId, 'user'), personIdOf(projectId, 'anon')];
    const before = [
      [1, user, false, { x: 1 }],
      [2, user, true, {}],
    ];
    assert.deepEqual(await factsOf('user'), before);
    assert.deepEqual(await factsOf('anon'), [...before, [3, anon, false, {}]]);
  });

  it('never go back in time, though the clock of the database may', async () => {
    await store([identify('user', 'anon')]);
    const future = '2100-01-01T00:00:00.000000Z';
    await pools[0].query(
      'update person_distinct_ids set interval_time = $2 where project_id = $1 and distinct_id = $3',
      [projectId, future, 'user'],
    );
    const [uuid] = await store([set('user', { x: 1 })]);
    assert.equal((await versionsOf('user')).at(-1)?.interval_time, future);
    assert.equal((await versionsOf('anon')).at(-1)?.interval_time, await storedAt(uuid!));
  });

  it('are placed by when they are stored, also those of historical events', async () => {
    const events = [buildPersonEvent(eventOf(set('a', { x: 1 }), 0))];
    await createIngest(pools[0]).store(projectId, [buildRows(events, { projectId, historical: true })]);
    const [version] = await versionsOf('a');
    assert.equal(version?.interval_time, await storedAt(events[0]!.uuid));
    assert.equal(version?.created_at, '2000-01-01T00:00:00.000000Z');
  });

  it('show in the next event of the person, whichever process stores it', async () => {
    const expected: Record<string, unknown> = {};
    for (let turn = 0; turn < 10; turn++) {
      await store([set('a', { [`p${turn}`]: turn })], pools[turn % 2]);
      expected[`p${turn}`] = turn;
      const [uuid] = await store([['paid', 'a']], pools[(turn + 1) % 2]);
      const seen = await personsOfEvents(pools[0], projectId);
      assert.deepEqual(seen.get(uuid!), { id: personIdOf(projectId, 'a'), properties: expected });
    }
  });
});
