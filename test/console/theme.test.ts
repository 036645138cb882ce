import assert from 'node:assert/strict';
import { buildTenant } from '../support/api/identity.ts';
import { ensureConsoleIsBuilt, visit } from '../support/console/visitor.ts';
import { needsBrowser } from '../support/sdks/browser.ts';
import { startSluice, type Sluice } from '../support/servers/sluice.ts';

const GROUND = { light: 'rgb(243, 244, 240)', dark: 'rgb(22, 24, 27)' };

describe('the theme of the console', () => {
  let sluice: Sluice;
  before(async function () {
    await needsBrowser(this);
    await ensureConsoleIsBuilt();
    sluice = await startSluice();
  });
  after(() => sluice?.stop());

  it('is that of the account, and the system’s where it has none', async () => {
    const { userId, projectId } = await buildTenant(sluice.db, { name: 'Coffee' });
    const { page, close } = await visit(sluice, { userId, colorScheme: 'dark' });
    for (const [mode, ground] of [
      ['light', GROUND.light],
      [null, GROUND.dark],
      ['dark', GROUND.dark],
    ]) {
      await sluice.db('users').where({ id: userId }).update({ theme_mode: mode });
      await page.goto(`/project/${projectId}/flags`);
      await page.getByRole('heading', { name: 'Flags' }).waitFor();
      assert.equal(
        await page.evaluate('getComputedStyle(document.documentElement).backgroundColor'),
        ground,
        mode ?? '',
      );
    }
    await close();
  });
});
