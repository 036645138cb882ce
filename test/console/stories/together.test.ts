/** People who work on the same things at the same time, from several machines, and somebody who only has a link. */
import assert from 'node:assert/strict';
import { hashPassword } from '../../../src/platform/secrets/passwords.ts';
import { buildMember, type Member } from '../../support/api/members.ts';
import { assertAccessible } from '../../support/console/axe.ts';
import { buildConsoleInstallation, type ConsoleInstallation } from '../../support/console/installation.ts';
import { holdAt, type StepGate } from '../../support/servers/hold-at.ts';
import { needsBrowser } from '../../support/sdks/browser.ts';
import type { BrowserVisit } from '../../support/console/visitor.ts';

const PASSWORD = 'a long walk along the river';
const PHONE = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Safari/604.1';
const LAPTOP = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

type Exported = { id: string; name: string; destination: { config: { directory: string } } };

describe('story: people who share a project', () => {
  let at: ConsoleInstallation;
  let ben: Member;
  const open: BrowserVisit[] = [];
  before(async function () {
    await needsBrowser(this);
    at = await buildConsoleInstallation();
    const { db } = at.sluice;
    const ada = db('users').where({ id: at.tenant.userId });
    await ada.update({ password_hash: await hashPassword(PASSWORD) });
    ben = await buildMember(db, at.tenant);
    await db('users').where({ id: ben.userId }).update({ first_name: 'Ben' });
  });
  let held: StepGate | undefined;
  afterEach(async () => {
    held?.goOn();
    for (const visitor of open.splice(0)) await visitor.close();
  });
  after(() => at?.close());

  async function show(address: string, options: Parameters<ConsoleInstallation['visit']>[0] = {}) {
    const visitor = await at.visit(options);
    open.push(visitor);
    await visitor.page.goto(address);
    return visitor.page;
  }
  const project = () => `/project/${at.tenant.projectId}`;
  const exported = (directory = 'clicks') =>
    at.request<Exported>('POST', '/batch_exports/', {
      name: 'Clicks',
      interval: 'hour',
      destination: { type: 'LocalFile', config: { directory } },
    });
  const stored = ({ id }: Exported) => at.request<Exported>('GET', `/batch_exports/${id}/`);

  it('edit one export at once, see both edits side by side, and keep both', async () => {
    const one = await exported();
    const [ada, bens] = await Promise.all([
      show(`${project()}/exports/${one.id}/edit`),
      show(`${project()}/exports/${one.id}/edit`, { userId: ben.userId }),
    ]);
    await ada.getByLabel('Name', { exact: true }).fill('Clicks of Ada');
    await bens.getByLabel('Directory', { exact: true }).fill('clicks-of-ben');
    await bens.getByRole('button', { name: 'Save' }).click();
    await bens.waitForURL(new RegExp(`exports/${one.id}$`));
    await ada.getByRole('button', { name: 'Save' }).click();
    const dialog = ada.getByRole('dialog', { name: 'Two edits of the same' });
    await dialog.getByRole('row', { name: 'Directory clicks-of-ben unchanged clicks' }).waitFor();
    const { name, destination } = await stored(one);
    assert.deepEqual([name, destination.config.directory], ['Clicks', 'clicks-of-ben']);
    await dialog.getByRole('button', { name: 'Save both' }).click();
    await ada.waitForURL(new RegExp(`exports/${one.id}$`));
    const both = await stored(one);
    assert.deepEqual([both.name, both.destination.config.directory], ['Clicks of Ada', 'clicks-of-ben']);
  });

  it('pause an export while a plan of another user runs: both see the pause, and the plan continues', async () => {
    const one = await exported('paused');
    held = holdAt(at.world, one.id, 'before-committing');
    const range = 'start=2025-06-02T09:00:00.000Z&end=2025-06-02T12:00:00.000Z';
    const [ada, bens] = await Promise.all([
      show(`${project()}/exports/${one.id}?${range}`),
      show(`${project()}/exports/${one.id}?${range}`, { userId: ben.userId }),
    ]);
    await ada.getByRole('button', { name: 'Deliver 3 hours' }).click();
    await held.reached;
    await bens
      .getByRole('gridcell', { name: /, running$/ })
      .first()
      .waitFor();
    await bens.getByRole('button', { name: 'Pause', exact: true }).click();
    const dialog = bens.getByRole('dialog');
    await dialog
      .getByText('Runs in progress and requested deliveries go on; no other starts by itself until somebody unpauses.')
      .waitFor();
    await dialog.getByLabel('Reason').fill('migration');
    await dialog.getByRole('button', { name: 'Pause', exact: true }).click();
    for (const page of [ada, bens]) {
      await page.getByText(/^Paused by Ben, “migration”/).waitFor();
      await page.getByRole('button', { name: 'Unpause', exact: true }).waitFor();
    }
    await ada.getByText(/^[0-2] of 3 hours delivered\.$/).waitFor();
    held.goOn();
    await ada.getByText('3 of 3 hours delivered.').waitFor();
    for (const page of [ada, bens])
      for (const hours of ['09:00–10:00', '10:00–11:00', '11:00–12:00'])
        await page.getByRole('gridcell', { name: `2 Jun 2025 ${hours} UTC, delivered`, exact: true }).waitFor();
    await bens.getByText(/^Paused by Ben/).waitFor();
  });

  it('delete an export that is open elsewhere: its page and its form say that it is gone', async () => {
    const one = await exported();
    const [page, form] = await Promise.all([
      show(`${project()}/exports/${one.id}`),
      show(`${project()}/exports/${one.id}/edit`, { userId: ben.userId }),
    ]);
    await page.getByText('Live ●', { exact: true }).waitFor();
    await form.getByLabel('Name', { exact: true }).fill('Kept');
    await at.request('DELETE', `/batch_exports/${one.id}/`);
    await page.getByText('It no longer exists, or you may not see it.').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Pause' }).count(), 0);
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByRole('alert').getByText('It no longer exists').waitFor();
    assert.equal(await form.getByLabel('Name', { exact: true }).inputValue(), 'Kept');
  });

  it('change one flag at once, see both edits side by side, and keep both', async () => {
    const { id } = await at.request<{ id: number }>('POST', '/feature_flags/', {
      key: 'new-basket',
      filters: {
        groups: [
          { properties: [{ type: 'person', key: 'plan', operator: 'exact', value: ['pro'] }] },
          { properties: [], rollout_percentage: 10 },
        ],
      },
    });
    const [ada, bens] = await Promise.all([
      show(`${project()}/flags/${id}`),
      show(`${project()}/flags/${id}`, { userId: ben.userId }),
    ]);
    // The second edit begins before the first is saved.
    await ada.getByLabel('Percentage of set 2').fill('20');
    await ada.keyboard.press('Tab');
    await bens.getByLabel('Percentage of set 1').fill('50');
    await bens.keyboard.press('Tab');
    await bens.getByRole('button', { name: 'Save' }).click();
    await bens.getByText('Saved as v2.').waitFor();
    await ada.getByRole('button', { name: 'Save' }).click();
    const dialog = ada.getByRole('dialog', { name: 'Two edits of the same' });
    await dialog.getByText('Ben saved v2 while you were editing v1.').waitFor();
    await dialog.getByRole('button', { name: 'Save both' }).click();
    await ada.getByText('Saved as v3.').waitFor();
    const { filters } = await at.request<{ filters: { groups: { rollout_percentage: number }[] } }>(
      'GET',
      `/feature_flags/${id}/`,
    );
    assert.deepEqual(
      filters.groups.map((set) => set.rollout_percentage),
      [50, 20],
    );
  });

  it('end a session from a phone, and the open page on the laptop shows it', async () => {
    const one = await exported();
    const laptop = await show(`${project()}/exports/${one.id}`, { userAgent: LAPTOP });
    await laptop.getByText('Live ●', { exact: true }).waitFor();
    const phone = await show('/settings/sessions', { userAgent: PHONE });
    await phone.getByRole('button', { name: 'End the session on Firefox on Linux' }).click();
    await phone.getByRole('button', { name: 'End session' }).click();
    await laptop.getByRole('dialog').getByText('Your session has ended.').waitFor();
    await phone.getByRole('row', { name: /Firefox on Linux/ }).waitFor({ state: 'detached' });
  });

  it('lose their session in the middle of a form, enter the password, and continue with what they had typed', async () => {
    const page = await show(`${project()}/exports/new`);
    await page.getByLabel('Name', { exact: true }).fill('Kept');
    await page.getByLabel('Directory', { exact: true }).fill('kept');
    await at.sluice.db('sessions').where({ user_id: at.tenant.userId }).delete();
    await page.getByRole('button', { name: 'Create' }).click();
    const dialog = page.getByRole('dialog', { name: 'Log in again' });
    await dialog.getByText('What you typed is kept.').waitFor();
    await dialog.getByLabel('Password').fill(PASSWORD);
    await dialog.getByRole('button', { name: 'Log in' }).click();
    await page.waitForURL(/exports\/[\da-f-]{36}$/);
    await page.getByRole('heading', { name: /^Kept/ }).waitFor();
    const { results } = await at.request<{ results: Exported[] }>('GET', '/batch_exports/');
    assert.equal(results.filter(({ name }) => name === 'Kept').length, 1);
  });

  it('share a dashboard with a password, which a stranger needs to open it', async () => {
    const { id } = await at.request<{ id: number }>('POST', '/dashboards/', { name: 'The coffee bar' });
    const page = await show(`${project()}/dashboards/${id}`);
    await page.getByRole('button', { name: 'Share' }).click();
    const dialog = page.getByRole('dialog', { name: 'Share this dashboard' });
    await dialog.getByText('Share it by link').click();
    const link = await dialog.getByText(/\/shared\//).innerText();
    await dialog.getByText('Ask visitors for a password').click();
    await page.getByRole('button', { name: 'Ask for it' }).click();
    await dialog.getByText('No passwords yet').waitFor();
    await dialog.getByRole('button', { name: 'Add the password' }).click();
    await dialog.getByText('it cannot be shown again').waitFor();
    const password = await dialog.getByRole('status').locator('code').innerText();

    const stranger = await show(link, { userId: undefined });
    await stranger.getByLabel('Password').fill('12345678');
    await stranger.getByRole('button', { name: 'Open' }).click();
    await stranger.getByRole('alert').getByText('Incorrect password').waitFor();
    await stranger.getByLabel('Password').fill(password);
    await stranger.getByRole('button', { name: 'Open' }).click();
    await stranger.getByRole('heading', { name: 'The coffee bar' }).waitFor();
    await assertAccessible(stranger);
  });

  it('see what is needed where their browser runs no scripts', async () => {
    const page = await show('/', { userId: undefined, javaScriptEnabled: false });
    await page.getByRole('heading', { name: 'Sluice' }).waitFor();
    assert.match(await page.locator('body').innerText(), /The console needs JavaScript/);
    assert.equal(await page.getByRole('link', { name: 'describes itself' }).getAttribute('href'), '/api/schema/');
  });
});
