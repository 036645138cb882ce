import assert from 'node:assert/strict';
import { postDecide, buildFlagFor, buildVariants, type DecideAnswer } from '../../support/flags/decide.ts';
import { buildFlag } from '../../support/database/flag-rows.ts';
import { buildTenant, type Tenant } from '../../support/api/identity.ts';
import { startSluice, type Sluice } from '../../support/servers/sluice.ts';

const UUID = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[\da-f]{4}-[\da-f]{12}$/;

describe('the answers to requests for flags', () => {
  let sluice: Sluice;
  let tenant: Tenant;
  let ids: Record<'on' | 'off' | 'split', number>;

  before(async () => {
    sluice = await startSluice();
    tenant = await buildTenant(sluice.db);
    const { db } = sluice;
    const { projectId } = tenant;
    ids = {
      off: await buildFlagFor(db, projectId, 'off', { plan: 'pro' }, { payload: '"never"', version: 3 }),
      on: await buildFlagFor(db, projectId, 'on', {}, { payload: '{"a": "\\"1\\""}' }),
      split: await buildVariants(db, projectId, 'split', ['control', 'test']),
    };
  });
  after(() => sluice.stop());

  const get = (path: string, changes: object = {}, headers: Record<string, string> = {}): Promise<DecideAnswer> =>
    postDecide(sluice.url + path, { api_key: tenant.apiToken, distinct_id: 'ada', ...changes }, headers);

  const flags = {
    keys: ['on', 'split'],
    enabled: { on: true, split: 'control' },
    values: { off: false, on: true, split: 'control' },
  };
  const payloads = { on: '{"a": "\\"1\\""}' };
  const details = () => {
    const metadata = { version: 1, description: null, payload: null, has_experiment: false };
    const matched = { code: 'condition_match', condition_index: 0, description: 'Matched condition set 1' };
    const missed = { code: 'no_condition_match', condition_index: 0, description: 'No matching condition set' };
    return {
      off: {
        key: 'off',
        enabled: false,
        variant: null,
        reason: missed,
        metadata: { ...metadata, id: ids.off, version: 3 },
      },
      on: {
        key: 'on',
        enabled: true,
        variant: null,
        reason: matched,
        metadata: { ...metadata, id: ids.on, payload: payloads.on },
      },
      split: {
        key: 'split',
        enabled: true,
        variant: 'control',
        reason: matched,
        metadata: { ...metadata, id: ids.split },
      },
    };
  };
  const errorsWhileComputingFlags = false;
  const shapes: Record<string, () => object> = {
    'keys of what is on': () => ({ featureFlags: flags.keys }),
    'values of what is on': () => ({ featureFlags: flags.enabled }),
    'all values and payloads': () => ({
      featureFlags: flags.values,
      featureFlagPayloads: payloads,
      errorsWhileComputingFlags,
    }),
    details: () => ({ flags: details(), errorsWhileComputingFlags }),
  };

  const versions: [path: string, shape: string, config: 'decide' | 'flags' | 'none'][] = [
    ['/decide', 'keys of what is on', 'decide'],
    ['/decide/?v=1', 'keys of what is on', 'decide'],
    ['/decide/?v=2', 'values of what is on', 'decide'],
    ['/decide/?v=3', 'all values and payloads', 'decide'],
    ['/decide?v=3&config=false', 'all values and payloads', 'decide'],
    ['/decide/?v=4', 'details', 'decide'],
    ['/decide/?v=99', 'details', 'decide'],
    ['/decide/?v=0', 'keys of what is on', 'decide'],
    ['/decide/?v=abc', 'keys of what is on', 'decide'],
    ['/decide/?version=3', 'all values and payloads', 'decide'],
    ['/flags', 'details', 'flags'],
    ['/flags/?v=', 'details', 'flags'],
    ['/flags/?v=1', 'all values and payloads', 'none'],
    ['/flags/?v=abc', 'all values and payloads', 'none'],
    ['/flags/?config=false', 'all values and payloads', 'none'],
    ['/flags/?config=true', 'all values and payloads', 'flags'],
    ['/flags/?v=2', 'details', 'none'],
    ['/flags?v=2&config=1', 'details', 'flags'],
    ['/flags/?v=2&config=true', 'details', 'flags'],
    ['/flags/?v=4', 'details', 'none'],
  ];
  for (const [path, shape, config] of versions) {
    it(`at ${path} are ${shape}, with the configuration of ${config}`, async () => {
      const { status, body } = await get(path);
      assert.equal(status, 200);
      const { requestId, evaluatedAt, ...others } = body;
      assert.match(String(requestId), UUID);
      assert.ok(Math.abs(Number(evaluatedAt) - Date.now()) < 10_000);
      const expected = shapes[shape]!();
      assert.deepEqual(Object.fromEntries(Object.keys(expected).map((name) => [name, others[name]])), expected);
      const beside = Object.keys(others).filter((name) => !(name in expected));
      if (config === 'none') return assert.deepEqual(beside, []);
      assert.deepEqual(others['config'], { enable_collect_everything: true });
      assert.deepEqual(others['toolbarParams'], {});
      assert.equal(others['isAuthenticated'], false);
      assert.equal(others['hasFeatureFlags'], true);
      assert.equal(others['sessionRecording'], false);
      assert.deepEqual(others['supportedCompression'], config === 'decide' ? ['gzip', 'lz64'] : ['gzip', 'gzip-js']);
    });
  }

  it('leave out a failed flag where clients could not tell it from one that is off', async () => {
    const { projectId, apiToken } = await buildTenant(sluice.db);
    const lost = [{ key: 'id', type: 'cohort', operator: 'in', value: 404 }];
    await buildFlag(sluice.db, projectId, { key: 'lost', filters: { groups: [{ properties: lost }] } });
    await buildFlagFor(sluice.db, projectId, 'on');
    for (const path of ['/decide/?v=3', '/flags/?v=1']) {
      const { body } = await get(path, { api_key: apiToken });
      assert.deepEqual([body['featureFlags'], body['errorsWhileComputingFlags']], [{ on: true }, true]);
    }
    const { body } = await get('/flags/?v=2', { api_key: apiToken });
    const { failed, enabled, reason } = (body['flags'] as Record<string, Record<string, unknown>>)['lost']!;
    assert.deepEqual([failed, enabled], [true, false]);
    assert.equal((reason as { code: string }).code, 'dependency_not_found_cohort');
  });

  it('are in the order of their keys', async () => {
    const { body } = await get('/flags/?v=2');
    assert.deepEqual(Object.keys(body['flags'] as object), ['off', 'on', 'split']);
  });

  it('carry the id that the request has', async () => {
    const id = '018f2b64-1111-7222-8333-123456789abc';
    assert.equal((await get('/flags/?v=2', {}, { 'X-Request-Id': id })).body['requestId'], id);
    assert.match(String((await get('/flags/?v=2', {}, { 'X-Request-Id': 'x"' })).body['requestId']), UUID);
  });

  it('contain only the requested flags', async () => {
    for (const name of ['flag_keys', 'flag_keys_to_evaluate']) {
      const { body } = await get('/flags/?v=2', { [name]: ['on', 'none'] });
      assert.deepEqual(Object.keys(body['flags'] as object), ['on']);
    }
  });

  it('are without flags when these are not wanted', async () => {
    const { body } = await get('/flags/?v=2&config=true', { disable_flags: true });
    assert.deepEqual([body['flags'], body['hasFeatureFlags']], [{}, true]);
  });

  it('show which condition set decided, without its conditions', async () => {
    const { body } = await get('/flags/?v=2&detailed_analysis=true');
    const { on, off } = body['flags'] as Record<string, { conditions: object[] }>;
    const condition = { index: 0, rollout_percentage: 100, variant: null };
    assert.deepEqual(on!.conditions, [{ ...condition, matched: true }]);
    assert.deepEqual(off!.conditions, [{ ...condition, matched: false }]);
    const { conditions: _, ...others } = on!;
    assert.deepEqual(others, details().on);
  });

  it('to GET are as good as none', async () => {
    const answer = await fetch(`${sluice.url}/flags?v=2`);
    const { requestId: _, evaluatedAt: __, ...body } = (await answer.json()) as Record<string, unknown>;
    assert.deepEqual(body, {
      flags: {},
      errorsWhileComputingFlags: false,
      config: { enable_collect_everything: true },
      toolbarParams: {},
      isAuthenticated: false,
      supportedCompression: ['gzip', 'gzip-js'],
      sessionRecording: false,
    });
  });

  it('are counted, for Prometheus and for the project', async () => {
    await get('/flags/?v=2');
    await postDecide(`${sluice.url}/flags/?v=2`, {});
    const figures = await sluice.metrics.text();
    assert.match(figures, /sluice_decide_requests_total\{status="200"\} [1-9]/);
    assert.match(figures, /sluice_decide_requests_total\{status="401"\} 1/);
  });
});
