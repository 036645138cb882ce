/** Keys in a browser: made with scopes and shown once, rolled, deleted; the project's, for its admins. */
import assert from 'node:assert/strict';
import { SCOPES } from '../../src/people/access/scopes.ts';
import { OBJECT_WORDS } from '../../console/src/settings/keys/scopes.ts';
import { buildTenant, promote, type Tenant } from '../support/api/identity.ts';
import { assertAccessible } from '../support/console/axe.ts';
import { assertSentOnce } from '../support/console/sending.ts';
import { ensureConsoleIsBuilt, visit, type BrowserVisit } from '../support/console/visitor.ts';
import { needsBrowser } from '../support/sdks/browser.ts';
import { startSluice, type Sluice } from '../support/servers/sluice.ts';

describe('keys in the console', () => {
  let sluice: Sluice;
  let tenant: Tenant;
  const open: BrowserVisit[] = [];
  before(async function () {
    await needsBrowser(this);
    await ensureConsoleIsBuilt();
    sluice = await startSluice();
    tenant = await buildTenant(sluice.db, { name: 'Coffee' });
  });
  afterEach(async () => {
    for (const visitor of open.splice(0)) await visitor.close();
  });
  after(() => sluice?.stop());

  async function show(path: string) {
    const visitor = await visit(sluice, { userId: tenant.userId, permissions: ['clipboard-read', 'clipboard-write'] });
    open.push(visitor);
    await visitor.page.goto(path);
    return visitor.page;
  }

  const opens = async (key: string, path: string) =>
    (await fetch(sluice.url + path, { headers: { Authorization: `Bearer ${key}` } })).status;

  it('knows every scope that the server knows', () => {
    const known = Object.entries(OBJECT_WORDS).flatMap(([object, [, isWritable]]) =>
      isWritable ? [`${object}:read`, `${object}:write`] : [`${object}:read`],
    );
    assert.deepEqual(known.sort(), [...SCOPES].sort());
  });

  it('makes a key that may do what was ticked, shows it once, rolls and deletes it', async () => {
    const flags = `/api/projects/${tenant.projectId}/feature_flags/`;
    const page = await show('/');
    await page.getByRole('button', { name: /: account$/ }).click();
    await page.getByRole('menuitem', { name: 'Settings' }).click();
    await page.getByText('You have no keys.').waitFor();
    await page.getByRole('button', { name: 'New key' }).click();
    const dialog = page.getByRole('dialog', { name: 'New personal key' });
    await dialog.getByLabel('Label').fill('nightly');
    await dialog.getByRole('button', { name: 'Create key' }).click();
    await dialog.getByText('This list may not be empty.').waitFor();
    await dialog.getByLabel('Read Feature flags').check({ force: true });
    await assertAccessible(page);
    await assertSentOnce(page, dialog.getByRole('button', { name: 'Create key' }), dialog.getByLabel('Label'));
    await page.getByText('it is not shown again').waitFor();
    await page.getByRole('row', { name: /nightly phx_.*Feature flags \(read\)/ }).waitFor();
    await assertAccessible(page);
    await page.getByRole('button', { name: 'Copy', exact: true }).click();
    const first = await page.evaluate(() => navigator.clipboard.readText());
    assert.equal(await opens(first, flags), 200);
    assert.equal(await opens(first, `/api/projects/${tenant.projectId}/dashboards/`), 403);

    await page.getByRole('button', { name: 'Roll nightly' }).click();
    await page.getByRole('button', { name: /Old value/ }).click();
    await page.getByRole('option', { name: 'Stops working at once' }).click();
    await page.getByText('Every program that uses the key gets 401 at once').waitFor();
    await page.getByRole('button', { name: 'Roll key' }).click();
    await page.getByText(first).waitFor({ state: 'detached' });
    const second = await page.getByRole('status').getByText(/^phx_/).innerText();
    assert.deepEqual([await opens(first, flags), await opens(second, flags)], [401, 200]);

    await page.reload();
    await page.getByRole('button', { name: 'Delete nightly' }).click();
    assert.equal(await page.getByText(second).count(), 0);
    const question = page.getByRole('dialog', { name: 'Delete nightly' });
    await question.getByText('Every program that uses it gets 401 at once.').waitFor();
    assert.equal(await opens(second, flags), 200);
    await question.getByRole('button', { name: 'Delete key' }).click();
    await page.getByText('You have no keys.').waitFor();
    assert.equal(await opens(second, flags), 401);
  });

  it('shows the public key to all members, and secret keys to admins', async () => {
    const page = await show(`/project/${tenant.projectId}/settings`);
    await page.getByText(tenant.apiToken).waitFor();
    await page.getByText('Only admins of the project can see and create its secret keys').waitFor();
    assert.equal(await page.getByRole('button', { name: /Replace|New key/ }).count(), 0);
    await promote(sluice.db, tenant, 'admin');
    await page.reload();
    await page.getByRole('button', { name: 'New key' }).click();
    const dialog = page.getByRole('dialog', { name: 'New secret key' });
    await dialog.getByLabel('Label').fill('server');
    await dialog.getByLabel('Write Exports').check({ force: true });
    assert.equal(await dialog.getByLabel('Read Exports').isChecked(), true);
    await dialog.getByRole('button', { name: 'Create key' }).click();
    const key = await page.getByRole('status').getByText(/^phs_/).innerText();
    assert.equal(await opens(key, `/api/projects/${tenant.projectId}/batch_exports/`), 200);
    await page.getByRole('button', { name: 'Replace' }).click();
    const question = page.getByRole('dialog', { name: /^Replace the public key of/ });
    await question.getByText('Every SDK that still uses it gets 401').waitFor();
    await question.getByRole('button', { name: 'Replace key' }).click();
    await page.getByText(tenant.apiToken).waitFor({ state: 'detached' });
    await assertAccessible(page);
  });
});
