/** Members and invites in a browser: levels are given and taken back, somebody is invited, and leaves. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { buildTenant, promote, type Tenant } from '../support/api/identity.ts';
import { buildMember } from '../support/api/members.ts';
import { assertAccessible } from '../support/console/axe.ts';
import { assertSentOnce } from '../support/console/sending.ts';
import { ensureConsoleIsBuilt, visit, type BrowserVisit } from '../support/console/visitor.ts';
import { needsBrowser } from '../support/sdks/browser.ts';
import { startSluice, type Sluice } from '../support/servers/sluice.ts';

describe('members in the console', () => {
  let sluice: Sluice;
  let tenant: Tenant;
  const open: BrowserVisit[] = [];
  before(async function () {
    await needsBrowser(this);
    await ensureConsoleIsBuilt();
    sluice = await startSluice();
    tenant = await buildTenant(sluice.db, { name: 'Coffee' });
    await sluice.db('users').where({ id: tenant.userId }).update({ first_name: 'Ada' });
    await promote(sluice.db, tenant, 'owner');
  });
  afterEach(async () => {
    for (const visitor of open.splice(0)) await visitor.close();
  });
  after(() => sluice?.stop());

  async function show({ userId } = tenant) {
    const visitor = await visit(sluice, { userId });
    open.push(visitor);
    await visitor.page.goto('/settings/members');
    return visitor.page;
  }

  async function addMember(name: string) {
    const member = await buildMember(sluice.db, tenant);
    await sluice.db('users').where({ id: member.userId }).update({ first_name: name });
    return member;
  }

  const membership = ({ userId }: { userId: number }) =>
    sluice.db('organization_memberships').where({ user_id: userId }).first<{ role: string } | undefined>('role');

  it('get another level and are removed, after a question that states the consequence', async () => {
    const ben = await addMember('Ben');
    const page = await show();
    for (const [level, effect] of [
      ['Admin', 'Ben can then manage members, invites, project settings'],
      ['Member', 'Ben can no longer manage members'],
    ] as const) {
      const former = (await membership(ben))?.role;
      await page.getByRole('button', { name: /Level of Ben/ }).click();
      await page.getByRole('option', { name: level }).click();
      const dialog = page.getByRole('dialog', { name: new RegExp(`^Make Ben an? ${level}$`, 'i') });
      await dialog.getByText(effect).waitFor();
      assert.equal((await membership(ben))?.role, former);
      await dialog.getByRole('button', { name: 'Change level' }).click();
      await page.getByText(new RegExp(`Ben is now an? ${level}`, 'i')).waitFor();
      await dialog.waitFor({ state: 'detached' });
      assert.equal((await membership(ben))?.role, level.toLowerCase());
    }
    await assertAccessible(page);
    await page.getByRole('button', { name: 'Remove Ben' }).click();
    const dialog = page.getByRole('dialog', { name: 'Remove Ben' });
    await dialog.getByText('Ben loses access to all projects of').waitFor();
    await dialog.getByRole('button', { name: 'Remove member' }).click();
    await page.getByRole('row', { name: /Ben/ }).waitFor({ state: 'detached' });
    assert.equal(await membership(ben), undefined);
  });

  it('are those of the organization in the address, also where the project is of another one', async () => {
    const tea = await buildTenant(sluice.db, { name: 'Tea' });
    await sluice.db('organizations').where({ id: tea.organizationId }).update({ name: 'Tea Ltd' });
    await sluice.db('organization_memberships').insert({
      id: randomUUID(),
      organization_id: tea.organizationId,
      user_id: tenant.userId,
      role: 'member',
    });
    const page = await show();
    const isOf = (id: string) => page.waitForURL((url) => url.searchParams.get('organization') === id);
    await isOf(tenant.organizationId);
    await page.goto(`/project/${tea.projectId}/settings`);
    await page.getByRole('link', { name: 'Members' }).click();
    await page.getByRole('heading', { name: 'Members of Tea Ltd' }).waitFor();
    await page.getByText('Only admins of Tea Ltd can change levels').waitFor();
    await isOf(tea.organizationId);
    await page.reload();
    await page.getByRole('heading', { name: 'Members of Tea Ltd' }).waitFor();
    await page.getByRole('button', { name: 'Project Tea', exact: true }).waitFor();
    const others = page.getByRole('navigation', { name: 'Organizations' }).getByRole('link');
    await others.filter({ hasNotText: 'Tea Ltd' }).click();
    await isOf(tenant.organizationId);
    await page.getByRole('row', { name: /Ada.*Owner/ }).waitFor();
    await page.getByRole('link', { name: 'Project', exact: true }).click();
    await page.getByText(tea.apiToken).waitFor();
    await sluice
      .db('organization_memberships')
      .where({ organization_id: tea.organizationId, user_id: tenant.userId })
      .delete();
  });

  it('says why the last owner stays', async () => {
    const page = await show();
    await page.getByRole('button', { name: 'Leave' }).click();
    const dialog = page.getByRole('dialog', { name: /^Leave / });
    await dialog.getByRole('button', { name: 'Leave' }).click();
    await dialog.getByRole('alert').waitFor();
    assert.equal((await membership(tenant))?.role, 'owner');
  });

  it('are invited by a link where there is no mail server, until that is revoked', async () => {
    const page = await show();
    await page.getByRole('button', { name: 'Invite someone' }).click();
    const dialog = page.getByRole('dialog', { name: /^Invite someone to / });
    await dialog.getByLabel('Email').fill('cy@example.com');
    await assertAccessible(page);
    await assertSentOnce(page, dialog.getByRole('button', { name: 'Invite', exact: true }));
    await page.getByText('is not shown again').waitFor();
    const link = await page.getByText(/^http.*\/signup\//).innerText();
    const token = /\/signup\/([^/]+)/.exec(link)![1]!;
    const signup = () => fetch(`${sluice.url}/api/signup/${token}/`);
    assert.equal((await signup()).status, 200);
    await page.reload();
    await page.getByRole('row', { name: /cy@example\.com Member Ada/ }).waitFor();
    assert.equal(await page.getByText(link).count(), 0);
    await page.getByRole('button', { name: 'Revoke the invite to cy@example.com' }).click();
    await page.getByText('The link in it stops working at once.').waitFor();
    assert.equal((await signup()).status, 200);
    await page.getByRole('button', { name: 'Revoke invite' }).click();
    await page.getByText('No invites are pending.').waitFor();
    assert.notEqual((await signup()).status, 200);
  });

  it('offers members nothing that only admins may do', async () => {
    const dora = await addMember('Dora');
    const page = await show(dora);
    await page.getByRole('row', { name: /Ada.*Owner/ }).waitFor();
    await page.getByText(/^Only admins of .* can change levels or remove members\.$/).waitFor();
    assert.equal(await page.getByRole('button', { name: /^(Level of|Remove|Revoke)/ }).count(), 0);
    await page.getByRole('button', { name: 'Leave' }).waitFor();
  });

  it('see when an invite reached nobody, and when their keys open nothing', async () => {
    const organization = sluice.db('organizations').where({ id: tenant.organizationId });
    await organization.clone().update({ members_can_use_personal_api_keys: false });
    const page = await show(await addMember('Eve'));
    await page.getByRole('button', { name: 'Invite someone' }).click();
    await page.getByRole('dialog').getByLabel('Email').fill('finn@example.com');
    await page.getByRole('button', { name: 'Invite', exact: true }).click();
    await page.getByText('This installation sends no mail, and only admins see the link').waitFor();
    assert.equal(await page.getByText(/\/signup\//).count(), 0);
    await page.getByRole('link', { name: 'Your keys' }).click();
    await page.getByText('does not let members use personal keys').waitFor();
    await organization.update({ members_can_use_personal_api_keys: true });
  });
});
