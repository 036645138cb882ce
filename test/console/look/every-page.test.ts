/** Every page of the console, with one of everything in it: accessible in both schemes, and readable where the window is small. */
import assert from 'node:assert/strict';
import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { CDPSession, Page, Request } from 'playwright-core';
import { assertAccessible } from '../../support/console/axe.ts';
import { buildFurnishedInstallation, type FurnishedIds } from '../../support/console/furnished.ts';
import { buildConsoleInstallation, type ConsoleInstallation } from '../../support/console/installation.ts';
import { assertReadable } from '../../support/console/reading.ts';
import { needsBrowser } from '../../support/sdks/browser.ts';
import { needsObjectStore } from '../../support/servers/object-store.ts';

const ROUTER = new URL('../../../console/src/router.tsx', import.meta.url);
/** Where screenshots go; absent: none are taken. */
const FOLDER = process.env['SLUICE_SCREENSHOTS'];

const WIDE = { width: 1280, height: 900, deviceScaleFactor: 1 };
/** The window of 1280 pixels at 200 %. */
const ZOOMED = { width: 640, height: 450, deviceScaleFactor: 2 };
const NARROW = { width: 360, height: 740, deviceScaleFactor: 1 };

type Shown = { name: string; address: string; do?: (page: Page) => Promise<void> };

/** By the paths of the router; those that lead elsewhere by themselves show nothing of their own. */
function pagesOf({ tenant }: ConsoleInstallation, ids: FurnishedIds): Record<string, Shown[]> {
  const project = `/project/${tenant.projectId}`;
  const one = (id: string) => `${project}/exports/${id}`;
  const range = 'start=2025-06-02T09:00:00.000Z&end=2025-06-02T12:00:00.000Z';
  return {
    '/login': [{ name: 'login', address: '/login' }],
    '/reset': [{ name: 'reset', address: '/reset' }],
    '/reset/$token': [{ name: 'reset-by-link', address: '/reset/no-such-token' }],
    '/signup/$token': [{ name: 'signup', address: '/signup/no-such-token' }],
    '/': [],
    '/project/$projectId': [],
    exports: [
      { name: 'exports', address: `${project}/exports` },
      { name: 'exports-none-found', address: `${project}/exports?search=clik` },
      {
        name: 'exports-selected',
        address: `${project}/exports`,
        do: (page) => page.locator('li', { hasText: 'Clicks' }).locator('label').click(),
      },
    ],
    'exports/new': [
      { name: 'new-export', address: `${project}/exports/new` },
      { name: 'new-export-tried', address: `${project}/exports/new`, do: tryDestination },
    ],
    'exports/$exportId/edit': [
      { name: 'edit-export', address: `${one(ids.refused)}/edit?field=destination__config__bucket_name` },
    ],
    'exports/$exportId': [
      { name: 'export', address: one(ids.delivered) },
      { name: 'export-plan', address: `${one(ids.refused)}?${range}&only=all` },
      { name: 'export-retrying', address: one(ids.retried) },
      { name: 'export-paused', address: one(ids.paused) },
      { name: 'export-table', address: `${one(ids.refused)}?${range}&view=table` },
      { name: 'export-pause', address: one(ids.delivered), do: ask('Pause') },
      { name: 'export-delete', address: one(ids.delivered), do: askToDelete },
    ],
    'exports/$exportId/runs/$runId': [
      { name: 'run-delivered', address: `${one(ids.delivered)}/runs/${ids.deliveredRun}` },
      { name: 'run-refused', address: `${one(ids.refused)}/runs/${ids.refusedRun}` },
      { name: 'run-retrying', address: `${one(ids.retried)}/runs/${ids.retriedRun}` },
    ],
    flags: [
      { name: 'flags', address: `${project}/flags` },
      { name: 'new-flag', address: `${project}/flags`, do: ask('New flag') },
    ],
    'flags/$flagId': [{ name: 'flag', address: `${project}/flags/${ids.flag}` }],
    dashboards: [{ name: 'dashboards', address: `${project}/dashboards` }],
    'dashboards/$dashboardId': [
      { name: 'dashboard', address: `${project}/dashboards/${ids.dashboard}` },
      { name: 'dashboard-share', address: `${project}/dashboards/${ids.dashboard}`, do: ask('Share') },
      { name: 'dashboard-empty', address: `${project}/dashboards/${ids.longDashboard}` },
    ],
    events: [
      { name: 'events', address: `${project}/events` },
      { name: 'event', address: `${project}/events`, do: (page) => page.locator('[data-row]').first().click() },
    ],
    settings: [{ name: 'project', address: `${project}/settings` }],
    '/settings': [],
    '/settings/keys': [
      { name: 'keys', address: '/settings/keys' },
      { name: 'new-key', address: '/settings/keys', do: askForKeyOfProject },
    ],
    '/settings/members': [{ name: 'members', address: '/settings/members' }],
    '/settings/sessions': [{ name: 'sessions', address: '/settings/sessions' }],
  };
}

/** Addresses with filters, selections and places that leave something to see. */
function filtered({ tenant }: ConsoleInstallation, ids: FurnishedIds): string[] {
  const project = `/project/${tenant.projectId}`;
  const one = `${project}/exports/${ids.refused}`;
  const range = 'start=2025-06-02T09:00:00.000Z&end=2025-06-02T11:00:00.000Z';
  return [
    `${project}/exports?search=l&state=paused`,
    `${one}?${range}&only=all`,
    `${one}?${range}&view=table`,
    `${one}/runs/${ids.refusedRun}?level=WARNING&text=table&attempt=1`,
    `${project}/flags?search=basket&state=on&type=multivariant`,
    `${project}/dashboards?search=coffee`,
    `${project}/events?event=order+placed&distinct_id=dmitri&before=2025-06-03T00:00:00.000Z`,
  ];
}

/** Addresses of the pages whose request can be copied. */
function copyable(at: ConsoleInstallation, ids: FurnishedIds): string[] {
  const project = `/project/${at.tenant.projectId}`;
  const one = `${project}/exports/${ids.refused}`;
  return [
    ...filtered(at, ids),
    `${one}?since=2025-05-30T00:00:00.000Z`,
    `${one}/edit`,
    `${project}/flags?page=2`,
    `${project}/flags/${ids.flag}`,
    `${project}/dashboards?page=2`,
    `${project}/dashboards/${ids.dashboard}`,
    `${project}/settings`,
    '/settings/members?page=2',
  ];
}

/** The path of a request, with its query sorted and without empty values. */
function requestOf(address: string): string {
  const { pathname, searchParams } = new URL(address);
  searchParams.sort();
  return `${pathname}?${new URLSearchParams([...searchParams].filter(([, value]) => value !== ''))}`;
}

/** Texts, values of fields and the selection, as a person sees them. */
const viewOf = (page: Page) =>
  page.evaluate(() => ({
    text: document.querySelector('main')!.innerText,
    values: [...document.querySelectorAll('main input')].map((one) => (one as HTMLInputElement).value),
    selected: document.querySelectorAll('main [aria-selected=true], main [aria-current], main :checked').length,
  }));

/** @returns a function that resolves when the page has every answer that it asked for, and has drawn them */
function answersOf(page: Page): () => Promise<void> {
  const open = new Set<Request>();
  page.on('request', (request) => {
    // The stream is never through.
    if (!request.url().endsWith('/live/')) open.add(request);
  });
  page.on('requestfinished', (request) => open.delete(request));
  page.on('requestfailed', (request) => open.delete(request));
  return async () => {
    await drawn(page);
    // An answer may make the page ask for more.
    for (let quiet = 0; quiet < 3; quiet = open.size === 0 ? quiet + 1 : 0)
      await page.evaluate(() => new Promise((drawn) => setTimeout(drawn, 50)));
  };
}

async function drawn(page: Page): Promise<void> {
  await page.locator('main').first().waitFor();
  await page.waitForFunction(() => document.querySelector('[aria-label^=Loading], [aria-busy=true]') === null);
}

const ask = (button: string) => async (page: Page) => {
  await page.getByRole('button', { name: button, exact: true }).first().click();
  await page.getByRole('dialog').waitFor();
};

async function askToDelete(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await page.getByRole('dialog').waitFor();
}

async function askForKeyOfProject(page: Page): Promise<void> {
  await ask('New key')(page);
  await page.getByRole('button', { name: /Projects$/ }).click();
  await page.getByRole('option', { name: /^Only / }).click();
}

async function tryDestination(page: Page): Promise<void> {
  await page.getByLabel('Name', { exact: true }).fill('Orders');
  await page.getByLabel('Directory', { exact: true }).fill('orders-too');
  await page.getByRole('button', { name: 'Test the destination' }).click();
  await page
    .getByText(/^passed: /)
    .last()
    .waitFor();
  await page.getByRole('button', { name: 'Preview rows' }).click();
  await page.getByRole('region', { name: 'Rows' }).waitFor();
}

describe('every page of the console', () => {
  let at: ConsoleInstallation;
  let ids: FurnishedIds;
  let pages: Record<string, Shown[]>;
  before(async function () {
    await needsBrowser(this);
    await needsObjectStore(this);
    at = await buildConsoleInstallation();
    ids = await buildFurnishedInstallation(at);
    pages = pagesOf(at, ids);
    if (FOLDER) await mkdir(FOLDER, { recursive: true });
  });
  after(() => at?.close());

  it('is in the list below', async () => {
    const text = await readFile(ROUTER, 'utf8');
    const paths = [...text.matchAll(/^ {2}path: '([^']+)',$/gm)].map(([, found]) => (found === '/' ? '/' : found!));
    assert.deepEqual([...new Set(paths)].sort(), Object.keys(pages).sort());
  });

  it('is accessible in light and dark, and readable at 200 % and at 360 pixels', async function () {
    // Each of some forty views takes seconds.
    this.timeout(600_000);
    const [inside, outside] = [
      await at.visit({ viewport: null }),
      await at.visit({ viewport: null, userId: undefined }),
    ];
    for (const { page } of [inside, outside]) page.on('dialog', (question) => void question.accept());
    for (const shown of Object.values(pages).flat()) {
      const { page, faults } = /^\/(login|reset|signup)/.test(shown.address) ? outside : inside;
      await examine(page, shown);
      assert.deepEqual(faults(), [], shown.name);
    }
    for (const { close } of [inside, outside]) await close();
  });

  it('has its main action at the end of a line, and no address broken inside a word, at 360 pixels', async () => {
    const { page, close } = await at.visit({ viewport: NARROW });
    const project = `/project/${at.tenant.projectId}`;
    for (const [address, name] of [
      [`${project}/exports`, 'New export'],
      [`${project}/flags`, 'New flag'],
      [`${project}/flags?search=nowhere`, 'New flag'],
      [`${project}/dashboards`, 'New dashboard'],
      ['/settings/keys', 'New key'],
      ['/settings/members', 'Invite someone'],
    ] as const) {
      await page.goto(address);
      const { x, width } = (await page.getByRole(/export/.test(name) ? 'link' : 'button', { name }).boundingBox())!;
      assert.equal(Math.round(NARROW.width - x - width), 16, `${name} of ${address}`);
    }
    for (const text of ['Ben Bitdiddle', 'cy.of.the.very.long.name']) await page.getByText(text).first().waitFor();
    assert.deepEqual(await page.evaluate(brokenWords), []);
    await page.goto(`${project}/events`);
    const time = page.locator('td time').first();
    const tops = await time.evaluate(({ firstChild, lastChild }) =>
      [firstChild!, lastChild!].map((text) => {
        const words = document.createRange();
        words.selectNodeContents(text);
        return [...words.getClientRects()].at(-1)!.top;
      }),
    );
    assert.equal(tops[0], tops[1], 'the zone of a time is on the line of the time');
    await close();
  });

  it('has the request that it sent copied as curl', async () => {
    const { page, close } = await at.visit({ permissions: ['clipboard-read', 'clipboard-write'] });
    const answered = answersOf(page);
    let sent: string[] = [];
    page.on('request', (request) => sent.push(requestOf(request.url())));
    for (const address of copyable(at, ids)) {
      sent = [];
      await page.goto(address);
      await answered();
      // Some pages open with the focus in a field.
      await page.evaluate(() => (document.activeElement as HTMLElement).blur());
      await page.keyboard.press('c');
      await page.getByText('Copied.').waitFor();
      const command = await page.evaluate(() => navigator.clipboard.readText());
      assert.ok(sent.includes(requestOf(/'(http[^']+)'/.exec(command)![1]!)), `${address}: ${command}`);
    }
    await close();
  });

  it('shows the same again when it is loaded again, with all that its address says', async () => {
    const { page, close } = await at.visit();
    const answered = answersOf(page);
    for (const address of filtered(at, ids)) {
      await page.goto(address);
      await answered();
      const before = await viewOf(page);
      await page.reload();
      await answered();
      assert.deepEqual(await viewOf(page), before, address);
      const [{ search }, given] = [new URL(page.url()), new URL(address, at.sluice.url)];
      for (const [name, value] of given.searchParams)
        assert.equal(new URLSearchParams(search).get(name), value, `${name} of ${address}`);
    }
    await close();
  });
});

async function examine(page: Page, { name, address, do: act }: Shown): Promise<void> {
  const window = await page.context().newCDPSession(page);
  await resize(window, WIDE);
  await page.goto(address);
  await drawn(page);
  await act?.(page);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    // Only colours depend on the scheme.
    await assertAccessible(page, `${name}, ${colorScheme}`, colorScheme === 'dark' ? ['color-contrast'] : undefined);
    await picture(page, `${name}-${colorScheme}`);
  }
  await assertReadable(page, `${name}, 1280`);
  for (const [size, window_] of [
    ['200', ZOOMED],
    ['360', NARROW],
  ] as const) {
    await resize(window, window_);
    await assertReadable(page, `${name}, ${size}`);
    if (size !== '360') continue;
    for (const colorScheme of FOLDER ? (['dark', 'light'] as const) : []) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await picture(page, `${name}-${size}-${colorScheme}`);
    }
  }
  await window.detach();
}

/** Runs in the page. @returns the words of tables that are on two lines */
function brokenWords(): string[] {
  const texts = document.createTreeWalker(document.querySelector('main')!, NodeFilter.SHOW_TEXT);
  const broken: string[] = [];
  while (texts.nextNode()) {
    const text = texts.currentNode;
    if (!text.parentElement!.closest('td')?.checkVisibility()) continue;
    for (const { 0: word, index } of text.textContent!.matchAll(/\w+/g)) {
      const range = document.createRange();
      range.setStart(text, index);
      range.setEnd(text, index + word.length);
      if (range.getClientRects().length > 1) broken.push(word);
    }
  }
  return broken;
}

const resize = (window: CDPSession, size: typeof WIDE) =>
  window.send('Emulation.setDeviceMetricsOverride', { ...size, mobile: false });

async function picture(page: Page, name: string): Promise<void> {
  if (!FOLDER) return;
  await page.screenshot({
    path: path.join(FOLDER, `${name}.jpg`),
    type: 'jpeg',
    quality: 85,
    fullPage: true,
    animations: 'disabled',
  });
}
