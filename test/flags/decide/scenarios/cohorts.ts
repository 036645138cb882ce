/** Cohorts: lists of persons, and what persons have in common. */
import { inCohort, person, set, sets, type Scenario } from './scenario.ts';

const COHORTS = 'posthog/rust/feature-flags/src/cohorts/cohort_operations.rs';
const TESTS = 'posthog/rust/feature-flags/src/flags/test_flag_matching.rs';
const ERRORS = 'posthog/rust/feature-flags/src/api/errors.rs';

const any = (...values: object[]) => ({ type: 'OR', values });
const all = (...values: object[]) => ({ type: 'AND', values });
const pros = any(all(person('plan', 'pro')));
const flags = (operator: string | null = 'in', name = 'pros') => [
  { key: 'on', filters: sets(set(inCohort(name, operator))) },
];
const is = (value: boolean) => ({ values: { on: value } });
const ofPlan = (plan: string) => ({ person_properties: { plan } });
const lost = { enabled: false, failed: true };

export const cohorts: Scenario[] = [
  {
    what: 'who is stored with what a cohort asks for is in it',
    source: COHORTS,
    persons: { ada: { plan: 'pro' } },
    cohorts: { pros },
    flags: flags(),
    expected: is(true),
  },
  {
    what: 'who is said to have what a cohort asks for is in it',
    source: TESTS,
    cohorts: { pros },
    flags: flags(),
    request: ofPlan('pro'),
    expected: is(true),
  },
  {
    what: 'who has something else is not in it',
    source: COHORTS,
    cohorts: { pros },
    flags: flags(),
    request: ofPlan('free'),
    expected: is(false),
  },
  {
    what: 'of whom nothing is known is not in it',
    source: COHORTS,
    cohorts: { pros },
    flags: flags(),
    expected: is(false),
  },
  {
    what: 'a flag may be for those who are not in it',
    source: TESTS,
    cohorts: { pros },
    flags: flags('not_in'),
    request: ofPlan('free'),
    expected: is(true),
  },
  {
    what: 'without an operator it is for those who are in it',
    source: COHORTS,
    cohorts: { pros },
    flags: flags(null),
    request: ofPlan('pro'),
    expected: is(true),
  },
  {
    what: 'with another operator it is for nobody',
    source: COHORTS,
    cohorts: { pros },
    flags: flags('is_not'),
    request: ofPlan('pro'),
    expected: is(false),
  },
  {
    what: 'all of a group have to hold',
    source: COHORTS,
    cohorts: { pros: any(all(person('plan', 'pro'), person('age', '18', 'gte'))) },
    flags: flags(),
    request: { person_properties: { plan: 'pro', age: 17 } },
    expected: is(false),
  },
  {
    what: 'one of several groups is enough',
    source: COHORTS,
    cohorts: { pros: any(all(person('plan', 'team')), all(person('plan', 'pro'))) },
    flags: flags(),
    request: ofPlan('pro'),
    expected: is(true),
  },
  {
    what: 'all groups may have to hold',
    source: COHORTS,
    cohorts: { pros: all(any(person('plan', 'team'), person('plan', 'pro')), any(person('age', '18', 'gte'))) },
    flags: flags(),
    request: { person_properties: { plan: 'pro', age: 20 } },
    expected: is(true),
  },
  {
    what: 'what is asked for may be turned round',
    source: COHORTS,
    cohorts: { pros: any(all({ ...person('plan', 'free'), negation: true })) },
    flags: flags(),
    request: ofPlan('pro'),
    expected: is(true),
  },
  {
    what: 'a cohort may be of those in another',
    source: COHORTS,
    cohorts: { pros, adults: any(all(inCohort('pros'), person('age', '18', 'gte'))) },
    flags: flags('in', 'adults'),
    request: { person_properties: { plan: 'pro', age: 20 } },
    expected: is(true),
  },
  {
    what: 'a cohort may be of those who are not in another',
    source: COHORTS,
    cohorts: { pros, others: any(all({ ...inCohort('pros'), negation: true })) },
    flags: flags('in', 'others'),
    request: ofPlan('pro'),
    expected: is(false),
  },
  {
    what: 'who is listed is in a static cohort',
    source: COHORTS,
    persons: { 'ada ada@example.com': {}, bob: {} },
    cohorts: { pros: ['ada'] },
    flags: flags(),
    request: { distinct_id: 'ada@example.com' },
    expected: is(true),
  },
  {
    what: 'who is not listed is not',
    source: COHORTS,
    persons: { ada: {}, bob: {} },
    cohorts: { pros: ['ada'] },
    flags: flags(),
    request: { distinct_id: 'bob' },
    expected: is(false),
  },
  {
    what: 'nobody who is not stored is in a static cohort',
    source: TESTS,
    cohorts: { pros: [] },
    flags: flags(),
    expected: is(false),
  },
  {
    what: 'a flag may be for those who are not listed',
    source: TESTS,
    persons: { ada: {} },
    cohorts: { pros: [] },
    flags: flags('not_in'),
    expected: is(true),
  },
  {
    what: 'a cohort that is not there fails the flag, and says so',
    source: ERRORS,
    flags: flags('in', 'gone'),
    expected: {
      values: is(false).values,
      reasons: { on: ['dependency_not_found_cohort', null] },
      body: { errorsWhileComputingFlags: true },
      details: { on: lost },
    },
  },
  {
    what: 'a flag that fails takes no other with it',
    source: 'posthog/rust/feature-flags/tests/test_flags.rs',
    flags: [...flags('in', 'gone'), { key: 'other' }],
    expected: { values: { on: false, other: true }, body: { errorsWhileComputingFlags: true } },
  },
];
