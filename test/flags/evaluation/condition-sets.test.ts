/** Condition sets: rollout, variants, payloads, reasons. Ida falls at 0.047 of `flag` and 0.086 of its variants, Hal at 0.997 and 0.052, Kim at 0.086 and 0.936. */
import assert from 'node:assert/strict';
import { compileDefinitions } from '../../../src/flags/evaluation/compile.ts';
import type { EvaluationRequest } from '../../../src/flags/evaluation/decision.ts';
import type { Json } from '../../../src/conditions/operators/json-values.ts';
import {
  buildDefinitions,
  buildFacts,
  buildFlag,
  buildRequest,
  decide,
  evaluate,
  NOW,
  valueOf,
} from '../../support/flags/flags.ts';

const person = (key: string, value: Json, operator = 'exact') => ({ type: 'person', key, value, operator });
const PRO = person('plan', 'pro');
const FREE = person('plan', 'free');
const AB = {
  variants: [
    { key: 'a', rollout_percentage: 50 },
    { key: 'b', rollout_percentage: 50 },
  ],
};

function decisionOf(filters: Json, distinctId = 'ida') {
  return decide(buildFlag({ key: 'flag', filters }), { distinctId, personProperties: { plan: 'pro' } });
}

function hasErrors(filters: Json, request: Partial<EvaluationRequest> = {}): boolean {
  return evaluate({ flags: [buildFlag({ key: 'flag', filters })] }, request).errorsWhileComputing;
}

describe('condition sets', () => {
  const values: [rule: string, filters: Json, distinctId: string, expected: boolean | string][] = [
    ['without filters, everyone is in', { groups: [{}] }, 'hal', true],
    ['an empty list of filters is none', { groups: [{ properties: [] }] }, 'hal', true],
    ['null is no filter either', { groups: [{ properties: null, rollout_percentage: null }] }, 'hal', true],
    ['all filters must match', { groups: [{ properties: [PRO, FREE] }] }, 'ida', false],
    ['one set is enough', { groups: [{ properties: [FREE] }, { properties: [PRO] }] }, 'ida', true],
    ['without sets, nobody is in', { groups: [] }, 'ida', false],
    ['without filters at all, nobody is in', {}, 'ida', false],
    ['in below the percentage', { groups: [{ rollout_percentage: 5 }] }, 'ida', true],
    ['out above it', { groups: [{ rollout_percentage: 4 }] }, 'ida', false],
    ['percentages have fractions', { groups: [{ rollout_percentage: 99.72 }] }, 'hal', true],
    ['and no fewer digits than they have', { groups: [{ rollout_percentage: 99.7 }] }, 'hal', false],
    ['out of one rollout, later sets are tried', { groups: [{ rollout_percentage: 0 }, {}] }, 'ida', true],
    ['unless the flag exits early', { groups: [{ rollout_percentage: 0 }, {}], early_exit: true }, 'ida', false],
    [
      'no match is no early exit',
      { groups: [{ properties: [FREE], rollout_percentage: 0 }, {}], early_exit: true },
      'ida',
      true,
    ],
    ['only true exits early', { groups: [{ rollout_percentage: 0 }, {}], early_exit: 'true' }, 'ida', true],
    ['without an id, everyone is in the smallest rollout', { groups: [{ rollout_percentage: 0 }] }, '', true],
    ['and has the first variant', { groups: [{}], multivariate: AB }, '', 'a'],
    ['variants follow each other', { groups: [{}], multivariate: AB }, 'kim', 'b'],
    ['a set may say the variant', { groups: [{ variant: 'b' }], multivariate: AB }, 'ida', 'b'],
    ['not one that there is not', { groups: [{ variant: 'c' }], multivariate: AB }, 'ida', 'a'],
    [
      'sets stand in their order, also those with variants',
      { groups: [{}, { properties: [PRO], variant: 'b' }], multivariate: AB },
      'ida',
      'a',
    ],
    [
      'outside all variants the flag is just on',
      { groups: [{}], multivariate: { variants: [{ key: 'a', rollout_percentage: 50 }] } },
      'kim',
      true,
    ],
    ['no variants are none', { groups: [{}], multivariate: { variants: [] } }, 'ida', true],
    ['nor is null', { groups: [{}], multivariate: null }, 'ida', true],
  ];
  for (const [rule, filters, distinctId, expected] of values) {
    it(rule, () => assert.equal(valueOf(decisionOf(filters, distinctId)), expected));
  }

  const malformed: [what: string, set: Json][] = [
    ['a set that is none', 'everyone'],
    ['filters that are no list', { properties: { plan: 'pro' } }],
    ['a filter that is none', { properties: ['plan'] }],
    ['a filter without a key', { properties: [{ type: 'person', value: 'pro' }] }],
    ['a filter of an unknown type', { properties: [{ type: 'event', key: 'plan', value: 'pro' }] }],
    ['an unknown operator', { properties: [person('plan', 'pro', 'sounds_like')] }],
    [
      'an operator that is no text',
      { properties: [{ type: 'person', key: 'plan', value: 'pro', operator: ['exact'] }] },
    ],
    ['a percentage that is no number', { rollout_percentage: 'most' }],
  ];
  for (const [what, set] of malformed) {
    it(`${what} matches nobody, and is reported; later sets are tried`, () => {
      const { enabled, reason, failed } = decisionOf({ groups: [set, {}] });
      assert.deepEqual([enabled, reason.conditionIndex, failed], [true, 1, false]);
      assert.ok(hasErrors({ groups: [{}, set] }));
    });
  }
  it('a pattern that cannot be searched for matches nobody, and is no error', () => {
    for (const filter of [person('plan', '(', 'regex'), person('plan', '(?=pro)', 'not_regex')]) {
      const filters = { groups: [{ properties: [filter] }, {}] };
      assert.equal(decisionOf(filters).reason.conditionIndex, 1);
      assert.ok(!hasErrors(filters));
    }
  });
  it('filters of any other kind decide nothing, and are reported', () => {
    for (const filters of [null, 1, 'x', [], { groups: {} }]) {
      assert.equal(decisionOf(filters).enabled, false);
      assert.ok(hasErrors(filters));
    }
  });
  it('no sets are no error, nor is what is malformed in a flag that was not requested', () => {
    for (const filters of [{}, { groups: null }, { groups: [] }]) assert.ok(!hasErrors(filters));
    assert.ok(!hasErrors('x', { flagKeys: new Set(['other']) }));
  });
});

describe('payloads', () => {
  const payloads = { true: '{"on":1}', a: '"A"', 'holdout-7': '"held"' };
  const cases: [rule: string, filters: Json, expected: string | null][] = [
    ['are those of the variant', { groups: [{}], multivariate: AB, payloads }, '"A"'],
    ['or of true', { groups: [{}], payloads }, '{"on":1}'],
    ['or of the holdout', { groups: [{}], payloads, holdout: { id: 7, exclusion_percentage: 100 } }, '"held"'],
    ['are none of a flag that is off', { groups: [], payloads }, null],
    ['are none of a variant without one', { groups: [{ variant: 'b' }], multivariate: AB, payloads }, null],
    [
      'are JSON even when stored as values',
      { groups: [{}], payloads: { true: { b: [1, null], a: 'x' } } },
      '{"a":"x","b":[1,null]}',
    ],
    [
      'are no properties of objects',
      { groups: [{ variant: 'constructor' }], multivariate: { variants: [{ key: 'constructor' }] }, payloads: {} },
      null,
    ],
  ];
  for (const [rule, filters, expected] of cases) {
    it(rule, () => assert.equal(decisionOf(filters).payload, expected));
  }
});

describe('reasons', () => {
  const OUT = { rollout_percentage: 0 };
  const NO = { properties: [FREE] };
  const NO_GROUP = { aggregation_group_type_index: 0 };
  const cases: [sets: Json[], code: string, index: number | null, description: string][] = [
    [[{}], 'condition_match', 0, 'Matched condition set 1'],
    [[NO, {}], 'condition_match', 1, 'Matched condition set 2'],
    [[NO], 'no_condition_match', 0, 'No matching condition set'],
    [[NO, NO], 'no_condition_match', 1, 'No matching condition set'],
    [[OUT, NO], 'out_of_rollout_bound', 0, 'Out of rollout bound'],
    [[OUT, NO, OUT, NO], 'out_of_rollout_bound', 2, 'Out of rollout bound'],
    [[], 'no_group_type', null, 'No group type'],
    [[NO_GROUP], 'no_group_type', 0, 'No group type'],
    [
      [NO, NO_GROUP],
      'no_condition_match',
      0,
      'No matching condition set (group conditions were not evaluated because no group type was provided)',
    ],
    [[NO_GROUP, OUT], 'out_of_rollout_bound', 1, 'Out of rollout bound'],
  ];
  for (const [groups, code, conditionIndex, description] of cases) {
    it(`${code} at ${conditionIndex} for ${JSON.stringify(groups)}`, () => {
      assert.deepEqual(decisionOf({ groups }, 'hal').reason, { code, conditionIndex, description });
    });
  }

  it('come in the same decision for the same answer, so that it is stored once', () => {
    const compiled = compileDefinitions(buildDefinitions({ flags: [buildFlag()] }));
    const [first, second] = ['ida', 'hal'].map((distinctId) => {
      return compiled.evaluate(buildRequest({ distinctId }), buildFacts(), { now: NOW, budgetMs: 1000 }).decisions[0];
    });
    assert.equal(first, second);
  });
});
