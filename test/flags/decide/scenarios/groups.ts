/** Flags about groups: their keys, their properties, and condition sets of their own. */
import { group, person, set, sets, variants, type Scenario } from './scenario.ts';

const FLAGS = 'posthog/rust/feature-flags/src/flags/flag_matching.rs';
const IDENTIFIERS = 'posthog/rust/feature-flags/src/flags/identifier_resolution.rs';
const TESTS = 'posthog/rust/feature-flags/src/flags/test_flag_matching.rs';
const REQUEST = 'posthog/rust/feature-flags/src/flags/flag_request.rs';

const gold = group('tier', 'gold');
const ofCompanies = (...groups: object[]) => ({ aggregation_group_type_index: 0, groups });
const stored = { company: { acme: { tier: 'gold' }, '42': { tier: 'gold' } }, project: { site: { size: 9 } } };
const on = (filters: object) => [{ key: 'on', filters }];

export const groups: Scenario[] = [
  {
    what: 'what is stored of a group counts',
    source: FLAGS,
    groups: stored,
    flags: on(ofCompanies(set(gold))),
    request: { groups: { company: 'acme' } },
    expected: { values: { on: true } },
  },
  {
    what: 'a group of which nothing is stored has no properties',
    source: FLAGS,
    groups: stored,
    flags: on(ofCompanies(set(gold))),
    request: { groups: { company: 'other' } },
    expected: { values: { on: false }, reasons: { on: ['no_condition_match', 0] } },
  },
  {
    what: 'without its group a flag is off',
    source: FLAGS,
    groups: stored,
    flags: on(ofCompanies(set())),
    expected: { values: { on: false }, reasons: { on: ['no_group_type', 0] } },
  },
  {
    what: 'a group of another type is not its group',
    source: FLAGS,
    groups: stored,
    flags: on(ofCompanies(set())),
    request: { groups: { project: 'site' } },
    expected: { values: { on: false } },
  },
  {
    what: 'a key may be a number',
    source: IDENTIFIERS,
    groups: stored,
    flags: on(ofCompanies(set(gold))),
    request: { groups: { company: 42 } },
    expected: { values: { on: true } },
  },
  {
    what: 'a key that is no text and no number is none',
    source: IDENTIFIERS,
    groups: stored,
    flags: on(ofCompanies(set())),
    request: { groups: { company: { id: 'acme' } } },
    expected: { values: { on: false } },
  },
  {
    what: 'groups are placed by their keys, not by who asks',
    source: TESTS,
    groups: stored,
    flags: [{ key: 'half', filters: ofCompanies({ rollout_percentage: 68 }) }],
    request: { groups: { company: 'acme' } },
    expected: { values: { half: true } },
  },
  {
    what: 'variants of groups are of their keys',
    source: TESTS,
    groups: stored,
    flags: [{ key: 'split', filters: { ...ofCompanies(set()), ...variants('red', 'blue') } }],
    request: { groups: { company: 'acme' } },
    expected: { values: { split: 'blue' } },
  },
  {
    what: 'what the request says of a group counts over what is stored',
    source: FLAGS,
    groups: stored,
    flags: on(ofCompanies(set(gold))),
    request: { groups: { company: 'acme' }, group_properties: { company: { tier: 'silver' } } },
    expected: { values: { on: false } },
  },
  {
    what: 'what the request says of a group counts where nothing is stored',
    source: FLAGS,
    groups: stored,
    flags: on(ofCompanies(set(gold))),
    request: { groups: { company: 'new' }, group_properties: { company: { tier: 'gold' } } },
    expected: { values: { on: true } },
  },
  {
    what: 'the key of a group is a property of it',
    source: FLAGS,
    groups: stored,
    flags: on(ofCompanies(set(group('$group_key', 'acme')))),
    request: { groups: { company: 'acme' } },
    expected: { values: { on: true } },
  },
  {
    what: 'properties of persons are not those of their groups',
    source: FLAGS,
    groups: stored,
    flags: on(ofCompanies(set(gold))),
    request: { groups: { company: 'other' }, person_properties: { tier: 'gold' } },
    expected: { values: { on: false } },
  },
  {
    what: 'a condition set may be about a group in a flag about persons',
    source: TESTS,
    groups: stored,
    flags: on(sets({ ...set(gold), aggregation_group_type_index: 0 })),
    request: { groups: { company: 'acme' } },
    expected: { values: { on: true } },
  },
  {
    what: 'a condition set about a group that is not said is passed over',
    source: TESTS,
    groups: stored,
    flags: on(sets({ ...set(gold), aggregation_group_type_index: 0 }, set(person('plan', 'pro')))),
    request: { person_properties: { plan: 'pro' } },
    expected: { values: { on: true }, reasons: { on: ['condition_match', 1] } },
  },
  {
    what: 'null makes a condition set about persons in a flag about groups',
    source: TESTS,
    groups: stored,
    flags: on(ofCompanies({ ...set(person('plan', 'pro')), aggregation_group_type_index: null })),
    request: { person_properties: { plan: 'pro' } },
    expected: { values: { on: true } },
  },
  {
    what: 'condition sets may be about groups of several types',
    source: TESTS,
    groups: stored,
    flags: on(
      sets(
        { ...set(gold), aggregation_group_type_index: 0 },
        { ...set(group('size', '5', 1, 'gt')), aggregation_group_type_index: 1 },
      ),
    ),
    request: { groups: { project: 'site' } },
    expected: { values: { on: true }, reasons: { on: ['condition_match', 1] } },
  },
  {
    what: 'a type of groups that is not there decides nothing',
    source: IDENTIFIERS,
    groups: stored,
    flags: on({ aggregation_group_type_index: 4, ...sets(set()) }),
    request: { groups: { company: 'acme' } },
    expected: { values: { on: false } },
  },
  {
    what: 'groups may be called $groups',
    source: REQUEST,
    groups: stored,
    flags: on(ofCompanies(set(gold))),
    request: { $groups: { company: 'acme' } },
    expected: { values: { on: true } },
  },
];
