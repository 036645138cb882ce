/** The shapes of answers: `/decide` in its four versions, and `/flags`. */
import { EVERYBODY, NOBODY, person, set, sets, variants, type Scenario } from './scenario.ts';

const DECIDE = 'posthog/rust/feature-flags/tests/test_legacy_decide_formats.rs';
const TYPES = 'posthog/rust/feature-flags/src/api/types.rs';
const METHODS = 'posthog/rust/feature-flags/tests/test_http_methods.rs';
const CONFIG = 'posthog/rust/feature-flags/src/handler/config_response_builder.rs';

const flags = [
  { key: 'off', version: 3, filters: { ...NOBODY, payloads: { true: '"never"' } } },
  { key: 'on', filters: { ...EVERYBODY, payloads: { true: '{"a": 1}' } } },
  { key: 'split', filters: { ...EVERYBODY, ...variants('control', 'test'), payloads: { control: '"first"' } } },
];
const enabled = { on: true, split: 'control' };
const all = { off: false, ...enabled };
const errorsWhileComputingFlags = false;

type Version = [what: string, path: string, expected: Scenario['expected'], source?: string];

const legacy = { values: all, payloads: { on: '{"a": 1}', split: '"first"', off: null } };
const details = { ...legacy, body: { errorsWhileComputingFlags }, without: ['featureFlags', 'featureFlagPayloads'] };
const withConfig = { config: { enable_collect_everything: true }, toolbarParams: {}, isAuthenticated: false };

const versions: Version[] = [
  ['decide without a version lists the keys of what is on', '/decide/', { body: { featureFlags: ['on', 'split'] } }],
  ['decide v1 lists the keys of what is on', '/decide/?v=1', { body: { featureFlags: ['on', 'split'] } }],
  ['decide v1 says nothing of payloads', '/decide/?v=1', { without: ['featureFlagPayloads', 'flags'] }],
  ['decide v2 has the values of what is on', '/decide/?v=2', { values: enabled, without: ['featureFlagPayloads'] }],
  ['decide v3 has all values and payloads', '/decide/?v=3', { ...legacy, body: { errorsWhileComputingFlags } }],
  ['decide v3 leaves out payloads of what is off', '/decide/?v=3', { payloads: { off: null } }],
  ['decide v4 has details', '/decide/?v=4', details],
  ['decide above v4 has details', '/decide/?v=12', details],
  ['decide of a version that is no number is v1', '/decide/?v=x', { body: { featureFlags: ['on', 'split'] } }],
  ['decide takes the version by its long name', '/decide/?version=3', legacy, TYPES],
  ['decide has the configuration beside the flags', '/decide/?v=3', { body: withConfig }, CONFIG],
  ['decide says which compressions it reads', '/decide/?v=3', { body: { supportedCompression: ['gzip', 'lz64'] } }],
  ['decide needs no slash at its end', '/decide?v=3', legacy],
  [
    'flags v1 is what decide v3 says of flags',
    '/flags/?v=1',
    { ...legacy, without: ['config', 'toolbarParams'] },
    TYPES,
  ],
  ['flags v2 has details', '/flags/?v=2', { ...details, without: ['featureFlags', 'config'] }, TYPES],
  ['flags v3 has details, which newer SDKs read', '/flags/?v=3', details, TYPES],
  ['flags v4 has details, which posthog-python 7 asks for', '/flags/?v=4', details, TYPES],
  [
    'flags with config=true has the configuration',
    '/flags/?v=2&config=true',
    { values: all, body: withConfig },
    CONFIG,
  ],
  ['flags without a version has details and the configuration', '/flags', { values: all, body: withConfig }, TYPES],
  ['flags takes an empty version for none', '/flags/?v=', { values: all, body: withConfig }, TYPES],
];

export const shapes: Scenario[] = [
  ...versions.map(([what, path, expected, source = DECIDE]) => ({ what, source, flags, path, expected })),
  {
    what: 'details say why, by code and condition set',
    source: 'posthog/rust/feature-flags/src/flags/flag_match_reason.rs',
    flags,
    expected: { reasons: { on: ['condition_match', 0], off: ['out_of_rollout_bound', 0] } },
  },
  {
    what: 'the request id is that of the header, when it is a UUID',
    source: 'posthog/rust/feature-flags/src/api/endpoint.rs',
    headers: { 'X-Request-Id': '018f2b64-1111-7222-8333-123456789abc' },
    expected: { body: { requestId: '018f2b64-1111-7222-8333-123456789abc' } },
  },
  {
    what: 'flags that are deleted or not active are not there',
    source: 'posthog/rust/feature-flags/src/flags/flag_matching.rs',
    flags: [{ key: 'on' }, { key: 'gone', deleted: true }, { key: 'asleep', active: false }],
    expected: { values: { on: true } },
  },
  {
    what: 'a project without flags has none',
    source: TYPES,
    expected: { values: {}, body: { errorsWhileComputingFlags, flags: {} } },
  },
  {
    what: 'GET has no flags, and the least of the configuration',
    source: METHODS,
    flags,
    method: 'GET',
    expected: {
      values: {},
      body: { ...withConfig, sessionRecording: false, supportedCompression: ['gzip', 'gzip-js'] },
    },
  },
  { what: 'HEAD is taken', source: METHODS, method: 'HEAD', expected: { status: 200 } },
  { what: 'OPTIONS has no body', source: METHODS, method: 'OPTIONS', expected: { status: 204 } },
  { what: 'DELETE is refused', source: METHODS, method: 'DELETE', expected: { status: 405 } },
  { what: 'PUT is refused', source: METHODS, method: 'PUT', expected: { status: 405 } },
  {
    what: 'a header of upstream’s proxy does not change the shape',
    source: 'posthog/rust/feature-flags/tests/test_bot_filtering.rs',
    otherwise: 'upstream’s proxy says by it that decide was asked; here decide has its own path',
    flags,
    headers: { 'X-Original-Endpoint': 'decide' },
    expected: details,
  },
  {
    what: 'details have no variant where there are variants and no condition matches',
    source: 'posthog/rust/feature-flags/src/flags/flag_matching.rs',
    flags: [{ key: 'split', filters: { ...sets(set(person('plan', 'pro'))), ...variants('a', 'b') } }],
    expected: { values: { split: false }, reasons: { split: ['no_condition_match', 0] }, payloads: { split: null } },
  },
];
