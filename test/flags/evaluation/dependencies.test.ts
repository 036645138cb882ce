/** Flags that depend on flags. */
import assert from 'node:assert/strict';
import type { FlagDefinition } from '../../../src/flags/evaluation/definitions.ts';
import type { Json } from '../../../src/conditions/operators/json-values.ts';
import { buildFlag, decide, evaluate } from '../../support/flags/flags.ts';

const ON: Json = { groups: [{}] };
const OFF: Json = { groups: [{ rollout_percentage: 0 }] };
const VARIANT: Json = { groups: [{}], multivariate: { variants: [{ key: 'test', rollout_percentage: 100 }] } };

function dependingOn(name: Json, value: Json, fields: { [key: string]: Json } = {}): Json {
  return { groups: [{ properties: [{ type: 'flag', key: name, value, operator: 'flag_evaluates_to', ...fields }] }] };
}

describe('flags that depend on flags', () => {
  const cases: [rule: string, target: Partial<FlagDefinition>, filters: Json, expected: boolean][] = [
    ['true is on', { filters: ON }, dependingOn('1', true), true],
    ['or any variant', { filters: VARIANT }, dependingOn('1', true), true],
    ['not off', { filters: OFF }, dependingOn('1', true), false],
    ['false is off', { filters: OFF }, dependingOn('1', false), true],
    ['not on', { filters: ON }, dependingOn('1', false), false],
    ['nor a variant', { filters: VARIANT }, dependingOn('1', false), false],
    ['a text is that variant', { filters: VARIANT }, dependingOn('1', 'test'), true],
    ['to the letter', { filters: VARIANT }, dependingOn('1', 'Test'), false],
    ['no other', { filters: VARIANT }, dependingOn('1', 'control'), false],
    ['nor is a text just on', { filters: ON }, dependingOn('1', 'true'), false],
    ['null is nothing', { filters: OFF }, dependingOn('1', null), false],
    ['a number is nothing', { filters: ON }, dependingOn('1', 1), false],
    ['no other operator does', { filters: ON }, dependingOn('1', true, { operator: 'exact' }), false],
    ['nor none', { filters: ON }, dependingOn('1', true, { operator: null }), false],
    ['the id may be a number', { filters: ON }, dependingOn(1, true), true],
    ['a key names the flag, too', { filters: ON }, dependingOn('base', true), true],
    [
      'a held out person has a variant',
      { filters: { groups: [], holdout: { id: 1, exclusion_percentage: 100 } } },
      dependingOn('1', 'holdout-1'),
      true,
    ],
    ['an inactive flag is off', { filters: ON, active: false }, dependingOn('1', false), true],
    ['and not on', { filters: ON, active: false }, dependingOn('1', true), false],
    ['so is one for another runtime', { filters: ON, evaluationRuntime: 'client' }, dependingOn('1', false), true],
  ];
  for (const [rule, target, filters, expected] of cases) {
    it(rule, () => {
      const base = buildFlag({ id: 1, key: 'base', ...target });
      const { enabled } = decide([base, buildFlag({ key: 'other', filters })], { runtime: 'server' });
      assert.equal(enabled, expected);
    });
  }

  it('come in the order of their definitions, whatever is decided first', () => {
    const flags = [
      buildFlag({ id: 3, key: 'c', filters: dependingOn('2', true) }),
      buildFlag({ id: 2, key: 'b', filters: dependingOn('1', true) }),
      buildFlag({ id: 1, key: 'a', filters: ON }),
    ];
    const { decisions } = evaluate({ flags });
    assert.deepEqual(
      decisions.map(({ key, enabled }) => [key, enabled]),
      [
        ['c', true],
        ['b', true],
        ['a', true],
      ],
    );
  });

  it('are decided also when only they are requested', () => {
    const flags = [
      buildFlag({ id: 1, key: 'a', filters: ON }),
      buildFlag({ id: 2, key: 'b', filters: dependingOn('1', true) }),
    ];
    const { decisions } = evaluate({ flags }, { flagKeys: new Set(['b']) });
    assert.deepEqual(
      decisions.map(({ key, enabled }) => [key, enabled]),
      [['b', true]],
    );
  });

  it('an id is taken before a key that looks like it', () => {
    const flags = [
      buildFlag({ id: 5, key: '6', filters: OFF }),
      buildFlag({ id: 6, key: 'six', filters: ON }),
      buildFlag({ key: 'it', filters: dependingOn('6', true) }),
    ];
    assert.ok(decide(flags).enabled);
  });

  const missing = {
    code: 'missing_dependency',
    conditionIndex: null,
    description: 'Flag cannot be evaluated due to missing dependency',
  };

  it('are off when the flag is not there, and so are those that depend on them', () => {
    const flags = [
      buildFlag({ id: 2, key: 'b', filters: dependingOn('1', false) }),
      buildFlag({ id: 3, key: 'c', filters: dependingOn('2', false) }),
      buildFlag({
        id: 4,
        key: 'd',
        filters: { ...(dependingOn('3', false) as object), holdout: { id: 1, exclusion_percentage: 100 } },
      }),
    ];
    const { decisions, errorsWhileComputing } = evaluate({ flags });
    for (const { enabled, failed, reason } of decisions)
      assert.deepEqual([enabled, failed, reason], [false, false, missing]);
    assert.equal(errorsWhileComputing, false);
  });

  it('are off when they lead back to themselves, which is an error', () => {
    const flags = [
      buildFlag({ id: 1, key: 'a', filters: dependingOn('2', false) }),
      buildFlag({ id: 2, key: 'b', filters: dependingOn('1', false) }),
      buildFlag({ id: 3, key: 'c', filters: dependingOn('3', false) }),
      buildFlag({ id: 4, key: 'd', filters: dependingOn('1', false) }),
      buildFlag({ id: 5, key: 'e', filters: ON }),
    ];
    const { decisions, errorsWhileComputing } = evaluate({ flags });
    assert.deepEqual(
      decisions.map(({ reason }) => reason.code),
      [...Array<string>(4).fill('missing_dependency'), 'condition_match'],
    );
    assert.ok(errorsWhileComputing);
    assert.ok(!evaluate({ flags }, { flagKeys: new Set(['e']) }).errorsWhileComputing);
  });

  it('are off when they are inactive, without a look at their dependencies', () => {
    const flags = [
      buildFlag({ id: 1, key: 'a', active: false, filters: dependingOn('2', true) }),
      buildFlag({ id: 2, key: 'b', filters: dependingOn('1', false) }),
    ];
    assert.ok(decide(flags).enabled);
  });

  it('fail with the flag that they depend on', () => {
    const lost = { groups: [{ properties: [{ type: 'cohort', value: 404 }] }] };
    const flags = [
      buildFlag({ id: 1, key: 'a', filters: lost }),
      buildFlag({ id: 2, key: 'b', filters: dependingOn('1', false) }),
    ];
    const { failed, reason } = decide(flags);
    assert.deepEqual([failed, reason.code], [true, 'dependency_not_found_cohort']);
  });
});
