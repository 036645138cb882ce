/** Code of a page or a dialog that does not arrive: after an upgrade its files have other names, and a network can be gone. */
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { buildTenant, type Tenant } from '../../support/api/identity.ts';
import { assertAccessible } from '../../support/console/axe.ts';
import { ensureConsoleIsBuilt, visit, type BrowserVisit } from '../../support/console/visitor.ts';
import { needsBrowser } from '../../support/sdks/browser.ts';
import { startSluice, type Sluice } from '../../support/servers/sluice.ts';

const FLAGS_PAGE = '**/assets/flags-page-*.js';

const goToFlags = (page: Page) => page.getByRole('link', { name: 'Flags', exact: true }).click();
const flags = (page: Page) => page.getByRole('heading', { name: 'Flags', exact: true }).waitFor();

describe('code of the console that does not arrive', () => {
  let sluice: Sluice;
  let tenant: Tenant;
  const open: BrowserVisit[] = [];
  before(async function () {
    await needsBrowser(this);
    await ensureConsoleIsBuilt();
    sluice = await startSluice();
    tenant = await buildTenant(sluice.db, { name: 'Coffee' });
  });
  afterEach(async () => {
    for (const visitor of open.splice(0)) await visitor.close();
  });
  after(() => sluice?.stop());

  /** A page that counts how often it was loaded. */
  async function show(path: string): Promise<{ page: Page; loads: () => number }> {
    const visitor = await visit(sluice, { userId: tenant.userId });
    open.push(visitor);
    let loads = 0;
    visitor.page.on('request', (request) => (loads += Number(request.isNavigationRequest())));
    await visitor.page.goto(`/project/${tenant.projectId}/${path}`);
    await visitor.page.getByRole('heading', { level: 1 }).waitFor();
    return { page: visitor.page, loads: () => loads };
  }

  it('reloads the page by itself, so that an upgrade is not noticed', async () => {
    const { page, loads } = await show('events');
    await page.route(FLAGS_PAGE, (route) => (loads() === 1 ? route.fulfill({ status: 404 }) : route.continue()));
    await goToFlags(page);
    await flags(page);
    assert.equal(loads(), 2);
  });

  it('reloads it only once where the code stays away, with a message', async () => {
    const { page, loads } = await show('events');
    await page.route(FLAGS_PAGE, (route) => route.fulfill({ status: 404 }));
    await goToFlags(page);
    const alert = page.getByRole('alert').filter({ hasText: 'This part of the console did not load.' });
    await alert.waitFor();
    assert.equal(loads(), 2);
    await assertAccessible(page);
    await page.unroute(FLAGS_PAGE);
    await alert.getByRole('button', { name: 'Load again' }).click();
    await flags(page);
  });

  it('reports that the browser is offline, and recovers by itself, without a reload', async () => {
    const { page, loads } = await show('events');
    await page.context().setOffline(true);
    await goToFlags(page);
    const alert = page.getByRole('alert').filter({ hasText: 'You are offline' });
    await alert.waitFor();
    await alert.getByRole('button', { name: 'Try again' }).click();
    await alert.waitFor();
    // The button need not be pressed once the network is back.
    await page.context().setOffline(false);
    await flags(page);
    assert.equal(loads(), 1);
  });

  it('loads the style sheets of a page, too, on the next try', async () => {
    const { page, loads } = await show('events');
    await page.route('**/assets/*', (route) => route.abort());
    await page.route(`${sluice.url}/`, (route) => route.abort());
    await goToFlags(page);
    const alert = page.getByRole('alert').filter({ hasText: 'The server cannot be reached' });
    await alert.waitFor();
    await page.unrouteAll();
    await alert.getByRole('button', { name: 'Try again' }).click();
    await flags(page);
    assert.equal(loads(), 1);
    await page.waitForFunction(() =>
      [...document.querySelectorAll<HTMLLinkElement>('link[rel=stylesheet]')].every(({ sheet }) => sheet !== null),
    );
  });

  it('keeps what was typed where the code of a dialog is missing, and asks before it reloads the page', async () => {
    const visitor = await visit(sluice, { userId: tenant.userId });
    open.push(visitor);
    const { page } = visitor;
    await page.route('**/assets/palette-*.js', (route) => route.fulfill({ status: 404 }));
    await page.goto(`/project/${tenant.projectId}/exports/new`);
    const name = page.getByLabel('Name', { exact: true });
    await name.fill('Typed');
    await page.keyboard.press('Control+k');
    const alert = page.getByRole('alert').filter({ hasText: 'This part of the console did not load.' });
    const dialogOpens = page.waitForEvent('dialog');
    // The question of the browser keeps the click open until it is answered.
    const click = alert.getByRole('button', { name: 'Load again' }).click();
    const question = await dialogOpens;
    assert.equal(question.type(), 'beforeunload');
    await question.dismiss();
    await click;
    assert.equal(await name.inputValue(), 'Typed');
    await alert.getByRole('button', { name: 'Close' }).click();
    await page.unrouteAll();
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog', { name: 'Command palette' }).waitFor();
    assert.equal(await name.inputValue(), 'Typed');
  });
});
