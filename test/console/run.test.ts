/** A run's page, of real runs: one that was delivered, and one that a destination refuses. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { assertAccessible } from '../support/console/axe.ts';
import {
  buildConsoleInstallation,
  TEMPORAL_UI_URL,
  type ConsoleInstallation,
} from '../support/console/installation.ts';
import { buildEvent, microseconds } from '../support/events/events.ts';
import { needsBrowser } from '../support/sdks/browser.ts';
import { holdAt } from '../support/servers/hold-at.ts';
import { startHttpReceiver } from '../support/servers/http-receiver.ts';

type Listed = { results: { id: string; status: string; data_interval_start: string }[] };

describe('the page of a run', () => {
  let at: ConsoleInstallation;
  before(async function () {
    await needsBrowser(this);
    at = await buildConsoleInstallation();
    await at.world.store(
      ['30', '40'].map((minute) =>
        buildEvent({ uuid: randomUUID(), timestamp: microseconds(`2025-06-02T09:${minute}:00Z`) }),
      ),
    );
  });
  after(() => at?.close());

  /** @returns the export and its run, which has ended with the status */
  async function deliver(directory: string, status: string): Promise<{ exportId: string; runId: string }> {
    return deliverTo({ type: 'LocalFile', config: { directory } }, status);
  }

  async function deliverTo(destination: { type: string; config: object }, status: string) {
    const { id: exportId } = await at.request<{ id: string }>('POST', '/batch_exports/', {
      name: `To ${destination.type}`,
      model: 'events',
      interval: 'hour',
      destination,
    });
    return { exportId, runId: await run(exportId, status) };
  }

  /** @returns the run of an hour, which has ended with the status */
  async function run(exportId: string, status: string, hour = '09'): Promise<string> {
    const start = `2025-06-02T${hour}:00:00Z`;
    await at.request('POST', `/batch_exports/${exportId}/backfill/`, {
      start_at: start,
      end_at: new Date(Date.parse(start) + 3_600_000).toISOString(),
    });
    return newestRun(exportId, status, hour);
  }

  async function newestRun(exportId: string, status: string, hour = '09'): Promise<string> {
    const start = `2025-06-02T${hour}:00:00Z`;
    for (let tries = 0; tries < 150; tries++) {
      const { results } = await at.request<Listed>('GET', `/batch_exports/${exportId}/runs/`);
      const found = results.find((one) => Date.parse(one.data_interval_start) === Date.parse(start));
      if (found?.status === status) return found.id;
      await sleep(200);
    }
    throw new Error(`The run is not ${status}.`);
  }

  it('shows the receipt of what was delivered, to the file and its hash', async () => {
    const { exportId, runId } = await deliver('orders', 'Completed');
    const { page, close } = await at.visit();
    await page.goto(`/project/${at.tenant.projectId}/exports/${exportId}/runs/${runId}`);
    await page.getByRole('heading', { name: '2 Jun 2025 11:00–12:00 CEST (09:00–10:00 UTC) · delivered' }).waitFor();
    const head = page.locator('header', { has: page.getByRole('heading', { level: 1 }) });
    const { workflow_id, workflow_run_id } = await at.request<Record<string, string>>(
      'GET',
      `/batch_exports/${exportId}/runs/${runId}/`,
    );
    assert.equal(
      await head.getByRole('link', { name: 'Temporal' }).getAttribute('href'),
      `${TEMPORAL_UI_URL}/namespaces/${at.world.options.temporal.namespace}/workflows/${encodeURIComponent(workflow_id!)}/${workflow_run_id}/history`,
    );
    // The texts, because the boxes of elements in one line may be stretched.
    const middles = await head.locator('a, button').evaluateAll((all) =>
      all.map((one) => {
        const text = document.createRange();
        text.selectNodeContents(one);
        const { top, bottom } = text.getBoundingClientRect();
        return Math.round((top + bottom) / 2);
      }),
    );
    assert.ok(middles.length === 3 && Math.max(...middles) - Math.min(...middles) <= 1, middles.join());
    const receipt = page.getByRole('region', { name: 'Receipt' });
    await receipt.getByText(/^Read back .*: 2 rows, digest equal\.$/).waitFor();
    const steps = page.getByRole('table', { name: 'Attempts' }).getByRole('row').nth(1);
    assert.match((await steps.textContent())!, /^1plan ✓done.*stage ✓done.*commit ✓done.*verify ✓done/);
    assert.match(
      (await receipt.textContent())!,
      /source2acknowledged2.*digestequal [\da-f]{12}….*2 rows.*sha256 [\da-f]{12}/,
    );
    await page
      .getByRole('log')
      .getByText(/deliver|commit/i)
      .first()
      .waitFor();
    await assertAccessible(page);
    await close();
  });

  it('sweeps over the receipt once its delivery is verified, unless no motion is wanted', async () => {
    const { id } = await at.request<{ id: string }>('POST', '/batch_exports/', {
      name: 'Swept',
      interval: 'hour',
      destination: { type: 'LocalFile', config: { directory: 'swept' } },
    });
    const gate = holdAt(at.world, id, 'before-committing');
    const hour = { start_at: '2025-06-02T09:00:00Z', end_at: '2025-06-02T10:00:00Z' };
    await at.request('POST', `/batch_exports/${id}/backfill/`, hour);
    await gate.reached;
    const { page, close } = await at.visit();
    await page.goto(`/project/${at.tenant.projectId}/exports/${id}/runs/${await newestRun(id, 'Running')}`);
    await page.getByText('Nothing was delivered by this run yet.').waitFor();
    gate.goOn();
    const swept = page.locator('[data-just-verified]');
    await swept.getByText(/^Read back \d/).waitFor();
    const duration = () => swept.evaluate((one) => getComputedStyle(one, '::after').animationDuration);
    assert.equal(await duration(), '0.6s');
    await page.emulateMedia({ reducedMotion: 'reduce' });
    assert.equal(await duration(), '0s');
    await page.reload();
    await page.getByText(/^Read back \d/).waitFor();
    assert.equal(await swept.count(), 0);
    await close();
  });

  it('says of a receiver that it acknowledged the rows, not that they were read back', async () => {
    const receiver = await startHttpReceiver();
    const config = { url: receiver.url, token: 'phc_receiver', body_format: 'template' };
    const { exportId, runId } = await deliverTo({ type: 'HTTP', config }, 'Completed');
    const { page, close } = await at.visit();
    const address = `/project/${at.tenant.projectId}/exports/${exportId}`;
    await page.goto(`${address}/runs/${runId}`);
    const receipt = page.getByRole('region', { name: 'Receipt' });
    await receipt.getByText('The receiver acknowledged every row of the source.').waitFor();
    assert.doesNotMatch((await receipt.textContent())!, /read back \d|nothing is duplicated/i);
    await page.goto(`${address}?start=2025-06-02T09:00:00Z&end=2025-06-02T10:00:00Z&only=all`);
    await page.getByText('repeated deliveries').waitFor();
    assert.equal(await page.getByText(/^replaced/).count(), 0);
    await close();
    await receiver.stop();
  });

  it('shows a log of thousands of lines: a part, a link to a line, what is written meanwhile, and all of it as a file', async () => {
    const { exportId, runId } = await deliver('long', 'Completed');
    const write = (count: number, text: string, attempt: number) =>
      at.sluice.db.raw(
        `insert into batch_export_logs (batch_export_id, run_id, level, message, attempt)
         select ?, ?, case when n = 7 then 'WARNING' else 'INFO' end, ? || n, ? from generate_series(1, ?) as n`,
        [exportId, runId, text, attempt, count],
      );
    await write(1_500, 'early ', 1);
    await write(20, 'late ', 2);
    const { page, close } = await at.visit();
    await page.goto(`/project/${at.tenant.projectId}/exports/${exportId}/runs/${runId}`);
    const log = page.getByRole('log');
    await log.getByText('late 20').waitFor();
    assert.ok((await log.getByText(/^(early|late) /).count()) < 150, 'only lines in view are drawn');
    await page.locator('label', { hasText: 'Follow' }).click();
    await page.waitForURL(/follow=on/);
    await page.reload();
    await log.getByText('late 20').waitFor();
    assert.equal(await page.getByRole('switch', { name: 'Follow' }).isChecked(), true);
    await write(1, 'written meanwhile ', 2);
    await log.getByText('written meanwhile 1').waitFor();
    await assertAccessible(page);

    await page.getByRole('button', { name: /Level$/ }).click();
    await page.getByRole('option', { name: 'warning and above' }).click();
    await log.getByText('late 7').waitFor();
    await page.getByRole('button', { name: /Attempt$/ }).click();
    await page.getByRole('option', { name: 'attempt 1' }).click();
    await page.waitForURL(/level=WARNING.*attempt=/);
    await log.getByText('late 7').waitFor({ state: 'detached' });
    await log.getByText('early 7', { exact: true }).waitFor();
    await log.getByRole('link').first().click();
    await page.waitForURL(/line=/);
    await page.reload();
    await log.locator('[data-line]', { hasText: 'early 7' }).waitFor();

    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Download' }).click();
    const file = await (await download).path();
    assert.match(await readFile(file, 'utf8'), /^\S+ WARNING +#1 early 7\n$/);
    await close();
  });

  it('says why nothing was delivered, and filters the log by what is in the address', async () => {
    const folder = path.join(at.world.folder, 'closed');
    await mkdir(path.dirname(folder), { recursive: true });
    await writeFile(folder, 'a file where the folder should be');
    const { exportId, runId } = await deliver('closed', 'Failed');
    const { page, close } = await at.visit();
    await page.goto(`/project/${at.tenant.projectId}/exports/${exportId}/runs/${runId}`);
    await page.getByRole('heading', { name: /· failed$/ }).waitFor();
    await page.getByText('Nothing was delivered by this run.').waitFor();
    await page.getByLabel('Contains').fill('no line has this');
    await page.getByText('No entries match.').waitFor();
    await page.waitForURL(/text=no/);
    await page.reload();
    await page.getByText('No entries match.').waitFor();
    await assertAccessible(page);
    await rm(folder);
    await page.getByRole('button', { name: 'Retry', exact: true }).click();
    await page.getByText('Requested. A new run will deliver this interval').waitFor();
    await close();
  });

  it('shows what was changed since the last success, by whom, and what the interval waits for', async () => {
    await mkdir(at.world.folder, { recursive: true });
    await writeFile(path.join(at.world.folder, 'taken'), 'a file where the folder should be');
    const { exportId, runId: success } = await deliver('free', 'Completed');
    await at.request('PATCH', `/batch_exports/${exportId}/`, {
      destination: { type: 'LocalFile', config: { directory: 'taken' } },
    });
    await at.request('PATCH', `/batch_exports/${exportId}/`, { max_concurrent_runs: 3 });
    const runId = await run(exportId, 'Failed', '10');
    const { page, close } = await at.visit();
    await page.goto(`/project/${at.tenant.projectId}/exports/${exportId}/runs/${runId}`);
    const card = page.getByRole('region', { name: /A part of the directory or prefix is a file/ });
    await card.getByText('Field', { exact: true }).waitFor();
    await page
      .getByRole('table', { name: 'Attempts' })
      .getByText(/is a file or a link/)
      .waitFor();
    assert.equal(await page.title(), '2 Jun 2025 12:00–13:00 CEST (10:00–11:00 UTC) · failed · Sluice');
    await card.getByRole('listitem').nth(1).waitFor();
    const [first, second] = await card.getByRole('listitem').allTextContents();
    assert.match(first!, /^Changed \d\d:\d\d\s\S+ by Ada: directory free →to taken\.$/);
    assert.match(second!, /by Ada: max concurrent runs \d+ →to 3\.$/);
    await card.getByText('It waits for you: resolve the error or change directory, then retry the run.').waitFor();
    await card.getByRole('link', { name: 'Fix directory and retry 1 hour' }).waitFor();
    await assertAccessible(page);
    await card.getByRole('link', { name: '2 Jun 2025 11:00–12:00 CEST (09:00–10:00 UTC)' }).click();
    await page.waitForURL(new RegExp(`runs/${success}$`));

    await rm(path.join(at.world.folder, 'taken'));
    await run(exportId, 'Completed', '10');
    await page.goBack();
    await card.getByText('A later run delivered this interval.').waitFor();
    assert.equal(await card.getByRole('link', { name: /^Fix/ }).count(), 0);
    await close();
  });

  it('shows at once that a receiver fails, uses new secrets, and says how to deliver with other new settings', async () => {
    const [receiver, other] = await Promise.all([startHttpReceiver(), startHttpReceiver()]);
    receiver.answers.push(...Array.from({ length: 200 }, () => 503));
    const config = { url: receiver.url, token: 'phc_receiver', body_format: 'template' };
    const { exportId, runId } = await deliverTo({ type: 'HTTP', config }, 'Running');
    const { page, close } = await at.visit();
    try {
      const address = `/project/${at.tenant.projectId}/exports/${exportId}`;
      await page.goto(`${address}/runs/${runId}`);
      await page.getByRole('heading', { name: /· retrying(, attempt \d+)?$/ }).waitFor();
      const card = page.getByRole('region', { name: 'The receiver cannot answer at the moment (status 503).' });
      await card.waitFor();
      await at.request('PATCH', `/batch_exports/${exportId}/`, {
        destination: { type: 'HTTP', config: { token: 'phc_new' } },
      });
      // A long-lasting pause, so that no try begins meanwhile.
      await at.sluice
        .db('batch_export_attempts')
        .where({ run_id: runId })
        .update({ started_at: '2025-06-02T09:00:00Z' });
      await page.reload();
      await card.getByText(/^The credentials were changed .*; the next try uses the new ones\.$/).waitFor();
      await at.sluice.db('batch_export_attempts').insert({
        run_id: runId,
        attempt: 30,
        step: 'stage',
        started_at: '2025-06-02T09:00:00Z',
        finished_at: '2025-06-02T09:00:01Z',
        under_way: 0,
        error_code: 'destination_unavailable',
        error_owner: 'destination',
        error_detail: 'No answer.',
        next_try_at: '2025-06-02T09:05:00Z',
      });
      await page.getByRole('heading', { name: /· retrying, attempt 30$/ }).waitFor();
      const last = page.getByRole('table', { name: 'Attempts' }).getByRole('row').last();
      await last.getByText('The next try is due.').waitFor();
      await page.goto(`${address}/edit?field=destination__config__url&run=${runId}`);
      const url = page.getByRole('textbox', { name: 'URL' });
      await url.fill(other.url);
      await page.getByLabel('Token').fill('phc_other');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.waitForURL(new RegExp(`runs/${runId}$`));
      await card
        .getByText(/^The settings were changed .* Cancel it, and then retry it: the retry uses the new ones\.$/)
        .waitFor();
      await assertAccessible(page);
      await page.getByRole('button', { name: 'Cancel', exact: true }).click();
      await page.getByRole('button', { name: 'Retry', exact: true }).click();
      await newestRun(exportId, 'Completed');
      assert.ok(other.received.some(({ isTaken }) => isTaken));
    } finally {
      await close();
      await Promise.all([receiver.stop(), other.stop()]);
    }
  });
});
