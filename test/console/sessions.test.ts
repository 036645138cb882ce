/** Sessions in a browser: listed, ended one by one, and all others at once. */
import assert from 'node:assert/strict';
import { sessionStore } from '../../src/people/accounts/sessions.store.ts';
import { createSessions } from '../../src/people/accounts/sessions.ts';
import { buildTenant, type Tenant } from '../support/api/identity.ts';
import { assertAccessible } from '../support/console/axe.ts';
import { ensureConsoleIsBuilt, visit } from '../support/console/visitor.ts';
import { needsBrowser } from '../support/sdks/browser.ts';
import { startSluice, type Sluice } from '../support/servers/sluice.ts';

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
const SAFARI = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Safari/604.1';

describe('sessions in the console', () => {
  let sluice: Sluice;
  let tenant: Tenant;
  before(async function () {
    await needsBrowser(this);
    await ensureConsoleIsBuilt();
    sluice = await startSluice();
    tenant = await buildTenant(sluice.db, { name: 'Coffee' });
  });
  after(() => sluice?.stop());

  async function logInFrom(userAgent: string): Promise<void> {
    const sessions = sessionStore(sluice.db);
    const client = { headers: { 'user-agent': userAgent }, address: '203.0.113.7' };
    await createSessions({ sessions, publicUrl: sluice.url }).begin(sessions, tenant.userId, client);
  }

  const count = async () => (await sluice.db('sessions').where({ user_id: tenant.userId })).length;

  it('are listed by device, and ended', async () => {
    for (const userAgent of [FIREFOX, SAFARI, SAFARI]) await logInFrom(userAgent);
    const { page, close } = await visit(sluice, { userId: tenant.userId });
    await page.goto('/');
    await page.getByRole('button', { name: /: account$/ }).click();
    await page.getByRole('menuitem', { name: 'Sessions' }).click();
    await page.getByRole('row', { name: /Firefox on Linux 203\.0\.113\.0\/24/ }).waitFor();
    await page.getByText('this browser').waitFor();
    await assertAccessible(page);
    await page.getByRole('button', { name: 'End the session on Firefox on Linux' }).click();
    await page.getByRole('dialog', { name: 'End the session on Firefox on Linux' }).waitFor();
    assert.equal(await count(), 4);
    await page.getByRole('button', { name: 'End session' }).click();
    await page.getByRole('row', { name: /Firefox on Linux/ }).waitFor({ state: 'detached' });
    assert.equal(await count(), 3);
    await page.getByRole('button', { name: 'End all others' }).click();
    await page.getByText('only this one stays logged in').waitFor();
    await page.getByRole('button', { name: 'End 2 sessions' }).click();
    await page.getByText('You have no other sessions.').waitFor();
    assert.equal(await count(), 1);
    await close();
  });
});
