/** Properties of a person: stored, said by the request, and what operators make of them. */
import { EVERYBODY, person, set, sets, type Scenario } from './scenario.ts';

const MATCHING = 'posthog/rust/feature-flags/src/properties/property_matching.rs';
const FLAGS = 'posthog/rust/feature-flags/src/flags/flag_matching.rs';
const UTILS = 'posthog/rust/feature-flags/src/flags/flag_matching_utils.rs';
const REQUEST = 'posthog/rust/feature-flags/src/flags/flag_request.rs';
const DOCS = 'posthog.com/contents/docs/feature-flags/creating-feature-flags.mdx';

const on = (...properties: object[]) => [{ key: 'on', filters: sets(set(...properties)) }];
const is = (value: boolean) => ({ values: { on: value } });

/** Whether a filter holds for what the request says of `p`. */
type Row = [what: string, filter: object, properties: object, holds: boolean, source?: string];
const p = (operator: string, value?: unknown) => person('p', value, operator);
const rows: Row[] = [
  ['a text is the same in any case', p('exact', 'PRO'), { p: 'pro' }, true],
  ['one of a list is enough', p('exact', ['free', 'pro']), { p: 'pro' }, true],
  ['none of a list is not enough', p('exact', ['free', 'team']), { p: 'pro' }, false],
  ['a number is the text of it', p('exact', '18'), { p: 18 }, true],
  ['true is the text "true"', p('exact', ['true']), { p: true }, true],
  ['a filter of false takes whatever is not true', p('exact', 'false'), { p: 'maybe' }, true],
  ['what is not known is not equal to anything', p('exact', 'pro'), {}, false],
  ['what is not known is other than anything', p('is_not', 'pro'), {}, true],
  ['what is equal is not other', p('is_not', 'pro'), { p: 'pro' }, false],
  ['null is known', p('is_set', 'is_set'), { p: null }, true],
  ['what is not known is not set', p('is_not_set', 'is_not_set'), {}, true],
  ['a part is found in any case', p('icontains', 'EXAMPLE'), { p: 'ada@example.com' }, true],
  ['a part is not in what is not known', p('not_icontains', 'x'), {}, true],
  ['a beginning is found', p('starts_with', 'ada'), { p: 'Ada@example.com' }, true],
  ['an end is found', p('ends_with', '.com'), { p: 'ada@example.com' }, true],
  ['one of several parts is enough', p('icontains_multi', ['x', 'ada']), { p: 'ada' }, true],
  ['a pattern may match anywhere', p('regex', 'a@e'), { p: 'ada@example.com' }, true],
  ['a pattern that is none never matches', p('regex', '('), { p: '(' }, false],
  ['a pattern that is none never matches the other way either', p('not_regex', '('), { p: '(' }, false],
  ['a number is greater than a text of a number', p('gt', '17'), { p: 17.5 }, true],
  ['a text of a number is compared as a number', p('lt', '9'), { p: '10' }, false],
  ['a text that is no number is not compared', p('gt', '17'), { p: 'b' }, false],
  ['a number lies between two', p('between', [1, 10]), { p: 10 }, true],
  ['a day is before another', p('is_date_before', '2024-03-01'), { p: '2024-02-29' }, true],
  ['a day is after another', p('is_date_after', '2024-03-01'), { p: '2024-02-29' }, false],
  ['a time is seconds since 1970', p('is_date_before', '2001-09-10'), { p: 1e9 }, true],
  ['a day is after so many days ago', p('is_date_after', '-7d'), { p: new Date().toISOString() }, true],
  ['a version is newer than another', p('semver_gt', '1.9.0'), { p: '1.10.0' }, true],
  ['a version is in a range', p('semver_caret', '1.2.3'), { p: '1.9.0' }, true],
  ['an operator that nobody knows never matches', p('resembles', 'pro'), { p: 'pro' }, false],
];

export const properties: Scenario[] = [
  ...rows.map(([what, filter, person_properties, holds, source = MATCHING]) => ({
    what,
    source,
    flags: on(filter),
    request: { person_properties },
    expected: is(holds),
  })),
  {
    what: 'what is stored of a person counts',
    source: FLAGS,
    persons: { ada: { plan: 'pro' } },
    flags: on(person('plan', 'pro')),
    expected: is(true),
  },
  {
    what: 'what is stored counts under every id of a person',
    source: FLAGS,
    persons: { 'ada ada@example.com': { plan: 'pro' } },
    flags: on(person('plan', 'pro')),
    request: { distinct_id: 'ada@example.com' },
    expected: is(true),
  },
  {
    what: 'what is stored of somebody else does not',
    source: FLAGS,
    persons: { bob: { plan: 'pro' } },
    flags: on(person('plan', 'pro')),
    expected: is(false),
  },
  {
    what: 'what the request says counts over what is stored',
    source: UTILS,
    persons: { ada: { plan: 'pro' } },
    flags: on(person('plan', 'pro')),
    request: { person_properties: { plan: 'free' } },
    expected: is(false),
  },
  {
    what: 'a null that the request says counts over what is stored',
    source: UTILS,
    persons: { ada: { plan: 'pro' } },
    flags: on(person('plan', 'pro')),
    request: { person_properties: { plan: null } },
    expected: is(false),
  },
  {
    what: 'what the request does not say is as it is stored',
    source: UTILS,
    persons: { ada: { plan: 'pro' } },
    flags: on(person('plan', 'pro'), person('age', '18', 'gte')),
    request: { person_properties: { age: 20 } },
    expected: is(true),
  },
  {
    what: 'the request may ask for itself alone',
    source: 'posthog/rust/feature-flags/src/api/types.rs',
    path: '/flags/?v=2&only_use_override_person_properties=true',
    persons: { ada: { plan: 'pro' } },
    flags: on(person('plan', 'pro')),
    expected: is(false),
  },
  {
    what: 'the distinct id is a property',
    source: FLAGS,
    flags: on(person('distinct_id', 'ada')),
    expected: is(true),
  },
  {
    what: 'what was first is what is now, where it is not known',
    source: UTILS,
    flags: on(person('$initial_utm_source', 'news')),
    request: { person_properties: { utm_source: 'news' } },
    expected: is(true),
  },
  {
    what: 'what was first counts where it is known',
    source: UTILS,
    persons: { ada: { $initial_utm_source: 'friend', utm_source: 'news' } },
    flags: on(person('$initial_utm_source', 'news')),
    expected: is(false),
  },
  {
    what: 'when a person was made is asked of the person, not of its properties',
    source: FLAGS,
    persons: { ada: { created_at: '1999-01-01' } },
    flags: on({ ...person('created_at', '2024-01-01', 'is_date_after'), type: 'person_metadata' }),
    expected: is(true),
  },
  {
    what: 'the older names of fields are taken',
    source: REQUEST,
    flags: on(person('plan', 'pro')),
    request: (token) => JSON.stringify({ api_key: token, $distinct_id: 'ada', $properties: { plan: 'pro' } }),
    expected: is(true),
  },
  {
    what: 'the token may be called $token',
    source: REQUEST,
    flags: [{ key: 'on', filters: EVERYBODY }],
    request: (token) => JSON.stringify({ $token: token, distinct_id: 'ada' }),
    expected: is(true),
  },
  {
    what: 'properties that PHP writes as an empty list are none',
    source: 'posthog-php/lib/Client.php',
    flags: [{ key: 'on', filters: EVERYBODY }],
    request: { person_properties: [], group_properties: [], groups: [] },
    expected: is(true),
  },
  {
    what: 'a flag for all of a plan is on for who is on it',
    source: DOCS,
    persons: { ada: { plan: 'pro', seats: 3 } },
    flags: on(person('plan', ['pro', 'team']), person('seats', '2', 'gt')),
    expected: is(true),
  },
];
