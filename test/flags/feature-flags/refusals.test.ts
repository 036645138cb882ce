/** Refusals of flags: every rule, for callers and for definitions, with the field that it names. */
import assert from 'node:assert/strict';
import { featureFlagsApiRoutes } from '../../../src/flags/feature-flags/room.ts';
import { buildCohort, buildFlag } from '../../support/database/flag-rows.ts';
import {
  filtersOnFlags,
  filtersWith,
  startFlagsApi,
  type Body,
  type Flag,
  type FlagsApi,
  type Refusal,
} from '../../support/api/flags-api.ts';
import { buildPersonalKey, buildProjectSecretKey } from '../../support/api/identity.ts';

const SET = { properties: [], rollout_percentage: 50 };
const AT = 'filters__groups__0__properties__0';
const person = (operator: unknown, value?: unknown): Body => ({ type: 'person', key: 'plan', operator, value });
const split = (...percentages: unknown[]): Body => ({
  variants: percentages.map((rollout_percentage, index) => ({ key: `v${index}`, rollout_percentage })),
});

const shares = (...keys: string[]): Body => ({
  multivariate: { variants: keys.map((key) => ({ key, rollout_percentage: 100 / keys.length })) },
});

/** Filters that hold something misspelt, where, and what is meant. */
const MISSPELT: [Body, string, string][] = [
  [{ ...filtersWith(), multivarate: split(100) }, 'filters__multivarate', 'multivariate'],
  [{ groups: [SET, { rollout_percentge: 50 }] }, 'filters__groups__1__rollout_percentge', 'rollout_percentage'],
  [{ groups: [{ propertes: [] }] }, 'filters__groups__0__propertes', 'properties'],
  [filtersWith({ ...person('exact', 1), negatoin: true }), `${AT}__negatoin`, 'negation'],
  [
    { ...filtersWith(), multivariate: { variant: split(100)['variants'] } },
    'filters__multivariate__variant',
    'variants',
  ],
  [
    { ...filtersWith(), multivariate: { variants: [{ key: 'a', rollout_percentage: 100, naem: 1 }] } },
    'filters__multivariate__variants__0__naem',
    'name',
  ],
  [
    { ...filtersWith(), super_groups: [{ rolloutPercentage: 1 }] },
    'filters__super_groups__0__rolloutPercentage',
    'rollout_percentage',
  ],
];

/** The definition of a new flag, the code and the field of the refusal. */
const REFUSED: [string, Body, string, string][] = [
  ['no key', { key: undefined }, 'required', 'key'],
  ['an empty key', { key: '' }, 'blank', 'key'],
  ['a key with a space', { key: 'a b' }, 'invalid_key', 'key'],
  ['a key with a slash', { key: 'a/b' }, 'invalid_key', 'key'],
  ['a key with a line break', { key: 'ab\n' }, 'invalid_key', 'key'],
  ['a key of 401 characters', { key: 'k'.repeat(401) }, 'max_length', 'key'],
  ['a key that is taken', { key: 'taken' }, 'unique', 'key'],
  ['a number for a key', { key: 7 }, 'invalid_input', 'key'],
  ['a runtime that is none', { evaluation_runtime: 'edge' }, 'invalid_choice', 'evaluation_runtime'],
  ['an identifier that is none', { bucketing_identifier: 'email' }, 'invalid_choice', 'bucketing_identifier'],
  ['tags that are no list', { tags: 'a' }, 'not_a_list', 'tags'],
  ['a text for active', { active: 'yes' }, 'invalid_input', 'active'],
  ['a percentage beside the condition sets', { rollout_percentage: 50 }, 'invalid_input', 'rollout_percentage'],

  ['filters that are a list', { filters: [] }, 'invalid_input', 'filters__non_field_errors'],
  ['no condition sets', { filters: {} }, 'invalid_input', 'filters__groups'],
  ['an empty list of condition sets', { filters: { groups: [] } }, 'invalid_input', 'filters__groups'],
  ['condition sets that are an object', { filters: { groups: {} } }, 'not_a_list', 'filters__groups'],
  [
    'a text for a condition set',
    { filters: { groups: ['all'] } },
    'invalid_input',
    'filters__groups__0__non_field_errors',
  ],
  ...MISSPELT.map(([filters, attr]): [string, Body, string, string] => [
    `a misspelt ${attr.split('__').at(-1)} at ${attr}`,
    { filters },
    'invalid_input',
    attr,
  ]),
  ...[-1, 100.1, '50', true].map((percentage): [string, Body, string, string] => [
    `a rollout of ${JSON.stringify(percentage)}`,
    { filters: { groups: [SET, { rollout_percentage: percentage }] } },
    typeof percentage === 'number' ? (percentage < 0 ? 'min_value' : 'max_value') : 'invalid_input',
    'filters__groups__1__rollout_percentage',
  ]),
  [
    'conditions that are no list',
    { filters: { groups: [{ properties: 'x' }] } },
    'not_a_list',
    'filters__groups__0__properties',
  ],
  [
    'a sixth group type',
    { filters: { ...filtersWith(), aggregation_group_type_index: 5 } },
    'max_value',
    'filters__aggregation_group_type_index',
  ],
  [
    'early exit by a text',
    { filters: { ...filtersWith(), early_exit: 'yes' } },
    'invalid_input',
    'filters__early_exit',
  ],
  [
    'enrollment by a text',
    { filters: { ...filtersWith(), feature_enrollment: 'yes' } },
    'invalid_input',
    'filters__feature_enrollment',
  ],
  [
    'enrollment of groups',
    { filters: { ...filtersWith(), super_groups: filtersWith({ type: 'group', key: 'a', value: 'b' })['groups'] } },
    'invalid_input',
    'filters__super_groups__0__properties__0__type',
  ],
  [
    'a holdout without a percentage',
    { filters: { ...filtersWith(), holdout: { id: 1 } } },
    'required',
    'filters__holdout__exclusion_percentage',
  ],
  [
    'a holdout of more than all',
    { filters: { ...filtersWith(), holdout: { id: 1, exclusion_percentage: 101 } } },
    'max_value',
    'filters__holdout__exclusion_percentage',
  ],

  [
    'variants that sum to 99',
    { filters: { ...filtersWith(), multivariate: split(50, 49) } },
    'invalid_input',
    'filters__multivariate__variants',
  ],
  [
    'variants that sum to 101',
    { filters: { ...filtersWith(), multivariate: split(50, 51) } },
    'invalid_input',
    'filters__multivariate__variants',
  ],
  [
    'a variant of a negative part',
    { filters: { ...filtersWith(), multivariate: split(150, -50) } },
    'max_value',
    'filters__multivariate__variants__0__rollout_percentage',
  ],
  [
    'two variants of one key',
    {
      filters: {
        ...filtersWith(),
        multivariate: {
          variants: [
            { key: 'v', rollout_percentage: 50 },
            { key: 'v', rollout_percentage: 50 },
          ],
        },
      },
    },
    'invalid_input',
    'filters__multivariate__variants__1__key',
  ],
  [
    'a variant without a key',
    { filters: { ...filtersWith(), multivariate: { variants: [{ key: '', rollout_percentage: 100 }] } } },
    'blank',
    'filters__multivariate__variants__0__key',
  ],
  [
    'the variant of a condition set that is none',
    { filters: { groups: [SET, { ...SET, variant: 'v9' }], multivariate: split(100) } },
    'invalid_input',
    'filters__groups__1__variant',
  ],
  [
    'a variant where there are none',
    { filters: { groups: [{ ...SET, variant: 'v0' }] } },
    'invalid_input',
    'filters__groups__0__variant',
  ],

  [
    'payloads that are a list',
    { filters: { ...filtersWith(), payloads: [1] } },
    'invalid_input',
    'filters__payloads__non_field_errors',
  ],
  [
    'a payload that is not JSON',
    { filters: { ...filtersWith(), payloads: { true: '{' } } },
    'invalid_input',
    'filters__payloads__true',
  ],
  [
    'the payload of a variant that is none',
    { filters: { ...filtersWith(), multivariate: split(100), payloads: { v1: '1' } } },
    'invalid_input',
    'filters__payloads__v1',
  ],
  [
    'a payload of true beside variants',
    { filters: { ...filtersWith(), multivariate: split(100), payloads: { true: '1' } } },
    'invalid_input',
    'filters__payloads__true',
  ],
  [
    'a payload of false',
    { filters: { ...filtersWith(), payloads: { false: '1' } } },
    'invalid_input',
    'filters__payloads__false',
  ],
  [
    'encrypted payloads of what is no remote configuration',
    { has_encrypted_payloads: true },
    'invalid_input',
    'has_encrypted_payloads',
  ],
  [
    'a bucket for each device that is kept when a person is identified',
    { bucketing_identifier: 'device_id', ensure_experience_continuity: true },
    'invalid_input',
    'bucketing_identifier',
  ],
  [
    "the version of upstream's next format",
    { filters: { ...filtersWith(), version: 2 } },
    'reserved_config_version',
    'filters__version',
  ],
  [
    'encrypted payloads of variants',
    {
      is_remote_configuration: true,
      has_encrypted_payloads: true,
      filters: { ...filtersWith(), multivariate: split(100) },
    },
    'invalid_input',
    'has_encrypted_payloads',
  ],

  ['a condition without a key', { filters: filtersWith({ type: 'person', value: 1 }) }, 'required', `${AT}__key`],
  [
    'a condition with an empty key',
    { filters: filtersWith({ type: 'person', key: '', value: 1 }) },
    'blank',
    `${AT}__key`,
  ],
  ['a condition without a type', { filters: filtersWith({ key: 'a', value: 1 }) }, 'required', `${AT}__type`],
  [
    'a condition on events',
    { filters: filtersWith({ type: 'event', key: 'a', value: 1 }) },
    'invalid_input',
    `${AT}__type`,
  ],
  [
    'a condition on groups in a flag for persons',
    { filters: filtersWith({ type: 'group', key: 'a', value: 1, group_type_index: 0 }) },
    'invalid_input',
    `${AT}__type`,
  ],
  [
    'a condition on persons in a flag for groups',
    { filters: { ...filtersWith(person('exact', 1)), aggregation_group_type_index: 0 } },
    'invalid_input',
    `${AT}__type`,
  ],
  [
    'a condition on groups of another type',
    {
      filters: {
        ...filtersWith({ type: 'group', key: 'a', value: 1, group_type_index: 1 }),
        aggregation_group_type_index: 0,
      },
    },
    'invalid_input',
    `${AT}__group_type_index`,
  ],
  [
    'a condition set for persons with a condition on groups',
    {
      filters: {
        aggregation_group_type_index: 0,
        groups: [{ aggregation_group_type_index: null, properties: [{ type: 'group', key: 'a', value: 1 }] }],
      },
    },
    'invalid_input',
    `${AT}__type`,
  ],

  ['an operator that is none', { filters: filtersWith(person('like', 'a')) }, 'invalid_operator', `${AT}__operator`],
  ['a person in a plan', { filters: filtersWith(person('in', ['a'])) }, 'invalid_operator', `${AT}__operator`],
  ['no value', { filters: filtersWith(person('exact')) }, 'required', `${AT}__value`],
  ['null for a value', { filters: filtersWith(person('exact', null)) }, 'required', `${AT}__value`],
  [
    '1,001 values',
    { filters: filtersWith(person('exact', Array.from({ length: 1001 }, String))) },
    'invalid_value',
    `${AT}__value`,
  ],
  ...[
    'regex',
    'not_regex',
    'icontains',
    'not_icontains',
    'starts_with',
    'not_starts_with',
    'ends_with',
    'not_ends_with',
    'gt',
    'gte',
    'lt',
    'lte',
    'min',
    'max',
  ].map((operator): [string, Body, string, string] => [
    `a number for ${operator}`,
    { filters: filtersWith(person(operator, 5)) },
    'invalid_value',
    `${AT}__value`,
  ]),
  ['a list for a regex', { filters: filtersWith(person('regex', ['a'])) }, 'invalid_value', `${AT}__value`],
  [
    'a text where a list is wanted',
    { filters: filtersWith(person('icontains_multi', 'a')) },
    'invalid_value',
    `${AT}__value`,
  ],
  ['bounds in the wrong order', { filters: filtersWith(person('between', [2, 1])) }, 'invalid_value', `${AT}__value`],
  ['a date that is none', { filters: filtersWith(person('is_date_before', 'soon')) }, 'invalid_date', `${AT}__value`],
  ['a number for a date', { filters: filtersWith(person('is_date_after', 5)) }, 'invalid_date', `${AT}__value`],
  ['a version that is none', { filters: filtersWith(person('semver_gt', 'x.y')) }, 'invalid_value', `${AT}__value`],
  ['an unbalanced regex', { filters: filtersWith(person('regex', '(a')) }, 'invalid_value', `${AT}__value`],
  [
    'a regex with a trailing backslash',
    { filters: filtersWith(person('regex', 'a\\')) },
    'invalid_value',
    `${AT}__value`,
  ],

  [
    'a cohort that is not there',
    { filters: filtersWith({ type: 'cohort', key: 'id', value: 999_999 }) },
    'cohort_does_not_exist',
    `${AT}__value`,
  ],
  [
    'a cohort by name',
    { filters: filtersWith({ type: 'cohort', key: 'id', value: 'vips' }) },
    'invalid_value',
    `${AT}__value`,
  ],
  [
    'a cohort that is equal',
    { filters: filtersWith({ type: 'cohort', key: 'id', value: 1, operator: 'exact' }) },
    'invalid_operator',
    `${AT}__operator`,
  ],

  [
    'a flag by its key',
    { filters: filtersWith({ type: 'flag', key: 'taken', operator: 'flag_evaluates_to', value: true }) },
    'invalid_input',
    `${AT}__key`,
  ],
  [
    'a flag that is not there',
    { filters: filtersWith({ type: 'flag', key: '999999', operator: 'flag_evaluates_to', value: true }) },
    'invalid_input',
    `${AT}__key`,
  ],
  [
    'a flag that is equal',
    { filters: filtersWith({ type: 'flag', key: '1', operator: 'exact', value: true }) },
    'invalid_operator',
    `${AT}__operator`,
  ],
  [
    'a flag that evaluates to nothing',
    { filters: filtersWith({ type: 'flag', key: '1', operator: 'flag_evaluates_to' }) },
    'invalid_value',
    `${AT}__value`,
  ],
];

describe('refusals of feature flags', () => {
  let api: FlagsApi;
  let taken: Flag;

  before(async () => {
    api = await startFlagsApi();
    taken = await api.create({ key: 'taken' });
  });
  after(() => api.stop());

  const refusal = async (method: string, path: string, body: unknown): Promise<Refusal> => {
    const answer = await api.request(method, path, body);
    assert.equal(answer.status, 400, JSON.stringify(answer.body));
    return answer.body as Refusal;
  };
  describe('to whom', () => {
    for (const { method, path, access } of featureFlagsApiRoutes) {
      it(`${method.toUpperCase()} ${path}`, async () => {
        assert('scope' in access);
        const own = path.replace(':id', String(taken.id)).replace(':key', taken.key);
        const call = async (id: number | string, key: string) =>
          (
            await api.request(method.toUpperCase(), `/api/projects/${id}${own}`, method === 'get' ? undefined : {}, {
              key,
            })
          ).status;
        const { db } = api.sluice;
        const others = [
          'cohort:write',
          access.scope === 'activity_log:read' ? 'feature_flag:write' : 'activity_log:read',
        ];
        assert.equal(await call(api.ours.projectId, ''), 401);
        assert.equal(await call(api.ours.projectId, await buildPersonalKey(db, api.ours, ...others)), 403);
        assert.equal(await call(api.ours.projectId, await buildPersonalKey(db, api.theirs, '*')), 403);
        assert.equal(await call(999_999, api.key), 404);
        const allowed = await call('@current', await buildPersonalKey(db, api.ours, access.scope));
        assert(![401, 403].includes(allowed), String(allowed));
      });
    }

    it('a flag of another project', async () => {
      const id = await buildFlag(api.sluice.db, api.theirs.projectId, {
        key: 'foreign',
        is_remote_configuration: true,
      });
      const paths = ['', 'activity/', 'status/'].map((rest) => ['GET', `${id}/${rest}`] as const);
      for (const [method, path] of [
        ...paths,
        ['PATCH', `${id}/`],
        ['PUT', `${id}/`],
        ['GET', 'foreign/remote_config/'],
      ] as const) {
        const answer = await api.request(method, path, method === 'GET' ? undefined : { key: 'x' });
        assert.equal(answer.status, 404, path);
      }
      assert.equal((await refusal('POST', '', { key: 'n', filters: filtersOnFlags([id]) })).attr, `${AT}__key`);
    });

    it('a key that only reads', async () => {
      const key = await buildProjectSecretKey(api.sluice.db, api.ours, 'feature_flag:read');
      assert.equal((await api.request('POST', '', { key: 'n' }, { key })).status, 403);
      assert.equal((await api.request('PATCH', `${taken.id}/`, {}, { key })).status, 403);
      const { body } = await api.request('GET', `${taken.id}/`, undefined, { key });
      assert.deepEqual([(body as Body)['can_edit'], (body as Body)['user_access_level']], [false, 'editor']);
    });

    it('DELETE: a flag is deleted by a change', async () => {
      const answer = await api.request('DELETE', `${taken.id}/`);
      assert.equal(answer.status, 405);
      assert.match(answer.headers.get('allow') ?? '', /PATCH/);
    });
  });

  for (const [name, fields, code, attr] of REFUSED) {
    it(name, async () => {
      const found = await refusal('POST', '', { key: 'new', ...fields });
      assert.deepEqual([found.type, found.code, found.attr], ['validation_error', code, attr], found.detail);
      // A change is held to the same.
      if (attr === 'rollout_percentage' || (fields['filters'] && attr !== 'filters__groups')) {
        const changed = await refusal('PATCH', `${taken.id}/`, { ...fields, key: 'taken' });
        assert.deepEqual([changed.code, changed.attr], [code, attr]);
      }
    });
  }

  const ADVICE: [string, Body, RegExp][] = [
    ...MISSPELT.map(([filters, , meant]): [string, Body, RegExp] => [
      `what is meant where ${meant} is misspelt`,
      filters,
      new RegExp(`The nearest is \`${meant}\``),
    ]),
    [
      'the operators',
      filtersWith(person('equals', 'a')),
      /^"equals" is not an operator .* are: exact, is_not, is_set, /,
    ],
    [
      'the types in a set about persons',
      filtersWith({ key: 'a', value: 1 }),
      /required.*: person, person_metadata, cohort, flag/,
    ],
    [
      'the type in a set about groups',
      { ...filtersWith({ key: 'a', value: 1 }), aggregation_group_type_index: 0 },
      /required.*: group\.$/,
    ],
    ['how to ask about groups', filtersWith({ type: 'group', key: 'a', value: 1 }), /set aggregation_group_type_index/],
  ];
  for (const [what, filters, advice] of ADVICE) {
    it(`show ${what}`, async () => {
      assert.match((await refusal('POST', '', { key: 'new', filters })).detail, advice);
    });
  }

  const CONSTRUCTS: [string, RegExp][] = [
    ['a(?=b)', /lookahead/i],
    ['(?<!a)b', /lookbehind/i],
    [String.raw`(a)\1`, /back-?reference/i],
  ];
  for (const [pattern, construct] of CONSTRUCTS) {
    it(`names the construct in ${pattern}`, async () => {
      const { code, detail } = await refusal('POST', '', {
        key: 'new',
        filters: filtersWith(person('regex', pattern)),
      });
      assert.equal(code, 'invalid_value');
      assert.match(detail, construct);
    });
  }

  it('cohorts of events, also inside of others', async () => {
    const { db } = api.sluice;
    const project = api.ours.projectId;
    const events = { type: 'behavioral', key: '$pageview', value: 'performed_event' };
    const cohort = (leaf: Body) => buildCohort(db, project, { type: 'OR', values: [{ type: 'AND', values: [leaf] }] });
    const inner = await cohort(events);
    const outer = await cohort({ type: 'cohort', key: 'id', value: inner });
    for (const value of [inner, outer, String(inner)]) {
      const found = await refusal('POST', '', {
        key: 'new',
        filters: filtersWith({ type: 'cohort', key: 'id', value }),
      });
      assert.deepEqual([found.code, found.attr], ['behavioral_cohort_found', `${AT}__value`]);
    }
    const foreign = await buildCohort(db, api.theirs.projectId);
    const found = await refusal('POST', '', {
      key: 'new',
      filters: filtersWith({ type: 'cohort', key: 'id', value: foreign }),
    });
    assert.equal(found.code, 'cohort_does_not_exist');
  });

  it('dependencies that come back, or end at a flag that is disabled', async () => {
    const [a, off] = [await api.create({ key: 'a' }), await api.create({ key: 'off', active: false })];
    const b = await api.create({
      key: 'b',
      filters: { ...filtersOnFlags([a.id]), multivariate: { variants: [{ key: 'test', rollout_percentage: 100 }] } },
    });
    const c = await api.create({ key: 'c', filters: filtersOnFlags([b.id], 'test') });
    const cyclic = await refusal('PATCH', `${a.id}/`, { filters: filtersOnFlags([c.id]) });
    assert.equal(cyclic.detail, 'Circular dependency detected: a → c → b → a');
    assert.match(
      (await refusal('PATCH', `${a.id}/`, { filters: filtersOnFlags([a.id]) })).detail,
      /cannot depend on itself/,
    );
    assert.match(
      (await refusal('POST', '', { key: 'new', filters: filtersOnFlags([off.id]) })).detail,
      /disabled flag 'off'/,
    );
  });

  it('changes that would take a flag away from those that depend on it', async () => {
    const base = await api.create({ key: 'base' });
    const above = await api.create({ key: 'above', filters: filtersOnFlags([base.id]) });
    for (const change of [{ active: false }, { deleted: true }]) {
      const found = await refusal('PATCH', `${base.id}/`, change);
      assert.equal(found.attr, Object.keys(change)[0]);
      assert.match(found.detail, new RegExp(`above \\(ID: ${above.id}\\)`));
    }
    assert.equal((await api.request('PATCH', `${above.id}/`, { active: false })).status, 200);
    assert.equal((await api.request('PATCH', `${base.id}/`, { active: false })).status, 200);
    assert.match((await refusal('PATCH', `${above.id}/`, { active: true })).detail, /disabled flag 'base'/);
    assert.equal((await api.request('PATCH', `${base.id}/`, { deleted: true })).status, 200);
    assert.match((await refusal('PATCH', `${above.id}/`, { active: true })).detail, /non-existent flag/);
    // Changes that do not enable the flag are free.
    assert.equal((await api.request('PATCH', `${above.id}/`, { name: 'x' })).status, 200);
  });

  it('dependencies on variants that are none, and taking those away that are depended on', async () => {
    const [plain, ab] = [await api.create(), await api.create({ filters: { ...filtersWith(), ...shares('a', 'b') } })];
    const at = async (target: Flag, value: unknown) =>
      refusal('POST', '', { key: 'new', filters: filtersOnFlags([target.id], value) });
    const found = await at(ab, 'c');
    assert.deepEqual([found.code, found.attr], ['invalid_value', `${AT}__value`]);
    assert.match(found.detail, /no variant "c"\. It evaluates to true, false, "a", "b"\.$/);
    assert.match((await at(plain, 'on')).detail, /It evaluates to true, false\.$/);
    for (const value of [true, false, 'holdout-1']) await api.create({ filters: filtersOnFlags([ab.id], value) });

    const above = await api.create({ key: 'on-b', filters: filtersOnFlags([ab.id], 'b') });
    for (const filters of [
      { ...filtersWith(), ...shares('a', 'other') },
      { ...filtersWith(), ...shares('a') },
      filtersWith(),
    ]) {
      const refused = await refusal('PATCH', `${ab.id}/`, { filters });
      assert.equal(refused.attr, 'filters__multivariate__variants');
      assert.match(refused.detail, new RegExp(`depend on them: on-b \\(ID: ${above.id}\\)\\. `));
    }
    const uneven = { ...filtersWith(), ...shares('c', 'b') };
    assert.equal((await api.request('PATCH', `${ab.id}/`, { filters: uneven })).status, 200);
    assert.equal((await api.request('PATCH', `${above.id}/`, { active: false })).status, 200);
    assert.equal((await api.request('PATCH', `${ab.id}/`, { filters: filtersWith() })).status, 200);
    assert.equal((await refusal('PATCH', `${above.id}/`, { active: true })).code, 'invalid_value');
  });

  it('questions that are none', async () => {
    const bad: [string, string, unknown, string][] = [
      ['GET', '?order=secret', undefined, 'order'],
      ['GET', '?active=maybe', undefined, 'active'],
      ['GET', '?tags=a', undefined, 'tags'],
      ['GET', 'my_flags/?groups=x', undefined, 'groups'],
      ['GET', 'evaluation_reasons/', undefined, 'distinct_id'],
      ['GET', 'evaluation_reasons/?distinct_id=a&groups=[]', undefined, 'groups'],
      ['POST', 'user_blast_radius/', {}, 'condition'],
      [
        'POST',
        'user_blast_radius/',
        { condition: { properties: [person('gt', 5)] } },
        'condition__properties__0__value',
      ],
      ['POST', 'user_blast_radius/', { condition: {}, group_type_index: 7 }, 'group_type_index'],
    ];
    for (const [method, path, body, attr] of bad) assert.equal((await refusal(method, path, body)).attr, attr, path);
    const project = await buildProjectSecretKey(api.sluice.db, api.ours, '*');
    assert.equal((await api.request('GET', 'my_flags/', undefined, { key: project })).status, 403);
    for (const path of ['999999/', 'x/', '999999/status/', '999999/activity/', 'taken/remote_config/']) {
      assert.equal((await api.request('GET', path)).status, 404, path);
    }
  });
});
