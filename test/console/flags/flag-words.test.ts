/** Sentences and counts about flags, without a browser. */
import assert from 'node:assert/strict';
import { changesBetween } from '../../../console/src/flags/words/changes.ts';
import { conditionInWords, type Condition } from '../../../console/src/flags/words/conditions.ts';
import { ConflictingChanges, equal, mergeChanges } from '../../../console/src/flags/words/equal.ts';
import { reachOf } from '../../../console/src/flags/words/reach.ts';
import { rolloutInWords, type DescribedFlag } from '../../../console/src/flags/words/rollout.ts';

const set = (percent: number, matching: number, hasConditions = true) => ({ percent, matching, hasConditions });

describe('words about flags', () => {
  const conditions: [Condition, string][] = [
    [{ type: 'person', key: 'plan', value: 'pro' }, 'plan is pro'],
    [{ type: 'person', key: 'plan', operator: 'is_not', value: ['pro', 'team', 1] }, 'plan is not pro, team or 1'],
    [
      { type: 'person', key: 'plan', operator: 'exact', value: ['a', 'b', 'c', 'd', 'e', 'f', 'g'] },
      'plan is a, b, c, d or 3 others',
    ],
    [{ type: 'person', key: 'email', operator: 'is_set', value: 'is_set' }, 'email is set'],
    [{ type: 'person', key: 'age', operator: 'between', value: [18, 30] }, 'age is between 18 and 30'],
    [
      { type: 'person', key: 'plan', operator: 'not_icontains_multi', value: ['a', 'b', 'c'] },
      'plan contains none of a, b or c',
    ],
    [{ type: 'person', key: 'app', operator: 'semver_tilde', value: '1.2.3' }, 'app is a patch of version 1.2.3'],
    [{ type: 'person', key: 'age', operator: 'min', value: 18 }, 'age is at least 18'],
    [{ type: 'person', key: 'seen', operator: 'is_date_after', value: '-1d' }, 'seen is after 1 day ago'],
    [{ type: 'cohort', key: 'id', operator: 'not_in', value: 7 }, 'person is not in cohort 7'],
    [{ type: 'flag', key: '3', operator: 'flag_evaluates_to', value: false }, 'flag 3 is off'],
    [{ type: 'person', key: 'plan', operator: 'of_tomorrow', value: null }, 'plan of tomorrow null'],
  ];
  for (const [condition, words] of conditions) {
    it(`say "${words}"`, () => assert.equal(conditionInWords(condition), words));
  }

  const plan = { type: 'person', key: 'plan', value: 'pro' };
  const rollouts: [DescribedFlag['filters'], string][] = [
    [{}, 'nobody'],
    [{ groups: [{}] }, 'everybody'],
    [{ groups: [{ rollout_percentage: 0 }] }, 'nobody'],
    [
      { groups: [{ properties: [plan] }, { rollout_percentage: 12.5 }] },
      'everybody where plan is pro; 12.5 % of everybody else',
    ],
    [
      { groups: [{ properties: [plan] }, { properties: [plan] }, {}, {}] },
      'everybody where plan is pro; everybody where plan is pro; 2 more sets',
    ],
    [
      {
        groups: [{}],
        multivariate: {
          variants: [
            { key: 'a', rollout_percentage: 50 },
            { key: 'b', rollout_percentage: 50 },
          ],
        },
      },
      'everybody: a or b',
    ],
  ];
  for (const [filters, words] of rollouts) {
    it(`say that ${words} gets it`, () => {
      assert.equal(rolloutInWords({ filters, is_remote_configuration: false }), words);
    });
  }

  it('name each place that was changed, and no place that only looks different', () => {
    const before = { name: '', filters: { groups: [{ properties: [] }], payloads: { true: '{"a": 1}' } } };
    const same = { name: '', filters: { groups: [{ rollout_percentage: 100 }], payloads: { true: '{"a":1}' } } };
    assert.deepEqual(changesBetween(before, same), []);
    const after = { name: 'x', filters: { groups: [{ properties: [plan], variant: 'b' }, {}], early_exit: true } };
    assert.deepEqual(changesBetween(before, after), [
      { what: 'Description', from: 'nothing', to: 'x' },
      { what: 'Set 1 asks for', from: 'nothing: everybody', to: 'plan is pro' },
      { what: 'Set 1, variant', from: 'nothing', to: 'b' },
      { what: 'Set 2', from: 'none', to: '100 % of everybody' },
      { what: 'Payload', from: '{"a":1}', to: 'none' },
      { what: 'Early exit', from: 'nothing', to: 'yes' },
    ]);
  });

  it('bound how many are reached by what is known of the overlap', () => {
    assert.deepEqual(reachOf([set(50, 200)], 1000), { min: 100, max: 100 });
    // Eight that match wholly, and a fifth of all others.
    assert.deepEqual(reachOf([set(100, 8), set(20, 36, false)], 36), { min: 14, max: 14 });
    assert.deepEqual(reachOf([set(100, 300), set(100, 200)], 1000), { min: 300, max: 500 });
    assert.deepEqual(reachOf([set(10, 900), set(20, 1000, false)], 1000), { min: 200, max: 200 });
    assert.deepEqual(reachOf([], 1000), { min: 0, max: 0 });
  });

  it('of two edits are merged where they touch different places', () => {
    const base = { a: 1, list: [{ x: 1 }, { x: 2 }] };
    const theirs = { a: 2, list: [{ x: 1 }, { x: 2 }] };
    assert.deepEqual(mergeChanges(base, theirs, { a: 1, list: [{ x: 1 }, { x: 3 }] }), {
      a: 2,
      list: [{ x: 1 }, { x: 3 }],
    });
    assert.throws(() => mergeChanges(base, theirs, { ...base, a: 3 }), ConflictingChanges);
    const longer = { a: 1, list: [...base.list, { x: 9 }] };
    assert.throws(() => mergeChanges<unknown>(base, longer, { a: 1, list: [{ x: 5 }, { x: 2 }] }), ConflictingChanges);
    assert.ok(equal({ a: undefined, b: [1] }, { b: [1] }) && !equal([1], [1, 2]));
  });
});
