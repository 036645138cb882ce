/** Dashboards in a browser: found, drawn as visitors see them, and shared by a link that takes a password. */
import assert from 'node:assert/strict';
import { buildTenant } from '../support/api/identity.ts';
import { buildMember, buildRule } from '../support/api/members.ts';
import { assertAccessible } from '../support/console/axe.ts';
import { assertSentOnce } from '../support/console/sending.ts';
import { ensureConsoleIsBuilt, visit, type BrowserVisit } from '../support/console/visitor.ts';
import { needsBrowser } from '../support/sdks/browser.ts';
import { startSharedWorld, type SharedWorld } from '../support/servers/shared-world.ts';

const TEXT = `# Opening hours

From **8** to *late*, see [the plan](https://example.com/plan).

- one
- \`two\`

[bad](javascript:window.executed=1) <b>bold</b> &copy; A&nbsp;B &lt;i&gt; &nothing; &#8364;`;

describe('dashboards in the console', () => {
  let world: SharedWorld;
  let id: number;
  const open: BrowserVisit[] = [];
  before(async function () {
    await needsBrowser(this);
    await ensureConsoleIsBuilt();
    world = await startSharedWorld();
    // At one noon: wherever the day of the test begins, they are of one day.
    const noon = new Date(Date.now() - 24 * 3_600_000).setUTCHours(12, 0, 0);
    const batch = Array.from({ length: 12 }, (_, n) => ({
      event: 'coffee ordered',
      distinct_id: `person-${n % 3}`,
      timestamp: new Date(noon + n * 60_000).toISOString(),
    }));
    const answer = await fetch(`${world.sluice.url}/batch/`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ api_key: world.ours.apiToken, batch }),
    });
    assert.equal(answer.status, 200);
    id = await world.buildDashboard({ name: 'The coffee bar', description: 'What people drink.' });
    await world.buildText(id, TEXT, { layouts: { sm: { x: 0, y: 0, w: 4, h: 4 } } });
    const source = {
      kind: 'TrendsQuery',
      series: [{ kind: 'EventsNode', event: 'coffee ordered', custom_name: 'Cups' }],
      dateRange: { date_from: '-6d' },
    };
    for (const [x, display] of ['ActionsBar', 'BoldNumber'].entries()) {
      const query = { kind: 'InsightVizNode', source: { ...source, trendsFilter: { display } } };
      const insight_id = await world.buildInsight({ name: `As ${display}`, query });
      await world.buildTile(id, { insight_id }, { layouts: { sm: { x: 4 + 4 * x, y: 0, w: 4, h: 4 } } });
    }
  });
  afterEach(async () => {
    for (const visitor of open.splice(0)) await visitor.close();
  });
  after(() => world?.stop());

  async function show(path: string, userId = world.ours.userId) {
    const visitor = await visit(world.sluice, { userId });
    open.push(visitor);
    await visitor.page.goto(`/project/${world.ours.projectId}/dashboards${path}`);
    return visitor.page;
  }

  it('are listed, found by name, and drawn with their texts', async () => {
    const page = await show('?search=coffee');
    await assertAccessible(page);
    await page.getByRole('link', { name: 'The coffee bar' }).click();
    await page.getByRole('heading', { name: 'As ActionsBar' }).waitFor();
    await page.locator('svg .bars').first().waitFor();
    assert.equal(await page.locator('.bold-number').innerText(), '12');
    await page.getByText('Numbers').first().click();
    await page.getByRole('cell', { name: '12' }).first().waitFor();
    await page.getByRole('heading', { name: 'Opening hours', level: 3 }).waitFor();
    const text = page.locator('.markdown');
    assert.equal(await text.locator('strong').innerText(), '8');
    assert.equal(await text.locator('li code').innerText(), 'two');
    assert.equal(await text.getByRole('link', { name: 'the plan' }).getAttribute('href'), 'https://example.com/plan');
    assert.equal(await text.getByRole('link').count(), 1);
    assert.match(await text.innerText(), /<b>bold<\/b> © A\u00a0B <i> &nothing; €$/);
    await assertAccessible(page);
  });

  it('begin with a template where there is none', async () => {
    const { userId, projectId } = await buildTenant(world.sluice.db, { name: 'Empty' });
    const visitor = await visit(world.sluice, { userId });
    open.push(visitor);
    const { page } = visitor;
    await page.goto(`/project/${projectId}/dashboards`);
    await page.getByText('No dashboards yet.').waitFor();
    await assertAccessible(page);
    await page.getByRole('button', { name: 'Create a website dashboard' }).click();
    await page.getByRole('heading', { name: 'Website traffic', level: 1 }).waitFor();
    await page.getByRole('heading', { name: 'Top pages' }).waitFor();
    await page.goBack();
    await page.getByRole('link', { name: 'Website traffic' }).waitFor();
    await page.getByRole('button', { name: 'New dashboard' }).click();
    await page.getByRole('menuitem', { name: 'Product dashboard' }).click();
    await page.getByRole('heading', { name: 'Product analytics', level: 1 }).waitFor();
    await page
      .getByText(/^There are no events from .* to /)
      .first()
      .waitFor();
    await page.goBack();
    await page.getByRole('link', { name: 'Product analytics' }).waitFor();
    await page.getByRole('button', { name: 'New dashboard' }).click();
    await page.getByText('How many people use a product').waitFor();
    await page.getByRole('menuitem', { name: 'Product dashboard' }).click();
    await page.getByRole('heading', { name: 'Product analytics 2', level: 1 }).waitFor();
    // More than a page of the list.
    const taken = Array.from({ length: 99 }, (_, n) => ({ project_id: projectId, name: `Product analytics ${n + 3}` }));
    await world.sluice.db('dashboards').insert(taken);
    await page.goBack();
    await page.getByRole('button', { name: 'New dashboard' }).click();
    await page.getByRole('menuitem', { name: 'Product dashboard' }).click();
    await page.getByRole('heading', { name: 'Product analytics 102', level: 1 }).waitFor();
  });

  it('lead from an empty one to a template, and say who may make one', async () => {
    const bare = await world.buildDashboard({ name: 'Bare' });
    const viewer = await buildMember(world.sluice.db, world.ours);
    await buildRule(world.sluice.db, world.ours, 'viewer', {
      resource: 'dashboard',
      membership_id: viewer.membershipId,
    });
    const page = await show(`/${bare}`, viewer.userId);
    await page.getByRole('button', { name: 'Create a product dashboard' }).click();
    await page
      .getByRole('alert')
      .getByText(/editor|permission|access/)
      .waitFor();
  });

  it('are shared by a link, which is replaced and takes a password', async () => {
    const page = await show(`/${id}`);
    await page.getByRole('button', { name: 'Share' }).click();
    const dialog = page.getByRole('dialog', { name: 'Share this dashboard' });
    await dialog.getByText('Only people with access to this project').waitFor();
    await dialog.getByText('Share it by link').click();
    const link = dialog.getByText(/\/shared\//);
    const first = await link.innerText();
    assert.equal((await fetch(first)).status, 200);
    await dialog.getByRole('button', { name: 'Replace the link' }).click();
    const question = page.getByRole('dialog', { name: 'Replace the link?' });
    await question.getByText('stops working in five minutes').waitFor();
    await assertAccessible(page);
    await question.getByRole('button', { name: 'Cancel' }).click();
    await question.waitFor({ state: 'detached' });
    assert.equal(await link.innerText(), first);
    await dialog.getByRole('button', { name: 'Replace the link' }).click();
    await question.getByRole('button', { name: 'Replace it' }).click();
    await dialog.getByText('This is the new link.').waitFor();
    await dialog.getByText(first).waitFor({ state: 'detached' });
    const second = await link.innerText();
    await dialog.getByText('Ask visitors for a password').click();
    const asking = page.getByRole('dialog', { name: 'Ask visitors for a password?' });
    await asking.getByText('nobody can open the link until you add one').waitFor();
    assert.equal((await fetch(second)).status, 200, 'it was only asked');
    await asking.getByRole('button', { name: 'Ask for it' }).click();
    await dialog.getByText('No passwords yet').waitFor();
    await dialog.getByLabel('New password').fill('12345678');
    await dialog.getByRole('button', { name: 'Add the password' }).click();
    await dialog
      .getByText(/password/i)
      .filter({ hasText: /numeric|common|guess/i })
      .first()
      .waitFor();
    await dialog.getByLabel('New password').fill('');
    await dialog.getByLabel('Note').fill('the board');
    await assertSentOnce(page, dialog.getByRole('button', { name: 'Add the password' }));
    await dialog.getByText('it cannot be shown again').waitFor();
    const copying = dialog.getByRole('status').getByRole('button', { name: 'Copy' });
    await copying.and(page.locator(':focus')).waitFor();
    await page.waitForFunction(() => {
      const { top, bottom } = document.activeElement!.getBoundingClientRect();
      return top >= 0 && bottom <= innerHeight;
    });
    await assertAccessible(page);
    const password = await dialog.getByRole('status').locator('code').innerText();
    const opened = await fetch(second, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ password }),
    });
    assert.equal(opened.status, 200);
    await dialog.getByRole('button', { name: 'Delete the password “the board”' }).click();
    await page.getByText('It is the only password: nobody can open the link').waitFor();
    await page.getByRole('button', { name: 'Delete it' }).click();
    await dialog.getByText('No passwords yet').waitFor();
    await dialog.getByText('Share it by link').click();
    await page.getByRole('dialog', { name: 'Stop sharing?' }).getByText('cannot be brought back').waitFor();
    assert.notEqual((await fetch(second)).status, 404, 'it was only asked');
    await page.getByRole('button', { name: 'Stop sharing' }).click();
    await link.waitFor({ state: 'detached' });
    assert.equal((await fetch(second)).status, 404);
  });

  it('stop being shared at a time that is set in the zone of the viewer, and say so afterwards', async () => {
    const token = await world.share(id);
    const shared = () => fetch(`${world.sluice.url}/shared/${token}`);
    const page = await show(`/${id}`);
    await page.getByRole('button', { name: 'Share' }).click();
    const dialog = page.getByRole('dialog', { name: 'Share this dashboard' });
    const expiry = dialog.getByRole('region', { name: 'Expiry' });
    await expiry.getByRole('button', { name: 'The link stops working' }).click();
    await page.getByRole('option', { name: 'In 7 days' }).click();
    await expiry.getByText(/It works until .*\sCES?T, in [67] days/).waitFor();
    const time = expiry.getByLabel('Time (Europe/Berlin)');
    await time.fill('2001-01-01T12:00');
    await expiry.getByRole('button', { name: 'Set the time' }).click();
    await expiry.getByText('Must be in the future.').waitFor();
    await time.fill('2099-07-01T12:00');
    await assertSentOnce(page, expiry.getByRole('button', { name: 'Set the time' }), time);
    await expiry.getByText(/It works until Wed,? 1 Jul 2099, 12:00\sCEST/).waitFor();
    await assertAccessible(page);
    const rows = world.sluice.db('sharing_configurations').where({ access_token: token });
    assert.equal(new Date((await rows.clone().first()).shared_until).toISOString(), '2099-07-01T10:00:00.000Z');
    assert.equal((await shared()).status, 200);

    await rows.clone().update({ shared_until: world.sluice.db.fn.now() });
    await page.reload();
    await page.getByRole('button', { name: 'Share', exact: true }).click();
    await expiry.getByText('Visitors see “not found”.').waitFor();
    assert.equal((await shared()).status, 404);
    await assertAccessible(page);
    await expiry.getByRole('button', { name: 'The link stops working' }).click();
    await page.getByRole('option', { name: 'Never' }).click();
    await expiry.getByText('Expired').waitFor({ state: 'detached' });
    assert.equal((await shared()).status, 200);
  });

  it('are not shared by who may only look at them: they see who has access, and whom to ask', async () => {
    const { db } = world.sluice;
    const looked = await world.buildDashboard({ name: 'Only looked at' });
    const member = await buildMember(db, world.ours);
    await db('access_controls').insert({
      id: db.raw('gen_random_uuid()'),
      project_id: world.ours.projectId,
      resource: 'dashboard',
      resource_id: String(looked),
      access_level: 'viewer',
    });
    await world.share(looked, { expires_at: '2099-07-01T10:00:00Z' });
    const page = await show(`/${looked}`, member.userId);
    await page.getByRole('button', { name: 'Shared by link' }).click();
    const dialog = page.getByRole('dialog', { name: 'Share this dashboard' });
    await dialog.getByText('ask an editor to change how it is shared').waitFor();
    await dialog.getByText('It works until').waitFor();
    await dialog.getByRole('button', { name: 'Copy' }).waitFor();
    assert.equal(await dialog.getByRole('switch').count(), 0);
    assert.equal(await dialog.getByRole('button', { name: 'Replace the link' }).count(), 0);
  });
});
