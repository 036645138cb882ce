/** Flags about groups, and about both. Of `flag`, the group acme falls at 0.949 and umbrella at 0.313, Ida at 0.047. */
import assert from 'node:assert/strict';
import type { EvaluationRequest } from '../../../src/flags/evaluation/decision.ts';
import type { Json, Properties } from '../../../src/conditions/operators/json-values.ts';
import { buildFacts, buildFlag, decide, valueOf } from '../../support/flags/flags.ts';

const GROUP_TYPES = new Map([
  [0, 'company'],
  [1, 'project'],
]);
const gold = (fields: { [key: string]: Json } = {}) => ({
  type: 'group',
  key: 'tier',
  value: 'gold',
  operator: 'exact',
  ...fields,
});

function decisionOf(filters: Json, request: Partial<EvaluationRequest> = {}, stored: [number, Properties][] = []) {
  const facts = buildFacts({ tier: 'gold', plan: 'pro' }, { groups: new Map(stored) });
  return decide(buildFlag({ key: 'flag', filters }), { distinctId: 'ida', ...request }, facts, {
    groupTypes: GROUP_TYPES,
  });
}

const ACME = { groups: { company: 'acme' } };
const UMBRELLA = { groups: { company: 'umbrella' } };

describe('flags about groups', () => {
  const cases: [
    rule: string,
    filters: Json,
    request: Partial<EvaluationRequest>,
    stored: [number, Properties][],
    expected: boolean | string,
  ][] = [
    ['place the group', { groups: [{ rollout_percentage: 50 }], aggregation_group_type_index: 0 }, ACME, [], false],
    ['each by its key', { groups: [{ rollout_percentage: 50 }], aggregation_group_type_index: 0 }, UMBRELLA, [], true],
    ['need a group', { groups: [{}], aggregation_group_type_index: 0 }, {}, [], false],
    ['of their type', { groups: [{}], aggregation_group_type_index: 1 }, ACME, [], false],
    ['with a key', { groups: [{}], aggregation_group_type_index: 0 }, { groups: { company: '' } }, [], false],
    ['of a type that there is', { groups: [{}], aggregation_group_type_index: 4 }, ACME, [], false],
    [
      'see what is stored of it',
      { groups: [{ properties: [gold()] }], aggregation_group_type_index: 0 },
      ACME,
      [[0, { tier: 'gold' }]],
      true,
    ],
    [
      'not what is stored of others',
      { groups: [{ properties: [gold()] }], aggregation_group_type_index: 0 },
      ACME,
      [[1, { tier: 'gold' }]],
      false,
    ],
    ['nor of the person', { groups: [{ properties: [gold()] }], aggregation_group_type_index: 0 }, ACME, [], false],
    [
      'what the request says is first',
      { groups: [{ properties: [gold()] }], aggregation_group_type_index: 0 },
      { ...ACME, groupProperties: { company: { tier: 'tin' } } },
      [[0, { tier: 'gold' }]],
      false,
    ],
    [
      'its key is a property',
      { groups: [{ properties: [gold({ key: '$group_key', value: 'acme' })] }], aggregation_group_type_index: 0 },
      ACME,
      [],
      true,
    ],
    [
      'whatever the request calls it',
      { groups: [{ properties: [gold({ key: '$group_key', value: 'acme' })] }], aggregation_group_type_index: 0 },
      { ...ACME, groupProperties: { company: { $group_key: 'umbrella' } } },
      [],
      true,
    ],
    [
      'filters without a type are on the group',
      { groups: [{ properties: [gold({ type: null })] }], aggregation_group_type_index: 0 },
      ACME,
      [[0, { tier: 'gold' }]],
      true,
    ],
    [
      'filters on the person are on the person',
      { groups: [{ properties: [{ type: 'person', key: 'plan', value: 'pro' }] }], aggregation_group_type_index: 0 },
      ACME,
      [],
      true,
    ],
    [
      'a set may be about another group',
      { groups: [{ aggregation_group_type_index: 1 }], aggregation_group_type_index: 0 },
      { groups: { project: 'x' } },
      [],
      true,
    ],
    [
      'or about the person',
      { groups: [{ aggregation_group_type_index: null, rollout_percentage: 5 }], aggregation_group_type_index: 0 },
      {},
      [],
      true,
    ],
    [
      'and a flag about persons may have a set about groups',
      { groups: [{ aggregation_group_type_index: 0, rollout_percentage: 50 }] },
      UMBRELLA,
      [],
      true,
    ],
    [
      'a filter may name another group',
      { groups: [{ properties: [gold({ group_type_index: 1 })] }], aggregation_group_type_index: 0 },
      { groups: { company: 'acme', project: 'x' } },
      [[1, { tier: 'gold' }]],
      true,
    ],
    [
      'in a set about persons, too',
      { groups: [{ properties: [gold({ group_type_index: 0 }), { type: 'person', key: 'plan', value: 'pro' }] }] },
      ACME,
      [[0, { tier: 'gold' }]],
      true,
    ],
    [
      'a filter that names none sees nothing',
      { groups: [{ properties: [gold({ operator: 'is_not_set' })] }] },
      ACME,
      [[0, { tier: 'gold' }]],
      true,
    ],
    [
      'variants are those of the group',
      {
        groups: [{}],
        aggregation_group_type_index: 0,
        multivariate: {
          variants: [
            { key: 'a', rollout_percentage: 22 },
            { key: 'b', rollout_percentage: 78 },
          ],
        },
      },
      UMBRELLA,
      [],
      'a',
    ],
    [
      'properties stored of the group do not count when only those of the request do',
      { groups: [{ properties: [gold()] }], aggregation_group_type_index: 0 },
      { ...ACME, onlyRequestProperties: true },
      [[0, { tier: 'gold' }]],
      false,
    ],
  ];
  for (const [rule, filters, request, stored, expected] of cases) {
    it(rule, () => assert.equal(valueOf(decisionOf(filters, request, stored)), expected));
  }
});
