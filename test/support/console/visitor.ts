/** A browser in front of a started Sluice: a page in its own context. Errors, policy violations and requests to other origins fail the test. */
import assert from 'node:assert/strict';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { buildConsole } from '../../../console/build.ts';
import { sessionStore } from '../../../src/people/accounts/sessions.store.ts';
import { createSessions } from '../../../src/people/accounts/sessions.ts';
import { testBrowser } from '../sdks/browser.ts';
import type { Sluice } from '../servers/sluice.ts';

export type BrowserVisit = {
  page: Page;
  /** Errors, refusals by the policy, and requests to other origins so far. */
  faults(): readonly string[];
  /** @throws AssertionError when there were faults */
  close(): Promise<void>;
};

/** Builds the console unless it is up to date; for a `before` hook. */
export async function ensureConsoleIsBuilt(): Promise<void> {
  await buildConsole();
}

/** @param userId the logged-in user; absent: none */
export async function visit(
  sluice: Pick<Sluice, 'url' | 'db'>,
  { userId, ...options }: BrowserContextOptions & { userId?: number | undefined } = {},
): Promise<BrowserVisit> {
  const browser = await testBrowser();
  const context = await browser.newContext({ baseURL: sluice.url, timezoneId: 'Europe/Berlin', ...options });
  if (userId !== undefined) await context.addCookies(await cookiesOf(sluice, userId, options.userAgent ?? CHROMIUM));
  const faults: string[] = [];
  await context.addInitScript(() => {
    addEventListener('securitypolicyviolation', (event) => {
      console.error(`policy: ${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}:${event.lineNumber}`);
    });
  });
  const page = await context.newPage();
  // Long: on a busy machine a delivery, or a first page, takes a minute.
  page.setDefaultTimeout(60_000);
  page.on('pageerror', (error) => faults.push(`error: ${error.message}`));
  page.on('console', (message) => {
    // The browser reports each refused request, but tests check how the page shows it.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      faults.push(message.text());
  });
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (url.protocol.startsWith('http') && url.origin !== sluice.url) faults.push(`request to ${url.origin}`);
  });
  return {
    page,
    faults: () => faults,
    async close() {
      await context.close();
      assert.deepEqual(faults, []);
    },
  };
}

const CHROMIUM =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';

async function cookiesOf({ url, db }: Pick<Sluice, 'url' | 'db'>, userId: number, userAgent: string) {
  const sessions = sessionStore(db);
  const cookies = await createSessions({ sessions, publicUrl: url }).begin(sessions, userId, {
    headers: { 'user-agent': userAgent },
    address: '203.0.113.7',
  });
  return cookies.map((cookie) => {
    const [name = '', value = ''] = cookie.split(';')[0]!.split('=');
    return { name, value, url, httpOnly: name === 'sessionid' };
  });
}
