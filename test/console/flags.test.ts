/** Flags in a browser: the list, an edit with what it changes, two edits of the same, and the history. */
import assert from 'node:assert/strict';
import { startFlagsApi, type Flag, type FlagsApi } from '../support/api/flags-api.ts';
import { assertAccessible } from '../support/console/axe.ts';
import { assertSentOnce } from '../support/console/sending.ts';
import { ensureConsoleIsBuilt, visit, type BrowserVisit } from '../support/console/visitor.ts';
import { needsBrowser } from '../support/sdks/browser.ts';

const GOOGLE = { type: 'person', key: '$initial_referrer', operator: 'icontains', value: 'google' };
const BASKET = {
  key: 'new-basket',
  name: 'The new basket',
  filters: { groups: [{ properties: [GOOGLE] }, { properties: [], rollout_percentage: 10 }] },
};

const groups = (flag: Flag) => flag.filters['groups'] as { rollout_percentage?: number }[];

describe('flags in the console', () => {
  let api: FlagsApi;
  let made = 0;
  const open: BrowserVisit[] = [];
  before(async function () {
    await needsBrowser(this);
    await ensureConsoleIsBuilt();
    api = await startFlagsApi();
    await api.sluice.db('users').where({ id: api.ours.userId }).update({ first_name: 'Ada' });
  });
  afterEach(async () => {
    for (const visitor of open.splice(0)) await visitor.close();
  });
  after(() => api?.stop());

  const list = () => `/project/${api.ours.projectId}/flags`;
  const basket = () => api.create({ ...BASKET, key: `new-basket-${++made}` });

  async function show(path: string, options: Parameters<typeof visit>[1] = {}) {
    const visitor = await visit(api.sluice, { userId: api.ours.userId, ...options });
    open.push(visitor);
    await visitor.page.goto(path);
    return visitor.page;
  }

  const showFlag = (flag: Flag) => show(`${list()}/${flag.id}`);
  const stored = async ({ id }: Flag) => (await api.request('GET', `${id}/`)).body as Flag;

  it('lists them in words, and keeps every filter in the address', async () => {
    await api.create({ key: 'listed-on', filters: { groups: [{ properties: [GOOGLE], rollout_percentage: 33.3 }] } });
    await api.create({ key: 'listed-off', active: false });
    const page = await show(`${list()}?search=listed`);
    const row = page.getByRole('row').filter({ hasText: 'listed-on' });
    await row
      .getByRole('cell', { name: '33.3 % of everybody where $initial_referrer contains google', exact: true })
      .waitFor();
    await page.getByRole('navigation', { name: 'State' }).getByRole('link', { name: 'Off' }).click();
    await row.waitFor({ state: 'detached' });
    await page.reload();
    await page.getByRole('link', { name: 'listed-off' }).waitFor();
    assert.equal(await page.getByRole('row').count(), 2);
    await page.getByRole('searchbox').fill('nowhere');
    await page.getByText('Nothing matches nowhere.').waitFor();
    await page.getByRole('link', { name: 'Clear the filters' }).click();
    await row.waitFor();
    await assertAccessible(page);
  });

  it('begins one, and leads to its page', async () => {
    const page = await show(list());
    await page.getByRole('button', { name: 'New flag' }).click();
    await page.getByLabel('Key', { exact: true }).fill('a key');
    await page.getByRole('button', { name: 'Create flag' }).click();
    await page.getByText('Only letters, numbers, hyphens (-) & underscores (_) are allowed.').waitFor();
    await page.getByLabel('Key', { exact: true }).fill('begun-here');
    await assertSentOnce(page, page.getByRole('button', { name: 'Create flag' }));
    await page.getByRole('heading', { name: 'begun-here' }).waitFor();
    await page.getByText('v1 ').first().waitFor();
  });

  it('changes a percentage, shows the effect, and restores the former version', async () => {
    const flag = await basket();
    const page = await showFlag(flag);
    await page.getByText('SDKs may decide it themselves').waitFor();
    await page.getByText('reaches 0 of 0').waitFor();
    await page.getByLabel('Percentage of set 2').fill('20');
    await page.keyboard.press('Tab');
    await page.getByText('Set 2: 20 % ← instead of 10 %').waitFor();
    await assertAccessible(page);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved as v2.').waitFor();
    assert.equal(groups(await stored(flag))[1]!.rollout_percentage, 20);
    await page.getByRole('button', { name: 'Restore v1' }).click();
    await page.getByText('Set 2: 10 % ← instead of 20 %').waitFor();
    assert.equal(await page.getByLabel('Percentage of set 2').inputValue(), '10');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved as v3.').waitFor();
    assert.equal(groups(await stored(flag))[1]!.rollout_percentage, 10);
  });

  it('asks before a restored version, or a closed dialog, discards what was typed', async () => {
    const flag = await basket();
    await api.request('PATCH', `${flag.id}/`, { name: 'Another name' });
    const page = await showFlag(flag);
    await page.getByRole('button', { name: 'Edit as JSON' }).click();
    const json = page.getByLabel('JSON', { exact: true });
    await json.fill('{"groups": [');
    await page.keyboard.press('Escape');
    await page.getByText('What you typed is not part of your edit yet.').waitFor();
    assert.equal(await json.inputValue(), '{"groups": [');
    await json.fill('{"groups": [{"properties": [], "rollout_percentage": 70}]}');
    await page.getByRole('button', { name: 'Use it in my edit' }).click();
    await page.getByRole('button', { name: 'Restore v1' }).click();
    await page.getByRole('dialog', { name: 'Restore v1?' }).waitFor();
    await page.getByRole('button', { name: 'Keep my edit' }).click();
    assert.equal(await page.getByLabel('Percentage of set 1').inputValue(), '70');
    await page.getByRole('button', { name: 'Restore v1' }).click();
    await page.getByRole('button', { name: 'Restore, and drop my edit' }).click();
    await page.getByLabel('Percentage of set 2').waitFor();
  });

  it('shows both edits when two people change the same, and can keep both', async () => {
    const flag = await basket();
    const page = await showFlag(flag);
    await page.getByLabel('Percentage of set 2').fill('20');
    await page.keyboard.press('Tab');
    const [first] = BASKET.filters.groups;
    await api.request('PATCH', `${flag.id}/`, {
      filters: { groups: [{ ...first, rollout_percentage: 50 }, BASKET.filters.groups[1]] },
    });
    await page.getByRole('button', { name: 'Save' }).click();
    const dialog = page.getByRole('dialog', { name: 'Two edits of the same' });
    await dialog.getByText('Ada saved v2 while you were editing v1. Your edit is kept').waitFor();
    await dialog.getByText('you can save both edits').waitFor();
    await dialog.getByRole('row', { name: 'Set 1 50 % unchanged 100 %' }).waitFor();
    await dialog.getByRole('row', { name: 'Set 2 unchanged 20 % 10 %' }).waitFor();
    await assertAccessible(page);
    await dialog.getByRole('button', { name: 'Save both' }).click();
    await page.getByText('Saved as v3.').waitFor();
    assert.deepEqual(
      groups(await stored(flag)).map((set) => set.rollout_percentage),
      [50, 20],
    );
  });

  it('offers no saving of both where both changed one place, and saves over it when asked to', async () => {
    const flag = await basket();
    const page = await showFlag(flag);
    await page.getByLabel('Description').fill('Mine');
    await api.request('PATCH', `${flag.id}/`, { name: 'Theirs' });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('row', { name: 'Description Theirs Mine The new basket' }).waitFor();
    assert.equal(await page.getByRole('button', { name: 'Save both' }).count(), 0);
    await page.getByText('replaces their value there with yours').waitFor();
    await page.getByRole('button', { name: 'Save mine over it' }).click();
    await page.getByText('Saved as v3.').waitFor();
    assert.equal((await stored(flag))['name'], 'Mine');
  });

  it('turns a flag off, and on again by undoing that', async () => {
    const flag = await basket();
    const page = await showFlag(flag);
    await page.getByRole('switch').click({ force: true });
    await page.getByText(`${flag.key} is off.`).waitFor();
    await assert.doesNotReject(async () => assert.equal((await stored(flag))['active'], false));
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('v3', { exact: true }).first().waitFor();
    assert.equal((await stored(flag))['active'], true);
  });

  it('adds a condition set in fields, with what the server refuses at its field', async () => {
    const flag = await basket();
    const page = await showFlag(flag);
    await page.getByRole('button', { name: '+ Condition set' }).click();
    await page.getByText('Without a condition, the set is about everybody.').waitFor();
    assert.equal(await page.getByLabel('Percentage of set 3').inputValue(), '0', 'it reaches nobody yet');
    const focused = (name: string) => page.getByRole('button', { name, exact: true }).and(page.locator(':focus'));
    await focused('+ Condition').waitFor();
    await page.getByRole('button', { name: 'Close', exact: true }).click();
    await focused('Edit the conditions of set 3').click();
    await focused('+ Condition').click();
    await page.getByRole('button', { name: 'Remove condition 1' }).click();
    await focused('+ Condition').click();
    const condition = page.getByRole('group', { name: 'Condition 1' });
    const property = condition.getByRole('textbox', { name: 'Property', exact: true });
    await condition.getByLabel('Values, one per line').fill('pro');
    await page.getByLabel('Percentage of set 3').fill('40');
    await page.getByRole('button', { name: 'Save' }).click();
    await condition
      .locator('[data-invalid]', { has: page.getByRole('textbox', { name: 'Property', exact: true }) })
      .getByText('may not be blank')
      .waitFor();
    await assertAccessible(page);
    await property.fill('plan');
    await page.getByRole('button', { name: '+ Condition', exact: true }).click();
    const second = page.getByRole('group', { name: 'Condition 2' });
    await second.getByRole('textbox', { name: 'Property', exact: true }).fill('seats');
    await second.getByRole('button', { name: /Operator$/ }).click();
    await page.getByRole('option', { name: 'is more than' }).click();
    await second.getByLabel('Value', { exact: true }).fill('5');
    await page.getByRole('button', { name: '+ Condition', exact: true }).click();
    const third = page.getByRole('group', { name: 'Condition 3' });
    await third.getByRole('textbox', { name: 'Property', exact: true }).fill('email');
    const values = third.getByLabel('Values, one per line');
    await values.pressSequentially('@one.example\n\n@two.example\n');
    assert.equal(await values.inputValue(), '@one.example\n\n@two.example\n', 'blank lines stay while it is typed');
    await third.getByRole('button', { name: /Operator$/ }).click();
    await page.getByRole('option', { name: 'contains', exact: true }).click();
    assert.equal(await third.getByLabel('Value', { exact: true }).inputValue(), '@one.example');
    await third.getByRole('button', { name: /Operator$/ }).click();
    await page.getByRole('option', { name: 'contains one of', exact: true }).click();
    await values.press('End');
    await values.pressSequentially('\n\n');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved as v2.').waitFor();
    assert.deepEqual((groups(await stored(flag)) as object[])[2], {
      properties: [
        { key: 'plan', type: 'person', operator: 'exact', value: 'pro' },
        { key: 'seats', type: 'person', operator: 'gt', value: '5' },
        { key: 'email', type: 'person', operator: 'icontains_multi', value: ['@one.example'] },
      ],
      rollout_percentage: 40,
    });
    await page.getByRole('button', { name: 'Remove this set' }).click();
    await page.getByText('Set 3: removed').waitFor();
    await focused('+ Condition set').waitFor();
  });

  it('takes what has no fields as JSON, and shows beside it what the server refuses', async () => {
    const page = await showFlag(await basket());
    async function useJson(text: string) {
      await page.getByRole('button', { name: 'Edit as JSON' }).click();
      await page.getByRole('textbox', { name: 'JSON' }).fill(text);
      await page.getByRole('button', { name: 'Use it in my edit' }).click();
    }
    await useJson('{"groups": [');
    await page.getByText('This is not JSON.').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await useJson(
      '{"groups": [{"properties": [{"type": "person", "key": "plan", "operator": "is_like", "value": "pro"}]}]}',
    );
    await page.getByText('Set 2: removed').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page
      .getByRole('region', { name: 'Condition sets' })
      .getByRole('alert')
      .filter({ hasText: 'is_like' })
      .waitFor();
  });

  it('asks before an edit is abandoned', async () => {
    const page = await showFlag(await basket());
    await page.getByLabel('Description').fill('Half done');
    await page.getByRole('link', { name: 'Exports' }).click();
    await page.getByRole('dialog', { name: 'Leave without saving?' }).getByRole('button', { name: 'Stay' }).click();
    assert.equal(await page.getByLabel('Description').inputValue(), 'Half done');
    await page.getByRole('link', { name: 'Exports' }).click();
    await page.getByRole('button', { name: 'Leave without saving' }).click();
    await page.getByRole('heading', { name: 'Exports' }).waitFor();
  });

  it('executes nothing that names and values say', async () => {
    const attack = '<img src=x onerror="window.executed=1">';
    const flag = await api.create({
      key: 'attacked',
      name: attack,
      filters: {
        groups: [
          { properties: [{ type: 'person', key: attack, operator: 'exact', value: [attack] }], description: attack },
        ],
        payloads: { true: { attack } },
      },
    });
    const page = await showFlag(flag);
    await page.getByText(attack).first().waitFor();
    await page.goto(`${list()}?search=attacked`);
    await page.getByText(attack).first().waitFor();
    assert.equal(await page.evaluate('window.executed ?? null'), null);
    assert.equal(await page.locator('img').count(), 0);
  });
});
