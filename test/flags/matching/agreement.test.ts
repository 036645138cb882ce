/** Condition sets and cohorts say in SQL what decide says in memory, about the same persons. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { createPool, type Pool } from '../../../src/platform/db/connection.ts';
import type { CohortDefinition } from '../../../src/flags/evaluation/definitions.ts';
import type { Json, Properties } from '../../../src/conditions/operators/json-values.ts';
import { matchesProperty } from '../../../src/conditions/operators/operators.ts';
import { matchingSql } from '../../../src/flags/matching/matching-sql.ts';
import { conditionSql } from '../../../src/conditions/sql/condition-sql.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts';
import { buildFacts, buildFlag, decide, NOW } from '../../support/flags/flags.ts';

const PROJECT = 1;
const COHORTS = [1, 2, 3, 4, 5];
const LISTING = 4;
/** There is none. */
const MISSING = 6;

const keys = fc.constantFrom('plan', 'age', 'at', '$initial_os', '$os', 'absent');
const values = fc.constantFrom<Json>(
  'pro',
  'PRO',
  'free',
  true,
  'false',
  null,
  30,
  '30',
  20.5,
  '2024-05-30',
  '-7d',
  '2024-05-25 13:00',
  '2024-05-25T10:30:00-02:30',
  ['pro', 30],
  {},
);
const operators = fc.constantFrom(
  null,
  ...`exact is_not is_set is_not_set icontains not_icontains gt lte between not_between is_date_before is_date_after
    regex not_regex semver_gt nothing`.split(/\s+/),
);
const persons = fc.array(fc.dictionary(keys, values, { noNullPrototype: true }), { minLength: 1, maxLength: 6 });

const property = fc.record<Record<string, Json>>(
  {
    type: fc.constantFrom('person', 'person', 'person', 'group', 'event'),
    key: keys,
    operator: operators,
    value: values,
  },
  { requiredKeys: ['key'] },
);
const membership = fc.record<Record<string, Json>>(
  {
    type: fc.constant('cohort'),
    key: fc.constant('id'),
    value: fc.oneof(
      { weight: 12, arbitrary: fc.constantFrom<Json>(...COHORTS, '2') },
      fc.constantFrom<Json>(MISSING, 'x'),
    ),
    operator: fc.constantFrom('in', 'not_in', null, 'exact'),
  },
  { requiredKeys: ['type', 'key', 'value'] },
);
const condition = fc.oneof({ weight: 2, arbitrary: property }, membership);
const { group } = fc.letrec<{ group: Json; member: Json }>((tie) => ({
  group: fc.record({
    type: fc.constantFrom('AND', 'OR'),
    values: fc.array(tie('member'), { maxLength: 3 }),
  }),
  member: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.tuple(condition, fc.boolean()).map(([one, negation]) => (negation ? { ...one, negation } : one)),
    tie('group'),
  ),
}));

/** Around the days on which clocks are changed, around a week before now, and beyond all calendars. */
const dates = fc.constantFrom<Json>(
  '2024-03-31',
  '2024-03-31 02:30',
  '20240331T0230',
  '20240525',
  '2024-03-31T01:30',
  '2024-03-31t03:30:00.5',
  '2024-10-27 02:30',
  '2024-10-27 03:00',
  '2024-05-25',
  '2024-05-25 12:00',
  '2024-05-25 14:00',
  '2024-05-25T14:00:00.000001',
  '2024-05-25T12:00Z',
  '1890-04-01',
  '-7d',
  '7d',
  '0h',
  '1m',
  '1y',
  '9999y',
  '10000d',
  '0001-01-01',
  '9999-12-31 23:59',
  '2024-05-32',
  1716638400,
  '1716638400.5',
);

describe('matching in SQL', () => {
  let database: TestDatabase;
  let pool: Pool;

  before(async () => {
    database = await createTestDatabase();
    pool = createPool({ url: database.url, applicationName: 'test', maxConnections: 1 });
    await pool.query(
      `insert into organizations (id, name) values (gen_random_uuid(), 'x');
       insert into projects (id, organization_id, name, api_token) overriding system value select ${PROJECT}, id, 'x', 'phc_x' from organizations;
       insert into cohorts (id, project_id, name, description, is_static, filters) overriding system value
         values (${LISTING}, ${PROJECT}, '', '', true, '{}')`,
    );
  });
  after(async () => {
    await pool.end();
    await database.drop();
  });

  type Settings = { timeZone: string; matchingVersion: 1 | 2 };
  type World = { ids: string[]; listed: Set<string> };

  async function write(people: readonly Properties[]): Promise<World> {
    await pool.query('delete from persons');
    const ids = people.map(() => randomUUID());
    const listed = ids.filter((_, index) => index % 2 === 0);
    await pool.query(
      `with made as (
         insert into persons select $1, id, properties, false, '2024-01-01' from unnest($2::uuid[], $3::jsonb[]) as given (id, properties))
       select`,
      [PROJECT, ids, people.map((one) => JSON.stringify(one))],
    );
    await pool.query('insert into cohort_members select $1, $2, unnest($3::uuid[])', [PROJECT, LISTING, listed]);
    return { ids, listed: new Set(listed) };
  }

  async function found(
    filters: readonly Json[],
    cohorts: readonly CohortDefinition[],
    { timeZone, matchingVersion: version }: Settings,
  ): Promise<Set<string>> {
    const scope = {
      projectId: PROJECT,
      cohorts: new Map(cohorts.map((cohort) => [cohort.id, cohort])),
      context: { timeZone, version, now: NOW, nulls: 'set' as const },
    };
    const { from, exists, matches } = matchingSql(filters, 'person', scope);
    const { rows } = await pool.query<{ id: string }>(`select subject.id from ${from} where ${exists} and ${matches}`);
    return new Set(rows.map(({ id }) => id));
  }

  it('finds whom decide finds', async function () {
    this.timeout(300_000);
    const cohortsOf = fc.tuple(...COHORTS.map(() => group));
    const zones = fc.constantFrom('UTC', 'UTC', 'America/St_Johns', 'Europe/Berlin');
    const settings = fc.record<Settings>({ timeZone: zones, matchingVersion: fc.constantFrom(1, 2) });
    const filters = fc.array(condition, { maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(persons, cohortsOf, filters, settings, async (people, groups, properties, setting) => {
        const { ids, listed } = await write(people);
        const cohorts = COHORTS.map((id, index): CohortDefinition => {
          return { id, isStatic: id === LISTING, filters: id === LISTING ? {} : { properties: groups[index]! } };
        });
        const flag = buildFlag({ filters: { groups: [{ properties, rollout_percentage: 100 }] } });
        const matching = await found(properties, cohorts, setting);
        for (const [index, id] of ids.entries()) {
          const memberships = new Set(listed.has(id) ? [LISTING] : []);
          const facts = buildFacts(people[index]!, { memberships });
          const { enabled } = decide(flag, {}, facts, { cohorts, ...setting });
          const context = inspect({ properties, cohorts, person: people[index], setting }, { depth: 12 });
          assert.equal(matching.has(id), enabled, context);
        }
      }),
      { numRuns: 300, endOnFailure: true },
    );
  });

  it('reads dates by the clock of the project', async () => {
    const operators = ['is_date_before', 'is_date_exact', 'is_date_after'];
    const zones = fc.constantFrom('UTC', 'Europe/Berlin', 'America/St_Johns', 'Australia/Lord_Howe', 'Pacific/Apia');
    const pair = fc.record({ found: dates, wanted: dates, operator: fc.constantFrom(...operators), timeZone: zones });
    await fc.assert(
      fc.asyncProperty(fc.array(pair, { minLength: 200, maxLength: 200 }), async (cases) => {
        const selects = cases.map(({ found, wanted, operator, timeZone }, index) => {
          const matches = conditionSql({ key: 'at', operator, value: wanted }, 'properties', {
            timeZone,
            now: NOW,
            nulls: 'set',
          });
          const row = `(select '${JSON.stringify({ at: found })}'::jsonb as properties) as subject`;
          return `select ${index} as index, ${matches} as matches from ${row}`;
        });
        const { rows } = await pool.query<{ matches: boolean }>(`${selects.join(' union all ')} order by index`);
        for (const [index, { found, wanted, operator, timeZone }] of cases.entries()) {
          const condition = { key: 'at', operator, value: wanted };
          const expected = matchesProperty(condition, { at: found }, { timeZone, now: NOW });
          assert.equal(rows[index]!.matches, expected, inspect(cases[index]));
        }
      }),
      { numRuns: 10, endOnFailure: true },
    );
  });
});
