/** Keys of the console: pages and actions without a pointer, and letters that stay letters in fields. */
import assert from 'node:assert/strict';
import { startFlagsApi, type FlagsApi } from '../support/api/flags-api.ts';
import { assertAccessible } from '../support/console/axe.ts';
import { builtConsole, visit, type Visitor } from '../support/console/visitor.ts';
import { needsBrowser } from '../support/sdks/browser.ts';

describe('keys of the console', () => {
  let api: FlagsApi;
  const open: Visitor[] = [];
  before(async function () {
    await needsBrowser(this);
    await builtConsole();
    api = await startFlagsApi();
    for (const key of ['alpha', 'beta']) await api.create({ key });
  });
  afterEach(async () => {
    for (const visitor of open.splice(0)) await visitor.close();
  });
  after(() => api?.stop());

  const flags = () => `/project/${api.ours.projectId}/flags`;

  async function show(path: string) {
    const visitor = await visit(api.sluice, {
      userId: api.ours.userId,
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    open.push(visitor);
    await visitor.page.goto(path);
    await visitor.page.getByRole('heading', { level: 1 }).first().waitFor();
    return visitor.page;
  }

  it('go to pages, move in a list, and lead to its filter', async () => {
    const page = await show('/settings/sessions');
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
    assert.ok(command.includes(`/api/environments/${api.ours.projectId}/feature_flags/?search=al'`), command);
    assert.ok(command.includes('Bearer $SLUICE_KEY'));
  });

  it('open a palette that finds flags, pages and actions', async () => {
    const page = await show(flags());
    await page.keyboard.press('Control+k');
    const dialog = page.getByRole('dialog', { name: 'Go to, or do' });
    await dialog.getByRole('menuitem', { name: /Copy the request/ }).waitFor();
    await page.keyboard.type('bet');
    await dialog.getByRole('menuitem', { name: /^beta/ }).waitFor();
    await assertAccessible(page);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'beta' }).waitFor();
    await page.getByRole('button', { name: 'Go to, or do' }).click();
    await page.keyboard.type('sess');
    await dialog.getByRole('menuitem', { name: 'Sessions' }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/settings\/sessions$/);
    await page.keyboard.press('Control+k');
    await page.keyboard.type('nothing at all');
    await dialog.getByText('Nothing matches nothing at all.').waitFor();
  });

  it('are listed, and single characters can be switched off', async () => {
    const page = await show(flags());
    await page.keyboard.press('?');
    const dialog = page.getByRole('dialog', { name: 'Keys' });
    await dialog.getByText('Next row').waitFor();
    await assertAccessible(page);
    await dialog.getByText('Single characters are keys').click();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.reload();
    await page.getByRole('link', { name: 'alpha' }).waitFor();
    await page.keyboard.press('?');
    await page.keyboard.press('g');
    await page.keyboard.press('e');
    assert.equal(await dialog.count(), 0);
    assert.match(page.url(), /\/flags$/);
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog', { name: 'Go to, or do' }).waitFor();
  });
});
