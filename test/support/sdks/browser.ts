/**
 * One headless Chromium for the whole test process, and sites whose pages it opens. If the program is missing, its
 * suites are skipped with a message; with SLUICE_REQUIRE=all they fail.
 */
import { createReadStream } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import { programFolders } from '../../../src/platform/config.ts';
import { findProgram } from '../../../src/platform/processes/program.ts';
import { skipSuite } from '../missing.ts';

/** Chromium's headless shell comes first: without window toolbars, which are pages too, it opens a page in a third of the time. */
const PROGRAMS = ['chromium-headless-shell', 'chromium'];

async function findBrowser(): Promise<string | undefined> {
  for (const name of PROGRAMS) {
    const program = await findProgram(name, programFolders());
    if (program) return program;
  }
  return undefined;
}

let running: Promise<Browser> | undefined;

/** Call it in a `before` hook, passing the hook's `this`. */
export async function needsBrowser(suite: Mocha.Context): Promise<void> {
  if (await findBrowser()) return;
  const message = 'chromium is not installed: apt-get install chromium-headless-shell';
  skipSuite(suite, message);
}

/** Starts the browser for the first caller, which takes about a second; the others share it. */
export function testBrowser(): Promise<Browser> {
  running ??= start();
  return running;
}

async function start(): Promise<Browser> {
  const executablePath = await findBrowser();
  if (!executablePath) throw new Error('chromium is not installed');
  // Imported here, because every test process loads this file for its hooks, but few need a browser.
  const { chromium } = await import('playwright-core');
  // Chromium refuses to run its sandbox as root, and tests in containers run as root.
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
}

/** Stops the browser; the mocha hooks call it after the last test. */
export async function stopTestBrowser(): Promise<void> {
  const browser = await running?.catch(() => undefined);
  running = undefined;
  await browser?.close();
}

export type Site = { origin: string; stop(): Promise<void> };

/**
 * @param scripts files that the page at `/` loads one after the other; every other path is an empty page
 * @param modules files by the names under which the scripts import them; with any, the scripts are modules
 */
export async function startSite(
  scripts: readonly string[],
  modules: Readonly<Record<string, string>> = {},
): Promise<Site> {
  const files = [...scripts, ...Object.values(modules)];
  const imports = Object.keys(modules).map((name, index) => [name, `/${scripts.length + index}.js`]);
  const map = JSON.stringify({ imports: Object.fromEntries(imports) as unknown });
  const type = imports.length > 0 ? ' type="module"' : '';
  const tags =
    `<script type="importmap">${map}</script>` +
    scripts.map((_, index) => `<script${type} src="/${index}.js"></script>`).join('');
  const server = createServer(({ url = '' }, response) => {
    const script = files[Number(/^\/(\d+)\.js$/.exec(url)?.[1] ?? -1)];
    response.setHeader('Content-Type', script === undefined ? 'text/html' : 'text/javascript');
    if (script !== undefined) createReadStream(script).pipe(response);
    else response.end(`<!doctype html><title>A site</title><body>${/^\/(\?|$)/.test(url) ? tags : ''}</body>`);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}
