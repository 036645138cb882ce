/** A session that ends in the middle of a form: the password is asked for over it, and what was typed goes on its way. */
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { hashPassword } from '../../../src/platform/secrets/passwords.ts';
import { assertAccessible } from '../../support/console/axe.ts';
import { buildConsoleInstallation, type ConsoleInstallation } from '../../support/console/installation.ts';
import { needsBrowser } from '../../support/sdks/browser.ts';

const PASSWORD = 'a long walk along the river';

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();

describe('story: a session that ends in the middle of a form', () => {
  let at: ConsoleInstallation;
  let flag: { id: number };
  before(async function () {
    await needsBrowser(this);
    at = await buildConsoleInstallation();
    const user = at.sluice.db('users').where({ id: at.tenant.userId });
    await user.update({ password_hash: await hashPassword(PASSWORD) });
    flag = await at.request('POST', '/feature_flags/', { key: 'kept', name: '' });
  });
  after(() => at?.close());

  type Form = {
    name: string;
    path: () => string;
    fill: (page: Page) => Promise<void>;
    done: (page: Page) => Promise<void>;
  };
  const inProject = (rest: string) => `/project/${at.tenant.projectId}/${rest}`;

  const FORMS: readonly (Form & { action: string })[] = [
    {
      name: 'a new export',
      path: () => inProject('exports/new'),
      async fill(page) {
        await page.getByLabel('Name', { exact: true }).fill('Kept');
        await page.getByLabel('Directory', { exact: true }).fill('kept');
      },
      action: 'Create',
      done: (page) => page.waitForURL(/exports\/[\da-f-]{36}$/),
    },
    {
      name: 'a flag',
      path: () => inProject(`flags/${flag.id}`),
      fill: (page) => page.getByLabel('Description').fill('Kept'),
      action: 'Save',
      done: (page) => page.getByText(/^Saved as v/).waitFor(),
    },
    {
      name: 'a new key',
      path: () => '/settings/keys',
      async fill(page) {
        await press(page, 'New key');
        await page.getByLabel('Label').fill('kept');
        await page.getByLabel('Read Exports').check({ force: true });
      },
      action: 'Create key',
      done: (page) => page.getByText('it is not shown again').waitFor(),
    },
    {
      name: 'an invite',
      path: () => '/settings/members',
      async fill(page) {
        await press(page, 'Invite someone');
        await page.getByLabel('Email').fill('kept@example.com');
      },
      action: 'Invite',
      done: (page) => page.getByRole('row', { name: /kept@example\.com/ }).waitFor(),
    },
  ];

  for (const { name, path, fill, action, done } of FORMS) {
    it(`loses nothing of ${name}`, async () => {
      const { page, close } = await at.visit();
      // The stream would ask for the password before the form does.
      await page.route('**/live/**', (route) => route.abort());
      await page.goto(path());
      await fill(page);
      await at.sluice.db('sessions').where({ user_id: at.tenant.userId }).delete();
      await press(page, action);
      const again = page.getByRole('dialog', { name: 'Log in again' });
      await again.getByText('What you typed is kept.').waitFor();
      await assertAccessible(page);
      await again.getByRole('button', { name: 'Cancel' }).click();
      await again.waitFor({ state: 'detached' });
      await press(page, action);
      await again.getByLabel('Password').fill('wrong');
      await again.getByRole('button', { name: 'Log in' }).click();
      await again.getByRole('alert').waitFor();
      await again.getByLabel('Password').fill(PASSWORD);
      await page.keyboard.press('Enter');
      await done(page);
      await close();
    });
  }

  it('continues through a link of the machine where the account has no password', async () => {
    const user = at.sluice.db('users').where({ id: at.tenant.userId });
    await user.clone().update({ password_hash: null });
    const { page, close } = await at.visit();
    await page.goto('/settings/keys');
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByLabel('Label').fill('kept, too');
    await page.getByLabel('Read Exports').check({ force: true });
    await at.sluice
      .db('sessions')
      .where({ user_id: at.tenant.userId })
      .update({ authenticated_at: new Date(0) });
    await press(page, 'Create key');
    const again = page.getByRole('dialog', { name: 'Confirm it is you' });
    await again.getByText('Your account has no password.').waitFor();
    await at.sluice.db('sessions').where({ user_id: at.tenant.userId }).update({ authenticated_at: new Date() });
    await again.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('row', { name: /kept, too/ }).waitFor();
    assert.equal(await again.count(), 0);
    await close();
  });
});
