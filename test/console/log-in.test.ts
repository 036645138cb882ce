import assert from 'node:assert/strict';
import { createSignInToken } from '../../src/people/accounts/operator.ts';
import { identityStores } from '../../src/people/stores.ts';
import { hashPassword } from '../../src/platform/secrets/passwords.ts';
import { buildTenant, type Tenant } from '../support/api/identity.ts';
import { ensureConsoleIsBuilt, visit } from '../support/console/visitor.ts';
import { needsBrowser } from '../support/sdks/browser.ts';
import { startSluice, type Sluice } from '../support/servers/sluice.ts';

const PASSWORD = 'a long walk along the river';

describe('the log-in of the console', () => {
  let sluice: Sluice;
  let tenant: Tenant;
  let email: string;
  before(async function () {
    await needsBrowser(this);
    await ensureConsoleIsBuilt();
    sluice = await startSluice();
    tenant = await buildTenant(sluice.db, { name: 'Coffee' });
    const user = sluice.db('users').where({ id: tenant.userId });
    [{ email }] = (await user.clone().select('email')) as [{ email: string }];
    await user.update({ password_hash: await hashPassword(PASSWORD) });
  });
  after(() => sluice?.stop());

  it('leads visitors without a session to it, and back to where they were going', async () => {
    const { page, close } = await visit(sluice);
    await page.goto(`/project/${tenant.projectId}/exports?search=orders`);
    await page.waitForURL(/\/login\?next=/);
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.waitForURL((url) => url.href.endsWith(`/project/${tenant.projectId}/exports?search=orders`));
    await page.getByRole('heading', { name: 'Exports' }).waitFor();
    await close();
  });

  it('takes a link that the machine printed, once, and leaves no token in the address', async () => {
    const token = await createSignInToken(identityStores(sluice.db), email);
    for (const isFirst of [true, false]) {
      const { page, close } = await visit(sluice);
      await page.goto(`/#sign-in=${token}`);
      if (isFirst) await page.getByRole('heading', { level: 1 }).waitFor();
      else await page.getByRole('heading', { name: 'Log in to Sluice' }).waitFor();
      assert.equal(new URL(page.url()).hash, '');
      assert.equal(new URL(page.url()).pathname, isFirst ? `/project/${tenant.projectId}/exports` : '/login');
      await close();
    }
  });

  it('shows what is wrong, and keeps the address that was typed', async () => {
    const { page, close } = await visit(sluice);
    await page.goto('/login');
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password').fill('wrong');
    await page.getByRole('button', { name: 'Log in' }).click();
    await page
      .getByRole('alert')
      .filter({ hasText: /email or password/i })
      .waitFor();
    assert.equal(await page.getByLabel('Email').inputValue(), email);
    await close();
  });

  it('goes to no other site afterwards', async () => {
    for (const next of ['https://evil.example/', '//evil.example', '/\\evil.example', '/.//evil.example/x', '//']) {
      const { page, close } = await visit(sluice);
      await page.goto(`/login?next=${encodeURIComponent(next)}`);
      await page.getByLabel('Email').fill(email);
      await page.getByLabel('Password').fill(PASSWORD);
      await page.getByRole('button', { name: 'Log in' }).click();
      await page.waitForURL(`**/project/${tenant.projectId}/exports`);
      await close();
    }
  });

  it('leads to the log-in when a page is loaded after the session has ended', async () => {
    const { page, close } = await visit(sluice, { userId: tenant.userId });
    await page.goto('/');
    await page.getByRole('heading', { name: 'Exports' }).waitFor();
    await sluice.db('sessions').where({ user_id: tenant.userId }).delete();
    await page.reload();
    await page.waitForURL(/\/login\?next=/);
    await close();
  });
});
