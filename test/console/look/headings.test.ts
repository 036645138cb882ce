/** The heading of a page: the name of the browser's tab, and where the focus is after somebody goes there. */
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { buildTenant, type Tenant } from '../../support/api/identity.ts';
import { ensureConsoleIsBuilt, visit } from '../../support/console/visitor.ts';
import { needsBrowser } from '../../support/sdks/browser.ts';
import { startSluice, type Sluice } from '../../support/servers/sluice.ts';

const focusedHeading = (page: Page, name: string) =>
  page.waitForFunction((text) => {
    const { activeElement: one } = document;
    return one?.tagName === 'H1' && one.textContent === text;
  }, name);

const titled = (page: Page, title: string) => page.waitForFunction((text) => document.title === text, title);

describe('the heading of a page', () => {
  let sluice: Sluice;
  let tenant: Tenant;
  before(async function () {
    await needsBrowser(this);
    await ensureConsoleIsBuilt();
    sluice = await startSluice();
    tenant = await buildTenant(sluice.db, { name: 'Coffee' });
  });
  after(() => sluice?.stop());

  it('takes the focus wherever its page was gone to: by links, the palette, a menu, or back', async () => {
    const { page, close } = await visit(sluice, { userId: tenant.userId });
    await page.goto(`/project/${tenant.projectId}/events`);
    await titled(page, 'Events · Sluice');
    assert.equal(await page.evaluate(() => document.activeElement?.tagName), 'BODY');
    await page.getByRole('link', { name: 'Flags', exact: true }).focus();
    await page.keyboard.press('Enter');
    await focusedHeading(page, 'Flags');
    await titled(page, 'Flags · Sluice');
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog', { name: 'Command palette' }).waitFor();
    await page.getByRole('searchbox', { name: 'Command palette' }).fill('Sessions');
    // Enter goes where the list points, which follows the text a moment later.
    await page.waitForFunction(() => {
      const pointed = document.activeElement?.getAttribute('aria-activedescendant') ?? '';
      return document.getElementById(pointed)?.textContent?.includes('Sessions');
    });
    await page.keyboard.press('Enter');
    await focusedHeading(page, 'Sessions');
    await page.getByRole('button', { name: 'Project Coffee' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'Coffee' }).waitFor();
    await page.keyboard.press('Enter');
    await focusedHeading(page, 'Exports');
    await page.goBack();
    await focusedHeading(page, 'Sessions');
    // The page itself is next, not the bar above it.
    await page.keyboard.press('Shift+Tab');
    assert.equal(
      await page.evaluate(() => document.activeElement?.closest('nav')?.getAttribute('aria-label')),
      'Settings',
    );
    await close();
  });

  it('leaves the focus to a field that is there to be filled in, and to filters', async () => {
    const { page, close } = await visit(sluice, { userId: tenant.userId });
    await page.goto(`/project/${tenant.projectId}/flags`);
    const search = page.getByRole('searchbox');
    await search.fill('basket');
    await page.waitForURL(/search=basket/);
    assert.ok(await search.evaluate((one) => one === document.activeElement));
    await close();
    const outside = await visit(sluice);
    await outside.page.goto('/login');
    await titled(outside.page, 'Log in to Sluice · Sluice');
    await outside.page.getByRole('link', { name: 'Forgot your password?' }).click();
    await titled(outside.page, 'Forgot your password? · Sluice');
    await focusedHeading(outside.page, 'Forgot your password?');
    await outside.page.getByRole('link', { name: 'Back to the log-in' }).click();
    await outside.page.waitForFunction(() => document.activeElement?.getAttribute('name') === 'email');
    await outside.page.goto('/reset/no-such-token');
    await titled(outside.page, 'Set a new password · Sluice');
    await outside.page.goto('/signup/no-such-token');
    await titled(outside.page, 'Join an organization · Sluice');
    await outside.close();
  });
});
