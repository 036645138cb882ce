import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { randomUUID } from 'node:crypto';
import { createKnex, createPool, type Knex, type Pool } from '../../../src/platform/db/connection.ts';
import { DECIDE_POOL, factReader, type FactReader } from '../../../src/flags/decide/facts.ts';
import { compileDefinitions } from '../../../src/flags/evaluation/compile.ts';
import type { EvaluationRequest, Needs } from '../../../src/flags/evaluation/decision.ts';
import type { FlagDefinition } from '../../../src/flags/evaluation/definitions.ts';
import { JsonFloat } from '../../../src/conditions/operators/json-values.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts';
import { buildTenant } from '../../support/api/identity.ts';

const NOTHING: Needs = { person: false, groups: [], staticCohorts: [], hashKeyOverrides: false };

const requestOf = (changes: Partial<EvaluationRequest>): EvaluationRequest => ({
  distinctId: 'ada',
  groups: {},
  personProperties: {},
  groupProperties: {},
  runtime: 'unknown',
  contexts: [],
  onlySurveys: false,
  onlyRequestProperties: false,
  ...changes,
});

const continuityFlag = (id: number, key: string, active = true): FlagDefinition => ({
  id,
  key,
  version: 1,
  active,
  filters: {},
  ensureExperienceContinuity: true,
  evaluationRuntime: 'all',
  bucketingIdentifier: 'distinct_id',
  evaluationContexts: [],
  hasExperiment: false,
});

describe('the facts of a decision', () => {
  let database: TestDatabase;
  let db: Knex;
  let pool: Pool;
  let readFacts: FactReader;
  let projectId: number;

  before(async () => {
    database = await createTestDatabase();
    db = createKnex({ url: database.url, applicationName: 'test' });
    pool = createPool({ url: database.url, ...DECIDE_POOL });
  });
  after(async () => {
    await Promise.all([db.destroy(), pool.end()]);
    await database.drop();
  });
  beforeEach(async () => {
    readFacts = factReader(pool);
    ({ projectId } = await buildTenant(db));
  });

  async function buildPerson(properties: object, ...distinctIds: string[]): Promise<string> {
    const id = randomUUID();
    const created_at = '2015-05-17T10:05:03Z';
    await db('persons').insert({ project_id: projectId, id, properties, is_identified: false, created_at });
    for (const distinct_id of distinctIds) {
      await db('person_distinct_ids').insert({
        project_id: projectId,
        distinct_id,
        person_id: id,
        version: 1,
        interval_time: created_at,
      });
    }
    return id;
  }

  function project(...flags: FlagDefinition[]) {
    const groupTypes = new Map([[0, 'company']]);
    const definitions = { flags, cohorts: [], groupTypes, timeZone: 'UTC', matchingVersion: 1 } as const;
    return { projectId, definitions, compiled: compileDefinitions(definitions) };
  }

  const overridesOf = async (personId: string) =>
    (await db('feature_flag_hash_key_overrides').where({ person_id: personId }).orderBy('feature_flag_key')).map(
      ({ feature_flag_key, hash_key }: { feature_flag_key: string; hash_key: string }) => [feature_flag_key, hash_key],
    );

  it('are empty where nothing is stored', async () => {
    const facts = await readFacts(project(), requestOf({}), { ...NOTHING, person: true });
    assert.deepEqual(facts, {
      person: null,
      groups: new Map(),
      memberships: new Set(),
      hashKeyOverrides: new Map(),
    });
  });

  it('are the person, with numbers as they were written', async () => {
    const id = await buildPerson({}, 'ada');
    await db.raw(`update persons set properties = '{"price": 323.0, "plan": "pro"}' where id = ?`, [id]);
    const { person } = await readFacts(project(), requestOf({}), { ...NOTHING, person: true });
    assert.ok(person !== null && person !== 'unavailable');
    assert.deepEqual([person.id, person.createdAt], [id, '2015-05-17T10:05:03.000000Z']);
    assert.equal(person.properties['plan'], 'pro');
    assert.deepEqual(person.properties['price'], new JsonFloat(323));
  });

  it('are of the person that capture cut the id of, and replaced what text cannot hold', async () => {
    const long = '😀'.repeat(150);
    const ids = [long.slice(0, 200), 'a\ufffdb'];
    const persons = [await buildPerson({}, ids[0]!), await buildPerson({}, ids[1]!)];
    for (const [index, distinctId] of [long, 'a\0b'].entries()) {
      const { person } = await readFacts(project(), requestOf({ distinctId }), { ...NOTHING, person: true });
      assert.equal(person !== null && person !== 'unavailable' && person.id, persons[index]);
    }
  });

  it('are the requested groups and static cohorts', async () => {
    const personId = await buildPerson({}, 'ada');
    const group = { project_id: projectId, created_at: '2015-05-17', version: 1, properties: { tier: 'gold' } };
    await db('groups').insert([
      { ...group, group_type_index: 0, group_key: 'acme' },
      { ...group, group_type_index: 0, group_key: 'other' },
    ]);
    const cohorts = await db('cohorts')
      .insert(
        [1, 2].map((n) => ({ project_id: projectId, name: `${n}`, description: '', is_static: true, filters: {} })),
      )
      .returning<{ id: number }[]>('id');
    for (const { id } of cohorts) {
      await db('cohort_members').insert({ project_id: projectId, cohort_id: id, person_id: personId });
    }
    const facts = await readFacts(project(), requestOf({ groups: { company: 'acme', unknown: 'x' } }), {
      ...NOTHING,
      groups: [0, 3],
      staticCohorts: [cohorts[0]!.id],
    });
    assert.deepEqual(facts.groups, new Map([[0, { tier: 'gold' }]]));
    assert.deepEqual(facts.memberships, new Set([cohorts[0]!.id]));
  });

  describe('of flags that keep their answer', () => {
    const wanted = { ...NOTHING, hashKeyOverrides: true };
    const flags = [continuityFlag(1, 'one'), continuityFlag(2, 'two'), continuityFlag(3, 'off', false)];

    it('are written for both ids when a person is identified, once and for all', async () => {
      const anonymous = await buildPerson({}, 'anon');
      const identified = await buildPerson({}, 'ada');
      const request = requestOf({ anonDistinctId: 'anon' });
      for (const _ of [1, 2]) {
        const { hashKeyOverrides } = await readFacts(project(...flags), request, wanted);
        assert.deepEqual(
          hashKeyOverrides,
          new Map([
            ['one', 'anon'],
            ['two', 'anon'],
          ]),
        );
      }
      for (const person of [anonymous, identified]) {
        assert.deepEqual(await overridesOf(person), [
          ['one', 'anon'],
          ['two', 'anon'],
        ]);
      }
      const later = await readFacts(project(...flags), requestOf({ anonDistinctId: 'another' }), wanted);
      assert.deepEqual(
        later.hashKeyOverrides,
        new Map([
          ['one', 'anon'],
          ['two', 'anon'],
        ]),
      );
    });

    it('are read for the id alone when the request names no other', async () => {
      const id = await buildPerson({}, 'ada');
      await db('feature_flag_hash_key_overrides').insert({
        project_id: projectId,
        person_id: id,
        feature_flag_key: 'one',
        hash_key: 'before',
      });
      const { hashKeyOverrides } = await readFacts(project(...flags), requestOf({}), wanted);
      assert.deepEqual(hashKeyOverrides, new Map([['one', 'before']]));
      assert.deepEqual(await overridesOf(id), [['one', 'before']]);
    });

    it('are those of the id itself where both have one, and new flags join in', async () => {
      const override = { project_id: projectId, feature_flag_key: 'one' };
      await db('feature_flag_hash_key_overrides').insert([
        { ...override, person_id: await buildPerson({}, 'anon'), hash_key: 'of anon' },
        { ...override, person_id: await buildPerson({}, 'ada'), hash_key: 'of ada' },
      ]);
      const { hashKeyOverrides } = await readFacts(project(...flags), requestOf({ anonDistinctId: 'anon' }), wanted);
      assert.deepEqual(
        hashKeyOverrides,
        new Map([
          ['one', 'of ada'],
          ['two', 'anon'],
        ]),
      );
    });

    it('are kept for the id while there is no person, and become the person’s', async () => {
      const request = requestOf({ anonDistinctId: 'anon' });
      const promised = new Map([
        ['one', 'anon'],
        ['two', 'anon'],
      ]);
      for (const evaluationRequest of [request, request, requestOf({})]) {
        assert.deepEqual((await readFacts(project(...flags), evaluationRequest, wanted)).hashKeyOverrides, promised);
      }
      assert.deepEqual(
        (await readFacts(project(...flags), requestOf({ distinctId: 'eve' }), wanted)).hashKeyOverrides,
        new Map(),
      );
      const person = await buildPerson({}, 'ada', 'anon');
      assert.deepEqual((await readFacts(project(...flags), requestOf({}), wanted)).hashKeyOverrides, promised);
      const later = await readFacts(project(...flags), requestOf({ anonDistinctId: 'another' }), wanted);
      assert.deepEqual(later.hashKeyOverrides, promised);
      assert.deepEqual(await overridesOf(person), [...promised]);
    });

    it('are forgotten with the person', async () => {
      await readFacts(project(...flags), requestOf({ anonDistinctId: 'anon' }), wanted);
      const person = await buildPerson({}, 'ada');
      await db.raw('select delete_persons(?, array[?]::uuid[])', [projectId, person]);
      const { hashKeyOverrides } = await readFacts(project(...flags), requestOf({}), wanted);
      assert.deepEqual(hashKeyOverrides, new Map());
    });

    it('are those of the former person, while there is no other', async () => {
      const override = { project_id: projectId, feature_flag_key: 'one', hash_key: 'before' };
      await db('feature_flag_hash_key_overrides').insert({ ...override, person_id: await buildPerson({}, 'anon') });
      const kept = new Map([
        ['one', 'before'],
        ['two', 'anon'],
      ]);
      for (const evaluationRequest of [requestOf({ anonDistinctId: 'anon' }), requestOf({})]) {
        assert.deepEqual((await readFacts(project(...flags), evaluationRequest, wanted)).hashKeyOverrides, kept);
      }
    });
  });

  it('are all but the overrides where Postgres can only be read', async () => {
    const id = await buildPerson({ plan: 'pro' }, 'ada');
    const name = new URL(database.url).pathname.slice(1);
    await db.raw(`alter database ${name} set default_transaction_read_only = on`);
    const readOnly = createPool({ url: database.url, ...DECIDE_POOL });
    try {
      const needs = { ...NOTHING, person: true, hashKeyOverrides: true };
      const request = requestOf({ anonDistinctId: 'anon' });
      const facts = await factReader(readOnly)(project(continuityFlag(1, 'one')), request, needs);
      assert.equal(facts.hashKeyOverrides, 'unavailable');
      assert.equal(facts.person !== null && facts.person !== 'unavailable' && facts.person.id, id);
    } finally {
      await db.raw(`alter database ${name} set default_transaction_read_only = off`);
      await readOnly.end();
    }
  });

  it('are unavailable when Postgres is away, soon without asking it', async () => {
    let connections = 0;
    const server = createServer((socket) => {
      connections += 1;
      socket.destroy();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const away = createPool({ url: `postgres://127.0.0.1:${port}/none`, ...DECIDE_POOL });
    const read = factReader(away);
    const ask = () => read(project(), requestOf({}), { ...NOTHING, person: true });
    for (const _ of [1, 2, 3]) assert.equal((await ask()).person, 'unavailable');
    assert.ok(connections > 0);
    const before = connections;
    for (let i = 0; i < 100; i++) assert.equal((await ask()).person, 'unavailable');
    // One tries again every half a second.
    assert.ok(connections - before < 50, `${connections - before} of 100 asked`);
    await away.end();
    server.close();
  });
});
