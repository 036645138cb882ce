/** posthog-js asks for flags, as it is released, in a real browser, on a page of another origin than the server's. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { BrowserContext, Page } from 'playwright-core';
import { needsBrowser, startSite, testBrowser, type Site } from '../support/sdks/browser.ts';
import { ADAS_PAYLOADS, BOB, buildFlagWorld, type FlagWorld } from '../support/flags/flag-world.ts';
import { readEvents } from '../support/sdks/sdk-story.ts';
import { startSluice, type Sluice } from '../support/servers/sluice.ts';

const VERSIONS = [
  { version: '1.434.0', folder: 'posthog-js', remote: '/flags/' },
  { version: '1.174.2', folder: 'posthog-js-1-174', remote: '/decide/' },
];
const PACKAGES = path.join(import.meta.dirname, '../../node_modules');
const SCRIPT = path.join(import.meta.dirname, 'stories/flags.js');
const PATIENCE_MS = 60_000;

for (const { version, folder, remote } of VERSIONS) {
  describe(`flags in posthog-js ${version}`, () => {
    let sluice: Sluice;
    let site: Site;
    let world: FlagWorld;
    let context: BrowserContext;
    before(async function () {
      await needsBrowser(this);
      sluice = await startSluice();
      site = await startSite([path.join(PACKAGES, folder, 'dist/array.full.js'), SCRIPT]);
    });
    after(() => Promise.all([sluice?.stop(), site?.stop()]));
    beforeEach(async () => {
      world = await buildFlagWorld(sluice);
      context = await (await testBrowser()).newContext();
      sluice.answered.length = 0;
    });
    afterEach(() => context.close());

    /** Of the requests for flags, once there were so many: the page may be told of its flags before we are told that it was. */
    async function statusesOf(count: number): Promise<number[]> {
      const until = Date.now() + PATIENCE_MS;
      for (;;) {
        const flagRequests = sluice.answered.filter(({ method, url }) => method === 'POST' && url.startsWith(remote));
        if (flagRequests.length >= count) return [...new Set(flagRequests.map(({ status }) => status))];
        assert.ok(Date.now() < until, `only ${flagRequests.length} requests for flags`);
        await sleep(20);
      }
    }

    async function visit(options: Record<string, string> = {}): Promise<Page> {
      const page = await context.newPage();
      const query = new URLSearchParams({ host: sluice.url, token: world.apiToken, ...options });
      await page.goto(`${site.origin}/?${query.toString()}`);
      await page.waitForFunction('received()');
      return page;
    }

    it('come with their payloads, for the stored person', async () => {
      const page = await visit();
      const { kept: visitors, everybody } = await valuesOn(page);
      assert.equal(everybody, true);
      await page.evaluate(`posthog.identify('bob')`);
      await assertValues(page, { ...BOB, kept: visitors });
      assert.deepEqual(await page.evaluate(`posthog.getFeatureFlagPayload('everybody')`), ADAS_PAYLOADS.everybody);
      assert.deepEqual(await statusesOf(2), [200]);
    });

    it('go by what the page says of the person and the group, before it is stored', async () => {
      const page = await visit();
      await page.evaluate(`posthog.setPersonPropertiesForFlags({ plan: 'pro' })`);
      await assertValues(page, { 'for-pro': true, 'in-cohort': true, 'for-gold': false });
      await page.evaluate(`posthog.group('company', 'acme')`);
      await assertValues(page, { 'for-gold': true });
      await page.evaluate(`posthog.setGroupPropertiesForFlags({ company: { tier: 'silver' } })`);
      await assertValues(page, { 'for-gold': false });
    });

    it('stay when a visitor is identified, and are captured when they are called', async () => {
      const page = await visit();
      const anonymous = await page.evaluate<string>('posthog.get_distinct_id()');
      const kept = await page.evaluate(`posthog.getFeatureFlag('kept')`);
      assert.equal(kept, variantOf(anonymous));
      // A user who would get the other variant.
      const user = Array.from({ length: 100 }, (_, n) => `user-${n}`).find((id) => variantOf(id) !== kept)!;
      await page.evaluate(`posthog.identify('${user}')`);
      await assertValues(page, { 'of-users': true, kept });
      await page.close();
      await untilKnown(user);
      // The page that follows says no more who it was before; and no person was made for the visitor.
      const later = await visit();
      assert.equal(await later.evaluate('posthog.get_distinct_id()'), user);
      await assertValues(later, { 'of-users': true, kept });

      const rows = await readEvents(sluice, world);
      const { properties } = rows.find(({ event }) => event === '$feature_flag_called')!;
      assert.equal(properties['$feature_flag'], 'kept');
      assert.equal(properties['$feature_flag_response'], kept);
      assert.equal(properties['$feature/kept'], kept);
      assert.ok((properties['$active_feature_flags'] as string[]).includes('everybody'));
    });

    it('are those that the page was started with, until there are others', async () => {
      const bootstrap = JSON.stringify({ distinctID: 'bob', featureFlags: { everybody: 'started' } });
      const page = await visit({ bootstrap });
      assert.equal(await page.evaluate('before'), 'started');
      // The newer one asks for no others by itself.
      await page.evaluate('posthog.reloadFeatureFlags()');
      await assertValues(page, BOB);
    });

    /** Waits until an event of theirs is stored. */
    async function untilKnown(distinctId: string): Promise<void> {
      const until = Date.now() + PATIENCE_MS;
      const isKnown = async () => (await readEvents(sluice, world)).some((row) => row.distinct_id === distinctId);
      while (!(await isKnown())) {
        assert.ok(Date.now() < until, `no event of ${distinctId} came`);
        await sleep(50);
      }
    }
  });
}

const valuesOn = (page: Page) => page.evaluate<Record<string, unknown>>('values()');

/** Of these flags, once the page has received them. */
async function assertValues(page: Page, expected: Record<string, unknown>): Promise<void> {
  const until = Date.now() + PATIENCE_MS;
  for (;;) {
    const values = await valuesOn(page);
    const named = Object.fromEntries(Object.keys(expected).map((key) => [key, values[key]]));
    if (isDeepStrictEqual(named, expected) || Date.now() > until) return assert.deepEqual(named, expected);
    await sleep(20);
  }
}

/** The variant by the published rule: the first 60 bits of a SHA-1, as a part of all that there are. */
function variantOf(distinctId: string): string {
  const hash = createHash('sha1').update(`kept.${distinctId}variant`).digest('hex');
  return Number(BigInt(`0x${hash.slice(0, 15)}`)) / 2 ** 60 < 0.5 ? 'red' : 'blue';
}
