/** OFREP, request by request, against a started server. What decides flags is tested elsewhere: here is how it is asked and told. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { ofrepRoutes } from '../../../src/flags/ofrep/description.ts';
import { compile } from '../../../src/platform/schema.ts';
import { buildCohort, buildFlag, waitUntilServerUsesRows } from '../../support/database/flag-rows.ts';
import { buildPersonalKey, buildProjectSecretKey, buildTenant, type Tenant } from '../../support/api/identity.ts';
import { startSluice, type Sluice } from '../../support/servers/sluice.ts';
import { until } from '../../support/until.ts';

const everybody = { properties: [], rollout_percentage: 100 };
const withEmail = (value: string) => ({ properties: [{ key: 'email', type: 'person', operator: 'exact', value }] });
const multivariate = {
  variants: [
    { key: 'control', rollout_percentage: 50 },
    { key: 'test', rollout_percentage: 50 },
  ],
};

const PATIENCE_MS = 60_000;
const BOTS = ['Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)', 'Twitterbot/1.0'];

type Told = { status: number; headers: Headers; body: Record<string, unknown> };
type Asking = { key?: string; headers?: Record<string, string>; method?: string };

describe('OFREP', () => {
  let sluice: Sluice;
  let tenant: Tenant;
  before(async () => {
    sluice = await startSluice();
    tenant = await buildTenant(sluice.db);
  });
  after(() => sluice.stop());

  /** @param body JSON, or a text as it is */
  async function ask(path: string, body: unknown, { key, headers = {}, method = 'POST' }: Asking = {}): Promise<Told> {
    const answer = await fetch(`${sluice.url}/ofrep/v1/evaluate/flags${path}`, {
      method,
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${key ?? tenant.apiToken}`, ...headers },
      ...(method === 'POST' && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: answer.status, headers: answer.headers, body: text === '' ? {} : JSON.parse(text) };
  }

  const flag = (key: string, filters: object, more: object = {}) =>
    buildFlag(sluice.db, tenant.projectId, { key, filters, ...more });

  describe('is open', () => {
    before(() => flag('plain', { groups: [everybody] }));
    const context = { targetingKey: 'somebody' };

    it('to no caller without a key, or with one that is none', async () => {
      for (const headers of [
        { Authorization: '' },
        { Authorization: 'Bearer phc_unknown' },
        { Authorization: 'Basic x' },
      ]) {
        const { status, body, headers: answered } = await ask('/plain', { context }, { headers });
        assert.equal(status, 401);
        assert.deepEqual(Object.keys(body), ['errorDetails']);
        assert.equal(answered.get('www-authenticate'), 'Bearer');
      }
    });

    it('to a secret key that may read flags, and to no personal key', async () => {
      const { db } = sluice;
      const allowed = await buildProjectSecretKey(db, tenant, 'feature_flag:read');
      assert.equal((await ask('/plain', { context }, { key: allowed })).status, 200);
      for (const key of [
        await buildProjectSecretKey(db, tenant, 'batch_export:read'),
        await buildPersonalKey(db, tenant, 'feature_flag:read'),
      ]) {
        const { status, body } = await ask('/plain', { context }, { key });
        assert.equal(status, 403);
        assert.deepEqual(Object.keys(body), ['errorDetails']);
      }
    });

    it('to a key as a bearer or as X-API-Key, with a slash at the end or without', async () => {
      const headers = { Authorization: '', 'X-API-Key': tenant.apiToken };
      for (const path of ['/plain', '/plain/']) assert.equal((await ask(path, { context }, { headers })).status, 200);
      for (const path of ['', '/']) assert.equal((await ask(path, { context })).status, 200);
    });

    it('to the project of the key, and shows nothing of others', async () => {
      const other = await buildTenant(sluice.db);
      assert.equal((await ask('/plain', { context }, { key: other.apiToken })).status, 404);
      assert.deepEqual((await ask('', { context }, { key: other.apiToken })).body['flags'], []);
    });

    it('to any web page', async () => {
      const origin = 'https://shop.example';
      const requestedHeaders = 'authorization,content-type,if-none-match';
      const preflight = await ask(
        '',
        {},
        {
          method: 'OPTIONS',
          headers: { Origin: origin, 'Access-Control-Request-Headers': requestedHeaders },
        },
      );
      assert.equal(preflight.status, 204);
      assert.equal(preflight.headers.get('access-control-allow-headers'), requestedHeaders);
      assert.equal(preflight.headers.get('access-control-allow-methods'), 'GET, POST, OPTIONS, HEAD');
      const { headers } = await ask('', { context }, { headers: { Origin: origin } });
      assert.equal(headers.get('access-control-allow-origin'), origin);
      assert.equal(headers.get('access-control-expose-headers'), 'ETag, Retry-After');
    });

    it('to no bot by the public key, as on decide: it gets the defaults of the code, and no request is counted', async () => {
      const shop = await buildTenant(sluice.db);
      await buildFlag(sluice.db, shop.projectId, { key: 'plain', filters: { groups: [everybody] } });
      await waitUntilServerUsesRows(sluice, shop);
      const counted = () =>
        sluice.db('flag_requests').where({ project_id: shop.projectId, kind: 'ofrep' }).whereNot({ sdk: 'node' });
      for (const agent of BOTS) {
        const asking = { key: shop.apiToken, headers: { 'User-Agent': agent } };
        const all = await ask('', { context }, asking);
        assert.deepEqual([all.status, all.body], [200, { flags: [] }], agent);
        const one = await ask('/plain', { context }, asking);
        assert.deepEqual([one.status, one.body['key'], one.body['errorCode']], [404, 'plain', 'FLAG_NOT_FOUND'], agent);
        assert.equal((await ask('', { context }, { ...asking, key: 'phc_unknown' })).status, 401);
      }
      const secret = await buildProjectSecretKey(sluice.db, shop, 'feature_flag:read');
      const server = { key: secret, headers: { 'User-Agent': BOTS[0]! } };
      assert.equal((await ask('/plain', { context }, server)).body['value'], true);
      const end = Date.now() + PATIENCE_MS;
      while ((await counted()).length === 0 && Date.now() < end) await sleep(250);
      assert.deepEqual(
        (await counted()).map(({ kind, key_id, requests }) => [kind, key_id === null, Number(requests)]),
        [['ofrep', false, 1]],
      );
    });

    it('to POST only', async () => {
      const { status, headers } = await ask('/plain', undefined, { method: 'GET' });
      assert.equal(status, 405);
      assert.equal(headers.get('allow'), 'POST, OPTIONS');
    });
  });

  describe('explains what is wrong with a request', () => {
    const targetingKey = 'somebody';
    for (const [what, body, errorCode] of [
      ['no JSON', '{', 'PARSE_ERROR'],
      ['nothing', '', 'PARSE_ERROR'],
      ['a list', [], 'PARSE_ERROR'],
      ['too many levels', `{"context":${'['.repeat(100)}${']'.repeat(100)}}`, 'PARSE_ERROR'],
      ['too many bytes', { context: { targetingKey, text: 'x'.repeat(300_000) } }, 'PARSE_ERROR'],
      ['a context that is a list', { context: [] }, 'INVALID_CONTEXT'],
      ['a targeting key that is a number', { context: { targetingKey: 5 } }, 'INVALID_CONTEXT'],
      ['groups that are a list', { context: { targetingKey, groups: ['acme'] } }, 'INVALID_CONTEXT'],
      ['a group that is an object', { context: { targetingKey, groups: { company: {} } } }, 'INVALID_CONTEXT'],
      ['group properties that are a list', { context: { targetingKey, group_properties: [] } }, 'INVALID_CONTEXT'],
      [
        'properties of a group that are none',
        { context: { targetingKey, group_properties: { company: 1 } } },
        'INVALID_CONTEXT',
      ],
      ['no context', {}, 'TARGETING_KEY_MISSING'],
      ['no targeting key', { context: { plan: 'pro' } }, 'TARGETING_KEY_MISSING'],
      ['an empty targeting key', { context: { targetingKey: '' } }, 'TARGETING_KEY_MISSING'],
    ] as const) {
      it(`${what}: ${errorCode}`, async () => {
        const one = await ask('/plain', body);
        assert.equal(one.status, 400);
        const { errorDetails, ...rest } = one.body;
        assert.deepEqual(rest, { key: 'plain', errorCode });
        assert.equal(typeof errorDetails, 'string');
        const all = await ask('', body);
        assert.equal(all.status, 400);
        assert.deepEqual(all.body, { errorCode, errorDetails });
      });
    }

    it('nothing with a number as the key of a group, which the document offers', async () => {
      const body = { context: { targetingKey, groups: { company: 5, team: 'a' } } };
      assert.equal((await ask('/plain', body)).status, 200);
      for (const { path, body: schema } of ofrepRoutes) {
        if (schema) assert.ok(compile(schema)(structuredClone(body)), path);
      }
    });

    it('a flag that is not there: FLAG_NOT_FOUND', async () => {
      const { status, body } = await ask('/is%20not%20there', { context: { targetingKey } });
      assert.equal(status, 404);
      assert.equal(body['key'], 'is not there');
      assert.equal(body['errorCode'], 'FLAG_NOT_FOUND');
    });
  });

  describe('sends', () => {
    let failing = 0;
    before(async () => {
      const cohort = await buildCohort(sluice.db, tenant.projectId, { type: 'AND', values: [] });
      await sluice.db('cohorts').where({ id: cohort }).update({ deleted: true });
      await flag('targeted', { groups: [withEmail('ada@example.com')], payloads: { true: '{"a": 1.0}' } });
      await flag('half', { groups: [{ ...everybody, rollout_percentage: 50 }] });
      await flag('variants', { groups: [everybody], multivariate, payloads: { test: '"x"' } });
      await flag('chosen', { groups: [{ ...withEmail('ada@example.com'), variant: 'test' }], multivariate });
      await flag('second', { groups: [withEmail('ada@example.com'), everybody] });
      await flag('held-out', { groups: [everybody], holdout: { id: 7, exclusion_percentage: 100 } });
      await flag('enrolled', { groups: [], feature_enrollment: true });
      await flag('of-companies', {
        aggregation_group_type_index: 0,
        groups: [
          { properties: [{ key: 'tier', type: 'group', group_type_index: 0, operator: 'exact', value: 'gold' }] },
        ],
      });
      await flag('off', { groups: [everybody] }, { active: false });
      await flag('of-servers', { groups: [everybody] }, { evaluation_runtime: 'server' });
      await flag('of-servers-off', { groups: [everybody] }, { evaluation_runtime: 'server', active: false });
      await flag('survey-targeting-1', { groups: [everybody] });
      await flag('a/b', { groups: [everybody] });
      await sluice
        .db('group_types')
        .insert({ project_id: tenant.projectId, group_type_index: 0, group_type: 'company' });
      failing = await flag('failing', {
        groups: [{ properties: [{ key: 'id', type: 'cohort', operator: 'in', value: cohort }] }],
      });
      await waitUntilServerUsesRows(sluice, tenant);
    });

    const ada = { targetingKey: 'ada', email: 'ada@example.com' };
    const bob = { targetingKey: 'bob', email: 'bob@example.com' };
    const gold = { targetingKey: 'ada', groups: { company: 'acme' }, group_properties: { company: { tier: 'gold' } } };
    for (const [key, context, value, reason, code, index] of [
      ['plain', bob, true, 'STATIC', 'condition_match', 0],
      ['targeted', ada, true, 'TARGETING_MATCH', 'condition_match', 0],
      ['targeted', bob, false, 'TARGETING_MATCH', 'no_condition_match', 0],
      ['half', bob, true, 'SPLIT', 'condition_match', 0],
      ['half', ada, false, 'SPLIT', 'out_of_rollout_bound', 0],
      ['variants', ada, 'test', 'SPLIT', 'condition_match', 0],
      ['chosen', ada, 'test', 'TARGETING_MATCH', 'condition_match', 0],
      ['chosen', bob, undefined, 'TARGETING_MATCH', 'no_condition_match', 0],
      ['second', bob, true, 'TARGETING_MATCH', 'condition_match', 1],
      ['held-out', bob, 'holdout-7', 'SPLIT', 'holdout_condition_value', undefined],
      [
        'enrolled',
        { targetingKey: 'bob', '$feature_enrollment/enrolled': true },
        true,
        'TARGETING_MATCH',
        'super_condition_value',
        0,
      ],
      ['of-companies', gold, true, 'TARGETING_MATCH', 'condition_match', 0],
      ['off', bob, undefined, 'DISABLED', 'flag_disabled', undefined],
      ['survey-targeting-1', bob, true, 'STATIC', 'condition_match', 0],
    ] as const) {
      it(`${key} for ${JSON.stringify(context)}: ${value}, ${reason}`, async () => {
        const { status, body } = await ask(`/${key}`, { context });
        assert.equal(status, 200, JSON.stringify(body));
        const { metadata, ...rest } = body as { metadata: Record<string, unknown> };
        const valueFields = value === undefined ? { variant: '' } : { value, variant: String(value) };
        assert.deepEqual(rest, { key, ...valueFields, reason });
        const { reason: code_, condition_index, version, id } = metadata;
        assert.deepEqual([code_, condition_index, version, typeof id], [code, index, 1, 'number']);
      });
    }

    it('the payload as it is stored, in the metadata', async () => {
      const { body } = await ask('/targeted', { context: ada });
      assert.equal((body['metadata'] as { payload: string }).payload, '{"a": 1.0}');
      const { body: none } = await ask('/targeted', { context: bob });
      assert.ok(!('payload' in (none['metadata'] as object)));
    });

    it('flags by the stored properties of the person, unless the context says otherwise', async () => {
      const event = { api_key: tenant.apiToken, event: 'x', distinct_id: 'eve', $set: { email: 'ada@example.com' } };
      await fetch(`${sluice.url}/capture/`, { method: 'POST', body: JSON.stringify(event) });
      assert.equal((await ask('/targeted', { context: { targetingKey: 'eve' } })).body['value'], true);
      assert.equal((await ask('/targeted', { context: { targetingKey: 'eve', email: null } })).body['value'], false);
    });

    it('a variant in every answer: providers for Python fail without', async () => {
      const { body } = await ask('', { context: bob });
      for (const { key, errorCode, variant } of body['flags'] as Record<string, unknown>[]) {
        assert.equal(typeof variant, errorCode === undefined ? 'string' : 'undefined', String(key));
      }
    });

    it('a flag that cannot be decided: GENERAL, and all others', async () => {
      const { status, body } = await ask('/failing', { context: bob });
      assert.equal(status, 400);
      const failure = {
        key: 'failing',
        errorCode: 'GENERAL',
        errorDetails: 'The flag could not be decided: dependency_not_found_cohort.',
      };
      assert.deepEqual(body, failure);
      assert.ok(failing > 0);
      const all = await ask('', { context: bob });
      assert.equal(all.status, 200);
      assert.deepEqual(
        (all.body['flags'] as { key: string }[]).find(({ key }) => key === 'failing'),
        failure,
      );
    });

    it('in bulk all flags but those of surveys and of other runtimes, by key, as one by one', async () => {
      const headers = { 'User-Agent': 'Mozilla/5.0' };
      const { body } = await ask('', { context: bob }, { headers });
      const flags = body['flags'] as { key: string }[];
      const keys = flags.map(({ key }) => key);
      assert.deepEqual(keys, [...keys].sort());
      assert.deepEqual(
        ['off', 'of-servers', 'of-servers-off', 'survey-targeting-1'].filter((key) => keys.includes(key)),
        ['off'],
      );
      for (const one of flags.filter(({ key }) => key !== 'failing')) {
        assert.deepEqual((await ask(`/${encodeURIComponent(one.key)}`, { context: bob }, { headers })).body, one);
      }
      assert.equal((await ask('/of-servers', { context: bob }, { headers })).status, 404);
      assert.equal((await ask('/of-servers', { context: bob }, { headers: { 'User-Agent': 'curl/8' } })).status, 200);
    });
  });

  describe('answers 304', () => {
    const context = { targetingKey: 'bob' };
    it('while the flags of the context are the same', async () => {
      const first = await ask('', { context });
      const tag = first.headers.get('etag') ?? '';
      assert.match(tag, /^"[\w-]{43}"$/);
      for (const seen of [tag, `W/${tag}`, `"other", ${tag}`]) {
        const again = await ask('', { context }, { headers: { 'If-None-Match': seen } });
        assert.equal(again.status, 304);
        assert.equal(again.headers.get('etag'), tag);
        assert.deepEqual(again.body, {});
      }
      assert.equal((await ask('', { context }, { headers: { 'If-None-Match': '"other"' } })).status, 200);
      const other = { context: { targetingKey: 'bob', email: 'ada@example.com' } };
      assert.equal((await ask('', other, { headers: { 'If-None-Match': tag } })).status, 200);
    });
  });
});

describe('OFREP answers 429', () => {
  let sluice: Sluice;
  before(async () => void (sluice = await startSluice({ flagRequestsPerSecond: 1 })));
  after(() => sluice.stop());

  async function ask({ apiToken }: Tenant): Promise<Response> {
    return fetch(`${sluice.url}/ofrep/v1/evaluate/flags`, {
      method: 'POST',
      headers: { 'X-API-Key': apiToken },
      body: JSON.stringify({ context: { targetingKey: 'somebody' } }),
    });
  }

  it('to a project that sends too fast, and to no other', async () => {
    const busy = await buildTenant(sluice.db);
    let refused: Response[] = [];
    // A busy machine may take longer for them than they are too fast.
    await until('one to be refused', async () => {
      const answers = await Promise.all(Array.from({ length: 20 }, () => ask(busy)));
      refused = answers.filter(({ status }) => status === 429);
      assert.ok(refused.length < 20);
      return refused.length > 0;
    });
    await assertRefused(refused[0]!);
    assert.equal((await ask(await buildTenant(sluice.db))).status, 200);
  });

  it('to a project that has used its quota, and counts what it has used', async () => {
    const tenant = await buildTenant(sluice.db);
    const { projectId: id } = tenant;
    await sluice.db('projects').where({ id }).update({ flag_requests_per_month: 2 });
    const end = Date.now() + PATIENCE_MS;
    let answer = await ask(tenant);
    while (answer.status === 200 && Date.now() < end) {
      await sleep(250);
      answer = await ask(tenant);
    }
    assert.equal(answer.status, 429);
    await assertRefused(answer);
    const read = async () => sluice.db('flag_requests').where({ project_id: id }).select('kind', 'sdk');
    await until('the count', async () => (await read()).length > 0);
    const [counted] = await read();
    assert.deepEqual({ ...counted }, { kind: 'ofrep', sdk: 'node' });
  });
});

async function assertRefused(answer: Response): Promise<void> {
  assert.match(answer.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
  assert.deepEqual(Object.keys((await answer.json()) as object), ['errorDetails']);
}
