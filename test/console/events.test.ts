/** Events in a browser: the first one, others as they arrive, filters in the address, and what is hidden from whom. */
import assert from 'node:assert/strict';
import { buildTenant, promote, type Tenant } from '../support/api/identity.ts';
import { buildMember, buildRule } from '../support/api/members.ts';
import { assertAccessible } from '../support/console/axe.ts';
import { ensureConsoleIsBuilt, visit, type BrowserVisit } from '../support/console/visitor.ts';
import { needsBrowser } from '../support/sdks/browser.ts';
import { startSluice, type Sluice } from '../support/servers/sluice.ts';

describe('events in the console', () => {
  let sluice: Sluice;
  let tenant: Tenant;
  const open: BrowserVisit[] = [];
  before(async function () {
    await needsBrowser(this);
    await ensureConsoleIsBuilt();
    sluice = await startSluice();
    tenant = await buildTenant(sluice.db, { name: 'Coffee' });
    await promote(sluice.db, tenant, 'admin');
  });
  afterEach(async () => {
    for (const visitor of open.splice(0)) await visitor.close();
  });
  after(() => sluice?.stop());

  async function show(query = '', { userId } = tenant) {
    const visitor = await visit(sluice, { userId });
    open.push(visitor);
    await visitor.page.goto(`/project/${tenant.projectId}/events${query}`);
    return visitor.page;
  }

  async function send(event: string, distinct_id: string, properties = {}) {
    const answer = await fetch(`${sluice.url}/capture/`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ api_key: tenant.apiToken, event, distinct_id, properties }),
    });
    assert.equal(answer.status, 200);
  }

  it('are there by themselves once they are sent, unless the list is paused', async () => {
    const page = await show();
    await page.getByText('No events yet.').waitFor();
    assert.ok((await page.locator('pre').innerText()).includes(tenant.apiToken));
    await assertAccessible(page);
    await send('order placed', 'ann', { total: 12.5 });
    await page.getByRole('button', { name: 'order placed' }).click();
    await page.getByText('"total": 12.5').waitFor();
    await assertAccessible(page);
    await page.getByRole('button', { name: 'Pause' }).click();
    await send('order paid', 'ben');
    await page.waitForTimeout(2500);
    assert.equal(await page.getByRole('button', { name: 'order paid' }).count(), 0);
    await page.getByRole('button', { name: 'Follow' }).click();
    await page.getByRole('button', { name: 'order paid' }).waitFor();
    // The newest is on top, and the open row is still the same.
    assert.match(await page.getByRole('row').nth(1).innerText(), /order paid/);
    await page.getByText('"total": 12.5').waitFor();
  });

  it('are filtered by an address', async () => {
    const page = await show('?distinct_id=ann');
    await page.getByRole('button', { name: 'order placed' }).waitFor();
    assert.equal(await page.getByRole('button', { name: 'order paid' }).count(), 0);
    await page.getByRole('searchbox', { name: 'Event' }).fill('nowhere');
    await page.getByText('No events match.').waitFor();
    assert.match(page.url(), /event=nowhere/);
    await page.getByRole('link', { name: 'Clear the filters' }).click();
    await page.getByRole('button', { name: 'order paid' }).waitFor();
    await page.goto(`/project/${tenant.projectId}/events?after=soon`);
    await page
      .getByText(/datetime|ISO 8601/i)
      .first()
      .waitFor();
  });

  it('leave out persons, or are refused, as the rules of the project say', async () => {
    const guest = await buildMember(sluice.db, tenant);
    await buildRule(sluice.db, tenant, 'none', { resource: 'person' });
    const page = await show('', guest);
    await page.getByRole('button', { name: 'order placed' }).click();
    await page.getByText('You may see events, but not persons.').waitFor();
    await buildRule(sluice.db, tenant, 'none', { resource: 'event' });
    await page.reload();
    await page.getByRole('alert').first().waitFor();
    assert.equal(await page.getByRole('button', { name: 'order placed' }).count(), 0);
  });
});
