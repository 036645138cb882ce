/** Holdouts, early access, and what a flag hands out. Hashes of holdouts: visitor 0.15, dora 0.31, bob 0.67, ada 0.71. */
import { EVERYBODY, group, NOBODY, person, set, sets, variants, type Scenario } from './scenario.ts';

const FLAGS = 'posthog/rust/feature-flags/src/flags/flag_matching.rs';
const MODELS = 'posthog/rust/feature-flags/src/flags/flag_models.rs';
const TESTS = 'posthog/rust/feature-flags/src/flags/test_flag_matching.rs';
const PYTHON = 'posthog/posthog/api/test/test_decide.py';
const DOCS = 'posthog.com/contents/docs/feature-flags/early-access-feature-management.mdx';

const holdout = (exclusion_percentage: number) => ({ holdout: { id: 7, exclusion_percentage } });
const split = { ...EVERYBODY, ...variants('red', 'blue') };
const trial = (exclusion_percentage: number) => [
  { key: 'split', filters: { ...split, ...holdout(exclusion_percentage) } },
];
const chosen = (value: unknown) => ({ person_properties: { '$feature_enrollment/early': value } });
const early = (filters: object = NOBODY) => [{ key: 'early', filters: { ...filters, feature_enrollment: true } }];
const older = {
  ...NOBODY,
  super_groups: [{ properties: [person('$feature_enrollment/early', ['true'])], rollout_percentage: 100 }],
};
const SUPER = 'super_condition_value';

export const experiments: Scenario[] = [
  {
    what: 'who is held out gets the holdout for a variant',
    source: FLAGS,
    flags: trial(50),
    request: { distinct_id: 'dora' },
    expected: { values: { split: 'holdout-7' }, reasons: { split: ['holdout_condition_value', null] } },
  },
  {
    what: 'who is not held out gets a variant',
    source: FLAGS,
    flags: trial(50),
    expected: { values: { split: 'red' }, reasons: { split: ['condition_match', 0] } },
  },
  {
    what: 'all may be held out',
    source: FLAGS,
    flags: trial(100),
    expected: { values: { split: 'holdout-7' } },
  },
  { what: 'nobody may be held out', source: FLAGS, flags: trial(0), expected: { values: { split: 'red' } } },
  {
    what: 'who is held out of one is held out of all',
    source: FLAGS,
    flags: ['one', 'two'].map((key) => ({ key, filters: { ...split, ...holdout(50) } })),
    request: { distinct_id: 'visitor' },
    expected: { values: { one: 'holdout-7', two: 'holdout-7' } },
  },
  {
    what: 'the holdout comes before the condition sets',
    source: TESTS,
    flags: [{ key: 'split', filters: { ...sets(set(person('plan', 'pro'))), ...variants('red'), ...holdout(100) } }],
    expected: { values: { split: 'holdout-7' } },
  },
  {
    what: 'who is held out gets the payload of the holdout',
    source: TESTS,
    flags: [{ key: 'split', filters: { ...split, ...holdout(100), payloads: { 'holdout-7': '"out"', red: '"red"' } } }],
    expected: { payloads: { split: '"out"' } },
  },
  {
    what: 'the older form holds out the same',
    source: TESTS,
    flags: [
      {
        key: 'split',
        filters: { ...split, holdout_groups: [{ properties: [], rollout_percentage: 50, variant: 'holdout-7' }] },
      },
    ],
    request: { distinct_id: 'dora' },
    expected: { values: { split: 'holdout-7' } },
  },
  ...[true, 'true'].map((value) => ({
    what: `who chose a feature gets it: ${JSON.stringify(value)}`,
    source: DOCS,
    flags: early(),
    request: chosen(value),
    expected: { values: { early: true }, reasons: { early: [SUPER, 0] as [string, number] } },
  })),
  ...[false, 'false', null, 'yes'].map((value) => ({
    what: `who did not choose a feature does not get it: ${JSON.stringify(value)}`,
    source: FLAGS,
    flags: early(EVERYBODY),
    request: chosen(value),
    expected: { values: { early: false }, reasons: { early: [SUPER, 0] as [string, number] } },
  })),
  {
    what: 'who said nothing of a feature goes by the condition sets',
    source: FLAGS,
    flags: early(EVERYBODY),
    expected: { values: { early: true }, reasons: { early: ['condition_match', 0] } },
  },
  {
    what: 'what somebody chose is stored',
    source: DOCS,
    persons: { ada: { '$feature_enrollment/early': true } },
    flags: early(),
    expected: { values: { early: true } },
  },
  {
    what: 'the older form gives a feature to who chose it',
    source: PYTHON,
    flags: [{ key: 'early', filters: older }],
    request: chosen('true'),
    expected: { values: { early: true }, reasons: { early: [SUPER, 0] } },
  },
  {
    what: 'the older form does not give a feature to who left it',
    source: PYTHON,
    flags: [{ key: 'early', filters: { ...older, ...EVERYBODY } }],
    request: chosen(false),
    expected: { values: { early: false }, reasons: { early: [SUPER, 0] } },
  },
  {
    what: 'the older form asks those who said nothing the condition sets',
    source: PYTHON,
    flags: [{ key: 'early', filters: { ...older, ...EVERYBODY } }],
    expected: { values: { early: true }, reasons: { early: ['condition_match', 0] } },
  },
  {
    what: 'persons choose, also where a flag is about groups',
    source: FLAGS,
    groups: { company: { acme: {} } },
    flags: early({ aggregation_group_type_index: 0, ...sets(set(group('tier', 'gold'))) }),
    request: chosen(true),
    expected: { values: { early: true } },
  },
  {
    what: 'enrollment comes before the holdout',
    source: FLAGS,
    flags: [{ key: 'early', filters: { ...split, ...holdout(100), feature_enrollment: true } }],
    request: chosen(true),
    expected: { values: { early: true } },
  },
  {
    what: 'a flag that is on hands out its payload, as it is stored',
    source: MODELS,
    flags: [{ key: 'on', filters: { ...EVERYBODY, payloads: { true: '{"a": [1, null]}' } } }],
    expected: { payloads: { on: '{"a": [1, null]}' } },
  },
  {
    what: 'each variant has a payload of its own',
    source: MODELS,
    flags: [{ key: 'split', filters: { ...split, payloads: { red: '"rose"', blue: '"sky"' } } }],
    request: { distinct_id: 'bob' },
    expected: { payloads: { split: '"sky"' } },
  },
  {
    what: 'a variant without a payload has none',
    source: MODELS,
    flags: [{ key: 'split', filters: { ...split, payloads: { blue: '"sky"' } } }],
    expected: { payloads: { split: null } },
  },
  {
    what: 'a payload may be null, which is a text',
    source: MODELS,
    flags: [{ key: 'on', filters: { ...EVERYBODY, payloads: { true: 'null' } } }],
    expected: { payloads: { on: 'null' } },
  },
  {
    what: 'what is off has no payload',
    source: MODELS,
    flags: [{ key: 'off', filters: { ...NOBODY, payloads: { true: '1' } } }],
    expected: { payloads: { off: null } },
  },
  {
    what: 'who chose a feature gets its payload',
    source: TESTS,
    flags: early({ ...NOBODY, payloads: { true: '"welcome"' } }),
    request: chosen(true),
    expected: { payloads: { early: '"welcome"' } },
  },
];
