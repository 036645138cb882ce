/** The question who gets a flag, asked on its page. */
import { startFlagsApi, type FlagsApi } from '../../support/api/flags-api.ts';
import { assertAccessible } from '../../support/console/axe.ts';
import { builtConsole, visit } from '../../support/console/visitor.ts';
import { needsBrowser } from '../../support/sdks/browser.ts';

const GOOGLE = { type: 'person', key: 'source', operator: 'icontains', value: 'google' };

describe('the page of a flag', () => {
  let api: FlagsApi;
  before(async function () {
    await needsBrowser(this);
    await builtConsole();
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
    await section.getByText('conditions do not match').waitFor();
    await section.getByText(/but not the percentage: bucket [\d.]+ %, of which 0 % are in/).waitFor();
    await section.getByText('→ off').waitFor();
    await page.getByRole('textbox', { name: 'Percentage of set 2' }).fill('100');
    await page.keyboard.press('Tab');
    await section.getByText('→ on').waitFor();
    await assertAccessible(page);
    await section.getByText('With my edit').click();
    await section.getByText('→ off').waitFor();
    await section.getByLabel('Property').fill('source');
    await section.getByLabel('Value').fill('Google Ads');
    await section.getByLabel('Value').press('Enter');
    await section.getByText('not reached').waitFor();
    await section.getByText('→ on').waitFor();
    await close();
  });
});
