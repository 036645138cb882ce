import assert from 'node:assert/strict';
import { runInNewContext } from 'node:vm';
import { buildFlagFor } from '../../support/flags/decide.ts';
import { buildTenant, type Tenant } from '../../support/api/identity.ts';
import { startSluice, type Sluice } from '../../support/servers/sluice.ts';
import { until } from '../../support/until.ts';

type Page = { _POSTHOG_REMOTE_CONFIG: Record<string, { config: object; siteApps: unknown[] }> };

describe('the configuration of pages', () => {
  let sluice: Sluice;
  let tenant: Tenant;

  before(async () => {
    sluice = await startSluice();
  });
  after(() => sluice.stop());
  beforeEach(async () => {
    tenant = await buildTenant(sluice.db);
  });

  const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    fetch(sluice.url + path, { headers, method });

  it('is that of their project', async () => {
    await buildFlagFor(sluice.db, tenant.projectId, 'on');
    const answer = await get(`/array/${tenant.apiToken}/config`, { Origin: 'https://shop.example' });
    assert.equal(answer.headers.get('content-type'), 'application/json');
    assert.equal(answer.headers.get('access-control-allow-origin'), '*');
    assert.deepEqual(await answer.json(), {
      token: tenant.apiToken,
      hasFeatureFlags: true,
      surveys: false,
      supportedCompression: ['gzip', 'gzip-js'],
      analytics: { endpoint: '/i/v0/e/' },
      autocapture_opt_out: false,
      autocaptureExceptions: false,
      captureDeadClicks: false,
      capturePerformance: false,
      defaultIdentifiedOnly: true,
      elementsChainAsString: true,
      errorTracking: { autocaptureExceptions: false, suppressionRules: [] },
      heatmaps: false,
      sessionRecording: false,
      siteApps: [],
    });
  });

  it('shows that no flag is active, and soon that one is', async () => {
    await buildFlagFor(sluice.db, tenant.projectId, 'off', {}, { active: false });
    const hasFlags = async () => {
      const answer = await get(`/array/${tenant.apiToken}/config`);
      return ((await answer.json()) as { hasFeatureFlags: boolean }).hasFeatureFlags;
    };
    assert.equal(await hasFlags(), false);
    await sluice.db('feature_flags').where({ project_id: tenant.projectId }).update({ active: true });
    await until('it to say so', hasFlags);
  });

  it('is the same as a script, alone and before posthog-js', async () => {
    const config: unknown = await (await get(`/array/${tenant.apiToken}/config`)).json();
    const script = await get(`/array/${tenant.apiToken}/config.js`);
    assert.equal(script.headers.get('content-type'), 'text/javascript; charset=utf-8');
    const text = await script.text();
    const window = {} as Page;
    runInNewContext(text, { window });
    assert.deepEqual(JSON.parse(JSON.stringify(window._POSTHOG_REMOTE_CONFIG)), {
      [tenant.apiToken]: { config, siteApps: [] },
    });
    const bundle = await (await get('/static/array.js')).text();
    assert.equal(await (await get(`/array/${tenant.apiToken}/array.js`)).text(), `${text}\n${bundle}`);
  });

  it('is sent again only when it has changed', async () => {
    const path = `/array/${tenant.apiToken}/config`;
    const etag = (await get(path)).headers.get('etag')!;
    assert.match(etag, /^W\/"/);
    for (const known of [etag, etag.slice(2), `"x", ${etag}`]) {
      const again = await get(path, { 'If-None-Match': known });
      assert.deepEqual([again.status, await again.text()], [304, '']);
    }
    assert.equal((await get(path, { 'If-None-Match': '"x"' })).status, 200);
  });

  it('comes with posthog-js and its parts, in gzip for clients that take it', async () => {
    const script = await get('/static/array.js', { 'Accept-Encoding': 'gzip', Origin: 'https://shop.example' });
    assert.deepEqual(
      ['content-encoding', 'access-control-allow-origin', 'cache-control'].map((name) => script.headers.get(name)),
      ['gzip', '*', 'public, max-age=3600'],
    );
    const text = await script.text();
    const plain = await get('/static/array.js?v=1.434.0', { 'Accept-Encoding': 'identity' });
    assert.equal(plain.headers.get('content-encoding'), null);
    assert.equal(await plain.text(), text);
    const length = Number(
      (await get('/static/array.js', { 'Accept-Encoding': 'gzip;q=0' }, 'HEAD')).headers.get('content-length'),
    );
    assert.equal(length, Buffer.byteLength(text));
    for (const name of ['surveys', 'recorder', '1.434.0/exception-autocapture']) {
      assert.equal((await get(`/static/${name}.js`)).status, 200, name);
    }
  });

  it('is nothing where there is nothing', async () => {
    const missing = [
      '/array/phc_nobody/config',
      '/array/phc_nobody/config.js',
      '/array/phc_nobody/array.js',
      `/array/${tenant.apiToken}/other.js`,
      '/static/main.js',
      '/static/none.js',
      '/static/..%2f..%2fpackage.js',
      '/static/%2e%2e/package.js',
      '/static/array.js.map',
      '/static/',
    ];
    for (const path of missing) {
      const answer = await get(path);
      assert.deepEqual([answer.status, ((await answer.json()) as { code: string }).code], [404, 'not_found'], path);
    }
    const posted = await get('/static/array.js', {}, 'POST');
    assert.deepEqual([posted.status, posted.headers.get('allow')], [405, 'GET, HEAD, OPTIONS']);
    assert.equal((await get(`/array/${tenant.apiToken}/config`, {}, 'OPTIONS')).status, 204);
  });
});
