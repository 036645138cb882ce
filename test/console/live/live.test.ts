/** Changes that show while a page is open, without a load and over one connection of the browser. */
import assert from 'node:assert/strict';
import type { BrowserContext, Page } from 'playwright-core';
import { buildConsoleInstallation, type ConsoleInstallation } from '../../support/console/installation.ts';
import { buildExport } from '../../support/exports/export-world.ts';
import { needsBrowser } from '../../support/sdks/browser.ts';

const FROM = '2025-06-02T09:00:00.000Z';
const HOUR_LATER = '2025-06-02T10:00:00.000Z';
const LATER = '2025-06-02T11:00:00.000Z';

function countStreams(context: BrowserContext): () => number {
  let count = 0;
  context.on('request', (request) => (count += Number(new URL(request.url()).pathname.endsWith('/live/'))));
  return () => count;
}

// From then on they ask once a minute, which is longer than a test waits.
const isLive = (page: Page) => page.getByText('Live ●', { exact: true }).waitFor();
const isDelivered = (page: Page, hours: string) =>
  page.getByRole('gridcell', { name: `2 Jun 2025 ${hours} UTC, delivered` }).waitFor();

describe('story: open pages', () => {
  let at: ConsoleInstallation;
  before(async function () {
    await needsBrowser(this);
    at = await buildConsoleInstallation({ hasOwnProcess: true });
  });
  after(() => at?.close());

  async function arrange(name: string): Promise<{ id: string; address: string }> {
    const { id } = await at.world.batchExports.create(at.world.projectId, buildExport({ name }));
    return { id, address: `/project/${at.tenant.projectId}/exports/${id}?start=${FROM}&end=${LATER}` };
  }

  const deliver = (id: string, start: string, end: string) =>
    at.request('POST', `/batch_exports/${id}/backfill/`, { start_at: start, end_at: end });

  it('of one browser show what a run did in another process without a load, over one connection, which the next page takes over', async () => {
    const { id, address } = await arrange('Followed');
    const { page, close } = await at.visit();
    const context = page.context();
    const streams = countStreams(context);
    await page.goto(address);
    await isLive(page);
    const other = await context.newPage();
    await other.goto(address);
    await isLive(other);
    await deliver(id, FROM, HOUR_LATER);
    // Pages in the background wait until somebody looks at them.
    for (const one of [page, other]) {
      await one.bringToFront();
      await isDelivered(one, '09:00–10:00');
    }
    assert.equal(streams(), 1);
    await page.close();
    await deliver(id, HOUR_LATER, LATER);
    await isDelivered(other, '10:00–11:00');
    assert.equal(streams(), 2);
    await isLive(other);
    await close();
  });

  it('ask for the password when the session ends', async () => {
    const { address } = await arrange('Ended');
    const { page, close } = await at.visit();
    await page.goto(address);
    await isLive(page);
    await at.sluice.db('sessions').where({ user_id: at.tenant.userId }).delete();
    await page.getByText('Your session has ended.').waitFor();
    await page.getByText('Not live').waitFor();
    await close();
  });

  it('poll where there is no stream', async () => {
    const { id, address } = await arrange('Polled');
    const { page, close } = await at.visit();
    await page.route('**/live/**', (route) => route.abort());
    await deliver(id, FROM, LATER);
    await page.goto(address);
    await page.getByText('Not live').waitFor();
    await isDelivered(page, '10:00–11:00');
    await close();
  });
});
