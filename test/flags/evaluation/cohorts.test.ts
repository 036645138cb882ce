/** Flags for cohorts: which person is in, when nobody can tell, and that long chains of cohorts end. */
import assert from 'node:assert/strict';
import type { CohortDefinition } from '../../../src/flags/evaluation/definitions.ts';
import type { Json } from '../../../src/conditions/operators/json-values.ts';
import { buildCohort, buildFacts, buildFlag, buildStaticCohort, decide } from '../../support/flags/flags.ts';

type Filter = { [key: string]: Json };

const plan = (value: string, fields: Filter = {}): Filter => ({
  type: 'person',
  key: 'plan',
  value,
  operator: 'exact',
  ...fields,
});
const inCohort = (value: Json, fields: Filter = {}): Filter => ({
  type: 'cohort',
  key: 'id',
  value,
  operator: 'in',
  ...fields,
});
const all = (...values: Json[]): Json => ({ type: 'AND', values });
const any = (...values: Json[]): Json => ({ type: 'OR', values });

/** Of a pro, who is listed in cohort 9. */
function decisionFor(filter: Json, ...cohorts: CohortDefinition[]) {
  const flag = buildFlag({ filters: { groups: [{ properties: [filter] }] } });
  const facts = buildFacts({ plan: 'pro', country: 'CZ' }, { memberships: new Set([9]) });
  return decide(flag, {}, facts, { cohorts: [buildStaticCohort(8), buildStaticCohort(9), ...cohorts] });
}

describe('cohorts', () => {
  const PRO = buildCohort(1, all(plan('pro')));
  const FREE = buildCohort(2, all(plan('free')));
  const cases: [rule: string, filter: Json, cohorts: CohortDefinition[], expected: boolean][] = [
    ['have who matches their filters', inCohort(1), [PRO], true],
    ['not who does not', inCohort(2), [FREE], false],
    ['have who is listed', inCohort(9), [], true],
    ['not who is not', inCohort(8), [], false],
    ['may be what one must not be in', inCohort(2, { operator: 'not_in' }), [FREE], true],
    ['listed ones, too', inCohort(9, { operator: 'not_in' }), [], false],
    ['without an operator mean in', inCohort(1, { operator: null }), [PRO], true],
    ['know no other operator', inCohort(1, { operator: 'is_set' }), [PRO], false],
    ['are known by numbers as text, too', inCohort('1'), [PRO], true],
    ['may be any of several', inCohort(3), [buildCohort(3, any(plan('free'), plan('pro')))], true],
    ['or all of several', inCohort(3), [buildCohort(3, all(plan('free'), plan('pro')))], false],
    ['have groups in groups', inCohort(3), [buildCohort(3, any(all(plan('free')), all(plan('pro'))))], true],
    ['as deep as one likes', inCohort(3), [buildCohort(3, any(all(any(all(plan('pro'))))))], true],
    [
      'call a group of properties so, too',
      inCohort(3),
      [buildCohort(3, any({ type: 'property', values: [plan('pro')] }))],
      true,
    ],
    ['negate', inCohort(3), [buildCohort(3, all(plan('free', { negation: true })))], true],
    ['negate in any of several', inCohort(3), [buildCohort(3, any(plan('pro', { negation: true })))], false],
    ['negate other cohorts', inCohort(3), [PRO, buildCohort(3, all(inCohort(1, { negation: true })))], false],
    ['are made of cohorts', inCohort(3), [PRO, buildCohort(3, all(inCohort(1), inCohort(9)))], true],
    [
      'of those they must not be in',
      inCohort(3),
      [FREE, buildCohort(3, all(inCohort(2, { operator: 'not_in' })))],
      true,
    ],
    [
      'in any order of definition',
      inCohort(3),
      [buildCohort(3, all(inCohort(4))), buildCohort(4, all(plan('pro')))],
      true,
    ],
    ['of nothing are everyone', inCohort(3), [buildCohort(3, {})], true],
    ['of all of nothing, too', inCohort(3), [buildCohort(3, all())], true],
    ['of any of nothing are nobody', inCohort(3), [buildCohort(3, any())], false],
    ['missing filters are nobody', inCohort(3), [{ id: 3, isStatic: false, filters: {} }], false],
    ['null is nobody', inCohort(3), [{ id: 3, isStatic: false, filters: null }], false],
    ['malformed ones are nobody', inCohort(3), [buildCohort(3, 'everyone')], false],
    ['of an unknown kind of group, too', inCohort(3), [buildCohort(3, { type: 'XOR', values: [plan('pro')] })], false],
    ['of values that are no list', inCohort(3), [buildCohort(3, { type: 'AND', values: plan('pro') })], false],
    ['of members that are none', inCohort(3), [buildCohort(3, all('pro'))], false],
    [
      'of behaviour are nobody',
      inCohort(3),
      [buildCohort(3, all({ type: 'behavioral', key: 'paid', value: 'performed_event' }))],
      false,
    ],
    [
      'of flags are nobody',
      inCohort(3),
      [buildCohort(3, all({ type: 'flag', key: '1', value: true, operator: 'flag_evaluates_to' }))],
      false,
    ],
  ];
  for (const [rule, filter, cohorts, expected] of cases) {
    it(rule, () => {
      const { enabled, failed } = decisionFor(filter, ...cohorts);
      assert.deepEqual([enabled, failed], [expected, false]);
    });
  }

  const faults: [what: string, code: string, filter: Json, cohorts: CohortDefinition[]][] = [
    ['that is not there', 'dependency_not_found_cohort', inCohort(5), []],
    [
      'of one that is not there',
      'dependency_not_found_cohort',
      inCohort(3),
      [buildCohort(3, any(plan('pro'), inCohort(5)))],
    ],
    [
      'of one of one that is not there',
      'dependency_not_found_cohort',
      inCohort(4),
      [buildCohort(4, all(inCohort(3))), buildCohort(3, all(inCohort(5)))],
    ],
    ['of itself', 'dependency_cycle_cohort', inCohort(3), [buildCohort(3, any(plan('pro'), inCohort(3)))]],
    [
      'that others lead back to',
      'dependency_cycle_cohort',
      inCohort(3),
      [buildCohort(3, all(inCohort(4))), buildCohort(4, all(inCohort(3)))],
    ],
    [
      'of two that lead to each other',
      'dependency_cycle_cohort',
      inCohort(5),
      [buildCohort(3, all(inCohort(4))), buildCohort(4, all(inCohort(3))), buildCohort(5, any(inCohort(4)))],
    ],
    ['without a number', 'cohort_filters_parsing_error', inCohort('paying'), []],
  ];
  for (const [what, code, filter, cohorts] of faults) {
    it(`a flag for a cohort ${what} fails`, () => {
      const { enabled, failed, reason } = decisionFor(filter, ...cohorts);
      assert.deepEqual([enabled, failed, reason.code, reason.conditionIndex], [false, true, code, null]);
    });
  }

  it('do not matter where another filter decides', () => {
    const flag = buildFlag({ filters: { groups: [{ properties: [inCohort(404), plan('free')] }] } });
    assert.equal(decide(flag, { personProperties: { plan: 'pro' } }).reason.code, 'no_condition_match');
  });

  it('are of persons, also in flags about groups', () => {
    const flag = buildFlag({ filters: { groups: [{ properties: [inCohort(1)] }], aggregation_group_type_index: 0 } });
    const definitions = { cohorts: [PRO], groupTypes: new Map([[0, 'company']]) };
    const request = { groups: { company: 'acme' }, groupProperties: { company: { plan: 'free' } } };
    assert.ok(decide(flag, request, buildFacts({ plan: 'pro' }), definitions).enabled);
  });

  it('see what the request says', () => {
    const flag = buildFlag({ filters: { groups: [{ properties: [inCohort(1)] }] } });
    const request = { personProperties: { plan: 'free' } };
    assert.ok(!decide(flag, request, buildFacts({ plan: 'pro' }), { cohorts: [PRO] }).enabled);
  });

  it('match nobody when nothing stored counts', () => {
    const flag = buildFlag({ filters: { groups: [{ properties: [inCohort(9)] }] } });
    const facts = buildFacts({}, { memberships: new Set([9]) });
    assert.ok(!decide(flag, { onlyRequestProperties: true }, facts, { cohorts: [buildStaticCohort(9)] }).enabled);
  });
});
