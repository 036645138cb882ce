/** The form of an export: create, mend a field, and two people who edit the same one. */
import assert from 'node:assert/strict';
import { assertAccessible } from '../support/console/axe.ts';
import { buildConsoleInstallation, type ConsoleInstallation } from '../support/console/installation.ts';
import { needsBrowser } from '../support/sdks/browser.ts';

type Exported = { id: string; name: string; destination: { config: { directory: string } } };

describe('the form of an export', () => {
  let at: ConsoleInstallation;
  before(async function () {
    await needsBrowser(this);
    at = await buildConsoleInstallation();
  });
  after(() => at?.close());

  const address = (rest: string) => `/project/${at.tenant.projectId}/exports/${rest}`;
  const CONFIG = 'Fields of the destination, as JSON';

  it('creates one, and says beside the field what the server refuses', async () => {
    const { page, close } = await at.visit();
    await page.goto(address('new'));
    await page.getByLabel('Name').fill('Orders');
    const config = page.getByLabel(CONFIG);
    await config.fill('{"directory": "../elsewhere"}');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByText(/^directory: /).waitFor();
    await assertAccessible(page);
    assert.equal(await page.getByLabel('Name').inputValue(), 'Orders');
    await config.fill('{"directory": "orders"}');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.waitForURL(/exports\/[\da-f-]{36}$/);
    const { results } = await at.request<{ results: Exported[] }>('GET', '/batch_exports/');
    assert.deepEqual(
      results.map(({ name, destination }) => [name, destination.config.directory]),
      [['Orders', 'orders']],
    );
    await close();
  });

  it('loses no change when two people edit the same one', async () => {
    const { id } = await at.request<Exported>('POST', '/batch_exports/', {
      name: 'Clicks',
      model: 'events',
      interval: 'hour',
      destination: { type: 'LocalFile', config: { directory: 'clicks' } },
    });
    const { page, close } = await at.visit();
    await page.goto(address(`${id}/edit?field=destination__config__directory`));
    await page.getByText('Look at destination.config.directory.').waitFor();
    await page.getByLabel('Name').fill('Clicks of mine');
    await at.request('PATCH', `/batch_exports/${id}/`, { name: 'Clicks of hers' });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText(/Somebody has changed this export/).waitFor();
    assert.equal(await page.getByLabel('Name').inputValue(), 'Clicks of mine');
    assert.equal((await at.request<Exported>('GET', `/batch_exports/${id}/`)).name, 'Clicks of hers');

    await page.reload();
    await page.getByLabel('Name').fill('Clicks of ours');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.waitForURL(new RegExp(`exports/${id}$`));
    assert.equal((await at.request<Exported>('GET', `/batch_exports/${id}/`)).name, 'Clicks of ours');
    await close();
  });

  it('asks for the password when the session ends in the middle of it, and goes on with what was typed', async () => {
    const { page, close } = await at.visit();
    await page.goto(address('new'));
    await page.getByLabel('Name').fill('Kept');
    await page.getByLabel(CONFIG).fill('{"directory": "kept"}');
    await at.sluice.db('sessions').where({ user_id: at.tenant.userId }).delete();
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('dialog').getByText('Your session has ended.').waitFor();
    await assertAccessible(page);
    await page.getByRole('button', { name: 'Cancel' }).click();
    assert.equal(await page.getByLabel('Name').inputValue(), 'Kept');
    await close();
  });
});
