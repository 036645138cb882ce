/** The form of an export: create, fix a field, and two people who edit the same one. */
import assert from 'node:assert/strict';
import { assertAccessible } from '../support/console/axe.ts';
import { buildConsoleInstallation, type ConsoleInstallation } from '../support/console/installation.ts';
import { schemaPlace } from '../support/console/places.ts';
import { assertSentOnce } from '../support/console/sending.ts';
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
    await page.getByLabel('Name', { exact: true }).fill('Orders');
    const directory = page.getByLabel('Directory', { exact: true });
    await directory.fill('../elsewhere');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.locator('[data-invalid]', { has: directory }).getByText(/\S/).nth(2).waitFor();
    await assertAccessible(page);
    assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'Orders');
    await directory.fill('orders');
    await page.getByRole('list', { name: 'Next runs' }).getByRole('listitem').nth(2).waitFor();
    // Unfinished fields of other parts do not keep anybody from testing the destination.
    await page.getByText('Filters and columns').click();
    await page.getByRole('button', { name: 'Add a filter' }).click();
    await page.getByText('Custom query').click();
    await page.getByLabel('SELECT').fill('SELECT');
    await page.getByText('Start, end and limits').click();
    await page.getByLabel('Random delay').fill('soon');
    await page.getByRole('button', { name: 'Test the destination' }).click();
    await page.getByText('passed: Check files can be written').waitFor();
    await page.getByText('Tested without what is not valid yet: custom query.').waitFor();
    await page.getByRole('button', { name: 'Remove filter 1' }).click();
    await page.getByLabel('SELECT').fill('');
    await page.getByLabel('Random delay').fill('');
    await page.getByRole('button', { name: 'Preview rows' }).click();
    await page.getByRole('heading', { name: 'Preview', exact: true }).waitFor();
    const place = () =>
      page.evaluate(() => {
        const { top } = document.activeElement!.getBoundingClientRect();
        const { bottom } = document.querySelector('[aria-label=Rows]')!.getBoundingClientRect();
        return { focused: document.activeElement!.textContent, isInView: top >= 0 && bottom <= innerHeight };
      });
    assert.deepEqual(await place(), { focused: 'Preview', isInView: true });
    await assertAccessible(page);
    // In a wide window, what the fields lead to is beside them, wherever the page is scrolled to.
    const nextRuns = page.locator('[aria-label="Next runs"]');
    assert.equal(await nextRuns.count(), 1);
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.getByRole('heading', { name: 'Next runs' }).waitFor();
    assert.equal(await nextRuns.count(), 1);
    await page.getByLabel('Name', { exact: true }).scrollIntoViewIfNeeded();
    const create = (await page.getByRole('button', { name: 'Create' }).boundingBox())!;
    assert.ok(create.x > 600 && create.y > 0 && create.y < 900, JSON.stringify(create));
    await assertSentOnce(page, page.getByRole('button', { name: 'Create' }));
    await page.waitForURL(/exports\/[\da-f-]{36}$/);
    const { results } = await at.request<{ results: Exported[] }>('GET', '/batch_exports/');
    assert.deepEqual(
      results.map(({ name, destination }) => [name, destination.config.directory]),
      [['Orders', 'orders']],
    );
    await close();
  });

  it('says of the steps after one that failed that they were not tried', async () => {
    const { type, config } = await schemaPlace(at, { database: 'not_there' });
    const { id } = await at.request<Exported>('POST', '/batch_exports/', {
      name: 'Nowhere',
      interval: 'hour',
      destination: { type, config },
    });
    const { page, close } = await at.visit();
    await page.goto(address(`${id}/edit`));
    await page.getByRole('button', { name: 'Test the destination' }).click();
    const steps = page.getByRole('list', { name: 'Test steps' }).getByRole('listitem');
    await steps.filter({ hasText: 'failed:' }).waitFor();
    await steps.last().getByText('not tried: ').waitFor();
    assert.equal(await steps.filter({ hasText: 'waiting:' }).count(), 0);
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
    await page.getByLabel('Directory', { exact: true }).and(page.locator(':focus')).waitFor();
    await page.getByLabel('Name', { exact: true }).fill('Clicks of mine');
    await at.request('PATCH', `/batch_exports/${id}/`, { name: 'Clicks of hers' });
    await page.getByRole('button', { name: 'Save' }).click();
    const dialog = page.getByRole('dialog', { name: 'Two edits of the same' });
    const row = dialog.getByRole('row', { name: 'Name Clicks of hers Clicks of mine Clicks' });
    await row.waitFor();
    await assertAccessible(page);
    await page.keyboard.press('Escape');
    assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'Clicks of mine');
    assert.equal((await at.request<Exported>('GET', `/batch_exports/${id}/`)).name, 'Clicks of hers');

    await at.request('PATCH', `/batch_exports/${id}/`, {
      destination: { type: 'LocalFile', config: { directory: 'hers' } },
    });
    await page.getByRole('button', { name: 'Save' }).click();
    await dialog.getByRole('row', { name: 'Directory hers unchanged clicks' }).waitFor();
    await dialog.getByRole('button', { name: 'Save mine over it' }).click();
    await page.waitForURL(new RegExp(`exports/${id}$`));
    const { name, destination } = await at.request<Exported>('GET', `/batch_exports/${id}/`);
    assert.deepEqual([name, destination.config.directory], ['Clicks of mine', 'hers']);
    await close();
  });

  it('asks for the password when the session ends in the middle of it, and keeps what was typed', async () => {
    const { page, close } = await at.visit();
    await page.goto(address('new'));
    await page.getByLabel('Name', { exact: true }).fill('Kept');
    await page.locator('label', { hasText: 'Edit as JSON' }).click();
    await page.getByLabel(CONFIG).fill('{"directory": "kept"}');
    await page.locator('label', { hasText: 'Edit as JSON' }).click();
    await at.sluice.db('sessions').where({ user_id: at.tenant.userId }).delete();
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('dialog').getByText('Your session has ended.').waitFor();
    await assertAccessible(page);
    await page.getByRole('button', { name: 'Cancel' }).click();
    assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'Kept');
    assert.equal(await page.getByLabel('Directory', { exact: true }).inputValue(), 'kept');
    await close();
  });

  it('asks for a connection string to Azure, and not for the endpoint in it', async () => {
    const { page, close } = await at.visit();
    await page.goto(address('new'));
    await page.getByLabel('Name', { exact: true }).fill('To Azure');
    await page.getByRole('button', { name: /Where to$/ }).click();
    await page.getByRole('option', { name: 'Azure Blob Storage' }).click();
    await page.getByLabel('Container', { exact: true }).fill('exports');
    const text = page.getByLabel('Connection string', { exact: true });
    await text.fill('UseDevelopmentStorage=true');
    assert.equal(await page.getByLabel('Blob endpoint').count(), 0);
    await page.getByRole('button', { name: 'Create' }).click();
    await page
      .locator('[data-invalid]', { has: text })
      .getByText(/AccountName/)
      .waitFor();
    await close();
  });

  it('keeps untouched secrets, and has the fields of every destination', async () => {
    const KEYS = { aws_access_key_id: 'AKIAEXAMPLE', aws_secret_access_key: 'hush-hush' };
    const { id } = await at.request<Exported>('POST', '/batch_exports/', {
      name: 'Lake',
      model: 'events',
      interval: 'hour',
      paused: true,
      destination: { type: 'S3', config: { bucket_name: 'lake', region: 'eu-central-1', ...KEYS } },
    });
    const stored = async () => {
      const row: unknown = await at.sluice.db('batch_exports').where({ id }).first('destination_config');
      return row;
    };
    const { page, close } = await at.visit({ viewport: { width: 360, height: 740 } });
    await page.goto(address(`${id}/edit?field=destination__config__bucket_name`));
    const bucket = page.getByLabel('Bucket', { exact: true });
    await bucket.and(page.locator(':focus')).waitFor();
    assert.equal(await page.getByLabel('Secret access key').getAttribute('placeholder'), 'unchanged');
    await bucket.fill('lake-prod');
    await assertAccessible(page);
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(width <= 360, `the page is ${width} px wide`);
    const before = await stored();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.waitForURL(new RegExp(`exports/${id}$`));
    assert.notDeepEqual(await stored(), before);
    const { destination } = await at.request<{ destination: { config: Record<string, string> } }>(
      'GET',
      `/batch_exports/${id}/`,
    );
    assert.equal(destination.config['bucket_name'], 'lake-prod');

    await page.goto(address('new'));
    await page.getByRole('button', { name: /Where to$/ }).click();
    await page.getByRole('option', { name: 'PostgreSQL' }).click();
    await page.getByLabel('Table', { exact: true }).waitFor();
    assert.equal(await page.getByLabel('Port').inputValue(), '5432');
    await page.getByText('Each row is delivered once.').waitFor();
    await page.getByRole('button', { name: /Where to$/ }).click();
    await page.getByRole('option', { name: 'Nowhere (only counts)' }).click();
    await page.getByText('Rows are counted and delivered nowhere.').waitFor();
    await close();
  });
});
