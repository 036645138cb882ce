/** The story that the console is for: a destination refuses, three hours fail, and an operator finds out why, mends the field and retries them. */
import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { assertAccessible } from '../support/console/axe.ts';
import { buildConsoleInstallation, type ConsoleInstallation } from '../support/console/installation.ts';
import { backfilled, buildExport } from '../support/exports/export-world.ts';
import { needsBrowser } from '../support/sdks/browser.ts';

const HOURS = { startAt: '2025-06-02T09:00:00Z', endAt: '2025-06-02T12:00:00Z' };

describe('three hours that a destination refused', () => {
  let at: ConsoleInstallation;
  before(async function () {
    await needsBrowser(this);
    at = await buildConsoleInstallation();
  });
  after(() => at?.close());

  /** An export whose three hours failed, and its grid with them in view. */
  async function arrange(name: string): Promise<{ id: string; address: string }> {
    const { world } = at;
    // A file stands where the folder should be.
    await mkdir(world.folder, { recursive: true });
    await writeFile(path.join(world.folder, `taken-${name}`), '');
    const destination = { type: 'LocalFile' as const, config: { directory: `taken-${name}` } };
    const { id } = await world.batchExports.create(world.projectId, buildExport({ name, destination }));
    const backfill = await world.backfills.request(world.projectId, id, HOURS);
    await backfilled(world, id, backfill.id);
    return { id, address: `/project/${world.projectId}/exports/${id}?since=${HOURS.startAt}` };
  }

  /** @returns whether all three are delivered, at last */
  async function delivered(page: Page, id: string): Promise<void> {
    await page.waitForURL(new RegExp(`exports/${id}$`));
    await page.getByText('3 delivered').waitFor();
    const { rows } = await at.sluice.pool.query<{ count: number }>(
      `select count(distinct data_interval_end)::int as count from batch_export_runs
       where batch_export_id = $1 and status = 'Completed'`,
      [id],
    );
    assert.equal(rows[0]?.count, 3);
  }

  it('are found out about, mended and retried with three clicks', async () => {
    const { id, address } = await arrange('Clicks');
    const { page, close } = await at.visit();
    await page.goto(address);
    const red = page.getByRole('gridcell', { name: /^2 Jun 2025 10:00.*needs you/ });
    await page.getByRole('grid').focus();
    await page.evaluate(() => {
      const scroll = document.querySelector('[role=grid]')!.parentElement!;
      scroll.scrollTop = scroll.scrollHeight;
    });
    await red.click();
    await page.getByRole('heading', { name: /A part of the directory or prefix is a file/ }).waitFor();
    await assertAccessible(page);
    await page.getByRole('link', { name: 'Fix directory and retry 3 hours' }).click();
    const field = page.locator('textarea:focus, input:focus');
    await field.waitFor();
    await field.fill((await field.inputValue()).replace('taken', 'mended'));
    await page.getByRole('button', { name: 'Save and retry 3 hours' }).click();
    await delivered(page, id);
    await close();
  });

  it('are mended by keys alone', async () => {
    const { id, address } = await arrange('Keys');
    const { page, close } = await at.visit();
    await page.goto(address);
    await page.getByRole('gridcell').first().waitFor();
    await page.keyboard.press('n');
    await page.locator('[role=gridcell]:focus').waitFor();
    await page.keyboard.press('Enter');
    const fix = page.getByRole('link', { name: 'Fix directory and retry 3 hours' });
    await fix.waitFor();
    for (let tries = 0; tries < 30 && !(await fix.evaluate((one) => one === document.activeElement)); tries++)
      await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    const field = page.locator('textarea:focus, input:focus');
    await field.waitFor();
    const text = (await field.inputValue()).replace('taken', 'mended');
    await page.keyboard.press('Control+A');
    await page.keyboard.insertText(text);
    const save = page.getByRole('button', { name: 'Save and retry 3 hours' });
    for (let tries = 0; tries < 30 && !(await save.evaluate((one) => one === document.activeElement)); tries++)
      await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await delivered(page, id);
    await close();
  });
});
