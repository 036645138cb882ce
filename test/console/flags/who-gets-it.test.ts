/** The question who gets a flag, asked on its page: of a person, groups and properties. */
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

  it('shows who gets it and why, as it is saved and as it is being edited', async () => {
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

  it('takes groups with their properties, and values of the type that was chosen', async () => {
    const { ours, sluice } = api;
    await sluice.db('group_types').insert([
      { project_id: ours.projectId, group_type_index: 0, group_type: 'company' },
      { project_id: ours.projectId, group_type_index: 1, group_type: 'team' },
    ]);
    const isBig = { type: 'group', group_type_index: 0, key: 'size', operator: 'gt', value: '5' };
    const filters = { aggregation_group_type_index: 0, groups: [{ properties: [isBig] }] };
    const { id } = await api.create({ key: 'asked-of-groups', filters });
    const { page, close } = await visit(sluice, { userId: ours.userId });
    // The browser does not report bodies of `Request`s.
    await page.addInitScript(`{
      const send = window.fetch;
      window.fetch = async (...input) => {
        const request = new Request(...input);
        if (request.url.endsWith('/evaluate/')) window.sentLast = await request.clone().text();
        return send(request);
      };
    }`);
    await page.goto(`/project/${ours.projectId}/flags/${id}`);
    const section = page.getByRole('region', { name: 'Who gets it' });
    const field = (label: string) => section.getByLabel(label, { exact: true });
    const bodyOfNext = async (act: () => Promise<void>) => {
      const [answer] = await Promise.all([page.waitForResponse('**/feature_flags/evaluate/'), act()]);
      assert.equal(answer.status(), 200);
      return JSON.parse(await page.evaluate<string>('sentLast')) as unknown;
    };
    const evaluate = () => section.getByRole('button', { name: 'Evaluate' }).click();
    const choose = async (label: string, option: string) => {
      await section.getByRole('button', { name: new RegExp(` ${label}$`) }).click();
      await page.getByRole('option', { name: option, exact: true }).click();
    };
    await evaluate();
    await section.getByText('no group was given').waitFor();

    await field('Company property').fill('size');
    await field('Company property value').fill('many');
    await section.getByText('A group is named by its key.').waitFor();
    await field('Company key').fill('acme');
    await choose('Company property type', 'Number');
    await section.getByText('Not a number, such as 12 or -1.5.').waitFor();
    await field('Company property value').fill('12');
    const sentBody = { flag: id, groups: { company: 'acme' }, group_properties: { company: { size: 12 } } };
    assert.deepEqual(await bodyOfNext(evaluate), sentBody);
    await section.getByText('→ on').waitFor();

    await section.getByRole('button', { name: '+ Group team' }).click();
    await field('Team key').fill('blue');
    await field('Property').fill('1');
    await field('Value').fill('1');
    await section.getByRole('button', { name: '+ Property', exact: true }).click();
    await field('Property 2').fill('paid');
    await choose('Type 2', 'True or false');
    await choose('Value 2', 'false');
    await section.getByRole('button', { name: '+ Property', exact: true }).click();
    await field('Property 3').fill('plans');
    await choose('Type 3', 'JSON');
    await section.getByText('Not JSON').waitFor();
    await field('Value 3').fill('["pro", null]');
    assert.deepEqual(await bodyOfNext(evaluate), {
      ...sentBody,
      groups: { company: 'acme', team: 'blue' },
      person_properties: { 1: '1', paid: false, plans: ['pro', null] },
    });
    await section.getByText('→ on').waitFor();
    await assertAccessible(page);
    await close();
  });
});
