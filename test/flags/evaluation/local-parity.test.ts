/**
 * SDKs that evaluate flags by themselves answer as we do: posthog-node, as it is released, fed with our definitions, on random flags
 * and persons.
 *
 * Not tried is what it is known to do otherwise:
 * - numbers: `gt` and its like compare texts that are no numbers, and take `12 apples` for 12;
 * - dates: numbers are milliseconds to it, and dates with a time but without an offset are in the zone of its process;
 * - versions: it does not look at pre-releases, refuses leading zeros, and takes `1.2.3` as a wildcard for 1.2;
 * - filters in a condition set about a group read the group, whatever they are about, and so do cohorts;
 * - a condition set about the person in a flag about groups reads the group;
 * - an empty distinct id is hashed, and an empty group key is one;
 * - enrollment, older holdouts and `person_metadata` are unknown to it;
 * - a condition set that it cannot tell is passed over when a later one matches. So flags are left out that depend on one that it
 *   cannot tell, and `rare`, which persons may lack, is asked for by operators only that a missing property does not satisfy.
 */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isDeepStrictEqual } from 'node:util';
import { PostHog } from 'posthog-node';
import { feedOf } from '../../../src/flags/definitions/feed.ts';
import type { ProjectFlags } from '../../../src/flags/definitions/project-flags.ts';
import { localEvaluation } from '../../../src/flags/definitions/local-evaluation.ts';
import { referencesIn } from '../../../src/flags/definitions/references.ts';
import type { StoredDefinitions, StoredFlag } from '../../../src/flags/definitions/stored-definitions.ts';
import { compileDefinitions } from '../../../src/flags/evaluation/compile.ts';
import type { Decision } from '../../../src/flags/evaluation/decision.ts';
import type { Json, Properties } from '../../../src/conditions/operators/json-values.ts';
import {
  buildCohort,
  buildDefinitions,
  buildFacts,
  buildFlag,
  buildRequest,
  valueOf,
} from '../../support/flags/flags.ts';

type Filter = { [key: string]: Json };
type Person = { distinctId: string; personProperties: Properties; company: string; companyProperties: Properties };

const SEED = 6;
const ROUNDS = 80;
const FLAGS = 20;
const PERSONS = 10;
const GROUP_TYPES = new Map([[0, 'company']]);

const word = fc.constantFrom(
  'pro',
  'Pro',
  'free',
  'PRO-MAX',
  'true',
  'FALSE',
  'ﬁ',
  'Straße',
  'STRASSE',
  '',
  'null',
  'a.b',
);
const amount = fc.constantFrom<Json>(0, -1, 17, 17.5, 18, '18', '17.9', 1e6);
const version = fc.constantFrom('1.2.3', 'v1.2.4', '1.10.0', '2', '0.2.9', '0.0.1', '1.2');
const day = fc.constantFrom(
  '2023-12-31',
  '2024-01-01',
  '2024-01-01T00:00:00Z',
  '2024-02-29T23:59:59+02:00',
  '2030-05-05',
);
const pattern = fc.constantFrom(
  '^p',
  'o$',
  '[a-c]+',
  '^$',
  '.',
  'pro|free',
  '(',
  '(?=p)',
  'E{1,2}',
  '\\.',
  'PRO-(MAX)?',
  '^[^a]*$',
);
const valueOfWord = fc.oneof(word, fc.array(word, { maxLength: 3 }), fc.boolean());

const having = (key: string, operators: string[], value: fc.Arbitrary<Json>) =>
  fc.record({ key: fc.constant(key), operator: fc.constantFrom(...operators), value });
const TEXT = ['icontains', 'not_icontains', 'starts_with', 'not_starts_with', 'ends_with', 'not_ends_with'];
const SEMVER = ['eq', 'neq', 'gt', 'gte', 'lt', 'lte', 'tilde', 'caret'].map((name) => `semver_${name}`);

const property: fc.Arbitrary<Filter> = fc.oneof(
  having('plan', ['exact', 'is_not'], valueOfWord),
  having('plan', TEXT, word),
  having('plan', ['regex', 'not_regex'], pattern),
  having('plan', ['is_set', 'is_not_set'], fc.constant('is_set')),
  having('note', ['exact', 'is_not', ...TEXT], fc.oneof(word, fc.boolean())),
  having('age', ['gt', 'gte', 'lt', 'lte'], amount),
  having('seen', ['is_date_before', 'is_date_after'], fc.oneof(day, fc.constantFrom('-7d', '3m', '1y'))),
  having('version', SEMVER, version),
  having('version', ['semver_wildcard'], fc.constantFrom('1.*', '1.2.*')),
  having('distinct_id', ['exact', 'regex'], fc.constantFrom('user-1', '^user-1')),
);

const rare = having('rare', ['exact', 'icontains', 'starts_with'], word);

const ofPerson = property.map((filter) => ({ ...filter, type: 'person' }));
const alsoRare = fc.oneof(property, property, property, rare);
const ofPersonOrRare = alsoRare.map((filter) => ({ ...filter, type: 'person' }));
const ofGroup = alsoRare.map((filter) => ({ ...filter, type: 'group', group_type_index: 0 }));

/** The cohorts before it may be in a cohort. */
function cohortGroup(id: number): fc.Arbitrary<Json> {
  const cohort = fc
    .nat({ max: Math.max(id - 2, 0) })
    .map((before): Filter => ({ key: 'id', type: 'cohort', value: before + 1 }));
  const leaf = fc.record({
    filter: id > 1 ? fc.oneof({ weight: 3, arbitrary: ofPerson }, { weight: 1, arbitrary: cohort }) : ofPerson,
    negation: fc.boolean(),
  });
  const type = fc.constantFrom('AND', 'OR');
  const leaves = fc.array(
    leaf.map(({ filter, negation }) => ({ ...filter, negation })),
    { maxLength: 3 },
  );
  const inner = fc.record({ type, values: leaves });
  return fc.record({ type, values: fc.array(inner, { minLength: 1, maxLength: 2 }) });
}

const percentage = fc.constantFrom(0, 10, 33.3, 50, 100, 100, null);
const variants = fc.constantFrom<Json>(
  null,
  {
    variants: [
      { key: 'control', rollout_percentage: 50 },
      { key: 'test', rollout_percentage: 50 },
    ],
  },
  {
    variants: [
      { key: 'a', rollout_percentage: 33.33 },
      { key: 'test', rollout_percentage: 33.33 },
      { key: 'c', rollout_percentage: 33.34 },
    ],
  },
  { variants: [{ key: 'test', rollout_percentage: 20 }] },
);

function conditionSet(filter: fc.Arbitrary<Filter>, fields: { [key: string]: fc.Arbitrary<Json> }): fc.Arbitrary<Json> {
  return fc.record({
    properties: fc.array(filter, { maxLength: 3 }),
    rollout_percentage: percentage,
    variant: fc.constantFrom(null, null, 'test', 'gone'),
    ...fields,
  });
}

/** Flag number `id`, which may depend on those before it. */
function flagFilters(id: number): fc.Arbitrary<Json> {
  const cohort = fc.record({
    key: fc.constant('id'),
    type: fc.constant('cohort'),
    value: fc.integer({ min: 1, max: 4 }),
    operator: fc.constantFrom('in', 'not_in', null),
  });
  const value = fc.constantFrom<Json>(true, false, 'test');
  const flag = fc.record({
    type: fc.constant('flag'),
    key: fc.integer({ min: 1, max: Math.max(id - 1, 1) }).map(String),
    value,
    operator: fc.constant('flag_evaluates_to'),
  });
  const filter = fc.oneof(
    { weight: 6, arbitrary: ofPersonOrRare },
    { weight: 2, arbitrary: cohort },
    { weight: id > 1 ? 1 : 0, arbitrary: flag },
  );
  const aboutPersons = conditionSet(filter, {});
  const mixed = fc.oneof(
    { weight: 3, arbitrary: aboutPersons },
    { weight: 1, arbitrary: conditionSet(ofGroup, { aggregation_group_type_index: fc.constant(0) }) },
  );
  const common = {
    multivariate: variants,
    early_exit: fc.boolean(),
    payloads: fc.constantFrom({}, { true: '{"on":true}', test: '"T"' }),
    holdout: fc.option(fc.record({ id: fc.constant(3), exclusion_percentage: fc.constantFrom(0, 20, 100.5) }), {
      freq: 8,
    }),
  };
  return fc.oneof(
    { weight: 4, arbitrary: fc.record({ groups: fc.array(mixed, { maxLength: 4 }), ...common }) },
    {
      weight: 1,
      arbitrary: fc.record({
        groups: fc.array(conditionSet(ofGroup, {}), { maxLength: 3 }),
        aggregation_group_type_index: fc.constant(0),
        ...common,
      }),
    },
  );
}

const known = {
  plan: fc.oneof(word, fc.boolean(), fc.constant(null)),
  note: fc.oneof(word, fc.boolean(), fc.constant(null)),
  age: fc.oneof(amount, fc.constant(null)),
  seen: day,
  version,
};
const properties = fc.record(
  { ...known, rare: word, $device_id: fc.constantFrom('device-1', 'device-2') },
  { requiredKeys: ['plan', 'note', 'age', 'seen', 'version'] },
);
const person: fc.Arbitrary<Person> = fc.record({
  distinctId: fc.oneof(
    fc.nat({ max: 1000 }).map((number) => `user-${number}`),
    fc.string({ minLength: 1, maxLength: 80, unit: 'grapheme' }),
  ),
  personProperties: properties,
  company: fc.constantFrom('acme', 'umbrella', 'globex'),
  companyProperties: properties,
});

const project = fc
  .record({
    filters: fc.tuple(...Array.from({ length: FLAGS }, (_, index) => flagFilters(index + 1))),
    cohorts: fc.tuple(...[1, 2, 3, 4].map(cohortGroup)),
    active: fc.array(fc.nat({ max: 9 }), { minLength: FLAGS, maxLength: FLAGS }),
    matchingVersion: fc.constantFrom<1 | 2>(1, 2),
  })
  .map(({ filters, cohorts, active, matchingVersion }) => {
    const flags = filters.map((one, index) => ({
      ...buildFlag({
        id: index + 1,
        key: `flag-${index + 1}`,
        filters: one,
        active: active[index] !== 0,
        bucketingIdentifier: active[index] === 1 ? 'device_id' : 'distinct_id',
      }),
      name: '',
      tags: [],
      isRemoteConfiguration: false,
      hasEncryptedPayloads: false,
    }));
    const described = cohorts.map((group, index) => buildCohort(index + 1, group));
    return { ...buildDefinitions({ cohorts: described, groupTypes: GROUP_TYPES, matchingVersion }), flags };
  });

/** Flags that posthog-node can evaluate by itself, for anyone: of the others it may say what it guesses. */
function judge(definitions: StoredDefinitions): StoredFlag[] {
  return definitions.flags.filter((flag) => localEvaluation(flag, definitions).evaluable);
}

/** The cases of a project where posthog-node answers: which person, what it says and what we say. */
async function compareAnswers(client: PostHog, definitions: StoredDefinitions, persons: readonly Person[]) {
  const compiled = compileDefinitions(definitions);
  const { dependencyChainOf } = referencesIn(definitions);
  const judged = judge(definitions);
  const cases: { flag: StoredFlag; person: Person; local: Answer; ours: Answer }[] = [];
  for (const person of persons) {
    const options = requestOf(person);
    const local = await client.getAllFlagsAndPayloads(person.distinctId, {
      ...(options as object),
      onlyEvaluateLocally: true,
    });
    const { decisions } = compiled.evaluate(buildRequest(options), buildFacts(), { now: Date.now(), budgetMs: 60_000 });
    const values = { ...local.featureFlags };
    // Where it does not know a flag, it passes over the condition sets that depend on it.
    const known = judged.filter(({ id }) => dependencyChainOf(id)?.every(({ key }) => values[key] !== undefined));
    for (const flag of known) {
      const payload = local.featureFlagPayloads?.[flag.key];
      const decision = decisions.find(({ key }) => key === flag.key);
      const ours = decision ? answerOf(decision) : { value: false, payload: undefined };
      cases.push({ flag, person, local: { value: values[flag.key]!, payload }, ours });
    }
  }
  return cases;
}

type Answer = { value: boolean | string; payload: unknown };

function answerOf(decision: Decision): Answer {
  return { value: valueOf(decision), payload: decision.payload === null ? undefined : JSON.parse(decision.payload) };
}

function requestOf({ distinctId, personProperties, company, companyProperties }: Person) {
  return { distinctId, personProperties, groups: { company }, groupProperties: { company: companyProperties } };
}

describe('a flag that posthog-node evaluates by itself', () => {
  let server: Server;
  let client: PostHog;
  let feed = Buffer.from('{"flags":[]}');

  before(async () => {
    server = createServer((_request, response) => response.end(feed)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const host = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    client = new PostHog('phc_parity', { host, personalApiKey: 'phx_parity', featureFlagsPollingInterval: 3_600_000 });
  });

  after(async () => {
    await client.shutdown();
    server.close();
  });

  it('is what we say it is, payload included', async function () {
    this.timeout(300_000);
    let compared = 0;
    const persons = fc.array(person, { minLength: PERSONS, maxLength: PERSONS });
    await fc.assert(
      fc.asyncProperty(project, persons, async (definitions, those) => {
        feed = Buffer.from(feedOf({ projectId: 1, definitions } as unknown as ProjectFlags).body);
        await client.reloadFeatureFlags();
        const cases = await compareAnswers(client, definitions, those);
        compared += cases.length;
        const wrong = cases.filter(({ local, ours }) => !isDeepStrictEqual(local, ours));
        assert.deepEqual(wrong, []);
      }),
      { seed: SEED, numRuns: ROUNDS, endOnFailure: true },
    );
    assert.ok(compared > 10_000, `${compared} compared`);
  });
});
