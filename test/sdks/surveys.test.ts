/** Surveys and early access features in posthog-js, as it is released, in a real browser, on a page of another origin than the server's. */
import assert from 'node:assert/strict';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BrowserContext, Page } from 'playwright-core';
import { needsBrowser, startSite, testBrowser, type Site } from '../support/sdks/browser.ts';
import { buildPersonalKey, buildTenant, type Tenant } from '../support/api/identity.ts';
import { readEvents } from '../support/sdks/sdk-story.ts';
import { startSluice, type Sluice } from '../support/servers/sluice.ts';

type Survey = { id: string; questions: { id: string }[] };
type Feature = { id: string; feature_flag: { key: string } };

const VERSIONS = [
  { version: '1.434.0', folder: 'posthog-js' },
  { version: '1.174.2', folder: 'posthog-js-1-174' },
];
const PACKAGES = path.join(import.meta.dirname, '../../node_modules');
const SCRIPT = path.join(import.meta.dirname, 'stories/surveys.js');
const PATIENCE_MS = 60_000;

for (const { version, folder } of VERSIONS) {
  describe(`surveys and early access in posthog-js ${version}`, () => {
    let sluice: Sluice;
    let site: Site;
    let tenant: Tenant;
    let key: string;
    let context: BrowserContext;
    before(async function () {
      await needsBrowser(this);
      sluice = await startSluice();
      // The SDK fetches the script that shows surveys from the server.
      site = await startSite([path.join(PACKAGES, folder, 'dist/array.js'), SCRIPT]);
    });
    after(() => Promise.all([sluice?.stop(), site?.stop()]));
    beforeEach(async () => {
      tenant = await buildTenant(sluice.db);
      key = await buildPersonalKey(sluice.db, tenant, '*');
      context = await (await testBrowser()).newContext();
    });
    afterEach(() => context.close());

    async function make<T>(resource: string, body: object): Promise<T> {
      const answer = await fetch(`${sluice.url}/api/projects/${tenant.projectId}/${resource}/`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      });
      assert.equal(answer.status, 201, await answer.clone().text());
      return (await answer.json()) as T;
    }

    async function visit(person: string): Promise<Page> {
      const page = await context.newPage();
      const query = new URLSearchParams({ host: sluice.url, token: tenant.apiToken, person });
      await page.goto(`${site.origin}/?${query.toString()}`);
      return page;
    }

    /** @returns the properties of the event, once it is stored */
    async function waitForEvent(event: string): Promise<Record<string, unknown>> {
      const until = Date.now() + PATIENCE_MS;
      for (;;) {
        const row = (await readEvents(sluice, tenant)).find((one) => one.event === event);
        if (row) return row.properties;
        assert.ok(Date.now() < until, `"${event}" did not come`);
        await sleep(50);
      }
    }

    it('shows a survey, sends the answer, and does not ask again', async () => {
      const { id, questions } = await make<Survey>('surveys', {
        name: 'Liking',
        type: 'popover',
        questions: [{ type: 'open', question: 'How do you like it?', description: '<b>Honestly</b>' }],
        start_date: new Date(Date.now() - 60_000).toISOString(),
      });
      const page = await visit('ada');
      assert.deepEqual(await page.evaluate('surveysToShow()'), ['Liking']);
      await page.getByText('How do you like it?').waitFor({ timeout: PATIENCE_MS });
      await page.locator('textarea').fill('Very much');
      await page.locator('button.form-submit').first().click();
      const shown = await waitForEvent('survey shown');
      assert.equal(shown['$survey_id'], id);
      const sent = await waitForEvent('survey sent');
      const answer = sent[`$survey_response_${questions[0]!.id}`] ?? sent['$survey_response'];
      assert.deepEqual([sent['$survey_id'], answer], [id, 'Very much']);
      await page.evaluate('forgetSurveys()');
      await page.reload();
      assert.deepEqual(await page.evaluate('surveysToShow()'), []);
      await context.close();
      context = await (await testBrowser()).newContext();
      assert.deepEqual(await (await visit('bob')).evaluate('surveysToShow()'), ['Liking']);
    });

    it('enrolls in an early access feature, which turns its flag on', async () => {
      const { id, feature_flag: flag } = await make<Feature>('early_access_feature', {
        name: 'Dark mode',
        stage: 'beta',
      });
      await make('early_access_feature', { name: 'Not yet', stage: 'draft' });
      const page = await visit('ada');
      assert.deepEqual(await page.evaluate('features().then((all) => all.map((one) => [one.id, one.flagKey]))'), [
        [id, flag.key],
      ]);
      assert.deepEqual(await decideFlag('ada', flag.key), { enabled: false, reason: 'out_of_rollout_bound' });
      await page.evaluate(`posthog.updateEarlyAccessFeatureEnrollment('${flag.key}', true)`);
      await waitForEvent('$feature_enrollment_update');
      assert.deepEqual(await decideFlag('ada', flag.key), { enabled: true, reason: 'super_condition_value' });
      assert.deepEqual(await decideFlag('bob', flag.key), { enabled: false, reason: 'out_of_rollout_bound' });
      await page.reload();
      await page.waitForFunction(`posthog.isFeatureEnabled('${flag.key}')`, undefined, { timeout: PATIENCE_MS });
    });

    async function decideFlag(person: string, flag: string): Promise<{ enabled: boolean; reason: string }> {
      const answer = await fetch(`${sluice.url}/flags/?v=2`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ token: tenant.apiToken, distinct_id: person }),
      });
      const { flags } = (await answer.json()) as {
        flags: Record<string, { enabled: boolean; reason: { code: string } }>;
      };
      return { enabled: flags[flag]!.enabled, reason: flags[flag]!.reason.code };
    }
  });
}
