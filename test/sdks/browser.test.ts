/** posthog-js, as it is released, in a real browser, on a page of another origin than the server's. */
import assert from 'node:assert/strict';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { needsBrowser, startSite, testBrowser, type Site } from '../support/sdks/browser.ts';
import { buildTenant, type Tenant } from '../support/api/identity.ts';
import {
  assertCompany,
  assertOnePerson,
  assertStoredOnce,
  STORY,
  readEvents,
  type Row,
  type ReportedEvent,
} from '../support/sdks/sdk-story.ts';
import { startSluice, type Sluice } from '../support/servers/sluice.ts';

const VERSIONS = [
  { version: '1.434.0', folder: 'posthog-js' },
  { version: '1.174.2', folder: 'posthog-js-1-174' },
];
const PACKAGES = path.join(import.meta.dirname, '../../node_modules');
const SCRIPT = path.join(import.meta.dirname, 'stories/story.js');
/** The SDK sends its queue every three seconds. */
const SENT_MS = 60_000;

for (const { version, folder } of VERSIONS) {
  describe(`posthog-js ${version}`, () => {
    let sluice: Sluice;
    let site: Site;
    let tenant: Tenant;
    before(async function () {
      await needsBrowser(this);
      sluice = await startSluice();
      site = await startSite([path.join(PACKAGES, folder, 'dist/array.full.js'), SCRIPT]);
    });
    after(() => Promise.all([sluice?.stop(), site?.stop()]));
    beforeEach(async () => {
      tenant = await buildTenant(sluice.db);
      sluice.answered.length = 0;
    });

    /** @returns what is stored once nothing is missing, or at the end of patience what is there */
    async function waitForStored(page: Page): Promise<{ said: ReportedEvent[]; rows: Row[] }> {
      const until = Date.now() + SENT_MS;
      for (;;) {
        const said = JSON.parse(await page.evaluate<string>(`localStorage.getItem('said') ?? '[]'`)) as ReportedEvent[];
        const rows = await readEvents(sluice, tenant);
        if ((said.length > 0 && rows.length >= said.length) || Date.now() > until) return { said, rows };
        await sleep(50);
      }
    }

    for (const profiles of ['always', 'identified_only']) {
      it(`captures a whole story with persons ${profiles}, to the last event of a page that goes away`, async () => {
        const context = await (await testBrowser()).newContext();
        const page = await context.newPage();
        const query = new URLSearchParams({ host: sluice.url, token: tenant.apiToken, profiles });
        const unheard: string[] = [];
        page.on('requestfailed', (request) => void unheard.push(new URL(request.url()).pathname));
        await page.goto(`${site.origin}/?${query.toString()}`);
        await waitForStored(page);
        assert.ok(!unheard.includes('/e/'), 'the page may not read what it was answered');
        await page.goto(`${site.origin}/elsewhere`);
        const { said, rows } = await waitForStored(page);
        await context.close();
        assertStoredOnce(rows, said, { version });
        const events = new Set(said.map(({ event }) => event));
        for (const event of ['$pageview', 'counted', 'left', '$pageleave']) assert.ok(events.has(event), event);
        const sent = sluice.answered.filter(({ method, url }) => method === 'POST' && url.startsWith('/e/'));
        for (const { headers } of sent) assert.equal(headers.origin, site.origin);
        const anonymous = said.find(({ event }) => event === 'looked around')?.distinct_id ?? '';
        await assertOnePerson(sluice, tenant, rows, [anonymous, STORY.user, STORY.anonymous]);
        await assertCompany(sluice, tenant, rows);
      });
    }
  });
}
