import assert from 'node:assert/strict';
import type { Json } from '../../../src/conditions/operators/json-values.ts';
import { localEvaluation } from '../../../src/flags/definitions/local-evaluation.ts';
import type { StoredDefinitions } from '../../../src/flags/definitions/stored-definitions.ts';
import { buildStoredFlag, type StoredFlagChanges } from '../../support/database/stored-flags.ts';

const filtersWith = (...properties: Json[]): { filters: Json } => ({ filters: { groups: [{ properties }] } });
const person = (changes: object = {}): Json => ({
  key: 'plan',
  type: 'person',
  operator: 'exact',
  value: 'x',
  ...changes,
});
const inCohort = (id: number | string): Json => ({ type: 'cohort', key: 'id', value: id, operator: 'in' });
const dependsOn = (id: number): Json => ({ type: 'flag', key: String(id), operator: 'flag_evaluates_to', value: true });
const cohort = (id: number, ...values: Json[]) => {
  return { id, isStatic: false, filters: { properties: { type: 'OR', values: [{ type: 'AND', values }] } } };
};

const others = [
  buildStoredFlag({ id: 10, key: 'plain' }),
  buildStoredFlag({ id: 11, key: 'on-plain', ...filtersWith(dependsOn(10)) }),
  buildStoredFlag({ id: 12, key: 'sticky', ensureExperienceContinuity: true }),
  buildStoredFlag({ id: 13, key: 'on-sticky', ...filtersWith(dependsOn(10), dependsOn(12)) }),
  buildStoredFlag({ id: 14, key: 'cyclic', ...filtersWith(dependsOn(15)) }),
  buildStoredFlag({ id: 15, key: 'cyclic-too', ...filtersWith(dependsOn(14)) }),
  ...Array.from({ length: 120 }, (_, n) =>
    buildStoredFlag({ id: 1000 + n, key: `chain-${n}`, ...filtersWith(dependsOn(999 + n)) }),
  ),
  buildStoredFlag({ id: 999, key: 'chain' }),
];

const definitions: StoredDefinitions = {
  flags: others,
  cohorts: [
    { id: 1, isStatic: true, filters: {} },
    cohort(2, person()),
    cohort(3, person(), inCohort(2)),
    cohort(4, inCohort(3), inCohort(1)),
    cohort(5, inCohort(6)),
    cohort(6, inCohort(5)),
    cohort(7, person({ operator: 'between' })),
    cohort(8, inCohort(99)),
  ],
  groupTypes: new Map([[0, 'company']]),
  timeZone: 'UTC',
  matchingVersion: 1,
};

const group = (index: number | null) => ({
  key: 'size',
  type: 'group',
  group_type_index: index,
  operator: 'exact',
  value: 1,
});
const rolledOut = (index: number | null, ...properties: Json[]): StoredFlagChanges => ({
  filters: { aggregation_group_type_index: index, groups: [{ properties }] },
});

describe('whether SDKs can evaluate a flag', () => {
  const evaluable: [what: string, flag: StoredFlagChanges][] = [
    ['a rollout', {}],
    ['a flag that is not active', { active: false }],
    ['properties of persons', filtersWith(person(), person({ operator: 'semver_gte', value: '1.2' }))],
    ['dynamic cohorts, also of each other', filtersWith(inCohort(3), inCohort('2'))],
    ['flags that it depends on', filtersWith(dependsOn(11))],
    ['a group, by its own properties', rolledOut(0, group(0), { key: 'size', value: 1 })],
    ['a bucket for each device', { bucketingIdentifier: 'device_id' }],
    ['a holdout', { filters: { groups: [], holdout: { id: 1, exclusion_percentage: 5 } } }],
    ['filters that make no sense', { filters: [null] }],
  ];
  for (const [what, changes] of evaluable) {
    it(`they can: ${what}`, () => {
      assert.deepEqual(localEvaluation(buildStoredFlag(changes), definitions), { evaluable: true, reason: null });
    });
  }

  const refused: [what: string, flag: StoredFlagChanges, reason: RegExp][] = [
    ['experience continuity', { ensureExperienceContinuity: true }, /experience continuity/],
    ['encrypted payloads', { hasEncryptedPayloads: true }, /encrypted payloads/],
    ['a survey', { key: 'survey-targeting-x' }, /surveys/],
    ['enrollment', { filters: { groups: [], feature_enrollment: true } }, /early access/],
    ['older enrollment', { filters: { groups: [], super_groups: [{ properties: [] }] } }, /early access/],
    ['a list of persons', filtersWith(inCohort(1)), /^Cohort 1 is a list/],
    ['a list of persons in a cohort in a cohort', filtersWith(person(), inCohort(4)), /^Cohort 1 is a list/],
    ['a cohort that is gone', filtersWith(inCohort(99)), /no cohort 99/],
    ['a cohort of one that is gone', filtersWith(inCohort(8)), /no cohort 99/],
    ['cohorts in a circle', filtersWith(inCohort(5)), /^Cohort 5 contains itself/],
    ['an operator of ours in a cohort', filtersWith(inCohort(7)), /^Cohort 7: SDKs do not know the operator between/],
    ['an operator of ours', filtersWith(person({ operator: 'icontains_multi' })), /operator icontains_multi/],
    [
      'what only the server knows',
      filtersWith(person({ type: 'person_metadata', key: 'created_at' })),
      /only the server/,
    ],
    ['a group type that is not there', rolledOut(3), /no group type 3/],
    ['properties of a group for persons', filtersWith(group(0)), /other than the one that it is rolled out to/],
    ['properties of persons for a group', rolledOut(0, person()), /other than the one that it is rolled out to/],
    [
      'a dependency that SDKs cannot evaluate',
      filtersWith(dependsOn(12)),
      /^It depends on flag sticky: It has experience continuity/,
    ],
    [
      'one that depends on such a flag',
      filtersWith(dependsOn(13)),
      /^It depends on flag sticky: It has experience continuity/,
    ],
    ['a dependency that is gone', filtersWith(dependsOn(99)), /^It depends on flag 99, which does not exist/],
    ['a circle of dependencies', filtersWith(dependsOn(14)), /^It depends on flag 14, which/],
    ['itself', { id: 11, key: 'on-plain', ...filtersWith(dependsOn(11)) }, /^It depends on flag/],
    ['a chain without end', filtersWith(dependsOn(1119)), /too many others/],
  ];
  for (const [what, changes, reason] of refused) {
    it(`they cannot: ${what}`, () => {
      const verdict = localEvaluation(buildStoredFlag(changes), definitions);
      assert.equal(verdict.evaluable, false);
      assert.match(verdict.reason ?? '', reason);
    });
  }
});
