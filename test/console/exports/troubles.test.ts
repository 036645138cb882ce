/** Errors that keep intervals from being delivered, in the list, on the page of the export and of the run, and where Fix leads. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { assertAccessible } from '../../support/console/axe.ts';
import { buildConsoleInstallation, type ConsoleInstallation } from '../../support/console/installation.ts';
import { schemaPlace, type Place } from '../../support/console/places.ts';
import { buildEvent, microseconds } from '../../support/events/events.ts';
import { eventually, runsAfterBackfill } from '../../support/exports/export-world.ts';
import { needsBrowser } from '../../support/sdks/browser.ts';

const MORNING = { startAt: '2025-06-02T09:00:00Z', endAt: '2025-06-02T12:00:00Z' };
const HOUR = { startAt: '2025-06-02T09:00:00Z', endAt: '2025-06-02T10:00:00Z' };

/** @returns the first block of pixels that a history has drawn, row by row, and whether anything is drawn at its right edge. Runs in the page. */
function drawnBlock(one: Element): { rows: string[]; hasTick: boolean } {
  const canvas = one as HTMLCanvasElement;
  const { width, height } = canvas;
  const { data } = canvas.getContext('2d')!.getImageData(0, 0, width, height);
  const isDrawn = (x: number, y: number) => data[(y * width + x) * 4 + 3]! > 0;
  const at = Array.from({ length: width * height }, (_, index) => index);
  const first = at.find((index) => isDrawn(index % width, Math.floor(index / width))) ?? 0;
  const [left, top] = [first % width, Math.floor(first / width)];
  const rows = [0, 1, 2, 3].map((y) =>
    [0, 1, 2, 3, 4, 5].map((x) => (isDrawn(left + x, top + y) ? '#' : '.')).join(''),
  );
  return {
    rows,
    hasTick: at.some((index) => index % width >= 42 && isDrawn(index % width, Math.floor(index / width))),
  };
}

describe('why intervals are not delivered', () => {
  let at: ConsoleInstallation;
  before(async function () {
    await needsBrowser(this);
    at = await buildConsoleInstallation();
    await at.world.store([buildEvent({ uuid: randomUUID(), timestamp: microseconds('2025-06-02T09:30:00Z') })]);
  });
  after(() => at?.close());

  async function create(name: string, { type, config }: Place): Promise<{ id: string; address: string }> {
    const body = { name, interval: 'hour', destination: { type, config } };
    const { id } = await at.request<{ id: string }>('POST', '/batch_exports/', body);
    return { id, address: `/project/${at.world.projectId}/exports/${id}` };
  }

  /** An export whose three hours failed, because a file stands where the folder should be. */
  async function createRefused(name: string) {
    const { world } = at;
    await mkdir(world.folder, { recursive: true });
    await writeFile(path.join(world.folder, name), '');
    const made = await create(name, { type: 'LocalFile', config: { directory: name } });
    const backfill = await world.backfills.request(world.projectId, made.id, MORNING);
    await runsAfterBackfill(world, made.id, backfill.id);
    return made;
  }

  it('stands above the grid with the people who can end it, the field and the link that leads there', async () => {
    const { address } = await createRefused('clicks');
    const { page, close } = await at.visit();
    await page.goto(`${address}?since=${MORNING.startAt}`);
    const reasons = page.getByRole('region', { name: 'Why intervals are not delivered' });
    await reasons.getByText('3 hours not delivered', { exact: true }).waitFor();
    await reasons.getByText(/A part of the directory or prefix is a file or a link\./).waitFor();
    await reasons.getByText('Field: directory clicks. The people who configure this export can fix it.').waitFor();
    await assertAccessible(page);
    const failed = await page.locator('canvas').evaluate(drawnBlock);
    assert.deepEqual(failed, { rows: Array(4).fill('######'), hasTick: true }, 'whole, with a tick at the edge');
    await reasons.getByRole('link', { name: 'Fix clicks' }).click();
    await page.waitForURL(/edit\?field=destination__config__directory$/);
    const requests = '**/batch_exports/bulk/';
    await page.getByRole('button', { name: 'Save and retry 3 hours' }).waitFor();
    await page.route(requests, (route) => route.abort());
    await page.getByRole('button', { name: 'Save and retry 3 hours' }).click();
    await page
      .getByText('The settings were saved, but the retry may not have been requested: The server cannot')
      .waitFor();
    assert.equal(await page.getByRole('button', { name: 'Save', exact: true }).count(), 0);
    await page.unroute(requests);
    await page.getByRole('button', { name: 'Retry', exact: true }).click();
    await page.getByText('Retrying 3 hours.').waitFor();
    await close();
  });

  it('leaves intervals out of the count that await a decision, and retries no others than it counted', async () => {
    const { id, address } = await createRefused('foreign');
    const storeForeign = (start: string, end: string) =>
      at.sluice.pool.query(
        `insert into foreign_deliveries (batch_export_id, data_interval_start, data_interval_end, run_id, epoch, receipt)
         values ($1, $2, $3, '', 1, '{"rows": 1, "bytes": 1, "location": "theirs"}')`,
        [id, start, end],
      );
    await storeForeign('2025-06-02T11:00:00Z', '2025-06-02T12:00:00Z');
    const { page, close } = await at.visit();
    await page.goto(`${address}?since=${MORNING.startAt}`);
    const reasons = page.getByRole('region', { name: 'Why intervals are not delivered' });
    await reasons.getByText('2 hours not delivered', { exact: true }).waitFor();
    await reasons.getByRole('link', { name: 'Fix foreign' }).click();
    await page.locator('input:focus').fill('ours');
    const save = page.getByRole('button', { name: 'Save and retry 2 hours' });
    await save.waitFor();
    await page.route(`**/batch_exports/${id}/`, async (route) => {
      if (route.request().method() === 'PATCH') await storeForeign('2025-06-02T10:00:00Z', '2025-06-02T11:00:00Z');
      await route.continue();
    });
    await save.click();
    const notice = page.getByRole('status');
    await notice
      .getByText(/^Saved: Directory\. Nothing was retried yet: the intervals to retry have changed\./)
      .waitFor();
    await notice.getByRole('button', { name: 'Retry 1 hour' }).click();
    await notice.getByText('Retrying 1 hour.').waitFor();
    await notice.getByRole('link', { name: 'Follow the retry' }).waitFor();
    await close();
  });

  it('says that the earlier delivery stands where only a later one failed, and of how many it names the newest', async () => {
    const { world } = at;
    const { id, address } = await create('again', { type: 'LocalFile', config: { directory: 'again' } });
    const first = await world.backfills.request(world.projectId, id, HOUR);
    await runsAfterBackfill(world, id, first.id);
    await at.sluice.pool.query(
      `insert into batch_export_runs (id, project_id, batch_export_id, data_interval_start, data_interval_end, kind, status,
         closed_by, latest_error, workflow_id, workflow_run_id, created_at, finished_at)
       select gen_random_uuid(), $2, $1, ended - interval '1 hour', ended, 'scheduled', 'Failed', 'run', 'The disk is full.', '-',
         gen_random_uuid(), clock_timestamp(), clock_timestamp()
       from generate_series('2025-06-02T10:00:00Z'::timestamptz, '2025-06-06T14:00:00Z', interval '1 hour') as ended`,
      [id, world.projectId],
    );
    const { page, close } = await at.visit();
    await page.goto(`${address}?since=${HOUR.startAt}`);
    const reasons = page.getByRole('region', { name: 'Why intervals are not delivered' });
    await reasons.getByText('At least 100 hours not delivered', { exact: true }).waitFor();
    await page.getByText('101 need you').waitFor();
    await at.sluice.pool.query(
      `delete from batch_export_runs where batch_export_id = $1 and status = 'Failed' and data_interval_end > '2025-06-02T11:00:00Z'`,
      [id],
    );
    await page.reload();
    await reasons.getByText('1 hour not delivered', { exact: true }).waitFor();
    const again = reasons.getByText(
      /^1 hour not delivered again since .*The earlier delivery stands\. The disk is full\./,
    );
    await again.waitFor();
    await page.goto(`/project/${world.projectId}/exports`);
    await page
      .getByRole('listitem')
      .filter({ hasText: 'again' })
      .getByText(/^1 hour not delivered, 1 hour not delivered again \(the earlier delivery stands\)/)
      .waitFor();
    await close();
  });

  it('is shown while the first run still tries, and corrected from there', async () => {
    const { world } = at;
    const place = await schemaPlace(at, { database: 'not_there' });
    const { id, address } = await create('Reports', place);
    await world.backfills.request(world.projectId, id, HOUR);
    const run = await eventually('an attempt that failed', async () => {
      const found = await world.engine.stores.runs.findNewestOfInterval(id, HOUR.endAt);
      return found?.status === 'Running' && found.latestError !== null ? found : undefined;
    });
    const { page, close } = await at.visit();
    await page.goto(`/project/${world.projectId}/exports`);
    await page.getByRole('link', { name: /^1 retrying, next try (at \d|is due)/ }).waitFor();
    const row = page.getByRole('listitem').filter({ hasText: 'Reports' });
    await row
      .getByText(
        /1 hour retrying\. The database does not exist\..* The next try is (in \d+ \w+|due or in progress)\. Fix/,
      )
      .waitFor();
    await assertAccessible(page);
    await page.goto(`${address}?since=${HOUR.startAt}`);
    const reasons = page.getByRole('region', { name: 'Why intervals are not delivered' });
    await reasons.getByText(/^1 hour retrying since .*The database does not exist\..*The next try is/).waitFor();
    await reasons.getByRole('link', { name: 'Fix Reports' }).waitFor();
    await assertAccessible(page);
    const retried = await page.locator('canvas').evaluate(drawnBlock);
    assert.equal(retried.hasTick, false);
    assert.match(retried.rows.join(), /#.*\./, 'a texture, which needs no colour to be seen');
    await page.goto(`${address}/runs/${run.id}`);
    await page.getByRole('heading', { name: /· retrying$/ }).waitFor();
    await page.getByRole('heading', { name: /The database does not exist/ }).waitFor();
    await page.getByText('Nothing was delivered by this run yet.').waitFor();
    await page.getByRole('link', { name: 'Fix database and retry 1 hour', exact: true }).click();
    await page.locator('input:focus').fill(new URL(world.options.databaseUrl).pathname.slice(1));
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.waitForURL(new RegExp(`runs/${run.id}$`));
    await page.getByText(/Cancel it, and then retry it: the retry uses the new ones\./).waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Retry', exact: true }).click();
    await page.getByText(/^Requested\./).waitFor();
    await page.goto(`${address}?since=${HOUR.startAt}`);
    await page.getByText('1 delivered').waitFor();
    await close();
  });
});
