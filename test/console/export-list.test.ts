/** The list of exports, with exports whose runs a worker has made. */
import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Page, Response } from 'playwright-core';
import { CODES } from '../../console/src/exports/states/codes.ts';
import { buildMember, buildRule } from '../support/api/members.ts';
import { MAX_TROUBLED } from '../../src/exports/intervals/troubled-intervals.store.ts';
import { assertAccessible } from '../support/console/axe.ts';
import { buildConsoleInstallation, type ConsoleInstallation } from '../support/console/installation.ts';
import { runsAfterBackfill, buildExport } from '../support/exports/export-world.ts';
import { visit } from '../support/console/visitor.ts';
import { needsBrowser } from '../support/sdks/browser.ts';

const HOURS = { start_at: '2025-06-02T09:00:00Z', end_at: '2025-06-02T12:00:00Z' };

const ago = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();
const names = (page: Page) => page.locator('[data-row-link] > span:first-child').allTextContents();

async function sizeOf(response: Response): Promise<number> {
  await response.finished();
  return (await response.request().sizes()).responseBodySize;
}

describe('the list of exports', () => {
  let installation: ConsoleInstallation;
  let address: string;

  before(async function () {
    await needsBrowser(this);
    installation = await buildConsoleInstallation();
    address = `/project/${installation.tenant.projectId}/exports`;
  });
  after(() => installation?.close());

  describe('with exports that are delivered, that failed and that are paused', () => {
    before(async () => {
      const { world } = installation;
      const { projectId } = world;
      const make = (name: string, directory: string) =>
        world.batchExports.create(
          projectId,
          buildExport({ name, destination: { type: 'LocalFile', config: { directory } } }),
        );
      const run = async ({ id }: { id: string }) => {
        const { id: backfillId } = await world.backfills.request(projectId, id, {
          startAt: HOURS.start_at,
          endAt: HOURS.end_at,
        });
        await runsAfterBackfill(world, id, backfillId);
      };
      await run(await make('Orders', 'orders'));
      // A file stands where the folder should be.
      await mkdir(world.folder, { recursive: true });
      await writeFile(path.join(world.folder, 'clicks'), '');
      await run(await make('Clicks', 'clicks'));
      const legacy = await make('Legacy', 'legacy');
      await installation.request('POST', `/batch_exports/${legacy.id}/pause/`, {
        reason: 'migration',
        resume_at: new Date(Date.now() + 7 * 86_400_000).toISOString(),
      });
      await installation.request('POST', '/batch_exports/', {
        name: 'Later',
        interval: 'hour',
        start_at: new Date(Date.now() + 3 * 86_400_000).toISOString(),
        destination: { type: 'LocalFile', config: { directory: 'later' } },
      });
      await installation.request('POST', '/batch_exports/', {
        name: 'Daily',
        interval: 'day',
        destination: { type: 'LocalFile', config: { directory: 'daily' } },
      });
    });

    it('shows first what needs attention, with the error, and counts every state', async () => {
      const { page, close } = await installation.visit();
      await page.goto(address);
      await page.getByRole('link', { name: '1 needs you' }).waitFor();
      await page.getByRole('link', { name: '1 paused' }).waitFor();
      assert.equal((await names(page))[0], 'Clicks');
      const clicks = page.getByRole('listitem').filter({ hasText: 'Clicks' });
      await clicks.getByText('3 hours not delivered').waitFor();
      await clicks.getByText(', the newest of 2 Jun 2025, 13:00').waitFor();
      await clicks.getByText('A part of the directory or prefix is a file or a link.').waitFor();
      await page.getByText(/^Paused by .*, “migration”; resumes [A-Z]/).waitFor();
      const later = page.getByRole('listitem').filter({ hasText: 'Later' });
      await later.getByText(/^Begins [A-Z].*: no earlier interval is delivered automatically\.$/).waitFor();
      await page
        .getByRole('listitem')
        .filter({ hasText: 'Daily' })
        .getByText('No day has ended since the export was created. The first day is delivered once it ends.')
        .waitFor();
      await page
        .getByRole('listitem')
        .filter({ hasText: 'Orders' })
        .getByText(/^Newest delivery: 2 Jun 2025 13:00–14:00 CEST\. The next, .*, is delivered once it ends\.$/)
        .waitFor();
      await assertAccessible(page);
      await clicks.getByRole('link', { name: 'Fix Clicks' }).click();
      await page.waitForURL(/edit\?field=destination__config__directory$/);
      await page.goto(address);
      await page.getByRole('link', { name: /^Daily/ }).click();
      await page
        .getByText(/ The first, \d+ \w+( \d+)? 0[12]:00–\d+ \w+( \d+)? 0[12]:00 CES?T, is delivered once it ends\.$/)
        .waitFor();
      await close();
    });

    it('loads at most 180 kB until the user wants more', async () => {
      const { page, close } = await installation.visit();
      await page.clock.install();
      const loaded: Promise<number>[] = [];
      page.on('response', (response) => {
        if (!response.url().includes('/assets/')) return;
        assert.equal(response.headers()['content-encoding'], 'br', response.url());
        loaded.push(sizeOf(response));
      });
      const live = page.waitForRequest(/\/live\//);
      await page.goto(address);
      await page.getByRole('link', { name: /^Clicks/ }).waitFor();
      await live;
      // Nor later, by a timer.
      const later = page.waitForResponse(/batch_exports\/overview/);
      await page.clock.fastForward(60_000);
      await later;
      const bytes = (await Promise.all(loaded)).reduce((sum, size) => sum + size, 0);
      assert.ok(bytes > 50_000 && bytes <= 180_000, `${bytes} bytes of ${loaded.length} files`);
      await close();
    });

    it('gives each state a shape of its own, whatever its colour', async () => {
      const { page, close } = await installation.visit({ reducedMotion: 'reduce' });
      await page.goto(address);
      const glyph = page.locator('[data-code]').first();
      await glyph.waitFor();
      await page.evaluate(() => {
        for (const token of ['edge', 'quiet', 'held', 'stale', 'needs-you', 'action'])
          document.documentElement.style.setProperty(`--${token}`, '#000');
      });
      const codesByShape = new Map<string, string[]>();
      for (const code of CODES) {
        await glyph.evaluate((one, shown) => one.setAttribute('data-code', shown), code);
        const shape = (await glyph.screenshot()).toString('base64');
        codesByShape.set(shape, [...(codesByShape.get(shape) ?? []), code]);
      }
      assert.deepEqual(
        [...codesByShape.values()],
        CODES.map((code) => [code]),
      );
      await close();
    });

    it('offers a viewer nothing that they may not do, and says whom to ask', async () => {
      const { sluice, tenant } = installation;
      const viewer = await buildMember(sluice.db, tenant);
      await buildRule(sluice.db, tenant, 'viewer', { resource: 'batch_export', membership_id: viewer.membershipId });
      const { page, close } = await visit(sluice, { userId: viewer.userId });
      await page.goto(address);
      const clicks = page.getByRole('listitem').filter({ hasText: 'Clicks' });
      await clicks.getByText('You can look at this export; ask an editor to retry.').waitFor();
      assert.deepEqual(
        [await page.getByRole('checkbox').count(), await page.getByRole('link', { name: /^Fix/ }).count()],
        [0, 0],
      );
      await clicks.getByRole('link', { name: 'Why Clicks failed' }).click();
      await page.getByRole('heading', { name: 'A part of the directory or prefix is a file or a link.' }).waitFor();
      await close();
    });

    it('keeps filter and state in the address, and says when nothing matches', async () => {
      const { page, close } = await installation.visit();
      await page.goto(address);
      await page.getByRole('link', { name: '1 needs you' }).waitFor();
      await page.keyboard.press('/');
      await page.keyboard.type('order');
      await page.waitForURL(/search=order/);
      await page.reload();
      await page.getByRole('link', { name: /^Orders/ }).waitFor();
      assert.deepEqual(await names(page), ['Orders']);
      await page.getByRole('searchbox').fill('clik');
      await page.getByText('Nothing matches clik').waitFor();
      await page.getByRole('link', { name: 'Clear' }).click();
      await page.getByRole('link', { name: '1 paused' }).click();
      await page.waitForURL(/state=paused/);
      await page.getByRole('link', { name: /^Clicks/ }).waitFor({ state: 'detached' });
      assert.deepEqual(await names(page), ['Legacy']);
      await close();
    });

    it('is worked by keys: j and k move, x selects, Enter opens', async () => {
      const { page, close } = await installation.visit();
      await page.goto(address);
      await page.getByRole('link', { name: /^Clicks/ }).waitFor();
      const [first, second] = await names(page);
      await page.keyboard.press('j');
      await page.keyboard.press('x');
      await page.keyboard.press('j');
      await page.keyboard.press('x');
      await page.getByText('2 selected').waitFor();
      await page.keyboard.press('x');
      await page.getByText('1 selected').waitFor();
      assert.equal(await page.getByRole('checkbox', { name: `Select ${first}` }).isChecked(), true);
      assert.equal(await page.getByRole('checkbox', { name: `Select ${second}` }).isChecked(), false);
      await page.keyboard.press('k');
      await page.keyboard.press('Enter');
      await page.waitForURL(/\/exports\/[0-9a-f-]{36}$/);
      await close();
    });

    it('does one thing to several exports, and keeps each result in its row', async () => {
      const { page, close } = await installation.visit();
      await page.goto(address);
      for (const name of ['Orders', 'Clicks']) await page.locator('li', { hasText: name }).locator('label').click();
      await page
        .getByRole('toolbar', { name: 'Selected exports' })
        .getByRole('button', { name: 'Retry what failed' })
        .click();
      await page.getByRole('listitem').filter({ hasText: 'Orders' }).getByText('Nothing had failed.').waitFor();
      await page.getByRole('listitem').filter({ hasText: 'Clicks' }).getByText('3 requested again.').waitFor();
      // More than are counted.
      const { db } = installation.sluice;
      await db.raw(
        `insert into batch_export_troubles (batch_export_id, kind, data_interval_start, data_interval_end)
          select id, 'gave_up', '2024-01-01'::timestamptz + n * interval '1 hour', '2024-01-01'::timestamptz + (n + 1) * interval '1 hour'
          from batch_exports, generate_series(1, ${MAX_TROUBLED}) as n where name = 'Orders'`,
      );
      await page.reload();
      await page.getByText(`At least ${MAX_TROUBLED} hours not delivered`).waitFor();
      await db('batch_export_troubles').where('data_interval_start', '<', '2024-06-01').delete();
      await close();
    });

    it('pauses several exports with one reason and one time to resume, and refuses a time that has passed', async () => {
      const { page, close } = await installation.visit();
      await page.goto(address);
      for (const name of ['Orders', 'Clicks']) await page.locator('li', { hasText: name }).locator('label').click();
      await page.getByRole('toolbar', { name: 'Selected exports' }).getByRole('button', { name: 'Pause' }).click();
      const dialog = page.getByRole('dialog', { name: 'Pause 2 exports' });
      await dialog.getByLabel('Reason').fill('holidays');
      await page.getByRole('button', { name: /Resumes$/ }).click();
      await page.getByRole('option', { name: 'At another time' }).click();
      const time = page.getByLabel('Time (Europe/Berlin)');
      await time.fill('2020-01-06T09:00');
      await dialog.getByRole('button', { name: 'Pause' }).click();
      await dialog.getByText(/in the future/).waitFor();
      const year = new Date().getUTCFullYear() + (new Date().getUTCMonth() < 5 ? 0 : 1);
      await time.fill(`${year}-06-07T09:00`);
      await dialog.getByRole('button', { name: 'Pause' }).click();
      const orders = page.getByRole('listitem').filter({ hasText: 'Orders' });
      await orders.getByText(/^Paused by Ada, “holidays”; resumes /).waitFor();
      for (const name of ['Orders', 'Clicks'])
        await page.getByRole('listitem').filter({ hasText: name }).getByText('Paused.', { exact: true }).waitFor();
      // As if they had been paused two hours ago.
      const { db } = installation.sluice;
      const both = db('batch_exports').whereIn('name', ['Orders', 'Clicks']);
      await db('batch_export_pauses')
        .whereIn('batch_export_id', both.clone().select('id'))
        .update({ paused_at: ago(2) });
      await both.update({ created_at: ago(9) } as never);
      await page.getByRole('button', { name: 'Unpause' }).click();
      await orders.getByText(/^Running again\. Missed while paused: [12] hours?\. Deliver now$/).waitFor();
      await orders.getByRole('link', { name: 'Deliver now' }).click();
      await page.getByRole('button', { name: /^Deliver [12] hours?/ }).waitFor();
      await close();
    });

    it('reads on a narrow screen without a scroll sideways', async () => {
      const { page, close } = await installation.visit({ viewport: { width: 360, height: 700 } });
      await page.goto(address);
      await page.getByRole('link', { name: /^Clicks/ }).waitFor();
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(width <= 360, `the page is ${width} px wide`);
      await close();
    });
  });
});
