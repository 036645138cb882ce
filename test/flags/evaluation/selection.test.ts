/** Which flags a request gets, and what has to be fetched to decide them. */
import assert from 'node:assert/strict';
import { compileDefinitions } from '../../../src/flags/evaluation/compile.ts';
import type { EvaluationRequest, Needs } from '../../../src/flags/evaluation/decision.ts';
import type { Definitions, FlagDefinition } from '../../../src/flags/evaluation/definitions.ts';
import type { Json } from '../../../src/conditions/operators/json-values.ts';
import {
  buildCohort,
  buildDefinitions,
  buildFacts,
  buildFlag,
  buildRequest,
  buildStaticCohort,
  evaluate,
} from '../../support/flags/flags.ts';

const hasContinuity = (flag: Partial<FlagDefinition>) =>
  compileDefinitions(buildDefinitions({ flags: [buildFlag(flag)] })).hasContinuity;

const having = (...properties: Json[]): Json => ({ groups: [{ properties }] });

describe('a request', () => {
  const flags = [
    buildFlag({ key: 'plain' }),
    buildFlag({ key: 'inactive', active: false }),
    buildFlag({ key: 'client', evaluationRuntime: 'client' }),
    buildFlag({ key: 'server', evaluationRuntime: 'server' }),
    buildFlag({ key: 'shop', evaluationContexts: ['shop', 'web'] }),
    buildFlag({ key: 'survey-targeting-1' }),
  ];
  const keysFor = (request: Partial<EvaluationRequest>) => evaluate({ flags }, request).decisions.map(({ key }) => key);
  const cases: [rule: string, request: Partial<EvaluationRequest>, expected: string[]][] = [
    [
      'of any runtime gets all that are active',
      { runtime: 'all' },
      ['plain', 'client', 'server', 'shop', 'survey-targeting-1'],
    ],
    ['of a client gets those for clients', { runtime: 'client' }, ['plain', 'client', 'shop', 'survey-targeting-1']],
    ['of a server gets those for servers', { runtime: 'server' }, ['plain', 'server', 'shop', 'survey-targeting-1']],
    ['of nobody knows what gets those for all', { runtime: 'unknown' }, ['plain', 'shop', 'survey-targeting-1']],
    [
      'with a context of a flag gets it',
      { runtime: 'unknown', contexts: ['blog', 'web'] },
      ['plain', 'shop', 'survey-targeting-1'],
    ],
    ['with others does not', { runtime: 'unknown', contexts: ['blog'] }, ['plain', 'survey-targeting-1']],
    ['tells contexts apart by case', { runtime: 'unknown', contexts: ['Shop'] }, ['plain', 'survey-targeting-1']],
    ['may be for surveys only', { onlySurveys: true }, ['survey-targeting-1']],
    ['may name flags, and gets them in their order', { flagKeys: new Set(['shop', 'plain']) }, ['plain', 'shop']],
    ['gets none that there is not', { flagKeys: new Set(['constructor', 'nothing']) }, []],
    [
      'gets none that is not for it',
      { runtime: 'server', flagKeys: new Set(['client', 'inactive', 'server']) },
      ['server'],
    ],
    ['may name none', { flagKeys: new Set() }, []],
  ];
  for (const [rule, request, expected] of cases) {
    it(rule, () => assert.deepEqual(keysFor(request), expected));
  }

  it('is distinguished from others with contexts like its own', () => {
    const compiled = compileDefinitions(buildDefinitions({ flags }));
    const count = (contexts: string[]) =>
      compiled.evaluate(buildRequest({ contexts }), buildFacts(), { now: 0, budgetMs: 1000 }).decisions.length;
    assert.deepEqual([count(['blog shop']), count(['blog', 'shop']), count(['blog shop'])], [4, 5, 4]);
  });
});

describe('the data to fetch', () => {
  const NOTHING: Needs = { person: false, groups: [], staticCohorts: [], hashKeyOverrides: false };
  const PERSON = { ...NOTHING, person: true };
  const GROUP_TYPES = new Map([
    [0, 'company'],
    [1, 'project'],
  ]);
  const plan = { type: 'person', key: 'plan', value: 'pro' };
  const tier = { type: 'group', group_type_index: 0, key: 'tier', value: 'gold' };

  function needsOf(
    flag: Partial<FlagDefinition>,
    request: Partial<EvaluationRequest> = {},
    more: Partial<Definitions> = {},
  ): Needs {
    const definitions = buildDefinitions({ flags: [buildFlag(flag)], groupTypes: GROUP_TYPES, ...more });
    return compileDefinitions(definitions).needs(buildRequest(request));
  }

  const rollout: Json = { groups: [{ rollout_percentage: 50 }] };
  const initial = having({ type: 'person', key: '$initial_browser', value: 'x' });
  const city = having({ type: 'person', key: '$geoip_city_name', value: 'x' });
  const continuous = { ensureExperienceContinuity: true };
  const acme = { groups: { company: 'acme' } };
  const cases: [rule: string, flag: Partial<FlagDefinition>, request: Partial<EvaluationRequest>, expected: Needs][] = [
    ['nothing for a rollout', { filters: rollout }, {}, NOTHING],
    ['the person for a property', { filters: having(plan) }, {}, PERSON],
    ['nothing when the request says it', { filters: having(plan) }, { personProperties: { plan: null } }, NOTHING],
    ['nothing for the distinct id', { filters: having({ ...plan, key: 'distinct_id' }) }, {}, NOTHING],
    ['nothing for what the address says', { filters: city }, { geoProperties: { $geoip_city_name: 'Brno' } }, NOTHING],
    [
      'the person for an initial value, which counts before that of now',
      { filters: initial },
      { personProperties: { $browser: 'x' } },
      PERSON,
    ],
    [
      'nothing for one that the request says',
      { filters: initial },
      { personProperties: { $initial_browser: 'x' } },
      NOTHING,
    ],
    [
      'the person for itself',
      { filters: having({ type: 'person_metadata', key: 'created_at', value: '-1d', operator: 'is_date_after' }) },
      { personProperties: { created_at: 'x' } },
      PERSON,
    ],
    ['the person for enrollment', { key: 'f', filters: { feature_enrollment: true } }, {}, PERSON],
    [
      'nothing when that is said',
      { key: 'f', filters: { feature_enrollment: true } },
      { personProperties: { '$feature_enrollment/f': true } },
      NOTHING,
    ],
    ['the group for its property', { filters: having(tier) }, acme, { ...NOTHING, groups: [0] }],
    [
      'nothing of a group that the request does not name',
      { filters: having(tier) },
      { groups: { project: 'x' } },
      NOTHING,
    ],
    [
      'nothing of one whose property it says',
      { filters: having(tier) },
      { ...acme, groupProperties: { company: { tier: 'x' } } },
      NOTHING,
    ],
    ['nothing for its key', { filters: having({ ...tier, key: '$group_key' }) }, acme, NOTHING],
    [
      'lists that the person may be in',
      { filters: having({ type: 'cohort', value: 9 }) },
      {},
      { ...PERSON, staticCohorts: [9] },
    ],
    [
      'also through cohorts',
      { filters: having({ type: 'cohort', value: 2 }) },
      { personProperties: { plan: 'x' } },
      { ...PERSON, staticCohorts: [9] },
    ],
    [
      'nothing for a cohort whose properties are said',
      { filters: having({ type: 'cohort', value: 1 }) },
      { personProperties: { plan: 'x' } },
      NOTHING,
    ],
    ['what the person was placed by', { filters: rollout, ...continuous }, {}, { ...PERSON, hashKeyOverrides: true }],
    ['not when nobody is placed', { filters: { groups: [{}] }, ...continuous }, {}, NOTHING],
    [
      'unless there is an id to be kept',
      { filters: { groups: [{}] }, ...continuous },
      { anonDistinctId: 'anon-1' },
      { ...PERSON, hashKeyOverrides: true },
    ],
    [
      'nothing of a flag that is not asked for',
      { key: 'f', filters: having(plan) },
      { flagKeys: new Set(['g']) },
      NOTHING,
    ],
    ['nothing of a flag that is inactive', { filters: having(plan), active: false }, {}, NOTHING],
    [
      'nothing when nothing stored counts',
      { filters: having(plan, tier), ...continuous },
      { ...acme, onlyRequestProperties: true },
      NOTHING,
    ],
  ];
  const cohorts = [
    buildCohort(1, { type: 'AND', values: [plan] }),
    buildCohort(2, {
      type: 'AND',
      values: [
        { type: 'cohort', value: 1 },
        { type: 'cohort', value: 9 },
      ],
    }),
    buildStaticCohort(9),
  ];
  for (const [rule, flag, request, expected] of cases) {
    it(rule, () => assert.deepEqual(needsOf(flag, request, { cohorts }), expected));
  }

  it('is what the flags need that a flag depends on', () => {
    const dependent = having({ type: 'flag', key: '1', value: true, operator: 'flag_evaluates_to' });
    const flags = [
      buildFlag({ id: 1, key: 'base', filters: having(plan) }),
      buildFlag({ id: 2, key: 'top', filters: dependent }),
    ];
    assert.deepEqual(needsOf({}, { flagKeys: new Set(['top']) }, { flags }), PERSON);
  });

  it('includes whether any flag keeps what a person got before', () => {
    assert.ok(hasContinuity(continuous));
    assert.ok(!hasContinuity({ ...continuous, active: false }));
    assert.ok(!hasContinuity({ ...continuous, bucketingIdentifier: 'device_id' }));
    assert.ok(!hasContinuity({ ...continuous, filters: { groups: [{}], aggregation_group_type_index: 0 } }));
    assert.ok(!hasContinuity({}));
  });
});
