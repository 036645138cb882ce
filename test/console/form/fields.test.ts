/** How the form of an export explains its fields: what is required, what can be read, and each hint once. */
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { assertAccessible } from '../../support/console/axe.ts';
import { buildConsoleInstallation, type ConsoleInstallation } from '../../support/console/installation.ts';
import { needsBrowser } from '../../support/sdks/browser.ts';

const TYPES = ['Local files', 'PostgreSQL', 'Azure Blob Storage', 'Google Cloud Storage', 'Apache Iceberg', 'HTTP'];

const hintsOf = (page: Page) =>
  page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('form [slot=description], form p')].map((one) => ({
      text: one.innerText,
      size: getComputedStyle(one).fontSize,
    })),
  );

describe('a field of the form', () => {
  let at: ConsoleInstallation;
  before(async function () {
    await needsBrowser(this);
    at = await buildConsoleInstallation();
  });
  after(() => at?.close());

  /** The form of a new export with all of its groups open. */
  async function open(type: string) {
    const { page, close } = await at.visit();
    await page.goto(`/project/${at.tenant.projectId}/exports/new`);
    await page.getByRole('button', { name: /Where to$/ }).click();
    await page.getByRole('option', { name: type }).click();
    await page.evaluate(() => {
      for (const group of document.querySelectorAll('details')) group.open = true;
    });
    return { page, close };
  }

  for (const type of TYPES) {
    it(`of ${type} has a hint of its own, in one size, without a file that the console does not have`, async () => {
      const { page, close } = await open(type);
      const hints = await hintsOf(page);
      assert.ok(hints.length > 8);
      const sentences = hints.flatMap(({ text }) => text.split(/(?<=\.) /)).filter((text) => text !== '');
      assert.deepEqual(
        sentences.filter((one, index) => sentences.indexOf(one) !== index),
        [],
      );
      assert.deepEqual([...new Set(hints.map(({ size }) => size))], ['12.5px']);
      assert.doesNotMatch(sentences.join(' '), /\.md/);
      await assertAccessible(page);
      await close();
    });
  }

  it('is marked where it is required, to eyes and to screen readers, and nowhere else', async () => {
    const { page, close } = await open('PostgreSQL');
    await page.getByText('Fields marked * are required.').waitFor();
    const fields = await page.evaluate(() =>
      [...document.querySelectorAll<HTMLInputElement>('form label[for]')].map((label) => ({
        name: label.textContent,
        isMarked: getComputedStyle(label, '::after').content.includes('*'),
        isRequired: (document.getElementById(label.getAttribute('for')!) as HTMLInputElement).required,
      })),
    );
    assert.deepEqual(
      fields.filter(({ isRequired }) => isRequired).map(({ name }) => name),
      ['Name', 'Host', 'User', 'Password', 'Database'],
    );
    assert.deepEqual(
      fields.filter(({ isMarked, isRequired }) => isMarked !== isRequired),
      [],
    );
    await page.getByRole('textbox', { name: 'Host', exact: true }).fill('db.example.com');
    const testStepUrls: string[] = [];
    page.on('request', (request) => request.url().includes('run_test_step') && testStepUrls.push(request.url()));
    await page.getByRole('button', { name: 'Test the destination' }).click();
    const user = page.locator('[data-invalid]', { has: page.getByLabel('User', { exact: true }) });
    await user.getByText('This field is required.').waitFor();
    assert.deepEqual(testStepUrls, [], 'nothing is tested without it');
    await close();
  });

  it('with the name of a user can be read while it is typed, and one with a password cannot', async () => {
    const { page, close } = await open('PostgreSQL');
    assert.equal(await page.getByLabel('User', { exact: true }).getAttribute('type'), 'text');
    assert.equal(await page.getByLabel('Password', { exact: true }).getAttribute('type'), 'password');
    await close();
    const http = await open('HTTP');
    assert.equal(await http.page.getByLabel('Signing secret', { exact: true }).getAttribute('type'), 'password');
    await http.close();
  });

  it('is there only where it has an effect', async () => {
    const { page, close } = await open('HTTP');
    const label = (text: string) => page.locator('form').getByText(text, { exact: true });
    const choose = async (name: RegExp, option: string) => {
      await page.getByRole('button', { name }).click();
      await page.getByRole('option', { name: option, exact: true }).click();
    };
    const token = page.getByLabel('Token', { exact: true });
    assert.deepEqual([await token.getAttribute('required'), await label('Body template').count()], ['', 0]);
    await choose(/Body format$/, 'template');
    await label('Body template').waitFor();
    assert.equal(await token.getAttribute('required'), null);
    await choose(/Where to$/, 'Local files');
    await label('Format').waitFor();
    assert.deepEqual(
      [await label('Formula-safe CSV').count(), await label('Compression in Parquet names').count()],
      [0, 0],
    );
    await choose(/Format$/, 'CSV');
    await label('Formula-safe CSV').waitFor();
    await choose(/Format$/, 'Parquet');
    await label('Compression in Parquet names').waitFor();
    await page.getByRole('button', { name: /Where to$/ }).click();
    for (const option of await page.getByRole('option').all()) {
      const name = (await option.getAttribute('data-key')) ?? '';
      assert.ok(
        name === 'AzureBlob' || (await option.locator('[slot=description]').count()) === 1,
        `${name} is explained`,
      );
    }
    await close();
  });

  it('of the configuration as JSON leads to what describes it, and can drop a secret', async () => {
    const { page, close } = await open('PostgreSQL');
    await page.locator('label', { hasText: 'Edit as JSON' }).click();
    const opening = page.context().waitForEvent('page');
    await page.getByRole('link', { name: 'The API’s document' }).click();
    await (await opening).getByRole('heading', { level: 1 }).waitFor();
    const config = { url: 'http://127.0.0.1:19998/', token: 'unused', body_format: 'template' };
    const destination = { type: 'HTTP', config };
    const wanted = { name: 'Batches', model: 'events', interval: 'hour', destination, paused: true };
    const { id } = await at.request<{ id: string }>('POST', '/batch_exports/', wanted);
    await page.goto(`/project/${at.tenant.projectId}/exports/${id}/edit`);
    await page.locator('label', { hasText: 'Edit as JSON' }).click();
    const moved = { ...config, url: 'http://127.0.0.1:19999/', token: null };
    const json = page.getByLabel('Fields of the destination, as JSON');
    await json.fill(JSON.stringify({ ...moved, url: 'nowhere' }, null, 2));
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText(/^Line 2, url: /).waitFor();
    await json.fill('{\n  "url": "nowhere",\n}');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Line 3: this is not JSON.').waitFor();
    await json.fill(JSON.stringify(moved));
    await page.getByRole('button', { name: 'Save' }).click();
    await page.waitForURL(new RegExp(`exports/${id}$`));
    await close();
  });

  it('with a secret says that it is needed again, or dropped, once the URL has changed', async () => {
    const config = { url: 'http://127.0.0.1:19998/', token: 'unused', signing_secret: `whsec_${'A'.repeat(32)}` };
    const wanted = { name: 'Moved', model: 'events', interval: 'hour', paused: true };
    const destination = { type: 'HTTP', config };
    const { id } = await at.request<{ id: string }>('POST', '/batch_exports/', { ...wanted, destination });
    const { page, close } = await at.visit();
    await page.goto(`/project/${at.tenant.projectId}/exports/${id}/edit`);
    await page.getByText('Leave empty to keep the current value.').first().waitFor();
    await page.getByLabel('URL', { exact: true }).fill('http://127.0.0.1:19999/');
    const why = page.getByText('URL changed: enter this again, so that it is not sent to another server.');
    await why.waitFor();
    await page.getByText('URL changed: a saved value is dropped unless you enter it again.').waitFor();
    await page.getByRole('button', { name: 'Test the destination' }).click();
    const token = page.locator('[data-invalid]', { has: page.getByLabel('Token', { exact: true }) });
    await token.locator('[class*=error]').getByText('URL changed: enter this again').waitFor();
    await page.getByLabel('Token', { exact: true }).fill('another');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.waitForURL(new RegExp(`exports/${id}$`));
    await close();
  });
});
