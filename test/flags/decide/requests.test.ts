import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import LZString from 'lz-string';
import { postDecide, buildFlagFor, buildVariants, valuesOf, type DecideAnswer } from '../../support/flags/decide.ts';
import { buildFlag } from '../../support/database/flag-rows.ts';
import { buildTenant, type Tenant } from '../../support/api/identity.ts';
import { startSluice, type Sluice } from '../../support/servers/sluice.ts';

type Recorded = {
  sdk: string;
  url: string;
  content_type: string;
  bytes: 'plain' | 'gzip';
  form?: true;
  json: { distinct_id: string; person_properties?: object; flag_keys_to_evaluate?: string[] };
};

const { cases } = JSON.parse(readFileSync(new URL('sdk-requests.json', import.meta.url), 'utf8')) as {
  cases: Recorded[];
};

const MIB = 1024 * 1024;

const form = (fields: Record<string, string>) => new URLSearchParams(fields).toString();
const flagsInAnswer = (answer: DecideAnswer) =>
  Object.keys(valuesOf(answer)).filter((key) => key.startsWith('on-') || key === 'of-shop');

describe('requests for flags', () => {
  let sluice: Sluice;
  let tenant: Tenant;

  before(async () => {
    sluice = await startSluice();
    tenant = await buildTenant(sluice.db);
    const { db } = sluice;
    const { projectId } = tenant;
    await db('group_types').insert({ project_id: projectId, group_type_index: 0, group_type: 'company' });
    await buildFlagFor(db, projectId, 'pro', { plan: 'pro' });
    await buildVariants(db, projectId, 'mv', ['control', 'test']);
    const gold = { key: 'tier', type: 'group', group_type_index: 0, operator: 'exact', value: 'gold' };
    const ofGroups = { aggregation_group_type_index: 0, groups: [{ properties: [gold], rollout_percentage: 100 }] };
    await buildFlag(db, projectId, { key: 'gold', filters: ofGroups });
    await buildFlagFor(db, projectId, 'on-server', {}, { evaluation_runtime: 'server' });
    await buildFlagFor(db, projectId, 'on-client', {}, { evaluation_runtime: 'client' });
    await buildFlagFor(db, projectId, 'of-shop', {}, { evaluation_contexts: ['shop', 'blog'] });
  });
  after(() => sluice.stop());

  const get = (body: object, headers: Record<string, string> = {}): Promise<DecideAnswer> =>
    postDecide(`${sluice.url}/flags/?v=2`, { token: tenant.apiToken, distinct_id: 'ada', ...body }, headers);

  const plain = () =>
    JSON.stringify({ token: tenant.apiToken, distinct_id: 'ada', person_properties: { plan: 'pro' } });
  const base64 = () => Buffer.from(plain()).toString('base64');

  describe('of released SDKs', () => {
    for (const [index, { sdk, url, content_type: type, bytes, form, json }] of cases.entries()) {
      it(`are understood: ${index}, ${sdk}, ${url.split('&')[0]}`, async () => {
        const text = JSON.stringify(json).replaceAll('phc_x', tenant.apiToken);
        const packed = form ? `data=${encodeURIComponent(Buffer.from(text).toString('base64'))}` : text;
        const body = bytes === 'gzip' ? gzipSync(packed) : packed;
        const answer = await postDecide(sluice.url + url, body, { 'Content-Type': type });
        assert.equal(answer.status, 200);
        assert.equal(answer.body['errorsWhileComputingFlags'], false);
        const isOld = url.startsWith('/decide');
        const values = isOld ? (answer.body['featureFlags'] as Record<string, unknown>) : valuesOf(answer);
        const { flag_keys_to_evaluate: keys, person_properties: properties = {} } = json;
        if (keys) return assert.deepEqual(Object.keys(values), keys);
        assert.equal(values['pro'], 'plan' in properties);
        assert.equal(values['gold'], 'group_properties' in json && JSON.stringify(json).includes('gold'));
        assert.equal(typeof values['mv'], 'string');
      });
    }
  });

  describe('in the packings of ten years', () => {
    const packings: [string, query: string, type: string, pack: () => string | Buffer][] = [
      ['JSON', '', 'application/json', plain],
      ['JSON without a type', '', '', plain],
      ['gzip as text', '', 'text/plain', () => gzipSync(plain())],
      ['gzip, named', '&compression=gzip-js', 'text/plain', () => gzipSync(plain())],
      ['base64', '', 'text/plain', base64],
      ['base64 without padding', '', 'text/plain', () => base64().replace(/=+$/, '')],
      ['gzip in base64', '', 'text/plain', () => gzipSync(plain()).toString('base64')],
      ['a form', '&compression=base64', 'application/x-www-form-urlencoded', () => form({ data: base64() })],
      ['a form of JSON', '', 'application/x-www-form-urlencoded', () => form({ data: plain() })],
      ['a form, not escaped', '', 'application/x-www-form-urlencoded', () => `data=${base64()}`],
      [
        'lz64 in a form',
        '&compression=lz64',
        'application/x-www-form-urlencoded',
        () => form({ data: LZString.compressToBase64(plain()) }),
      ],
      ['a byte order mark', '', 'application/json', () => `\ufeff${plain()}`],
    ];
    for (const [name, query, type, pack] of packings) {
      it(`are read: ${name}`, async () => {
        const answer = await postDecide(`${sluice.url}/flags/?v=2${query}`, pack(), { 'Content-Type': type });
        assert.deepEqual([answer.status, valuesOf(answer)['pro']], [200, true]);
      });
    }

    it('are read: gzip, named in the header', async () => {
      const headers = { 'Content-Encoding': 'gzip' };
      assert.equal((await postDecide(`${sluice.url}/flags/?v=2`, gzipSync(plain()), headers)).status, 200);
    });

    it('are read: numbers that JSON does not have', async () => {
      const text = plain().replace('"pro"', '"pro", "a": NaN, "b": [-Infinity]');
      assert.equal(valuesOf(await postDecide(`${sluice.url}/flags/?v=2`, text))['pro'], true);
    });
  });

  it('name the project in any of three ways', async () => {
    for (const name of ['token', '$token', 'api_key']) {
      const { status } = await postDecide(`${sluice.url}/flags`, {
        [name]: ` ${tenant.apiToken} `,
        distinct_id: 'ada',
      });
      assert.equal(status, 200, name);
    }
  });

  it('use other names of the same fields', async () => {
    const answer = await postDecide(`${sluice.url}/flags/?v=2`, {
      token: tenant.apiToken,
      $distinct_id: 'ada',
      $properties: { plan: 'pro' },
      $groups: { company: 'acme' },
      $group_properties: { company: { tier: 'gold' } },
    });
    const { pro, gold } = valuesOf(answer);
    assert.deepEqual({ pro, gold }, { pro: true, gold: true });
  });

  describe('are of whom their distinct id says', () => {
    const sameAs: [name: string, given: unknown, same: unknown][] = [
      ['a number is its text', 12345, '12345'],
      ['200 characters count, whatever follows', `${'x'.repeat(200)}y`, 'x'.repeat(200)],
      ['characters are code points', `${'😀'.repeat(200)}y`, '😀'.repeat(200)],
    ];
    for (const [name, given, same] of sameAs) {
      it(name, async () => {
        const [one, other] = [await get({ distinct_id: given }), await get({ distinct_id: same })];
        assert.equal(one.status, 200);
        assert.deepEqual(valuesOf(one), valuesOf(other));
      });
    }

    it('an empty one is a person like any other, and gets every first variant', async () => {
      assert.equal(valuesOf(await get({ distinct_id: '' }))['mv'], 'control');
    });
  });

  describe('come from a server or a client', () => {
    const agents: [string, body: object, headers: Record<string, string>, flags: string[]][] = [
      ['as the body says', { evaluation_runtime: 'server' }, { 'User-Agent': 'Mozilla/5.0' }, ['of-shop', 'on-server']],
      ['or of both', { evaluation_runtime: 'all' }, {}, ['of-shop', 'on-client', 'on-server']],
      ['by the browser', {}, { 'User-Agent': 'Mozilla/5.0 (X11)' }, ['of-shop', 'on-client']],
      ['by the SDK', {}, { 'User-Agent': 'posthog-python/7.91.1' }, ['of-shop', 'on-server']],
      ['by the app', {}, { 'User-Agent': 'posthog-android/3.0' }, ['of-shop', 'on-client']],
      ['by the page', {}, { 'User-Agent': 'x', Origin: 'https://shop.example' }, ['of-shop', 'on-client']],
      ['by the SDK for Java', {}, { 'User-Agent': 'posthog-server/2.0.1' }, ['of-shop', 'on-server']],
      ['by the SDK for Rust', {}, { 'User-Agent': 'posthog-rs/0.10.0' }, ['of-shop', 'on-server']],
      ['by a header of browsers', {}, { 'User-Agent': 'x', 'Sec-Fetch-Mode': '' }, ['of-shop', 'on-client']],
      ['in any case', { evaluation_runtime: 'CLIENT' }, { 'User-Agent': 'curl/8' }, ['of-shop', 'on-client']],
      ['or of both, by another word', { evaluation_runtime: 'moon' }, {}, ['of-shop', 'on-client', 'on-server']],
    ];
    for (const [name, body, headers, flags] of agents) {
      it(name, async () => assert.deepEqual(flagsInAnswer(await get(body, headers)), flags));
    }
  });

  describe('of bots', () => {
    const googlebot = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';

    it('get the answer that names no project', async () => {
      for (const path of ['/flags/', '/flags/?v=1', '/flags/?v=2', '/decide/?v=3', '/decide/']) {
        const answer = await postDecide(sluice.url + path, plain(), { 'User-Agent': googlebot });
        const { requestId: _, evaluatedAt: __, ...fields } = answer.body;
        const [list, flags] = [fields['featureFlags'], fields['featureFlags'] ?? fields['flags']];
        assert.deepEqual([answer.status, flags], [200, Array.isArray(list) ? [] : {}], path);
        assert.deepEqual([fields['isAuthenticated'], fields['sessionRecording']], [false, false], path);
      }
      assert.deepEqual(valuesOf(await get({}, { 'User-Agent': 'Googlebot-Image/1.0' })), {});
    });

    it('are not those of browsers that tests drive, nor of programs without an SDK', async () => {
      const headless =
        'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/120.0.0.0';
      for (const agent of [headless, 'Mozilla/5.0', 'node', 'Go-http-client/1.1', 'okhttp/4.9.2', '']) {
        assert.equal(valuesOf(await get({}, { 'User-Agent': agent }))['pro'], false, agent);
      }
    });
  });

  it('are answered by their path, whatever X-Original-Endpoint says', async () => {
    const answer = await get({}, { 'X-Original-Endpoint': 'decide' });
    assert.ok(answer.body['flags']);
  });

  it('are for flags of their contexts', async () => {
    assert.deepEqual(flagsInAnswer(await get({ evaluation_contexts: ['app'], evaluation_runtime: 'server' })), [
      'on-server',
    ]);
    for (const name of ['evaluation_contexts', 'evaluation_environments']) {
      const answer = await get({ [name]: ['blog'], evaluation_runtime: 'server' });
      assert.deepEqual(flagsInAnswer(answer), ['of-shop', 'on-server']);
    }
  });

  describe('that mean nothing are refused', () => {
    const refused: [string, body: () => unknown, status: number, code: string][] = [
      ['no body', () => '', 400, 'parse_error'],
      ['half of JSON', () => '{"token":', 400, 'parse_error'],
      ['null', () => 'null', 400, 'parse_error'],
      ['a list', () => [], 400, 'parse_error'],
      ['a text', () => '"x"', 400, 'parse_error'],
      ['a number', () => '123', 400, 'parse_error'],
      ['true', () => 'true', 400, 'parse_error'],
      ['no UTF-8', () => Buffer.from([0x7b, 0xff, 0x7d]), 400, 'parse_error'],
      ['broken gzip', () => Buffer.from([0x1f, 0x8b, 0x08, 1, 2, 3]), 400, 'parse_error'],
      ['a deep nest', () => `{"a":${'['.repeat(400)}${']'.repeat(400)}}`, 400, 'nested_too_deeply'],
      ['a deep nest', () => `{"a":${'['.repeat(40_000)}1${']'.repeat(40_000)}}`, 400, 'nested_too_deeply'],
      ['a nest of numbers', () => `{"a":${'['.repeat(40_000)}1.0${']'.repeat(40_000)}}`, 400, 'parse_error'],
      ['a very deep nest', () => `{"a":${'['.repeat(200_000)}1${']'.repeat(200_000)}}`, 413, 'payload_too_large'],
      ['many values', () => JSON.stringify({ a: Array.from({ length: 60_000 }, () => 1) }), 413, 'payload_too_large'],
      ['too much', () => JSON.stringify({ a: 'x'.repeat(2 * MIB) }), 413, 'payload_too_large'],
      ['too much, packed', () => gzipSync(JSON.stringify({ a: 'x'.repeat(3 * MIB) })), 413, 'payload_too_large'],
      ['no key', () => ({ distinct_id: 'ada' }), 401, 'not_authenticated'],
      ['an empty key', () => ({ token: ' ', distinct_id: 'ada' }), 401, 'not_authenticated'],
      ['a key that is no text', () => ({ token: 7, distinct_id: 'ada' }), 401, 'not_authenticated'],
      ['a key of nobody', () => ({ token: 'phc_nobody', distinct_id: 'ada' }), 401, 'invalid_api_key'],
      ['a secret key', () => ({ token: 'phx_secret', distinct_id: 'ada' }), 401, 'invalid_api_key'],
      ['nobody', () => ({ token: tenant.apiToken }), 400, 'missing_distinct_id'],
      ['null for an id', () => ({ token: tenant.apiToken, distinct_id: null }), 400, 'missing_distinct_id'],
      ['an object for an id', () => ({ token: tenant.apiToken, distinct_id: {} }), 400, 'missing_distinct_id'],
    ];
    for (const [name, body, status, code] of refused) {
      it(name, async () => {
        for (const path of ['/flags/?v=2', '/decide/?v=3']) {
          const answer = await postDecide(sluice.url + path, body());
          assert.deepEqual([answer.status, answer.body['code']], [status, code]);
          assert.deepEqual(Object.keys(answer.body), ['type', 'code', 'detail', 'attr']);
        }
      });
    }

    it('an unknown compression, an unknown encoding and parts', async () => {
      assert.equal((await postDecide(`${sluice.url}/flags/?compression=zip`, 'eA==')).status, 400);
      assert.equal((await postDecide(`${sluice.url}/flags/`, '{}', { 'Content-Encoding': 'br' })).status, 400);
      assert.equal(
        (await postDecide(`${sluice.url}/flags/`, 'x', { 'Content-Type': 'multipart/form-data; boundary=x' })).status,
        400,
      );
    });

    const refusals: [body: () => unknown, detail: RegExp][] = [
      [() => '{', /^Failed to decode request: /],
      [() => ({ distinct_id: 'ada' }), /^No API token provided\. /],
      [() => ({ token: 'phc_nobody', distinct_id: 'ada' }), /^Project API key invalid\. /],
      [() => ({ token: tenant.apiToken }), /^The distinct_id field is missing from the request\. /],
    ];
    it('in the words of upstream', async () => {
      for (const [body, detail] of refusals) {
        assert.match(String((await postDecide(`${sluice.url}/flags/?v=2`, body())).body['detail']), detail);
      }
    });
  });

  it('with groups or properties that are no objects are refused, naming them', async () => {
    for (const [body, attr] of [
      [{ groups: ['company'] }, 'groups'],
      [{ $groups: 'company' }, 'groups'],
      [{ person_properties: 'x' }, 'person_properties'],
      [{ person_properties: [{ plan: 'pro' }] }, 'person_properties'],
      [{ $properties: 7 }, 'person_properties'],
      [{ group_properties: false }, 'group_properties'],
      [{ group_properties: { company: 7 } }, 'group_properties__company'],
    ] as const) {
      const { status, body: refused } = await get(body);
      assert.deepEqual([status, refused['code'], refused['attr']], [400, 'invalid_input', attr], JSON.stringify(body));
    }
    // PHP writes an object without members so.
    const empty = await get({ groups: [], person_properties: [], group_properties: { company: [] } });
    assert.equal(empty.status, 200);
    assert.equal((await get({ groups: null, person_properties: null, group_properties: null })).status, 200);
  });

  it('with other members of the wrong kind are taken without these', async () => {
    const answer = await get({
      flag_keys: 'pro',
      evaluation_contexts: { a: 1 },
      $anon_distinct_id: [],
      $device_id: null,
    });
    assert.deepEqual([answer.status, answer.body['errorsWhileComputingFlags']], [200, false]);
    assert.equal(valuesOf(answer)['pro'], false);
  });

  const allowed = async (method: string, path: string) => {
    const { status, headers } = await fetch(sluice.url + path, { method });
    return [status, headers.get('allow')];
  };

  it('may come by other methods where there is an answer to them', async () => {
    const all = 'GET, POST, OPTIONS, HEAD';
    assert.deepEqual(await allowed('HEAD', '/flags/'), [200, null]);
    assert.deepEqual(await allowed('OPTIONS', '/flags/'), [204, all]);
    assert.deepEqual(await allowed('DELETE', '/flags/'), [405, all]);
    assert.deepEqual(await allowed('OPTIONS', '/decide/'), [204, 'POST, OPTIONS']);
    assert.deepEqual(await allowed('GET', '/decide/'), [405, 'POST, OPTIONS']);
  });

  it('may come from any page', async () => {
    const Origin = 'https://shop.example';
    const { headers } = await get({}, { Origin });
    assert.equal(headers.get('access-control-allow-origin'), Origin);
    assert.equal(headers.get('access-control-allow-credentials'), 'true');
    const preflightHeaders = { Origin, 'Access-Control-Request-Headers': 'content-type,x-thing' };
    const preflight = await fetch(`${sluice.url}/decide/?v=3`, { method: 'OPTIONS', headers: preflightHeaders });
    assert.equal(preflight.headers.get('access-control-allow-headers'), 'content-type,x-thing');
    assert.equal(preflight.headers.get('access-control-allow-methods'), 'GET, POST, OPTIONS, HEAD');
  });
});

describe('a project with too many requests for flags', () => {
  it('is refused until some time has gone, and no other', async () => {
    const sluice = await startSluice({ flagRequestsPerSecond: 1 });
    try {
      const [busy, quiet] = [await buildTenant(sluice.db), await buildTenant(sluice.db)];
      const get = ({ apiToken }: Tenant) => postDecide(`${sluice.url}/flags`, { token: apiToken, distinct_id: 'ada' });
      for (let i = 0; i < 10; i++) assert.equal((await get(busy)).status, 200);
      let refused = await get(busy);
      for (let i = 0; i < 5 && refused.status === 200; i++) refused = await get(busy);
      assert.deepEqual(refused.body, {
        type: 'validation_error',
        code: 'rate_limit_exceeded',
        detail: 'Rate limit exceeded',
        attr: null,
      });
      assert.equal(refused.status, 429);
      assert.ok(Number(refused.headers.get('retry-after')) >= 1);
      assert.equal((await get(quiet)).status, 200);
    } finally {
      await sluice.stop();
    }
  });
});
