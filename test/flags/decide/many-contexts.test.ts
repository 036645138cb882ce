import assert from 'node:assert/strict';
import { createKnex, createPool, type Knex, type Pool } from '../../../src/platform/db/connection.ts';
import { DECIDE_POOL, factReader } from '../../../src/flags/decide/facts.ts';
import { compileDefinitions } from '../../../src/flags/evaluation/compile.ts';
import type { EvaluationRequest, Facts, Needs } from '../../../src/flags/evaluation/decision.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts';
import { buildCohort } from '../../support/database/flag-rows.ts';
import { buildTenant } from '../../support/api/identity.ts';
import { watchStalls } from '../../support/durations.ts';

const PROJECTS = 3;
const PERSONS = 20;
/** Of a group type that Postgres has no number for. */
const POISON = 99_999;

const PERSON_ONLY: Needs = { person: true, groups: [], staticCohorts: [], hashKeyOverrides: false };

type Asked = { project: ReturnType<typeof projectOf>; request: EvaluationRequest; needs: Needs };
type Tenant = { projectId: number; cohorts: number[] };

function projectOf(projectId: number) {
  const groupTypes = new Map([
    [0, 'company'],
    [1, 'team'],
    [POISON, 'poison'],
  ]);
  const definitions = { flags: [], cohorts: [], groupTypes, timeZone: 'UTC', matchingVersion: 1 } as const;
  return { projectId, definitions, compiled: compileDefinitions(definitions) };
}

function contextOf({ projectId, cohorts }: Tenant, n: number, needs: Partial<Needs> = {}): Asked {
  const request: EvaluationRequest = {
    distinctId: `user-${n % (PERSONS + 2)}`,
    groups: { company: `company-${n % 4}`, team: `team-${n % 2}`, poison: 'x' },
    personProperties: {},
    groupProperties: {},
    runtime: 'unknown',
    contexts: [],
    onlySurveys: false,
    onlyRequestProperties: false,
  };
  const groups = [[], [0], [1, 0]][n % 3]!;
  const staticCohorts = n % 3 === 1 ? cohorts : [];
  return {
    project: projectOf(projectId),
    request,
    needs: { person: true, groups, staticCohorts, hashKeyOverrides: n % 5 < 2, ...needs },
  };
}

/** The stored properties and cohorts of a person who asks, as `buildStored` made them. */
function known({ projectId, cohorts }: Tenant, n: number): object {
  const person = n % (PERSONS + 2);
  const isStored = person < PERSONS;
  const { needs } = contextOf({ projectId, cohorts }, n);
  const ofGroup = (index: number) => ({ of: projectId, group: index === 0 ? `company${n % 4}` : `team${n % 2}` });
  const stored = needs.groups.filter((index) => index === 1 || n % 4 < 2);
  return {
    person: isStored ? { of: projectId, n: person } : null,
    groups: new Map(stored.map((index) => [index, ofGroup(index)])),
    memberships: new Set(needs.staticCohorts.filter((_, place) => isStored && person % (place + 2) === 0)),
    hashKeyOverrides: new Map(isStored && needs.hashKeyOverrides ? [['kept', `${projectId} ${person}`]] : []),
  };
}

function withPlainPerson({ person, ...facts }: Facts): unknown {
  return { ...facts, person: person === null || person === 'unavailable' ? person : person.properties };
}

describe('many who ask at once', () => {
  let database: TestDatabase;
  let db: Knex;
  let pool: Pool;
  let statements: number;
  let tenants: Tenant[];

  before(async () => {
    database = await createTestDatabase();
    db = createKnex({ url: database.url, applicationName: 'test' });
    pool = createPool({ url: database.url, ...DECIDE_POOL });
    pool.on('acquire', () => (statements += 1));
    tenants = [];
    for (let n = 0; n < PROJECTS; n++) tenants.push(await buildStored());
  });
  after(async () => {
    await Promise.all([db.destroy(), pool.end()]);
    await database.drop();
  });
  beforeEach(() => {
    statements = 0;
  });

  /** The same distinct ids and keys of groups in each project; what is stored of them says whose it is. */
  async function buildStored(): Promise<Tenant> {
    const { projectId } = await buildTenant(db);
    const cohorts = [await buildCohort(db, projectId), await buildCohort(db, projectId)];
    const given = { projectId, cohorts, persons: PERSONS };
    await db.raw(
      `insert into persons (project_id, id, properties, is_identified, created_at)
         select :projectId, gen_random_uuid(), jsonb_build_object('of', :projectId::int, 'n', n), true, now()
         from generate_series(0, :persons - 1) as n`,
      given,
    );
    await db.raw(
      `insert into person_distinct_ids (project_id, distinct_id, person_id, version, interval_time)
         select project_id, 'user-' || (properties ->> 'n'), id, 1, now() from persons where project_id = :projectId`,
      given,
    );
    await db.raw(
      `insert into groups (project_id, group_type_index, group_key, properties, created_at, version)
         select :projectId, index, name || '-' || n, jsonb_build_object('of', :projectId::int, 'group', name || n), now(), 1
         from (values (0, 'company'), (1, 'team')) as type (index, name), generate_series(0, 1) as n`,
      given,
    );
    await db.raw(
      `insert into cohort_members (project_id, cohort_id, person_id)
         select project_id, cohort, id from persons, unnest(:cohorts::int[]) with ordinality as one (cohort, place)
         where project_id = :projectId and (properties ->> 'n')::int % (place + 1) = 0`,
      given,
    );
    await db.raw(
      `insert into feature_flag_hash_key_overrides (project_id, person_id, feature_flag_key, hash_key)
         select project_id, id, 'kept', project_id || ' ' || (properties ->> 'n') from persons where project_id = :projectId`,
      given,
    );
    return { projectId, cohorts };
  }

  const everyone = (count: number) => Array.from({ length: count }, (_, n) => contextOf(tenants[n % PROJECTS]!, n));

  it('get what is known of each, in few statements', async () => {
    const readFacts = factReader(pool);
    const all = everyone(132);
    const answers = await Promise.all(all.map(({ project, request, needs }) => readFacts(project, request, needs)));
    assert.deepEqual(
      answers.map(withPlainPerson),
      all.map((_, n) => known(tenants[n % PROJECTS]!, n)),
    );
    assert.ok(statements < 5, `${statements} statements`);
  });

  it('get their persons where no more is needed', async () => {
    const readFacts = factReader(pool);
    const all = Array.from({ length: 132 }, (_, n) => contextOf(tenants[n % PROJECTS]!, n, PERSON_ONLY));
    const answers = await Promise.all(all.map(({ project, request, needs }) => readFacts(project, request, needs)));
    const nothing = { groups: new Map(), memberships: new Set(), hashKeyOverrides: new Map() };
    assert.deepEqual(
      answers.map(withPlainPerson),
      all.map((_, n) => Object.assign(known(tenants[n % PROJECTS]!, n), nothing)),
    );
  });

  it('all get their answers but the one that Postgres refuses, wherever that one is among them', async () => {
    const readFacts = factReader(pool);
    for (const poisoned of [0, 7, 14, 39]) {
      const all = everyone(40);
      all[poisoned] = contextOf(tenants[0]!, 1, { groups: [POISON] });
      const answers = await Promise.all(all.map(({ project, request, needs }) => readFacts(project, request, needs)));
      assert.equal(answers[poisoned]!.person, 'unavailable');
      assert.deepEqual(
        answers.map(withPlainPerson).toSpliced(poisoned, 1),
        all.map((_, n) => known(tenants[n % PROJECTS]!, n)).toSpliced(poisoned, 1),
      );
    }
  });

  it('leave connections to other projects, also while all that they write has to wait', async () => {
    const readFacts = factReader(pool);
    const read = ({ project, request, needs }: Asked, more: Partial<EvaluationRequest> = {}) =>
      readFacts(project, { ...request, ...more }, needs);
    await db.transaction(async (transaction) => {
      await transaction.raw('lock table feature_flag_hash_key_overrides in exclusive mode');
      const writing = Array.from({ length: 20 }, (_, n) => {
        return read(contextOf(tenants[0]!, n, { hashKeyOverrides: true }), { anonDistinctId: `anonymous-${n}` });
      });
      assert.deepEqual(withPlainPerson(await read(contextOf(tenants[1]!, 5))), known(tenants[1]!, 5));
      assert.ok((await Promise.all(writing)).every(({ person }) => person === 'unavailable'));
    });
  });

  it('all get their answers but the one that takes too long, in time', async () => {
    await db.raw(`
      alter table persons rename to stored_persons;
      create function read_slowly(properties jsonb) returns jsonb language plpgsql volatile as
        'begin perform pg_sleep(5); return properties; end';
      create view persons as select project_id, id, created_at,
        case when properties @> '{"n": 3}' then read_slowly(properties) else properties end as properties
        from stored_persons`);
    try {
      const readFacts = factReader(pool);
      const longestStall = watchStalls();
      const startedMs = performance.now();
      const all = Array.from({ length: 30 }, (_, n) => contextOf(tenants[1]!, n % PERSONS));
      const answers = await Promise.all(all.map(({ project, request, needs }) => readFacts(project, request, needs)));
      assert.ok(performance.now() - startedMs < 2_200 + 2 * longestStall());
      const late = answers.flatMap((facts, n) => (facts.person === 'unavailable' ? [n] : []));
      assert.deepEqual(late, [3, 23]);
      for (const [n, facts] of answers.entries()) {
        if (!late.includes(n)) assert.deepEqual(withPlainPerson(facts), known(tenants[1]!, n % PERSONS));
      }
    } finally {
      await db.raw('drop view persons; drop function read_slowly; alter table stored_persons rename to persons');
    }
  });
});
