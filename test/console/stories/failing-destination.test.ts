/** The story that the console is for: a destination refuses, three hours fail, and an operator finds out why, fixes the field and retries them. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { assertAccessible } from '../../support/console/axe.ts';
import { buildConsoleInstallation, type ConsoleInstallation } from '../../support/console/installation.ts';
import { bucketPlace, schemaPlace, type Place } from '../../support/console/places.ts';
import { buildEvent, microseconds } from '../../support/events/events.ts';
import { eventually, runsAfterBackfill } from '../../support/exports/export-world.ts';
import { needsBrowser } from '../../support/sdks/browser.ts';
import { startHttpReceiver } from '../../support/servers/http-receiver.ts';
import { needsObjectStore } from '../../support/servers/object-store.ts';

const HOURS = { startAt: '2025-06-02T09:00:00Z', endAt: '2025-06-02T12:00:00Z' };

/** The texts that describe the focused field to screen readers. */
const descriptionOfFocus = (page: Page) =>
  page.evaluate(() =>
    (document.activeElement?.getAttribute('aria-describedby') ?? '')
      .split(' ')
      .map((id) => document.getElementById(id)?.textContent ?? '')
      .join(' '),
  );

/** Presses Tab until the focus is there. */
async function tabTo(page: Page, role: 'link' | 'button', name: string): Promise<void> {
  const wanted = page.getByRole(role, { name });
  await wanted.waitFor();
  for (let tries = 0; tries < 40; tries++) {
    if (await wanted.evaluate((one) => one === document.activeElement)) return;
    await page.keyboard.press('Tab');
  }
  assert.fail(`Tab does not lead to ${name}.`);
}

describe('story: three hours that a destination refused', () => {
  let at: ConsoleInstallation;
  before(async function () {
    await needsBrowser(this);
    await needsObjectStore(this);
    at = await buildConsoleInstallation();
    await at.world.store(
      ['09', '10', '11'].map((hour) =>
        buildEvent({ uuid: randomUUID(), timestamp: microseconds(`2025-06-02T${hour}:30:00Z`) }),
      ),
    );
  });
  after(() => at?.close());

  /** An export whose three hours failed, and its grid with them in view. */
  async function arrange(name: string, destination: Place): Promise<{ id: string; address: string }> {
    const { world } = at;
    const body = { name, interval: 'hour', destination: { type: destination.type, config: destination.config } };
    const { id } = await at.request<{ id: string }>('POST', '/batch_exports/', body);
    const backfill = await world.backfills.request(world.projectId, id, HOURS);
    const runs = await runsAfterBackfill(world, id, backfill.id);
    assert.deepEqual(
      runs.map(({ status }) => status),
      ['Failed', 'Failed', 'Failed'],
    );
    return { id, address: `/project/${world.projectId}/exports/${id}?since=${HOURS.startAt}` };
  }

  /** Resolves when the page shows all three as delivered, which they are. */
  async function waitUntilDelivered(page: Page, id: string): Promise<void> {
    await page.waitForURL(new RegExp(`exports/${id}(\\?.*backfill=.*)?$`));
    await page.getByText('3 delivered').waitFor();
    const { rows } = await at.sluice.pool.query<{ count: number }>(
      `select count(distinct data_interval_end)::int as count from batch_export_runs
       where batch_export_id = $1 and status = 'Completed'`,
      [id],
    );
    assert.equal(rows[0]?.count, 3);
  }

  it('in a bucket are found out about, fixed and retried with three clicks', async () => {
    const { id, address } = await arrange('Clicks', await bucketPlace({ region: 'eu-central-1' }));
    const { page, close } = await at.visit();
    await page.goto(address);
    await page.getByRole('gridcell').first().waitFor();
    await page.evaluate(() => {
      const scroll = document.querySelector('[role=grid]')!.parentElement!;
      scroll.scrollTop = scroll.scrollHeight;
    });
    await page.getByRole('gridcell', { name: /^2 Jun 2025 10:00.*needs you/ }).click();
    await page.getByRole('heading', { name: /in another region/ }).waitFor();
    await assertAccessible(page);
    await page.getByRole('link', { name: 'Fix region and retry 3 hours' }).click();
    const field = page.locator('input:focus');
    await field.waitFor();
    assert.match(await descriptionOfFocus(page), /in another region/);
    await assertAccessible(page);
    await field.fill('us-east-1');
    assert.doesNotMatch(await descriptionOfFocus(page), /in another region/);
    await page.getByRole('button', { name: 'Save and retry 3 hours' }).click();
    await page.getByRole('status').getByText('Saved: Region. Retrying 3 hours.').waitFor();
    await assertAccessible(page);
    await page.getByRole('link', { name: 'Follow the retry' }).click();
    await page.getByRole('region', { name: 'Receipt' }).getByText('3 of 3 hours delivered.').waitFor();
    await waitUntilDelivered(page, id);
    await close();
  });

  it('in a table are fixed by keys alone', async () => {
    const { id, address } = await arrange('Keys', await schemaPlace(at, { table_name: 'report' }));
    const { page, close } = await at.visit();
    await page.goto(address);
    await page.getByRole('gridcell').first().waitFor();
    await page.keyboard.press('n');
    await page.locator('[role=gridcell]:focus').waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: /is not a table/ }).waitFor();
    await tabTo(page, 'link', 'Fix table and retry 3 hours');
    await page.keyboard.press('Enter');
    await page.locator('input:focus').waitFor();
    await page.getByRole('button', { name: 'Save and retry 3 hours' }).waitFor();
    await page.waitForFunction(() => {
      const { top, bottom } = document.activeElement!.getBoundingClientRect();
      return top >= 0 && bottom <= innerHeight;
    });
    assert.match(await descriptionOfFocus(page), /is not a table\. Choose another table\./);
    await page.keyboard.press('Control+A');
    await page.keyboard.insertText('clicks');
    await tabTo(page, 'button', 'Save and retry 3 hours');
    await page.keyboard.press('Enter');
    await waitUntilDelivered(page, id);
    await close();
  });

  it('of a receiver that nothing answers for are being retried, and delivered after Fix, another URL and Save and retry', async () => {
    const { world } = at;
    const [gone, receiver] = await Promise.all([startHttpReceiver(), startHttpReceiver()]);
    await gone.stop();
    const { page, close } = await at.visit();
    try {
      const destination = { type: 'HTTP', config: { url: gone.url, body_format: 'template' } };
      const body = { name: 'Receiver', interval: 'hour', max_concurrent_runs: 3, destination };
      const { id } = await at.request<{ id: string }>('POST', '/batch_exports/', body);
      await world.backfills.request(world.projectId, id, HOURS);
      await eventually('three runs that are being retried', async () => {
        const { rows } = await at.sluice.pool.query(
          `select from batch_export_runs where batch_export_id = $1 and status = 'Running' and latest_error is not null`,
          [id],
        );
        return rows.length === 3 || undefined;
      });
      await page.goto(`/project/${world.projectId}/exports/${id}?since=${HOURS.startAt}`);
      const reasons = page.getByRole('region', { name: 'Why intervals are not delivered' });
      await reasons.getByText('3 hours retrying', { exact: true }).waitFor();
      await reasons.getByText(/^Field: url .*Check the field\. If it is right: The destination’s operators/).waitFor();
      await reasons.getByRole('link', { name: 'Why Receiver failed' }).waitFor();
      await reasons.getByRole('link', { name: 'Fix Receiver' }).click();
      await page.locator('input:focus').fill(receiver.url);
      const effects = page.getByRole('region', { name: 'What your changes do' });
      await effects.getByText(/^Runs that are being retried keep the old settings: 3 hours\. /).waitFor();
      await assertAccessible(page);
      await page.getByRole('button', { name: 'Save and retry 3 hours' }).click();
      await page.getByRole('status').getByText('Saved: URL. Retrying 3 hours.').waitFor();
      await waitUntilDelivered(page, id);
      assert.equal(receiver.received.length, 3);
    } finally {
      await Promise.all([close(), receiver.stop()]);
    }
  });
});
