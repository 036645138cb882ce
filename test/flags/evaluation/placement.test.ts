/** By what a person is placed, who is held out, and who chose for themselves. Of `flag`, Ida falls at 0.047, Hal at 0.997, device-2 at 0.18, device-1 at 0.929, anon-3 at 0.216. */
import assert from 'node:assert/strict';
import type { EvaluationRequest } from '../../../src/flags/evaluation/decision.ts';
import type { FlagDefinition } from '../../../src/flags/evaluation/definitions.ts';
import type { Json, Properties } from '../../../src/conditions/operators/json-values.ts';
import { reasonOf } from '../../../src/flags/ofrep/reasons.ts';
import { buildFacts, buildFlag, decide, evaluate, valueOf } from '../../support/flags/flags.ts';

const HALF = { groups: [{ rollout_percentage: 50 }] };

function isOnFor(
  flag: Partial<FlagDefinition>,
  request: Partial<EvaluationRequest>,
  overrides: [string, string][] = [],
): boolean {
  const facts = buildFacts({}, { hashKeyOverrides: new Map(overrides) });
  const definition = buildFlag({ key: 'flag', filters: HALF, ensureExperienceContinuity: true, ...flag });
  return decide(definition, { distinctId: 'hal', ...request }, facts).enabled;
}

function byDevice(request: Partial<EvaluationRequest>, filters: Json = HALF) {
  const flag = buildFlag({ key: 'flag', filters, bucketingIdentifier: 'device_id' });
  return decide(flag, { distinctId: 'ida', ...request }, buildFacts(), { groupTypes: new Map([[0, 'company']]) });
}

describe('experience continuity', () => {
  const cases: [
    rule: string,
    flag: Partial<FlagDefinition>,
    request: Partial<EvaluationRequest>,
    overrides: [string, string][],
    expected: boolean,
  ][] = [
    ['places by what was stored for the flag', {}, {}, [['flag', 'ida']], true],
    ['not for another flag', {}, {}, [['other', 'ida']], false],
    ['else by the id from before', {}, { anonDistinctId: 'anon-3' }, [], true],
    ['what was stored is first', {}, { anonDistinctId: 'anon-3' }, [['flag', 'hal']], false],
    ['else by the distinct id', {}, {}, [], false],
    ['an empty id from before is none', {}, { anonDistinctId: '' }, [], false],
    [
      'is for flags that ask for it',
      { ensureExperienceContinuity: false },
      { anonDistinctId: 'anon-3' },
      [['flag', 'ida']],
      false,
    ],
    [
      'not for flags by device',
      { bucketingIdentifier: 'device_id' },
      { deviceId: 'device-1' },
      [['flag', 'ida']],
      false,
    ],
  ];
  for (const [rule, flag, request, overrides, expected] of cases) {
    it(rule, () => assert.equal(isOnFor(flag, request, overrides), expected));
  }
});

describe('flags by device', () => {
  it('place the device, for every person who uses it', () => {
    assert.ok(byDevice({ deviceId: 'device-2', distinctId: 'hal' }).enabled);
    assert.ok(!byDevice({ deviceId: 'device-1' }).enabled);
  });
  it('do so also when the device is sent among the properties', () => {
    assert.ok(byDevice({ personProperties: { $device_id: 'device-2' } }).enabled);
  });
  it('are off without a device, and early exit does not count', () => {
    for (const deviceId of [undefined, '']) {
      const { enabled, reason } = byDevice({ deviceId }, { groups: [{}, {}], early_exit: true });
      assert.deepEqual([enabled, reason.code, reason.conditionIndex], [false, 'out_of_rollout_bound', 1]);
    }
  });
  it('say that the device is missing, under the code of upstream, and OpenFeature hears nothing of a split', () => {
    const missing = byDevice({});
    assert.equal(
      missing.reason.description,
      'Condition set skipped (the flag is bucketed by device and no $device_id was provided)',
    );
    assert.equal(reasonOf(missing, buildFlag({ key: 'flag', bucketingIdentifier: 'device_id' })), 'TARGETING_MATCH');
    const out = byDevice({ deviceId: 'device-1' });
    assert.equal(out.reason.description, 'Out of rollout bound');
    assert.equal(reasonOf(out, buildFlag({ key: 'flag', bucketingIdentifier: 'device_id' })), 'SPLIT');
  });
  it('name the last of the sets that missed, as upstream', () => {
    const outOfGroups = { aggregation_group_type_index: 0, rollout_percentage: 0 };
    const request = { groups: { company: 'acme' } };
    for (const [groups, index, description] of [
      [[{}, outOfGroups], 1, /^Out of rollout bound$/],
      [[outOfGroups, {}], 1, /no \$device_id was provided/],
    ] as const) {
      const { reason } = byDevice(request, { groups: [...groups] });
      assert.equal(reason.conditionIndex, index);
      assert.match(reason.description, description);
    }
  });
  it('still are on for groups', () => {
    const filters = { groups: [{}, { aggregation_group_type_index: 0 }] };
    assert.ok(byDevice({ groups: { company: 'acme' } }, filters).enabled);
  });
});

describe('holdouts', () => {
  // Of all holdouts, Kim falls at 0.014, Ida at 0.358, the empty id at 0.927, anon-3 at 0.759.
  const AB = { variants: [{ key: 'a', rollout_percentage: 100 }] };
  const cases: [
    rule: string,
    holdout: { [key: string]: Json },
    request: Partial<EvaluationRequest>,
    expected: boolean | string,
  ][] = [
    ['hold out who is within', { holdout: { id: 7, exclusion_percentage: 2 } }, { distinctId: 'kim' }, 'holdout-7'],
    ['not the others', { holdout: { id: 7, exclusion_percentage: 2 } }, { distinctId: 'ida' }, 'a'],
    ['at 100 everyone', { holdout: { id: 7, exclusion_percentage: 100 } }, { distinctId: 'hal' }, 'holdout-7'],
    ['at more, too', { holdout: { id: 7, exclusion_percentage: 250 } }, { distinctId: 'hal' }, 'holdout-7'],
    ['at less than nothing nobody', { holdout: { id: 7, exclusion_percentage: -5 } }, { distinctId: 'kim' }, 'a'],
    ['without a percentage nobody', { holdout: { id: 7 } }, { distinctId: 'kim' }, 'a'],
    ['without an id nobody', { holdout: { id: null, exclusion_percentage: 100 } }, { distinctId: 'kim' }, 'a'],
    ['null is none', { holdout: null }, { distinctId: 'kim' }, 'a'],
    ['place the empty id by its hash', { holdout: { id: 7, exclusion_percentage: 92 } }, { distinctId: '' }, 'a'],
    [
      'in their older form',
      { holdout_groups: [{ properties: [], rollout_percentage: 2, variant: 'holdout-3' }] },
      { distinctId: 'kim' },
      'holdout-3',
    ],
    [
      'which has a percentage, too',
      { holdout_groups: [{ rollout_percentage: 2, variant: 'holdout-3' }] },
      { distinctId: 'ida' },
      'a',
    ],
  ];
  for (const [rule, filters, request, expected] of cases) {
    it(rule, () => {
      const flag = buildFlag({ key: 'flag', filters: { groups: [{}], multivariate: AB, ...filters } });
      assert.equal(valueOf(decide(flag, request)), expected);
    });
  }

  it('take the id from before as the request says it, not as it is stored', () => {
    const filters = { groups: [{}], holdout: { id: 1, exclusion_percentage: 50 } };
    const flag = buildFlag({ key: 'flag', filters, ensureExperienceContinuity: true });
    const facts = buildFacts({}, { hashKeyOverrides: new Map([['flag', 'kim']]) });
    assert.ok(!decide(flag, { distinctId: 'ida', anonDistinctId: 'anon-3' }, facts).variant);
    assert.equal(decide(flag, { distinctId: 'ida' }, facts).variant, 'holdout-1');
    assert.equal(decide(flag, { distinctId: 'hal' }, facts).variant, null);
  });

  it('are the same people in every flag', () => {
    const filters = { groups: [{}], holdout: { id: 1, exclusion_percentage: 50 } };
    const flags = ['one', 'two', 'three'].map((key) => buildFlag({ key, filters }));
    const found = ['ida', 'hal', 'kim', 'pam'].map((distinctId) =>
      evaluate({ flags }, { distinctId }).decisions.map(valueOf),
    );
    for (const values of found) assert.equal(new Set(values).size, 1);
  });
});

describe('early access', () => {
  const ENROLLED = '$feature_enrollment/flag';
  const legacy = (fields: { [key: string]: Json } = {}) => ({
    super_groups: [
      {
        properties: [{ key: ENROLLED, type: 'person', operator: 'exact', value: ['true'] }],
        rollout_percentage: 100,
        ...fields,
      },
    ],
  });
  const cases: [
    rule: string,
    filters: { [key: string]: Json },
    properties: Properties,
    expected: boolean,
    code: string,
  ][] = [
    ['who chose it has it', { feature_enrollment: true }, { [ENROLLED]: true }, true, 'super_condition_value'],
    ['in words, too', { feature_enrollment: true }, { [ENROLLED]: 'true' }, true, 'super_condition_value'],
    ['in these words', { feature_enrollment: true }, { [ENROLLED]: 'True' }, false, 'super_condition_value'],
    ['who chose not to has not', { feature_enrollment: true }, { [ENROLLED]: false }, false, 'super_condition_value'],
    ['null is a choice', { feature_enrollment: true }, { [ENROLLED]: null }, false, 'super_condition_value'],
    ['who did not choose is as all others', { feature_enrollment: true }, {}, true, 'condition_match'],
    [
      'of another flag is no choice',
      { feature_enrollment: true },
      { '$feature_enrollment/other': false },
      true,
      'condition_match',
    ],
    [
      'without enrollment there is no choice',
      { feature_enrollment: false },
      { [ENROLLED]: false },
      true,
      'condition_match',
    ],
    ['in its older form', legacy(), { [ENROLLED]: 'true' }, true, 'super_condition_value'],
    ['which says no, too', legacy(), { [ENROLLED]: false }, false, 'super_condition_value'],
    ['and nothing to others', legacy(), {}, true, 'condition_match'],
    ['and has a rollout', legacy({ rollout_percentage: 4 }), { [ENROLLED]: true }, false, 'super_condition_value'],
    ['without filters it says nothing', legacy({ properties: [] }), { [ENROLLED]: true }, true, 'condition_match'],
    [
      'the newer form wins',
      { ...legacy(), feature_enrollment: true },
      { [ENROLLED]: 'TRUE' },
      false,
      'super_condition_value',
    ],
    [
      'a choice is before a holdout',
      { feature_enrollment: true, holdout: { id: 1, exclusion_percentage: 100 } },
      { [ENROLLED]: true },
      true,
      'super_condition_value',
    ],
    [
      'it is the person’s, also of flags about groups',
      { feature_enrollment: true, aggregation_group_type_index: 0 },
      { [ENROLLED]: true },
      true,
      'super_condition_value',
    ],
  ];
  for (const [rule, filters, personProperties, expected, code] of cases) {
    it(rule, () => {
      const flag = buildFlag({ key: 'flag', filters: { groups: [{}], payloads: { true: '1' }, ...filters } });
      const { enabled, variant, reason, payload } = decide(flag, { distinctId: 'ida', personProperties });
      assert.deepEqual([enabled, variant, reason.code, payload], [expected, null, code, expected ? '1' : null]);
      assert.equal(reason.conditionIndex, 0);
    });
  }
});
