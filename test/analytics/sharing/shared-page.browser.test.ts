/** The shared page in a real browser, over events that were really captured. Screenshots stay in `test/artefacts/`. */
import assert from 'node:assert/strict';
import { mkdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AxeResults } from 'axe-core';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { ATTACKS, URLS } from '../../support/attacks.ts';
import { needsBrowser, testBrowser } from '../../support/sdks/browser.ts';
import { startSharedWorld, type Json, type SharedWorld } from '../../support/servers/shared-world.ts';
import { thisHour } from '../../support/hours.ts';

const ARTEFACTS = fileURLToPath(new URL('../../artefacts/', import.meta.url));
const HOUR = 3_600_000;

const ALL = ATTACKS.join(' ');
const node = (event: string, others: Json = {}) => ({ kind: 'EventsNode', event, ...others });
const entity = (id: string) => ({ id, type: 'events' });
const at = (x: number, y: number, w: number, h: number) => ({ layouts: { sm: { x, y, w, h } } });
const trends = (display: string, others: Json = {}) => ({
  kind: 'InsightVizNode',
  source: {
    kind: 'TrendsQuery',
    series: [node('coffee ordered'), node('coffee drunk', { custom_name: 'Cups' })],
    dateRange: { date_from: '-6d' },
    trendsFilter: { display },
    ...others,
  },
});

describe('the shared page in a browser', function () {
  this.timeout(300_000);
  let world: SharedWorld;
  let browser: Browser;

  before(async function () {
    await needsBrowser(this);
    await thisHour();
    world = await startSharedWorld();
    browser = await testBrowser();
    await mkdir(ARTEFACTS, { recursive: true });
    await capture();
  });
  after(() => world?.stop());

  async function capture(): Promise<void> {
    const batch = Array.from({ length: 60 }, (_, n) => ({
      event: ['coffee ordered', 'coffee ordered', 'coffee drunk', ALL.slice(0, 200)][n % 4],
      distinct_id: `person-${Math.floor(n / 4) % 7}`,
      timestamp: new Date(Date.now() - (5 - Math.floor(n / 10)) * 24 * HOUR - (60 - n) * 1_000).toISOString(),
      properties: { kind: ['Espresso', 'Flat white', ATTACKS[n % ATTACKS.length]][n % 3], [ATTACKS[1]!]: 1 },
    }));
    const answer = await fetch(`${world.sluice.url}/batch/`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ api_key: world.ours.apiToken, batch }),
    });
    assert.equal(answer.status, 200);
  }

  async function open(
    token: string,
    options: BrowserContextOptions = {},
    door = 'shared',
  ): Promise<{ page: Page; complaints: string[] }> {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('request', (request) => {
      if (request.url().startsWith(world.sluice.url)) return;
      complaints.push(`asks for ${request.url()}`);
    });
    await page.goto(`${world.sluice.url}/${door}/${token}`);
    return { page, complaints };
  }

  async function buildShown(): Promise<number> {
    const id = await world.buildDashboard({
      name: 'The coffee bar',
      description: 'What people drink here, hour by hour.',
    });
    const put = async (name: string, query: Json, place: Json) => {
      const insightId = await world.buildInsight({ name, query });
      await world.buildTile(id, { insight_id: insightId }, place);
    };
    await world.buildText(
      id,
      '## Opening hours\n\nFrom **8** to *late*, see [the plan](https://example.com/plan).',
      at(0, 0, 4, 3),
    );
    const compared = { series: [node('coffee ordered')], compareFilter: { compare: true } };
    await put('Orders', trends('BoldNumber', compared), at(4, 0, 4, 3));
    const button_id = crypto.randomUUID();
    await world.sluice.db('dashboard_buttons').insert({
      id: button_id,
      project_id: world.ours.projectId,
      url: 'https://example.com/order',
      text: 'Order one',
      placement: 'left',
      style: 'primary',
    });
    await world.buildTile(id, { button_id }, at(8, 0, 4, 3));
    await put('Orders and cups', trends('ActionsLineGraph'), at(0, 3, 6, 5));
    await put(
      'By kind',
      trends('ActionsBar', {
        series: [node('coffee ordered')],
        breakdownFilter: { breakdown: 'kind', breakdown_type: 'event' },
      }),
      at(6, 3, 6, 5),
    );
    await put('Areas', trends('ActionsAreaGraph'), at(0, 8, 4, 5));
    await put('Side by side', trends('ActionsUnstackedBar'), at(4, 8, 4, 5));
    await put(
      'Shares',
      trends('ActionsPie', {
        series: [node('coffee ordered')],
        breakdownFilter: { breakdown: 'kind', breakdown_type: 'event' },
      }),
      at(8, 8, 4, 5),
    );
    await put(
      'From order to cup',
      {
        kind: 'InsightVizNode',
        source: {
          kind: 'FunnelsQuery',
          series: [node('coffee ordered'), node('coffee drunk')],
          dateRange: { date_from: '-6d' },
        },
      },
      at(0, 13, 6, 5),
    );
    await put(
      'Who comes back',
      {
        kind: 'InsightVizNode',
        source: {
          kind: 'RetentionQuery',
          retentionFilter: {
            totalIntervals: 6,
            period: 'Day',
            targetEntity: entity('coffee ordered'),
            returningEntity: entity('coffee drunk'),
          },
        },
      },
      at(6, 13, 6, 5),
    );
    await put(
      'Last events',
      {
        kind: 'DataTableNode',
        source: {
          kind: 'EventsQuery',
          select: ['event', 'timestamp', 'properties.kind -- Kind'],
          after: '-7d',
          limit: 20,
        },
      },
      {},
    );
    await put('Broken', { kind: 'InsightVizNode', source: { kind: 'TrendsQuery', series: [] } }, {});
    return id;
  }

  it('draws what was captured, in light and dark, on screens, phones and paper, and nothing is wrong with it', async () => {
    const id = await buildShown();
    const token = await world.share(id, { settings: { legend: true } });
    const { page, complaints } = await open(token, { colorScheme: 'light' });

    assert.equal(await page.title(), 'The coffee bar');
    assert.equal(await page.locator('article').count(), 12);
    assert.deepEqual(await page.locator('.bold p').allTextContents(), ['30', '0 before']);
    const lines = page.locator('article', { hasText: 'Orders and cups' });
    assert.equal(await lines.locator('.line').count(), 2);
    assert.equal(await lines.locator('.dot').count(), 14);
    assert.match(
      (await lines.locator('.plane').getAttribute('aria-label')) ?? '',
      /^Line chart\. coffee ordered 30, Cups 15$/,
    );
    assert((await page.locator('.bars rect').count()) > 7);
    assert.equal(await page.locator('.funnel li').count(), 2);
    assert.equal(await page.locator('.retention tbody tr').count(), 6);
    assert.equal(await page.locator('article', { hasText: 'Last events' }).locator('tbody tr').count(), 20);
    assert.match((await page.locator('.failed').textContent()) ?? '', /not valid any more/);
    const link = page.locator('.markdown a');
    assert.deepEqual(
      [await link.getAttribute('href'), await link.getAttribute('rel')],
      ['https://example.com/plan', 'noopener noreferrer nofollow'],
    );
    // The orders stand beside the opening hours, the lines below them.
    const [text, orders, below] = [
      await box(page, 'Opening hours'),
      await box(page, '.bold-number'),
      await box(page, 'Orders and cups'),
    ];
    assert(orders.x > text.x + text.width - 1 && Math.abs(orders.y - text.y) < 2);
    assert(below.y > text.y + text.height && Math.abs(below.x - text.x) < 2);

    assert.deepEqual(await violations(page), []);
    await page.screenshot({ path: path.join(ARTEFACTS, 'shared-light.png'), fullPage: true });
    assert.equal(await groundOf(page), 'rgb(243, 244, 240)');

    await page.emulateMedia({ colorScheme: 'dark' });
    assert.deepEqual(await violations(page), []);
    await page.screenshot({ path: path.join(ARTEFACTS, 'shared-dark.png'), fullPage: true });
    assert.equal(await groundOf(page), 'rgb(22, 24, 27)');

    await page.emulateMedia({ media: 'print' });
    assert.equal(await groundOf(page), 'rgb(255, 255, 255)');
    assert((await page.pdf({ path: path.join(ARTEFACTS, 'shared.pdf') })).length > 10_000);

    await page.emulateMedia({ media: 'screen', colorScheme: 'light' });
    await page.setViewportSize({ width: 390, height: 800 });
    const widths = await page
      .locator('article')
      .evaluateAll((all) => all.map((one) => Math.round(one.getBoundingClientRect().width)));
    assert.deepEqual(new Set(widths), new Set([358]));
    assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 390);
    await page.screenshot({ path: path.join(ARTEFACTS, 'shared-phone.png'), fullPage: true });
    assert.deepEqual(complaints, []);
    await page.context().close();
  });

  it('looks as its owner set it', async () => {
    const id = await buildShown();
    const token = await world.share(id, {
      settings: { theme: 'dark', noHeader: true, whitelabel: true, detailed: true },
    });
    const { page } = await open(token, { colorScheme: 'light', javaScriptEnabled: false });
    assert.equal(await page.locator('header, footer').count(), 0);
    assert((await page.locator('details[open]').count()) > 3);
    assert.equal(
      await page.locator('body').evaluate((body) => getComputedStyle(body).backgroundColor),
      'rgb(22, 24, 27)',
    );
    await page.context().close();
    await world.share(id, { settings: { hideExtraDetails: true } });
    const plain = await open(token);
    assert.equal(await plain.page.locator('details, .as-of, .description').count(), 0);
    await plain.page.context().close();
  });

  it('executes nothing of what people typed or sent, even where nothing forbids it', async () => {
    const id = await world.buildDashboard({ name: ALL.slice(0, 400), description: ALL });
    for (const attack of [...ATTACKS, ALL]) await world.buildText(id, attack);
    for (const url of URLS) {
      const button_id = crypto.randomUUID();
      await world.sluice.db('dashboard_buttons').insert({
        id: button_id,
        project_id: world.ours.projectId,
        url,
        text: ATTACKS[1],
        placement: 'right',
        style: 'secondary',
      });
      await world.buildTile(id, { button_id });
    }
    const named = { name: ATTACKS[3], description: ALL, derived_name: ATTACKS[0] };
    const queries = [
      trends('ActionsLineGraph', { series: [node(ALL.slice(0, 200), { custom_name: ATTACKS[2] })] }),
      trends('ActionsBar', { breakdownFilter: { breakdown: 'kind', breakdown_type: 'event' } }),
      trends('ActionsPie', { breakdownFilter: { breakdown: 'kind', breakdown_type: 'event' } }),
      trends('ActionsTable', { breakdownFilter: { breakdown: 'kind', breakdown_type: 'event' } }),
      trends('"><img src=x onerror=window.executed=1>'),
      {
        kind: 'InsightVizNode',
        source: {
          kind: 'FunnelsQuery',
          series: [node(ALL.slice(0, 200)), node('coffee drunk', { custom_name: ATTACKS[1] })],
        },
      },
      {
        kind: 'DataTableNode',
        source: {
          kind: 'EventsQuery',
          select: ['event', 'properties', `properties.kind -- ${ATTACKS[1]}`],
          after: '-7d',
        },
      },
    ];
    for (const query of queries) {
      await world.buildTile(
        id,
        { insight_id: await world.buildInsight({ ...named, query }) },
        { color: ATTACKS[1], layouts: { sm: { x: ATTACKS[1], y: 0, w: 6, h: 5 } } },
      );
    }
    const token = await world.share(id);
    // Without the policy, so that the page itself has to hold.
    const { page } = await open(token, { bypassCSP: true });
    assert((await page.locator('.bars rect').count()) > 0 && (await page.locator('.scroll td').count()) > 10);
    const found = await page.evaluate<Json>(`({
      executed: window.executed ?? null,
      elements: document.querySelectorAll('script, img, iframe, object, embed, base, link, meta[http-equiv], form, style ~ style').length,
      handlers: [...document.querySelectorAll('*')].filter((one) => [...one.attributes].some(({ name }) => /^on|^style$/.test(name))).length,
      links: [...document.querySelectorAll('[href]')].map((one) => one.href).filter((href) => !/^https?:/.test(href) || /evil/.test(href)),
    })`);
    assert.deepEqual(found, { executed: null, elements: 0, handlers: 0, links: [] });
    for (const one of await page.locator('summary, a, .button').all())
      await one.click({ noWaitAfter: true, timeout: 20_000 });
    assert.equal(await page.evaluate('window.executed ?? null'), null);
    await page.context().close();

    const { complaints, ...held } = await open(token);
    assert.deepEqual(complaints, []);
    await held.page.context().close();
  });

  it('opens with a password by a form, without scripts, and closes when the link ends', async () => {
    const id = await world.buildDashboard({ name: 'Behind a door' });
    const token = await world.share(id, { password_required: true });
    await world.request('POST', `/dashboards/${id}/sharing/passwords/`, { raw_password: 'open sesame' });
    const { page, complaints } = await open(token, { javaScriptEnabled: false });
    await page.getByLabel('Password').fill('sesame');
    await page.getByRole('button', { name: 'Open' }).click();
    assert.equal(await page.getByRole('alert').textContent(), 'Incorrect password');
    await page.getByLabel('Password').fill('open sesame');
    await page.getByRole('button', { name: 'Open' }).click();
    await page.getByRole('heading', { name: 'Behind a door' }).waitFor();
    assert.equal(await page.evaluate('document.cookie').catch(() => ''), '');
    await world.request('PATCH', `/dashboards/${id}/sharing/`, { enabled: false });
    const ended = await page.reload();
    assert.equal(ended?.status(), 404);
    assert.deepEqual(
      complaints.filter((text) => !/status of (401|404)/.test(text)),
      [],
    );
    await page.context().close();
  });
});

async function box(page: Page, what: string) {
  const inside = what.startsWith('.') ? page.locator(what) : page.getByText(what, { exact: true });
  return (await page.locator('article').filter({ has: inside }).first().boundingBox())!;
}

function groundOf(page: Page): Promise<unknown> {
  return page.evaluate('getComputedStyle(document.body).backgroundColor');
}

/** Faults that axe calls serious or worse. */
async function violations(page: Page): Promise<string[]> {
  const file = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
  await page.evaluate(await readFile(file, 'utf8'));
  const { violations: found } = await page.evaluate<AxeResults>('axe.run()');
  return found
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary}`),
    );
}
