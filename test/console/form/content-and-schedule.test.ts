/** Content and schedule of an export in its form: the preview follows, and the effect of a change is said before it is saved. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { assertAccessible } from '../../support/console/axe.ts';
import { buildConsoleInstallation, type ConsoleInstallation } from '../../support/console/installation.ts';
import { buildEvent, microseconds } from '../../support/events/events.ts';
import { needsBrowser } from '../../support/sdks/browser.ts';
import type { Page } from 'playwright-core';

type Exported = { id: string } & Record<string, unknown>;

async function choose(page: Page, label: string, option: string) {
  await page.getByRole('button', { name: new RegExp(`${label}$`) }).click();
  await page.getByRole('option', { name: option, exact: true }).click();
}

const PLANS = ['pro', 'pro', 'free'];

describe('content and schedule in the form of an export', () => {
  let at: ConsoleInstallation;
  before(async function () {
    await needsBrowser(this);
    at = await buildConsoleInstallation();
    await at.world.store(
      PLANS.map((plan, n) =>
        buildEvent({
          uuid: randomUUID(),
          timestamp: microseconds(`2025-06-02T09:${10 + n}:00Z`),
          properties: JSON.stringify({ plan, $ip: '203.0.113.7' }),
        }),
      ),
    );
  });
  after(() => at?.close());

  const address = (rest: string) => `/project/${at.tenant.projectId}/exports/${rest}`;
  const create = (fields: object = {}) =>
    at.request<Exported>('POST', '/batch_exports/', {
      name: 'Clicks',
      model: 'events',
      interval: 'hour',
      destination: { type: 'LocalFile', config: { directory: `clicks-${randomUUID()}` } },
      ...fields,
    });
  const stored = (id: string) => at.request<Exported>('GET', `/batch_exports/${id}/`);

  it('previews the rows and columns that filters, columns and changed values leave', async () => {
    const { page, close } = await at.visit({ viewport: { width: 360, height: 740 } });
    await page.goto(address('new'));
    await page.getByLabel('Name', { exact: true }).fill('Pro only');
    await page.getByLabel('Directory', { exact: true }).fill('pro');
    await page.getByText('Filters and columns').click();
    await page.getByRole('button', { name: 'Add a filter' }).click();
    await page.locator('input:focus').fill('plan');
    const filter = page.getByRole('group', { name: 'Filter 1' });
    await filter.getByRole('button', { name: /Condition$/ }).click();
    await page.getByRole('option', { name: 'is more than', exact: true }).click();
    await filter.getByLabel('Value').fill('pro');
    await page.getByRole('button', { name: 'Preview rows' }).click();
    await filter.getByText('Must be a number.').waitFor();
    await assertAccessible(page);
    await filter.getByRole('button', { name: /Condition$/ }).click();
    await page.getByRole('option', { name: 'is', exact: true }).click();
    // Blank lines are shown while one types, and not stored.
    await filter.getByLabel('Values').fill('pro\n\nplus\n');
    assert.equal(await filter.getByLabel('Values').inputValue(), 'pro\n\nplus\n');
    await filter.getByRole('button', { name: /Condition$/ }).click();
    await page.getByRole('option', { name: 'contains', exact: true }).click();
    assert.equal(await filter.getByLabel('Value').inputValue(), 'pro');
    await filter.getByRole('button', { name: /Condition$/ }).click();
    await page.getByRole('option', { name: 'is', exact: true }).click();
    assert.equal(await filter.getByLabel('Values').inputValue(), 'pro');
    await filter.getByLabel('Values').fill('pro\n\n');
    await page.getByRole('button', { name: /Columns$/ }).click();
    const choices = await page.getByRole('option').locator('[slot=label]').allInnerTexts();
    assert.deepEqual(choices, ['All default columns', 'All default columns except some', 'Only these']);
    await page.getByRole('option', { name: 'Only these' }).click();
    const columns = page.getByRole('group', { name: 'Exported columns' });
    for (const box of await columns.getByRole('checkbox').all()) {
      const name = await box.evaluate((one) => one.closest('label')!.textContent);
      if (!['✓uuid', '✓properties', '✓distinct_id'].includes(name!)) await box.setChecked(false, { force: true });
    }
    await page.getByRole('button', { name: 'Leave out or hash a value' }).click();
    await page.locator('input:focus').fill('properties.$ip');
    await page.getByRole('button', { name: 'Preview rows' }).click();
    const rows = page.getByRole('region', { name: 'Rows' });
    await rows.waitFor();
    await page.getByText(': 2 rows').waitFor();
    const shown = await rows.innerText();
    assert.deepEqual(await rows.getByRole('columnheader').count(), 3);
    assert.ok(shown.includes('"plan":"pro"') && !shown.includes('free') && !shown.includes('203.0.113.7'), shown);
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(width <= 360, `the page is ${width} px wide`);
    await assertAccessible(page);
    await page.getByRole('button', { name: 'Create' }).click();
    await page.waitForURL(/exports\/[\da-f-]{36}$/);
    const { filters, include_columns, transformations } = await stored(page.url().split('/').at(-1)!);
    assert.deepEqual(
      { filters, include_columns: (include_columns as string[]).toSorted(), transformations },
      {
        filters: [{ key: 'plan', operator: 'exact', type: 'event', value: 'pro' }],
        include_columns: ['distinct_id', 'properties', 'uuid'],
        transformations: [{ path: 'properties.$ip', action: 'drop' }],
      },
    );
    await close();
  });

  it('shows what a change does to future intervals, and keeps untouched fields', async () => {
    const filters = [{ key: 'size', operator: 'between', type: 'event', value: [1, 5] }];
    const { id } = await create({ filters, freshness_target_seconds: 900 });
    const { page, close } = await at.visit();
    await page.goto(address(`${id}/edit`));
    // Fields that have values are in view.
    assert.equal(await page.getByLabel('Late after, in seconds').inputValue(), '900');
    await choose(page, 'Every', 'Week');
    await choose(page, 'Weeks begin on', 'Monday');
    await page.getByLabel('Time zone', { exact: true }).fill('Europe/Berlin');
    await page.getByLabel('Property').fill('price');
    const effects = page.getByRole('region', { name: 'What your changes do' });
    await effects.getByText(/The current interval, .*, still ends as planned\. The first new one is /).waitFor();
    await effects.getByText('Filters: price is between 1 and 5').waitFor();
    await effects.getByText(/The next scheduled run, of .* is the first with this change/).waitFor();
    const runs = page.getByRole('list', { name: 'Next runs' });
    await runs.getByText('as before').waitFor();
    await runs.getByText(/clocks go (forward|back) by 1 h/).waitFor();
    await page.getByRole('button', { name: 'Preview rows' }).click();
    await page.getByText(/: 0 rows/).waitFor();
    await assertAccessible(page);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.waitForURL(new RegExp(`exports/${id}$`));
    const saved = await stored(id);
    assert.deepEqual(
      [
        saved['interval'],
        saved['offset_day'],
        saved['offset_hour'],
        saved['timezone'],
        saved['freshness_target_seconds'],
      ],
      ['week', 1, 0, 'Europe/Berlin', 900],
    );
    assert.deepEqual(saved['filters'], [{ ...filters[0], key: 'price' }]);
    await close();
  });

  it('offers the integrations of a destination, whose credentials need no typing', async () => {
    const keys = { aws_access_key_id: 'AKIAEXAMPLE', aws_secret_access_key: 'hush-hush' };
    const integration = await at.request<{ id: number }>('POST', '/integrations/', { kind: 'aws-s3', config: keys });
    const { page, close } = await at.visit();
    await page.goto(address('new'));
    await page.getByLabel('Name', { exact: true }).fill('Lake');
    await choose(page, 'Where to', 'Amazon S3');
    await page.getByLabel('Secret access key').waitFor();
    await choose(page, 'Credentials', `Integration ${integration.id}`);
    await page.getByLabel('Secret access key').waitFor({ state: 'detached' });
    await page.getByLabel('Bucket', { exact: true }).fill('lake');
    await page.getByLabel('Region', { exact: true }).fill('eu-central-1');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.waitForURL(/exports\/[\da-f-]{36}$/);
    const { destination } = await stored(page.url().split('/').at(-1)!);
    assert.equal((destination as { integration: number }).integration, integration.id);
    await close();
  });

  it('never drops a JSON text that it cannot read', async () => {
    const { page, close } = await at.visit();
    await page.goto(address('new'));
    await page.locator('label', { hasText: 'Edit as JSON' }).click();
    const json = page.getByLabel('Fields of the destination, as JSON');
    await json.fill('{"directory": "half');
    await page.keyboard.press('Escape');
    await choose(page, 'Where to', 'PostgreSQL');
    await page.getByText('Line 1: this is not JSON.').waitFor();
    assert.equal(await json.inputValue(), '{"directory": "half');
    await close();
  });
});
