/** posthog-js without cookies, as it is released, in a real browser, on a page of another origin than the server's. */
import assert from 'node:assert/strict';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BrowserContext, Page } from 'playwright-core';
import { needsBrowser, startSite, testBrowser, type Site } from '../support/sdks/browser.ts';
import { buildFlag, waitUntilServerUsesRows } from '../support/database/flag-rows.ts';
import { buildTenant, type Tenant } from '../support/api/identity.ts';
import { readEvents, type Row } from '../support/sdks/sdk-story.ts';
import { startSluice, type Sluice } from '../support/servers/sluice.ts';

const PACKAGES = path.join(import.meta.dirname, '../../node_modules');
const SCRIPT = path.join(import.meta.dirname, 'stories/cookieless.js');
/** The SDK sends its queue every three seconds. */
const SENT_MS = 60_000;
const NOBODY = '$posthog_cookieless';

describe('posthog-js without cookies', () => {
  let sluice: Sluice;
  let site: Site;
  let context: BrowserContext;
  before(async function () {
    await needsBrowser(this);
    sluice = await startSluice();
    site = await startSite([path.join(PACKAGES, 'posthog-js/dist/array.full.js'), SCRIPT]);
  });
  after(() => Promise.all([sluice?.stop(), site?.stop()]));
  beforeEach(async () => void (context = await (await testBrowser()).newContext()));
  afterEach(() => context.close());

  async function visit({ apiToken }: Tenant, mode: 'always' | 'on_reject'): Promise<Page> {
    const page = await context.newPage();
    const query = new URLSearchParams({ host: sluice.url, token: apiToken, mode });
    await page.goto(`${site.origin}/?${query.toString()}`);
    return page;
  }

  /** Events without those that the SDK sends by itself, once one of this name is among them. */
  async function waitForStored(tenant: Tenant, last: string): Promise<Row[]> {
    const until = Date.now() + SENT_MS;
    for (;;) {
      const rows = await readEvents(sluice, tenant);
      if (rows.some(({ event }) => event === last)) return rows.filter(({ event }) => !event.startsWith('$'));
      assert.ok(Date.now() < until, `${last} is not stored`);
      await sleep(50);
    }
  }

  it('distinguishes one visitor, with the same id in flags, and keeps nothing of them', async () => {
    const tenant = await buildTenant(sluice.db, { cookieless: true });
    const page = await visit(tenant, 'always');
    await page.evaluate(`posthog.capture('looked around')`);
    const [seen] = await waitForStored(tenant, 'looked around');
    assert.match(seen!.distinct_id, /^cookieless_[\w-]{22}$/);
    const property = { key: 'distinct_id', type: 'person', operator: 'exact', value: seen!.distinct_id };
    await buildFlag(sluice.db, tenant.projectId, { key: 'mine', filters: { groups: [{ properties: [property] }] } });
    await waitUntilServerUsesRows(sluice, tenant);
    await page.evaluate(`posthog.reloadFeatureFlags()`);
    await page.waitForFunction(`posthog.isFeatureEnabled('mine', { send_event: false }) === true`);

    await page.evaluate(`posthog.identify('user-1', { email: 'ada@example.com' })`);
    await page.evaluate(`posthog.setPersonProperties({ plan: 'pro' })`);
    await page.evaluate(`posthog.group('company', 'acme', { tier: 'gold' })`);
    await page.evaluate(`posthog.capture('signed up')`);
    const rows = await waitForStored(tenant, 'signed up');
    assert.deepEqual(new Set(rows.map(({ distinct_id: id }) => id)), new Set([seen!.distinct_id]));
    const { properties } = rows.find(({ event }) => event === 'signed up')!;
    const traces = ['user-1', 'ada@example.com', NOBODY, '$raw_user_agent', '$ip'];
    assert.deepEqual(
      traces.filter((trace) => JSON.stringify(properties).includes(`"${trace}"`)),
      [],
    );
    for (const table of ['persons', 'person_distinct_ids', 'groups']) {
      assert.deepEqual(await sluice.db(table).where({ project_id: tenant.projectId }), [], table);
    }
    const kept = await page.evaluate(`[document.cookie, JSON.stringify(localStorage), JSON.stringify(sessionStorage)]`);
    assert.deepEqual(kept, ['', '{}', '{}']);
  });

  it('joins no visitor who refused cookies with the one who accepts them', async () => {
    const tenant = await buildTenant(sluice.db, { cookieless: true });
    const page = await visit(tenant, 'on_reject');
    await page.evaluate(`posthog.opt_out_capturing()`);
    await page.evaluate(`posthog.capture('refused')`);
    await waitForStored(tenant, 'refused');
    await page.evaluate(`posthog.opt_in_capturing()`);
    await page.evaluate(`posthog.identify('user-1')`);
    await page.evaluate(`posthog.capture('accepted')`);
    const rows = await waitForStored(tenant, 'accepted');
    const [refused, accepted] = ['refused', 'accepted'].map((name) => rows.find(({ event }) => event === name)!);
    assert.match(refused!.distinct_id, /^cookieless_/);
    assert.equal(accepted!.distinct_id, 'user-1');
    assert.notEqual(refused!.person_id, accepted!.person_id);
    const known = await sluice.db('person_distinct_ids').where({ project_id: tenant.projectId }).pluck('distinct_id');
    assert.ok(known.includes('user-1'));
    assert.deepEqual(
      known.filter((id: string) => id === NOBODY || id.startsWith('cookieless_')),
      [],
    );
  });

  it('works as usual where the project does not allow it', async () => {
    const tenant = await buildTenant(sluice.db);
    sluice.answered.length = 0;
    const page = await visit(tenant, 'always');
    await page.evaluate(`posthog.capture('looked around')`);
    const until = Date.now() + SENT_MS;
    const sent = () => sluice.answered.filter(({ method, url }) => method === 'POST' && url.startsWith('/e/'));
    while (sent().length === 0 && Date.now() < until) await sleep(50);
    assert.deepEqual([...new Set(sent().map(({ status }) => status))], [200]);
    assert.deepEqual(await readEvents(sluice, tenant), []);
  });
});
