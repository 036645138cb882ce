/** OpenFeature with the official providers for OFREP, as they are released. */
import assert from 'node:assert/strict';
import path from 'node:path';
import { OFREPProvider } from '@openfeature/ofrep-provider';
import { OpenFeature, type Client } from '@openfeature/server-sdk';
import type { Page } from 'playwright-core';
import { needsBrowser, startSite, testBrowser, type Site } from '../support/sdks/browser.ts';
import { buildFlag } from '../support/database/flag-rows.ts';
import { buildProjectSecretKey, buildTenant, type Tenant } from '../support/api/identity.ts';
import { OPEN_FEATURE_MODULES } from '../support/sdks/open-feature-modules.ts';
import { startSluice, type Sluice } from '../support/servers/sluice.ts';
import { leastMs } from '../support/durations.ts';

const SCRIPT = path.join(import.meta.dirname, 'stories/open-feature.js');

const forPro = [{ properties: [{ key: 'plan', type: 'person', operator: 'exact', value: 'pro' }] }];
const variants = [
  { key: 'red', rollout_percentage: 0 },
  { key: 'blue', rollout_percentage: 100 },
];

async function buildFlags({ db }: Sluice, { projectId }: Tenant): Promise<void> {
  const groups = [{ properties: [], rollout_percentage: 100 }];
  await buildFlag(db, projectId, {
    key: 'new-checkout',
    filters: { groups: forPro, payloads: { true: '{"steps":2}' } },
  });
  await buildFlag(db, projectId, { key: 'colour', filters: { groups, multivariate: { variants } } });
  await buildFlag(db, projectId, { key: 'asleep', active: false });
  await buildFlag(db, projectId, { key: 'of-servers', evaluation_runtime: 'server' });
  await buildFlag(db, projectId, { key: 'of-pages', evaluation_runtime: 'client' });
}

describe('OpenFeature’s provider for servers', () => {
  let sluice: Sluice;
  let tenant: Tenant;
  before(async () => {
    sluice = await startSluice();
    tenant = await buildTenant(sluice.db);
    await buildFlags(sluice, tenant);
  });
  after(async () => {
    await OpenFeature.close();
    await sluice.stop();
  });

  async function connect(key: string): Promise<Client> {
    const provider = new OFREPProvider({ baseUrl: sluice.url, headers: [['Authorization', `Bearer ${key}`]] });
    await OpenFeature.setProviderAndWait(key, provider);
    return OpenFeature.getClient(key);
  }

  for (const kind of ['public', 'secret'] as const) {
    it(`evaluates flags with a ${kind} key`, async () => {
      const client = await connect(
        kind === 'public' ? tenant.apiToken : await buildProjectSecretKey(sluice.db, tenant, 'feature_flag:read'),
      );
      const ada = { targetingKey: 'ada', plan: 'pro' };
      const { value, reason, flagMetadata } = await client.getBooleanDetails('new-checkout', false, ada);
      assert.deepEqual([value, reason, flagMetadata['payload']], [true, 'TARGETING_MATCH', '{"steps":2}']);
      assert.equal(await client.getBooleanValue('new-checkout', true, { targetingKey: 'bob' }), false);
      const colour = await client.getStringDetails('colour', 'grey', ada);
      assert.deepEqual([colour.value, colour.variant, colour.reason], ['blue', 'blue', 'SPLIT']);
      assert.equal(await client.getBooleanValue('of-servers', false, ada), true);
      assert.equal(await client.getBooleanValue('of-pages', false, ada), false);
    });
  }

  it('gives the default in the code for a flag that is not active, and where something is wrong', async () => {
    const client = await connect(tenant.apiToken);
    const ada = { targetingKey: 'ada' };
    assert.equal(await client.getBooleanValue('asleep', true, ada), true);
    for (const [key, context, errorCode] of [
      ['not-there', ada, 'FLAG_NOT_FOUND'],
      ['colour', {}, 'TARGETING_KEY_MISSING'],
      ['colour', { ...ada, groups: 'acme' }, 'INVALID_CONTEXT'],
    ] as const) {
      const details = await client.getStringDetails(key, 'grey', context);
      assert.deepEqual([details.value, details.errorCode], ['grey', errorCode]);
    }
    const { value, errorCode } = await (await connect('phc_unknown')).getBooleanDetails('colour', true, ada);
    assert.deepEqual([value, errorCode], [true, 'GENERAL']);
  });
});

describe('OpenFeature’s provider for pages', () => {
  let sluice: Sluice;
  let site: Site;
  let tenant: Tenant;
  before(async function () {
    await needsBrowser(this);
    sluice = await startSluice();
    site = await startSite([SCRIPT], OPEN_FEATURE_MODULES);
  });
  after(() => Promise.all([sluice?.stop(), site?.stop()]));
  beforeEach(async () => {
    tenant = await buildTenant(sluice.db);
    await buildFlags(sluice, tenant);
  });

  async function visit(context: Record<string, string>): Promise<Page> {
    const page = await (await (await testBrowser()).newContext()).newPage();
    const query = new URLSearchParams({ host: sluice.url, token: tenant.apiToken, ...context });
    await page.goto(`${site.origin}/?${query.toString()}`);
    await page.waitForFunction('window.openFeature');
    return page;
  }

  it('evaluates all flags at once, and again for another context', async () => {
    const page = await visit({ targetingKey: 'ada', plan: 'pro' });
    const { value, reason, flagMetadata } = await details(page, `getBooleanDetails('new-checkout', false)`);
    assert.deepEqual([value, reason], [true, 'TARGETING_MATCH']);
    assert.equal((flagMetadata as Record<string, unknown>)['payload'], '{"steps":2}');
    const colour = await details(page, `getStringDetails('colour', 'grey')`);
    assert.deepEqual([colour['value'], colour['variant']], ['blue', 'blue']);
    const asleep = await details(page, `getBooleanDetails('asleep', true)`);
    assert.deepEqual([asleep['value'], asleep['reason'], asleep['errorCode']], [true, 'DISABLED', undefined]);
    assert.equal((await details(page, `getBooleanDetails('of-pages', false)`))['value'], true);
    assert.equal((await details(page, `getBooleanDetails('of-servers', false)`))['errorCode'], 'FLAG_NOT_FOUND');
    await page.evaluate(`openFeature.setContext({ targetingKey: 'bob' })`);
    assert.equal((await details(page, `getBooleanDetails('new-checkout', true)`))['value'], false);
    await page.context().close();
  });

  it('hears of a change within a second', async () => {
    const page = await visit({ targetingKey: 'ada' });
    assert.equal((await details(page, `getStringDetails('colour', 'grey')`))['value'], 'blue');
    const took = await leastMs(1_000, async (time) => {
      const active = time % 2 === 1;
      const earlier = await page.evaluate<number>('openFeature.changes.length');
      const changedAtMs = Date.now();
      await sluice.db('feature_flags').where({ project_id: tenant.projectId, key: 'colour' }).update({ active });
      const heard = await page.waitForFunction(
        `openFeature.changes.length > ${earlier} && openFeature.changes[${earlier}]`,
      );
      const { flagsChanged, at } = (await heard.jsonValue()) as { flagsChanged: string[]; at: number };
      assert.deepEqual(flagsChanged, ['colour']);
      const { value } = await details(page, `getStringDetails('colour', 'grey')`);
      assert.equal(value, active ? 'blue' : 'grey');
      return at - changedAtMs;
    });
    assert.ok(took < 1_000, `heard after ${took} ms`);
    await page.context().close();
  });
});

/** @param call of a client of OpenFeature */
const details = (page: Page, call: string) => page.evaluate<Record<string, unknown>>(`openFeature.client.${call}`);
