/** Pages for people who have no session yet: a forgotten password, and an invite. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { hashPassword } from '../../src/platform/secrets/passwords.ts';
import { buildTenant, type Tenant } from '../support/api/identity.ts';
import { assertAccessible } from '../support/console/axe.ts';
import { assertSentOnce } from '../support/console/sending.ts';
import { ensureConsoleIsBuilt, visit } from '../support/console/visitor.ts';
import { needsBrowser } from '../support/sdks/browser.ts';
import { startMailServer, type MailServer } from '../support/servers/mail-server.ts';
import { startSluice, type Sluice } from '../support/servers/sluice.ts';

const PASSWORD = 'rusty kettle 41';

describe('pages of the console without a session', () => {
  let mails: MailServer;
  let sluice: Sluice;
  let tenant: Tenant;
  let email: string;
  before(async function () {
    await needsBrowser(this);
    await ensureConsoleIsBuilt();
    mails = await startMailServer();
    sluice = await startSluice({ mail: { url: mails.url, from: 'sluice@example.com' } });
    tenant = await buildTenant(sluice.db, { name: 'Coffee' });
    const user = sluice.db('users').where({ id: tenant.userId });
    [{ email }] = (await user.clone().select('email')) as [{ email: string }];
    await user.update({ password_hash: await hashPassword('a long walk along the river') });
  });
  after(async () => {
    await sluice?.stop();
    await mails?.stop();
  });

  /** The path of the link in the newest letter to an address; letters are sent after the answer. */
  async function linkTo(address: string, page: string): Promise<string> {
    for (let tries = 0; tries < 500; tries += 1) {
      const letter = mails.mails.findLast(({ to }) => to.includes(address));
      const path = new RegExp(`/${page}/[\\w-]{43}(?=\\s)`).exec(letter?.text.replaceAll('=\r\n', '') ?? '')?.[0];
      if (path !== undefined) return path;
      await sleep(10);
    }
    throw new Error(`no letter with /${page}/ was mailed to ${address}`);
  }

  it('set a new password by a mailed link, once, and log in with it', async () => {
    const { page, close } = await visit(sluice);
    await page.goto('/login');
    await page.getByRole('link', { name: 'Forgot your password?' }).click();
    await assertAccessible(page);
    await page.getByLabel('Email').fill(email);
    await assertSentOnce(page, page.getByRole('button', { name: 'Send link' }), page.getByLabel('Email'));
    await page.getByRole('status').filter({ hasText: 'a link is on its way' }).waitFor();

    const link = await linkTo(email, 'reset');
    await page.goto(link);
    await page.getByLabel('New password').fill('12345678');
    await page.getByRole('button', { name: 'Set password' }).click();
    await page.getByRole('alert').waitFor();
    await assertAccessible(page);
    await page.getByLabel('New password').fill(PASSWORD);
    await assertSentOnce(page, page.getByRole('button', { name: 'Set password' }), page.getByLabel('New password'));
    await page.getByRole('link', { name: 'Log in' }).click();
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password').fill(PASSWORD);
    await assertSentOnce(page, page.getByRole('button', { name: 'Log in' }));
    await page.waitForURL(`**/project/${tenant.projectId}/exports`);

    await page.goto(link);
    await page.getByRole('alert').filter({ hasText: 'ask for a new one' }).waitFor();
    assert.equal(await page.getByRole('link', { name: 'Ask for a new link' }).count(), 1);
    await close();
  });

  it('say who sets a new password where there is no mail', async () => {
    const other = await startSluice();
    try {
      const { page, close } = await visit(other);
      await page.goto('/login');
      await page.getByRole('link', { name: 'Forgot your password?' }).click();
      await page.getByText('Ask the person who runs it for a new password').waitFor();
      assert.equal(await page.getByLabel('Email').count(), 0);
      await page.getByRole('link', { name: 'Back to the log-in' }).click();
      await page.getByRole('button', { name: 'Log in' }).waitFor();
      await close();
    } finally {
      await other.stop();
    }
  });

  it('make an account by the link of an invite, and are logged in', async () => {
    const admin = await visit(sluice, { userId: tenant.userId });
    await admin.page.goto('/settings/members');
    await admin.page
      .getByRole('button', { name: /^Invite/ })
      .first()
      .click();
    const dialog = admin.page.getByRole('dialog');
    await dialog.getByLabel('Email').fill('cy@example.com');
    await dialog.getByRole('button', { name: 'Invite', exact: true }).click();
    const link = await linkTo('cy@example.com', 'signup');
    await admin.close();

    const { page, close } = await visit(sluice);
    await page.goto(link);
    await page.getByText('c****@example.com').waitFor();
    await assertAccessible(page);
    await page.getByLabel('First name').fill('Cy');
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Join' }).click();
    await page.waitForURL(`**/project/${tenant.projectId}/exports`);
    await page.goto(link);
    await page.getByRole('alert').waitFor();
    await close();
  });

  it('ask an invitee who has an account to log in, and lead them back', async () => {
    const { userId, projectId } = await buildTenant(sluice.db, { name: 'Tea' });
    const user = sluice.db('users').where({ id: userId });
    const [{ email: known }] = (await user.clone().select('email')) as [{ email: string }];
    await user.update({ password_hash: await hashPassword(PASSWORD) });
    const admin = await visit(sluice, { userId: tenant.userId });
    await admin.page.goto('/settings/members');
    await admin.page
      .getByRole('button', { name: /^Invite/ })
      .first()
      .click();
    await admin.page.getByRole('dialog').getByLabel('Email').fill(known);
    await admin.page.getByRole('dialog').getByRole('button', { name: 'Invite', exact: true }).click();
    const link = await linkTo(known, 'signup');
    await admin.close();

    const { page, close } = await visit(sluice);
    await page.goto(link);
    assert.equal(await page.getByRole('button', { name: 'Join' }).count(), 0);
    await page.getByRole('link', { name: 'Log in to join' }).click();
    await page.getByLabel('Email').fill(known);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.waitForURL(`**${link}`);
    await page.getByRole('button', { name: 'Join' }).click();
    await page.waitForURL(`**/project/${tenant.projectId}/exports`);
    await page.getByRole('button', { name: 'Project Coffee' }).click();
    await page
      .getByRole('group', { name: / of Tea$|Tea/ })
      .getByRole('menuitem', { name: 'Tea' })
      .click();
    await page.waitForURL(`**/project/${projectId}/exports`);
    const members = sluice
      .db('organization_memberships')
      .where({ user_id: userId, organization_id: tenant.organizationId });
    assert.equal((await members).length, 1);
    await close();
  });
});
