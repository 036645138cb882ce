import assert from 'node:assert/strict';
import { buildTenant } from '../../support/api/identity.ts';
import { assertAccessible } from '../../support/console/axe.ts';
import { ensureConsoleIsBuilt, visit } from '../../support/console/visitor.ts';
import { needsBrowser } from '../../support/sdks/browser.ts';
import { startSluice, type Sluice } from '../../support/servers/sluice.ts';

describe('the top bar of the console', () => {
  let sluice: Sluice;
  before(async function () {
    await needsBrowser(this);
    await ensureConsoleIsBuilt();
    sluice = await startSluice();
  });
  after(() => sluice?.stop());

  it('distinguishes the project from the account where they have the same name, as in the demo', async () => {
    const { userId, projectId } = await buildTenant(sluice.db, { name: 'Demo' });
    await sluice.db('users').where({ id: userId }).update({ first_name: 'Demo' });
    const { page, close } = await visit(sluice, { userId });
    await page.goto(`/project/${projectId}/exports`);
    const project = page.getByRole('button', { name: 'Project Demo' });
    const account = page.getByRole('button', { name: 'Demo: account' });
    assert.equal(await project.innerText(), 'Project Demo ▾');
    // Where there is no place for the word, the account's initial is left.
    await page.setViewportSize({ width: 360, height: 740 });
    assert.equal(await project.innerText(), 'Demo ▾');
    assert.equal(await page.getByRole('button', { name: /command palette$/ }).innerText(), 'Search');
    const initial = account.locator('[data-initial=D]');
    assert.match(await initial.evaluate((one) => getComputedStyle(one, '::before').content), /data-initial|"D"/);
    await assertAccessible(page);
    await close();
  });
});
