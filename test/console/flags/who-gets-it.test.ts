/** The question who gets a flag, asked on its page. */
import assert from 'node:assert/strict';
import { startFlagsApi, type FlagsApi } from '../../support/api/flags-api.ts';
import { assertAccessible } from '../../support/console/axe.ts';
import { ensureConsoleIsBuilt, visit } from '../../support/console/visitor.ts';
import { needsBrowser } from '../../support/sdks/browser.ts';

const GOOGLE = { type: 'person', key: 'source', operator: 'icontains', value: 'google' };

describe('the page of a flag', () => {
  let api: FlagsApi;
  before(async function () {
    await needsBrowser(this);
    await ensureConsoleIsBuilt();
    api = await startFlagsApi();
  });
  after(() => api?.stop());

  it('says who gets it and why, as it is saved and as it is being edited', async () => {
    const filters = { groups: [{ properties: [GOOGLE] }, { properties: [], rollout_percentage: 0 }] };
    const { id } = await api.create({ key: 'asked', filters });
    const { page, close } = await visit(api.sluice, { userId: api.ours.userId });
    await page.goto(`/project/${api.ours.projectId}/flags/${id}`);
    const section = page.getByRole('region', { name: 'Who gets it' });
    await section.getByLabel('Distinct ID').fill('ben');
    await section.getByRole('button', { name: 'Evaluate' }).click();
    await section.getByText('source contains google: the conditions do not match').waitFor();
    await section.getByText(/outside the percentage. The bucket is [\d.]+ %; the set takes those up to 0 %/).waitFor();
    const ruler = section.getByRole('img', { name: /The set takes buckets from/ });
    assert.match((await ruler.getAttribute('aria-label'))!, /from 0 to 0 %. The bucket [\d.]+ % is outside\.$/);
    await section.getByText('→ off').waitFor();
    await page.getByRole('textbox', { name: 'Percentage of set 2' }).fill('100');
    await page.keyboard.press('Tab');
    await section.getByText('→ on').waitFor();
    await assertAccessible(page);
    await section.getByText('With my edit').click();
    await section.getByText('→ off').waitFor();
    await section.getByLabel('Property', { exact: true }).fill('source');
    await section.getByLabel('Value', { exact: true }).fill('Google Ads');
    await section.getByLabel('Value', { exact: true }).press('Enter');
    await section.getByText('not reached').waitFor();
    await section.getByText('→ on').waitFor();
    await close();
  });

  it('decides for several properties at once, and draws the shares of variants', async () => {
    const plan = { type: 'person', key: 'plan', operator: 'exact', value: ['pro'] };
    const variants = [
      { key: 'blue', rollout_percentage: 100 },
      { key: 'green', rollout_percentage: 0 },
    ];
    const filters = { groups: [{ properties: [GOOGLE, plan] }], multivariate: { variants } };
    const { id } = await api.create({ key: 'asked-of-both', filters });
    const { page, close } = await visit(api.sluice, { userId: api.ours.userId });
    await page.goto(`/project/${api.ours.projectId}/flags/${id}`);
    await page.getByRole('img', { name: 'Shares: blue 100 %, green 0 %.' }).waitFor();
    const section = page.getByRole('region', { name: 'Who gets it' });
    await section.getByLabel('Property', { exact: true }).fill('source');
    await section.getByLabel('Value', { exact: true }).fill('Google Ads');
    await section.getByRole('button', { name: 'Evaluate' }).click();
    await section.getByText('→ off').waitFor();
    await section.getByRole('button', { name: '+ Property' }).click();
    await section.getByLabel('Property 2', { exact: true }).fill('source');
    await section.getByText('Named twice.').first().waitFor();
    await section.getByLabel('Property 2', { exact: true }).fill('plan');
    await section.getByLabel('Value 2').fill('pro');
    await section.getByLabel('Value 2').press('Enter');
    await section.getByText('→ blue').waitFor();
    await section.getByRole('img', { name: /^Shares: .* This one gets blue\.$/ }).waitFor();
    await assertAccessible(page);
    await section.getByRole('button', { name: 'Remove property 2' }).click();
    await section.getByRole('button', { name: 'Evaluate' }).click();
    await section.getByText('→ off').waitFor();
    await close();
  });
});
