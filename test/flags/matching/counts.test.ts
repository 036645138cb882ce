/** How many match, with everything that a condition set or a cohort may hold. What single operators say: test/conditions/sql/filters.test.ts. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { inspect } from 'node:util';
import { createKnex, createPool, type Knex, type Pool } from '../../../src/platform/db/connection.ts';
import type { Json } from '../../../src/conditions/operators/json-values.ts';
import { createCounts, type Counts } from '../../../src/flags/matching/counts.ts';
import type { Subject } from '../../../src/flags/matching/subject.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts';
import { buildTenant, type Tenant } from '../../support/api/identity.ts';

const NOW = Date.parse('2024-06-01T00:00:00Z');
const person = (key: string, value: Json, more: object = {}) => ({ type: 'person', key, value, ...more }) as Json;
const inCohort = (value: Json, more: object = {}) => ({ type: 'cohort', key: 'id', value, ...more }) as Json;
const and = (...values: Json[]) => ({ type: 'AND', values }) as Json;
const or = (...values: Json[]) => ({ type: 'OR', values }) as Json;

const since = (value: string) => ({ type: 'person_metadata', key: 'created_at', value, operator: 'is_date_after' });
const group = (key: string, value: Json, index: number | null = 0) =>
  ({ type: 'group', key, value, ...(index !== null && { group_type_index: index }) }) as Json;

describe('counts of who matches', () => {
  let database: TestDatabase;
  let db: Knex;
  let pool: Pool;
  let counts: Counts;
  let tenant: Tenant;

  before(async () => {
    database = await createTestDatabase();
    db = createKnex({ url: database.url, applicationName: 'test' });
    pool = createPool({ url: database.url, applicationName: 'test' });
    counts = createCounts({ pool, now: () => NOW });
  });
  after(async () => {
    await Promise.all([db.destroy(), pool.end()]);
    await database.drop();
  });
  beforeEach(async () => {
    tenant = await buildTenant(db);
  });

  async function write(properties: object, { distinctIds = [] as string[], createdAt = '2024-05-01T00:00:00Z' } = {}) {
    const id = randomUUID();
    const projectId = tenant.projectId;
    await pool.query('insert into persons values ($1, $2, $3, false, $4)', [projectId, id, properties, createdAt]);
    await pool.query(`insert into person_distinct_ids select $1, unnest($2::text[]), $3, 1, now()`, [
      projectId,
      distinctIds,
      id,
    ]);
    return id;
  }
  const writeGroup = (key: string, properties: object, typeIndex = 0) =>
    pool.query('insert into groups values ($1, $2, $3, $4, now(), 1)', [tenant.projectId, typeIndex, key, properties]);

  async function cohort(properties: Json, { members = [] as string[], deleted = false } = {}): Promise<number> {
    const { rows } = await pool.query<{ id: number }>(
      `insert into cohorts (project_id, name, description, is_static, filters, deleted) values ($1, '', '', $2, $3, $4) returning id`,
      [tenant.projectId, properties === null, properties === null ? {} : { properties }, deleted],
    );
    const { id } = rows[0]!;
    await pool.query('insert into cohort_members select $1, $2, unnest($3::uuid[])', [tenant.projectId, id, members]);
    return id;
  }

  async function assertMatching(
    cases: [filters: Json[], matching: number][],
    total: number,
    subject: Subject = 'person',
  ) {
    for (const [filters, matching] of cases) {
      const counted = await counts.countMatching(tenant.projectId, filters, subject);
      assert.deepEqual(counted, { matching, total }, inspect(filters, { depth: 9 }));
    }
  }

  it('read the properties of persons, all filters at once', async () => {
    await write({ plan: 'pro', age: 30 });
    await write({ plan: 'PRO', age: 20 });
    await write({ plan: null });
    await write({ 'what?': "it's $1 :projectId" });
    const cases: [Json[], number][] = [
      [[], 4],
      [[person('plan', 'pro')], 2],
      [[person('plan', 'pro'), person('age', 25, { operator: 'gt' })], 1],
      [[person('plan', 'pro', { operator: 'is_not' })], 2],
      [[person('plan', null, { operator: 'is_set' })], 3],
      [[{ key: 'plan', value: 'pro' }], 2],
      [[person('what?', "it's $1 :projectId")], 1],
      [[person('what?', String.raw`^it's \$1? :\w+$`, { operator: 'regex' })], 1],
      [[person('plan', 'pro', { operator: 'no such' })], 0],
      [[{ type: 'event', key: 'plan', value: 'pro' }], 0],
      [[{ type: 'behavioral', key: 'plan', value: 'pro' }], 0],
      [[3, null, []], 0],
      [[{ type: 'flag', key: '1', value: true, operator: 'flag_evaluates_to' }], 4],
    ];
    await assertMatching(cases, 4);
  });

  it('know distinct ids, first values and when a person was first seen', async () => {
    await write({ $os: 'Linux' }, { distinctIds: ['a', 'b'] });
    await write({ $os: 'Linux', $initial_os: 'Windows' }, { distinctIds: ['c'], createdAt: '2024-05-30T00:00:00Z' });
    const cases: [Json[], number][] = [
      [[person('distinct_id', 'b')], 1],
      [[person('distinct_id', ['a', 'c'])], 2],
      [[person('distinct_id', 'b', { operator: 'is_not' })], 2],
      [[person('$initial_os', 'linux')], 1],
      [[person('$initial_os', '', { operator: 'is_set' })], 2],
      [[person('$initial_browser', '', { operator: 'is_set' })], 0],
      [[since('-7d')], 1],
      [[since('2024-04-30')], 2],
    ];
    await assertMatching(cases, 2);
  });

  it('read the groups of one type', async () => {
    await writeGroup('acme', { tier: 'gold' });
    await writeGroup('other', {});
    await writeGroup('acme', { tier: 'gold' }, 1);
    const cases: [Json[], number][] = [
      [[], 2],
      [[group('tier', 'gold')], 1],
      [[group('tier', 'gold', null)], 1],
      [[group('tier', 'gold', 1)], 0],
      [[group('$group_key', 'other')], 1],
      [[person('tier', 'gold')], 0],
      [[inCohort(1)], 0],
    ];
    await assertMatching(cases, 2, { groupTypeIndex: 0 });
    await assertMatching([[[group('tier', 'gold')], 0]], 0);
  });

  it('follow cohorts into cohorts: listed, nested, negated', async () => {
    const [ann] = [await write({ plan: 'pro', age: 40 }), await write({ plan: 'pro', age: 20 }), await write({})];
    const listed = await cohort(null, { members: [ann] });
    const pro = await cohort(or(and(person('plan', 'pro'))));
    const young = await cohort(or(and(inCohort(pro), person('age', 30, { operator: 'lt' }))));
    const either = await cohort(or(inCohort(listed), inCohort(String(young)), and(person('age', 99))));
    const negated = await cohort(and(inCohort(pro), inCohort(young, { negation: true })));
    const everyone = await cohort(and());
    const self = await cohort(or(person('plan', 'pro')));
    await pool.query('update cohorts set filters = $2 where id = $1', [self, { properties: or(inCohort(self)) }]);
    const unknown = await cohort(or(person('age', 40), inCohort(self, { negation: true })));
    const gone = await cohort(or(person('plan', 'pro')), { deleted: true });
    const cases: [Json[], number][] = [
      [[inCohort(listed)], 1],
      [[inCohort(listed, { operator: 'not_in' })], 2],
      [[inCohort(pro, { operator: 'in' })], 2],
      [[inCohort(young)], 1],
      [[inCohort(either)], 2],
      [[inCohort(negated)], 1],
      [[inCohort(either), inCohort(negated, { operator: 'not_in' })], 1],
      [[inCohort(everyone)], 3],
      [[inCohort(pro, { operator: 'exact' })], 2],
      [[inCohort(pro, { operator: 'icontains' })], 0],
      [[inCohort('no id', { operator: 'not_in' })], 0],
      [[inCohort(self)], 0],
      [[inCohort(unknown)], 0],
      [[inCohort(unknown, { operator: 'not_in' })], 0],
      [[inCohort(gone)], 0],
      [[inCohort(gone, { operator: 'not_in' })], 0],
    ];
    await assertMatching(cases, 3);
    assert.equal(await counts.countCohort(tenant.projectId, listed), 1);
    assert.equal(await counts.countCohort(tenant.projectId, negated), 1);
  });

  it('do not grow with how often cohorts are used', async () => {
    await write({ plan: 'pro' });
    let top = await cohort(or(person('plan', 'pro')));
    for (let level = 0; level < 40; level++) top = await cohort(and(inCohort(top), inCohort(top)));
    assert.equal(await counts.countCohort(tenant.projectId, top), 1);
  });

  it('stay in their project', async () => {
    await write({ plan: 'pro' });
    const pro = await cohort(or(person('plan', 'pro')));
    tenant = await buildTenant(db);
    await assertMatching([[[inCohort(pro)], 0]], 0);
  });

  it('are given up rather than holding the database', async () => {
    await pool.query(
      `insert into persons select $1, gen_random_uuid(), jsonb_build_object('text', repeat('ab', 100000)), false, now()
       from generate_series(1, 200)`,
      [tenant.projectId],
    );
    const slow = Array.from({ length: 50 }, (_, n) => person('text', `(a|b){40}${n}`, { operator: 'regex' }));
    const hasty = createPool({ url: database.url, applicationName: 'test', statementTimeoutMs: 1_000 });
    const few = createCounts({ pool: hasty, now: () => NOW });
    await assert.rejects(few.countMatching(tenant.projectId, [inCohort(await cohort(or(...slow)))], 'person'), {
      name: 'Unavailable',
    });
    await hasty.end();
  });
});
