/** Answers that persons keep: experience continuity, and flags that place devices. Hashes: half.ada 0.73, half.anon 0.31, half.device-1 0.59, half.bob 0.28. */
import { EVERYBODY, person, set, sets, variants, type Scenario } from './scenario.ts';

const CONTINUITY = 'posthog/rust/feature-flags/tests/test_experience_continuity.rs';
const PYTHON = 'posthog/posthog/api/test/test_decide.py';
const UTILS = 'posthog/rust/feature-flags/src/flags/flag_matching_utils.rs';
const FLAGS = 'posthog/rust/feature-flags/src/flags/flag_matching.rs';
const IDENTIFIERS = 'posthog/rust/feature-flags/src/flags/identifier_resolution.rs';
const REQUEST = 'posthog/rust/feature-flags/src/flags/flag_request.rs';
const DEVICES = 'posthog.com/contents/docs/feature-flags/device-bucketing.mdx';

const part = sets({ properties: [], rollout_percentage: 50 });
const kept = { key: 'half', ensure_experience_continuity: true, filters: part };
const plain = { key: 'half', filters: part };
const ofDevices = { key: 'half', bucketing_identifier: 'device_id', filters: part };
const is = (value: boolean) => ({ values: { half: value } });
const persons = { ada: { plan: 'pro' } };

export const identities: Scenario[] = [
  {
    what: 'who was nobody before goes by the id that asks',
    source: CONTINUITY,
    persons,
    flags: [kept],
    expected: is(false),
  },
  {
    what: 'who was somebody before has the answer of then',
    source: CONTINUITY,
    persons,
    flags: [kept],
    request: { $anon_distinct_id: 'anon' },
    expected: is(true),
  },
  {
    what: 'the answer of then is kept',
    source: CONTINUITY,
    persons,
    flags: [kept],
    earlier: [{ $anon_distinct_id: 'anon' }],
    expected: is(true),
  },
  {
    what: 'the answer of then is kept for every id of the person',
    source: CONTINUITY,
    persons: { 'ada dora': {} },
    flags: [kept],
    earlier: [{ $anon_distinct_id: 'device-1' }],
    request: { distinct_id: 'dora' },
    expected: is(false),
  },
  {
    what: 'the answer that was kept first stays',
    source: UTILS,
    persons,
    flags: [kept],
    earlier: [{ $anon_distinct_id: 'device-1' }],
    request: { $anon_distinct_id: 'anon' },
    expected: is(false),
  },
  {
    what: 'what is stored as kept counts',
    source: UTILS,
    persons,
    kept: { ada: { half: 'anon' } },
    flags: [kept],
    expected: is(true),
  },
  {
    what: 'what is kept of another flag does not count',
    source: UTILS,
    persons,
    kept: { ada: { other: 'anon' } },
    flags: [kept],
    expected: is(false),
  },
  {
    what: 'what is kept places in variants too',
    source: UTILS,
    persons,
    kept: { ada: { split: 'bob' } },
    flags: [
      { key: 'split', ensure_experience_continuity: true, filters: { ...EVERYBODY, ...variants('red', 'blue') } },
    ],
    expected: { values: { split: 'blue' } },
  },
  {
    what: 'a flag that keeps nothing goes by the id that asks',
    source: UTILS,
    persons,
    kept: { ada: { half: 'anon' } },
    flags: [plain],
    request: { $anon_distinct_id: 'anon' },
    expected: is(false),
  },
  {
    what: 'what is kept places, but properties are those of now',
    source: FLAGS,
    persons,
    kept: { ada: { half: 'anon' } },
    flags: [{ ...kept, filters: sets({ ...set(person('plan', 'free')), rollout_percentage: 50 }) }],
    expected: is(false),
  },
  {
    what: 'who they were may be said as anon_distinct_id',
    source: REQUEST,
    persons,
    flags: [kept],
    request: { anon_distinct_id: 'anon' },
    expected: is(true),
  },
  {
    what: 'who they were may be said among the properties',
    source: REQUEST,
    persons,
    flags: [kept],
    request: { person_properties: { $anon_distinct_id: 'anon' } },
    expected: is(true),
  },
  {
    what: 'what is said beside the properties counts over what is said among them',
    source: REQUEST,
    persons,
    flags: [kept],
    request: { $anon_distinct_id: 'anon', person_properties: { $anon_distinct_id: 'device-1' } },
    expected: is(true),
  },
  {
    what: 'the answer of then is kept also before anything of the person is stored',
    source: PYTHON,
    flags: [kept],
    earlier: [{ $anon_distinct_id: 'anon' }],
    expected: is(true),
  },
  {
    what: 'a flag that places devices goes by the device',
    source: DEVICES,
    flags: [ofDevices],
    request: { $device_id: 'anon' },
    expected: is(true),
  },
  {
    what: 'another device may be placed elsewhere',
    source: DEVICES,
    flags: [ofDevices],
    request: { distinct_id: 'bob', $device_id: 'device-1' },
    expected: is(false),
  },
  {
    what: 'a device may be said as device_id',
    source: REQUEST,
    flags: [ofDevices],
    request: { device_id: 'anon' },
    expected: is(true),
  },
  {
    what: 'a device may be said among the properties',
    source: REQUEST,
    flags: [ofDevices],
    request: { person_properties: { $device_id: 'anon' } },
    expected: is(true),
  },
  {
    what: 'without a device a flag that places devices is off',
    source: IDENTIFIERS,
    flags: [{ ...ofDevices, filters: EVERYBODY }],
    request: { distinct_id: 'bob' },
    expected: { ...is(false), reasons: { half: ['out_of_rollout_bound', 0] } },
  },
  {
    what: 'a flag that places persons does not look at the device',
    source: DEVICES,
    flags: [plain],
    request: { $device_id: 'anon' },
    expected: is(false),
  },
  {
    what: 'devices are placed in variants',
    source: DEVICES,
    flags: [{ key: 'split', bucketing_identifier: 'device_id', filters: { ...EVERYBODY, ...variants('red', 'blue') } }],
    request: { distinct_id: 'bob', $device_id: 'anon' },
    expected: { values: { split: 'red' } },
  },
  {
    what: 'a device keeps its answer when the person is identified',
    source: DEVICES,
    flags: [ofDevices],
    request: { distinct_id: 'device-1', $device_id: 'anon', $anon_distinct_id: 'ada' },
    expected: is(true),
  },
];
