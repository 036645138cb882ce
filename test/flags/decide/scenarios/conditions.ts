/** Condition sets: rollouts, variants, their order, and why a flag is off. Hashes: half.ada 0.73, half.bob 0.28, split.ada 0.44 and split.bob 0.58 of variants. */
import { EVERYBODY, NOBODY, person, set, sets, variants, type Scenario } from './scenario.ts';

const MATCHING = 'posthog/rust/feature-flags/src/flags/flag_matching.rs';
const TESTS = 'posthog/rust/feature-flags/src/flags/test_flag_matching.rs';
const CONSISTENCY = 'posthog/rust/feature-flags/tests/test_flag_matching_consistency.rs';
const MODELS = 'posthog/rust/feature-flags/src/flags/flag_models.rs';
const REASONS = 'posthog/rust/feature-flags/src/flags/flag_match_reason.rs';

const pro = person('plan', 'pro');
const adult = person('age', '18', 'gte');
const part = (rollout_percentage: number | null, ...properties: object[]) => ({ properties, rollout_percentage });
const split = (...groups: object[]) => ({ ...sets(...groups), ...variants('red', 'blue') });
const requestBody = (distinct_id: unknown, person_properties: object = {}) => ({ distinct_id, person_properties });

export const conditions: Scenario[] = [
  {
    what: 'who is placed within the percentage gets the flag',
    source: CONSISTENCY,
    flags: [{ key: 'half', filters: sets(part(50)) }],
    request: requestBody('bob'),
    expected: { values: { half: true }, reasons: { half: ['condition_match', 0] } },
  },
  {
    what: 'who is placed without the percentage does not',
    source: CONSISTENCY,
    flags: [{ key: 'half', filters: sets(part(50)) }],
    expected: { values: { half: false }, reasons: { half: ['out_of_rollout_bound', 0] } },
  },
  {
    what: 'a percentage may be a fraction',
    source: MODELS,
    flags: [{ key: 'half', filters: sets(part(27.9)) }],
    request: requestBody('bob'),
    expected: { values: { half: false } },
  },
  {
    what: 'a percentage of null is all',
    source: MODELS,
    flags: [{ key: 'half', filters: sets(part(null)) }],
    expected: { values: { half: true } },
  },
  {
    what: 'a percentage that is left out is all',
    source: MODELS,
    flags: [{ key: 'half', filters: sets({ properties: [] }) }],
    expected: { values: { half: true } },
  },
  {
    what: 'a condition set without properties is for everybody',
    source: TESTS,
    flags: [{ key: 'on', filters: sets({ rollout_percentage: 100 }) }],
    expected: { values: { on: true } },
  },
  {
    what: 'the empty distinct id is placed first everywhere',
    source: MATCHING,
    flags: [{ key: 'on', filters: NOBODY }],
    request: requestBody(''),
    expected: { values: { on: true } },
  },
  {
    what: 'all properties of a condition set have to hold',
    source: TESTS,
    flags: [{ key: 'on', filters: sets(set(pro, adult)) }],
    request: requestBody('ada', { plan: 'pro', age: 17 }),
    expected: { values: { on: false }, reasons: { on: ['no_condition_match', 0] } },
  },
  {
    what: 'one condition set is enough',
    source: TESTS,
    flags: [{ key: 'on', filters: sets(set(pro), set(adult)) }],
    request: requestBody('ada', { plan: 'free', age: 18 }),
    expected: { values: { on: true }, reasons: { on: ['condition_match', 1] } },
  },
  {
    what: 'the first condition set that matches decides',
    source: TESTS,
    flags: [{ key: 'on', filters: sets(set(pro), EVERYBODY.groups[0]!) }],
    request: requestBody('ada', { plan: 'pro' }),
    expected: { reasons: { on: ['condition_match', 0] } },
  },
  {
    what: 'a condition set with a variant does not come first by that',
    source: MATCHING,
    flags: [{ key: 'split', filters: split(part(100), { ...set(pro), variant: 'blue' }) }],
    request: requestBody('ada', { plan: 'pro' }),
    expected: { values: { split: 'red' }, reasons: { split: ['condition_match', 0] } },
  },
  {
    what: 'without conditions nobody gets a flag',
    source: REASONS,
    flags: [{ key: 'on', filters: sets() }],
    expected: { values: { on: false }, reasons: { on: ['no_group_type', null] } },
  },
  {
    what: 'variants go by a hash of their own',
    source: CONSISTENCY,
    flags: [{ key: 'split', filters: split(part(100)) }],
    expected: { values: { split: 'red' } },
  },
  {
    what: 'who is placed in the second half gets the second variant',
    source: CONSISTENCY,
    flags: [{ key: 'split', filters: split(part(100)) }],
    request: requestBody('bob'),
    expected: { values: { split: 'blue' } },
  },
  {
    what: 'a condition set may name its variant',
    source: TESTS,
    flags: [{ key: 'split', filters: split({ ...part(100), variant: 'blue' }) }],
    expected: { values: { split: 'blue' } },
  },
  {
    what: 'a variant that is not there is not given: the hash is',
    source: TESTS,
    flags: [{ key: 'split', filters: split({ ...part(100), variant: 'green' }) }],
    expected: { values: { split: 'red' } },
  },
  {
    what: 'who is in no variant gets the flag without one',
    source: MATCHING,
    flags: [
      {
        key: 'split',
        filters: { ...EVERYBODY, multivariate: { variants: [{ key: 'red', rollout_percentage: 50 }] } },
      },
    ],
    request: requestBody('bob'),
    expected: { values: { split: true } },
  },
  {
    what: 'who is not in the rollout gets no variant',
    source: TESTS,
    flags: [{ key: 'half', filters: { ...sets(part(50)), ...variants('red', 'blue') } }],
    expected: { values: { half: false } },
  },
  {
    what: 'with early exit who misses a percentage is not asked the next condition set',
    source: MODELS,
    flags: [{ key: 'on', filters: { early_exit: true, ...sets(part(0, pro), part(100)) } }],
    request: requestBody('ada', { plan: 'pro' }),
    expected: { values: { on: false }, reasons: { on: ['out_of_rollout_bound', 0] } },
  },
  {
    what: 'with early exit who does not match a condition set is asked the next',
    source: MODELS,
    flags: [{ key: 'on', filters: { early_exit: true, ...sets(part(0, pro), part(100)) } }],
    request: requestBody('ada', { plan: 'free' }),
    expected: { values: { on: true } },
  },
  {
    what: 'without early exit who misses a percentage is asked the next condition set',
    source: MODELS,
    flags: [{ key: 'on', filters: sets(part(0, pro), part(100)) }],
    request: requestBody('ada', { plan: 'pro' }),
    expected: { values: { on: true }, reasons: { on: ['condition_match', 1] } },
  },
  {
    what: 'a missed percentage is the better reason, wherever it stands',
    source: REASONS,
    flags: [{ key: 'on', filters: sets(part(0), set(pro)) }],
    expected: { reasons: { on: ['out_of_rollout_bound', 0] } },
  },
  {
    what: 'of equal reasons the last is said',
    source: REASONS,
    flags: [{ key: 'on', filters: sets(set(pro), set(adult)) }],
    expected: { reasons: { on: ['no_condition_match', 1] } },
  },
  {
    what: 'a number is who its text is',
    source: 'posthog/rust/feature-flags/src/flags/flag_request.rs',
    flags: [{ key: 'on', filters: sets(set(person('distinct_id', '42'))) }],
    request: requestBody(42),
    expected: { values: { on: true } },
  },
  {
    what: 'who asks is cut after 200 characters, which are code points',
    source: 'posthog/rust/feature-flags/src/flags/flag_request.rs',
    flags: [{ key: 'on', filters: sets(set(person('distinct_id', '😀'.repeat(200)))) }],
    request: requestBody(`${'😀'.repeat(200)}!`),
    expected: { values: { on: true } },
  },
];
