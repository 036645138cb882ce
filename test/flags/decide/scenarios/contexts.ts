/** The flags that a request asks for, and which kind of program it comes from. */
import { EVERYBODY, NOBODY, type Scenario } from './scenario.ts';

const RUNTIME = 'posthog/rust/feature-flags/src/handler/flags.rs';
const BOTS = 'posthog/rust/feature-flags/tests/test_bot_filtering.rs';
const CONTEXTS = 'posthog.com/contents/docs/feature-flags/evaluation-contexts.mdx';
const REQUEST = 'posthog/rust/feature-flags/src/flags/flag_request.rs';
const BILLING = 'posthog/rust/feature-flags/src/handler/billing.rs';
const TYPES = 'posthog/rust/feature-flags/src/api/types.rs';
const COOKIELESS = 'posthog/rust/feature-flags/src/handler/cookieless.rs';

const of = (evaluation_runtime: string) => ({ key: `of-${evaluation_runtime}`, evaluation_runtime });
const runtimes = [of('all'), of('client'), of('server')];
const CLIENT = { 'of-all': true, 'of-client': true };
const SERVER = { 'of-all': true, 'of-server': true };
const ALL = { ...CLIENT, ...SERVER };
const agent = (name: string, more: Record<string, string> = {}) => ({ 'User-Agent': name, ...more });

type Row = [what: string, request: object, headers: Record<string, string>, values: Record<string, boolean>];
const runtimeRows: Row[] = [
  ['says that it is a server', { evaluation_runtime: 'server' }, agent('Mozilla/5.0'), SERVER],
  ['says that it is a client', { evaluation_runtime: 'client' }, agent('posthog-python/7.91.1'), CLIENT],
  ['says that it is all', { evaluation_runtime: 'all' }, agent('Mozilla/5.0'), ALL],
  ['says what it is in any case', { evaluation_runtime: 'SERVER' }, agent('Mozilla/5.0'), SERVER],
  ['says what nobody knows, which is all', { evaluation_runtime: 'moon' }, agent('Mozilla/5.0'), ALL],
  [
    'is a browser',
    {},
    agent('Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/120.0.0.0 Safari/537.36'),
    CLIENT,
  ],
  ['is an app of Apple’s', {}, agent('posthog-ios/3.19.0'), CLIENT],
  ['is an app of Android’s', {}, agent('posthog-android/3.9.0'), CLIENT],
  ['is an app in React Native', {}, agent('posthog-react-native/3.3.0'), CLIENT],
  ['is an app in Flutter', {}, agent('posthog-flutter/4.9.0'), CLIENT],
  ['is a server in Python', {}, agent('posthog-python/7.91.1'), SERVER],
  ['is a server in Ruby', {}, agent('posthog-ruby/3.23.2'), SERVER],
  ['is a server in PHP', {}, agent('posthog-php/4.13.2'), SERVER],
  ['is a server in Go', {}, agent('posthog-go/1.5.2'), SERVER],
  ['is a server in Java', {}, agent('posthog-server/2.3.3'), SERVER],
  ['is an older server in Java', {}, agent('posthog-java/1.2.0'), SERVER],
  ['is a server in Rust', {}, agent('posthog-rs/0.30.0'), SERVER],
  ['is a server in Node', {}, agent('posthog-node/5.70.0'), SERVER],
  ['is a server in .NET', {}, agent('posthog-dotnet/2.0.0'), SERVER],
  ['is a server in Elixir', {}, agent('posthog-elixir/1.0.0'), SERVER],
  ['is a script in Python', {}, agent('python-requests/2.32.0'), SERVER],
  ['is curl', {}, agent('curl/8.5.0'), SERVER],
  ['says whose page it is', {}, agent('x', { Origin: 'https://shop.example' }), CLIENT],
  ['says which page it comes from', {}, agent('x', { Referer: 'https://shop.example/' }), CLIENT],
];

const contexts = [
  { key: 'anywhere' },
  { key: 'of-shop', evaluation_contexts: ['shop', 'blog'] },
  { key: 'of-app', evaluation_contexts: ['app'] },
];

const bots: [name: string, userAgent: string][] = [
  ['Googlebot', 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)'],
  ['Bing’s', 'Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)'],
  ['one that gathers links', 'Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)'],
  [
    'one that reads for a model',
    'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.0; +https://openai.com/gptbot)',
  ],
  ['one that says no more than that', 'Mozilla/5.0 (compatible; UnknownNewBot/1.0; +https://example.com/bot/)'],
];
const people: [name: string, userAgent: string][] = [
  [
    'a browser on a Mac',
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36',
  ],
  ['a browser on Windows', 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:120.0) Gecko/20100101 Firefox/120.0'],
  [
    'a telephone',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_2 like Mac OS X) AppleWebKit/605.1.15 Version/17.2 Mobile/15E148 Safari/604.1',
  ],
  ['posthog-js', 'posthog-js/1.374.3'],
];
const flags = [{ key: 'on', filters: EVERYBODY }];
const none = { values: {}, body: { errorsWhileComputingFlags: false, supportedCompression: ['gzip', 'gzip-js'] } };
const SENTINEL = '$posthog_cookieless';

export const askers: Scenario[] = [
  ...runtimeRows.map(([what, request, headers, values]) => ({
    what: `flags are for who ${what}`,
    source: RUNTIME,
    flags: runtimes,
    request,
    headers,
    expected: { values },
  })),
  {
    what: 'a request that names no context gets all flags',
    source: CONTEXTS,
    flags: contexts,
    expected: { values: { anywhere: true, 'of-shop': true, 'of-app': true } },
  },
  ...['evaluation_contexts', 'evaluation_environments'].map((name) => ({
    what: `a request that names a context in ${name} gets the flags of it, and those of none`,
    source: CONTEXTS,
    flags: contexts,
    request: { [name]: ['blog'] },
    expected: { values: { anywhere: true, 'of-shop': true } },
  })),
  {
    what: 'a request that names a context of no flag gets those of none',
    source: CONTEXTS,
    flags: contexts,
    request: { evaluation_contexts: ['moon'] },
    expected: { values: { anywhere: true } },
  },
  {
    what: 'a request that names several contexts gets the flags of each',
    source: CONTEXTS,
    flags: contexts,
    request: { evaluation_contexts: ['app', 'shop'] },
    expected: { values: { anywhere: true, 'of-shop': true, 'of-app': true } },
  },
  {
    what: 'a request that names contexts in an empty list gets all flags',
    source: CONTEXTS,
    flags: contexts,
    request: { evaluation_contexts: [] },
    expected: { values: { anywhere: true, 'of-shop': true, 'of-app': true } },
  },
  ...['flag_keys', 'flag_keys_to_evaluate'].map((name) => ({
    what: `only the flags of ${name} are answered`,
    source: REQUEST,
    flags: [...flags, { key: 'off', filters: NOBODY }],
    request: { [name]: ['off', 'gone'] },
    expected: { values: { off: false } },
  })),
  {
    what: 'no flags are answered to who wants none',
    source: REQUEST,
    flags,
    request: { disable_flags: true },
    expected: { values: {}, body: { errorsWhileComputingFlags: false } },
  },
  {
    what: 'who wants no flags may want the configuration',
    source: REQUEST,
    flags,
    path: '/flags/?v=2&config=true',
    request: { disable_flags: true },
    expected: { values: {}, body: { isAuthenticated: false } },
  },
  {
    what: 'only flags of surveys are answered to who wants these',
    source: TYPES,
    path: '/flags/?v=2&only_evaluate_survey_feature_flags=true',
    flags: [...flags, { key: 'survey-targeting-nps' }],
    expected: { values: { 'survey-targeting-nps': true } },
  },
  {
    what: 'a project that used its requests gets no flags, and is told why',
    source: BILLING,
    flags,
    quota: 0,
    expected: { values: {}, body: { quotaLimited: ['feature_flags'], errorsWhileComputingFlags: false } },
  },
  {
    what: 'a project that has requests left is told of no quota',
    source: BILLING,
    flags,
    quota: 1000,
    expected: { values: { on: true }, without: ['quotaLimited'] },
  },
  ...bots.map(([name, userAgent]) => ({
    what: `no flags are decided for bots: ${name}`,
    source: BOTS,
    flags,
    headers: agent(userAgent),
    expected: none,
  })),
  {
    what: 'bots that ask decide get its shape',
    source: BOTS,
    flags,
    path: '/decide/?v=1',
    headers: agent(bots[0]![1]),
    expected: { body: { featureFlags: [] }, without: ['flags'] },
  },
  ...people.map(([name, userAgent]) => ({
    what: `flags are decided for ${name}`,
    source: BOTS,
    flags,
    path: '/flags/?v=1',
    headers: agent(userAgent),
    expected: { values: { on: true } },
  })),
  ...[true, false].map((cookieless) => ({
    what: `visitors without cookies are ${cookieless ? '' : 'not '}told apart, and have nothing that is stored`,
    source: COOKIELESS,
    cookieless,
    persons: { [SENTINEL]: { plan: 'pro' } },
    flags: [
      ...flags,
      {
        key: 'pro',
        filters: { groups: [{ properties: [{ key: 'plan', type: 'person', operator: 'exact', value: 'pro' }] }] },
      },
    ],
    request: { distinct_id: SENTINEL },
    expected: { values: { on: true, pro: false } },
  })),
  {
    what: 'visitors without cookies are who they say they are in properties',
    source: COOKIELESS,
    cookieless: true,
    flags: [{ key: 'on', filters: { groups: [{ properties: [{ key: 'plan', type: 'person', value: 'pro' }] }] } }],
    request: { distinct_id: SENTINEL, person_properties: { plan: 'pro' } },
    expected: { values: { on: true } },
  },
];
