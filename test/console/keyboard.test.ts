/** Keys of the console: pages and actions without a pointer, and letters that stay letters in fields. */
import assert from 'node:assert/strict';
import { startFlagsApi, type FlagsApi } from '../support/api/flags-api.ts';
import { assertAccessible } from '../support/console/axe.ts';
import { ensureConsoleIsBuilt, visit, type BrowserVisit } from '../support/console/visitor.ts';
import { needsBrowser } from '../support/sdks/browser.ts';

describe('keys of the console', () => {
  let api: FlagsApi;
  const open: BrowserVisit[] = [];
  before(async function () {
    await needsBrowser(this);
    await ensureConsoleIsBuilt();
    api = await startFlagsApi();
    for (const key of ['alpha', 'beta']) await api.create({ key });
  });
  afterEach(async () => {
    for (const visitor of open.splice(0)) await visitor.close();
  });
  after(() => api?.stop());

  const flags = () => `/project/${api.ours.projectId}/flags`;

  /** @param secure false: as over plain HTTP from another machine, where browsers have no `navigator.clipboard` */
  async function show(path: string, secure = true) {
    const visitor = await visit(api.sluice, {
      userId: api.ours.userId,
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    open.push(visitor);
    if (!secure)
      await visitor.page.addInitScript(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }));
    await visitor.page.goto(path);
    await visitor.page.getByRole('heading', { level: 1 }).first().waitFor();
    return visitor.page;
  }

  it('go to pages, move in a list, and lead to its filter', async () => {
    const page = await show('/settings/sessions');
    const seen = page.locator('td > time').first();
    assert.match((await seen.textContent())!, /GMT\+[12]|CES?T$/);
    await page.keyboard.press('u');
    await page.getByText('Times are in UTC.').waitFor();
    await page.reload();
    assert.match((await seen.textContent())!, /\sUTC$/);
    assert.match((await seen.getAttribute('title'))!, /CES?T$/);
    await page.keyboard.press('g');
    await page.keyboard.press('f');
    await page.getByRole('link', { name: 'alpha' }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('gegbeta');
    assert.match(page.url(), /\/flags/);
    assert.equal(await page.getByRole('searchbox').inputValue(), 'gegbeta');
    await page.getByRole('searchbox').fill('');
    await page.getByRole('link', { name: 'alpha' }).waitFor();
    await page.getByRole('searchbox').blur();
    await page.keyboard.press('j');
    const first = await page.evaluate(() => document.activeElement!.textContent);
    await page.keyboard.press('j');
    const second = await page.evaluate(() => document.activeElement!.textContent);
    assert.deepEqual([first, second].sort(), ['alpha', 'beta']);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: second! }).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('e');
    await page.waitForURL(/\/exports$/);
  });

  it('copy the request of the page without a key in it', async () => {
    const page = await show(`${flags()}?search=al`);
    await page.keyboard.press('c');
    await page.getByText('Copied.').waitFor();
    const command = await page.evaluate(() => navigator.clipboard.readText());
    assert.ok(
      command.includes(`/api/environments/${api.ours.projectId}/feature_flags/?limit=100&offset=0&search=al'`),
      command,
    );
    assert.ok(command.includes('Bearer $SLUICE_KEY'));
  });

  it('copy it, too, where the browser has no clipboard for scripts', async () => {
    const page = await show(`${flags()}?search=al`, false);
    await page.getByRole('link', { name: 'alpha' }).focus();
    await page.keyboard.press('c');
    await page.getByText('Copied.').waitFor();
    assert.equal(await page.evaluate(() => document.activeElement!.textContent), 'alpha');
    await page.getByRole('searchbox').fill('');
    await page.getByRole('searchbox').press('Control+v');
    assert.match(await page.getByRole('searchbox').inputValue(), /^curl -sS .*search=al'/);
  });

  it('open a palette that finds flags, pages and actions', async () => {
    const page = await show(flags());
    await page.keyboard.press('Control+k');
    const dialog = page.getByRole('dialog', { name: 'Command palette' });
    await dialog.getByRole('menuitem', { name: /Copy the request/ }).waitFor();
    await page.keyboard.type('bet');
    await dialog.getByRole('menuitem', { name: /^beta/ }).waitFor();
    await assertAccessible(page);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'beta' }).waitFor();
    await page.getByRole('button', { name: /command palette$/ }).click();
    // A fast typist presses Enter before the results are there.
    await page.keyboard.type('sess');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/settings\/sessions\?project=/);
    await page.getByRole('button', { name: /command palette$/ }).click();
    await page.keyboard.type('bet');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'beta' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('log o');
    await dialog.getByRole('menuitem', { name: 'Log out' }).waitFor();
    await page.getByRole('searchbox').fill('nothing at all');
    await dialog.getByText('Nothing matches nothing at all.').waitFor();
    const fade = () => dialog.evaluate((one) => getComputedStyle(one.closest('[class*=overlay]')!).transitionDuration);
    assert.equal(await fade(), '0.12s');
    await page.emulateMedia({ reducedMotion: 'reduce' });
    assert.equal(await fade(), '0s');
  });

  it('are listed, and single characters can be switched off', async () => {
    const page = await show(flags());
    await page.keyboard.press('?');
    const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await dialog.getByText('Next row').waitFor();
    await assertAccessible(page);
    await dialog.getByText('Single-key shortcuts').click();
    const row = page.locator('tbody tr').first();
    const heightOfRow = async () => (await row.boundingBox())!.height;
    assert.equal(await heightOfRow(), 36);
    await dialog.getByText('Compact rows').click();
    assert.equal(await heightOfRow(), 28);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.reload();
    await page.getByRole('link', { name: 'alpha' }).waitFor();
    assert.equal(await heightOfRow(), 28, 'kept');
    await page.keyboard.press('?');
    await page.keyboard.press('g');
    await page.keyboard.press('e');
    assert.equal(await dialog.count(), 0);
    assert.match(page.url(), /\/flags$/);
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog', { name: 'Command palette' }).waitFor();
  });

  it('all work on the page that lists them', async () => {
    for (const path of [flags(), '/settings/sessions']) {
      const page = await show(path);
      const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
      const list = async () => {
        await page.keyboard.press('?');
        await dialog.getByText('Show keyboard shortcuts').waitFor();
        // The first row is the palette's, which another test opens, and the last the browser's own.
        const rows = (await dialog.locator('dt').all()).slice(1, -1);
        return Promise.all(rows.map((row) => row.locator('kbd').allInnerTexts()));
      };
      const listed = await list();
      assert.equal(
        listed.some(([first]) => first === '/'),
        (await page.getByRole('searchbox').count()) > 0,
        path,
      );
      for (const keys of listed) {
        await page.goto(path);
        await page.getByRole('heading', { level: 1 }).first().waitFor();
        await page.evaluate(() =>
          addEventListener(
            'keydown',
            ({ defaultPrevented }) => (document.body.dataset['taken'] = String(defaultPrevented)),
          ),
        );
        const taken = () => page.locator('body').getAttribute('data-taken');
        // A list that is still loading has no keys yet.
        for (let tries = 0; tries < 100 && (await taken()) !== 'true'; tries += 1) {
          for (const key of keys) await page.keyboard.press(key === 'Esc' ? 'Escape' : key);
        }
        assert.equal(await taken(), 'true', `${keys.join(' ')} on ${path}`);
      }
    }
  });
});
