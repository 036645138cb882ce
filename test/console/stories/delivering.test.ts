/** The day of an operator of exports, on a whole installation: its hours go to local files, to a bucket and to a table. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { ListObjectsV2Command } from '@aws-sdk/client-s3';
import type { Page } from 'playwright-core';
import { TASK_QUEUES } from '../../../src/exports/domain/task-queues.ts';
import { createSignInUrl } from '../../../src/app/up/sign-in.ts';
import { environmentWith } from '../../../src/platform/config.ts';
import { environmentOf } from '../../support/exports/export-world.ts';
import { buildPersonalKey } from '../../support/api/identity.ts';
import { assertAccessible } from '../../support/console/axe.ts';
import { buildConsoleInstallation, type ConsoleInstallation } from '../../support/console/installation.ts';
import { bucketPlace, schemaPlace, type Place } from '../../support/console/places.ts';
import { needsBrowser } from '../../support/sdks/browser.ts';
import { createTestBucket, needsObjectStore } from '../../support/servers/object-store.ts';

const FROM = '2025-06-02T09:00:00.000Z';
const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const HOUR = 3_600_000;
const hoursAgo = (hours: number) => new Date(Date.now() - hours * HOUR).toISOString();

const folder = (directory: string): Place => ({ type: 'LocalFile', config: { directory } });
const isDelivered = (page: Page, hours: string) =>
  page.getByRole('gridcell', { name: `2 Jun 2025 ${hours} UTC, delivered` }).waitFor();

describe('story: the operator of exports', () => {
  let at: ConsoleInstallation;
  before(async function () {
    await needsBrowser(this);
    await needsObjectStore(this);
    at = await buildConsoleInstallation();
  });
  after(() => at?.close());

  const project = () => `/project/${at.tenant.projectId}/exports`;
  async function arrange(name: string, { type, config }: Place): Promise<{ id: string; address: string }> {
    const { id } = await at.request<{ id: string }>('POST', '/batch_exports/', {
      name,
      interval: 'hour',
      destination: { type, config },
    });
    return { id, address: `${project()}/${id}` };
  }

  it('follows the printed address, loads the example, and sees its three hours delivered: in two minutes, without a terminal', async function () {
    this.timeout(120_000);
    const { db, url } = at.sluice;
    const { email } = (await db('users').where({ id: at.tenant.userId }).first<{ email: string }>('email'))!;
    const printed = await createSignInUrl({ databaseUrl: at.world.options.databaseUrl, apiUrl: url, email });
    const { page, close } = await at.visit({ userId: undefined });
    await page.goto(printed!);
    await page.waitForURL((to) => to.pathname === project());
    await page.getByRole('button', { name: 'Load the example morning' }).click();
    await page.getByLabel('Folder').fill('coffee');
    await assertAccessible(page);
    await page.getByRole('button', { name: 'Create the export' }).click();
    await page.waitForURL(/\/exports\/[0-9a-f-]{36}\?/);
    const { rows } = await at.sluice.pool.query<{ hour: number; count: number }>(
      `select extract(hour from interval_time at time zone 'UTC')::int as hour, count(*)::int from events group by 1 order by 1`,
    );
    assert.deepEqual(
      rows.map(({ hour, count }) => [hour, count]),
      [
        [9, 18],
        [10, 19],
        [11, 13],
      ],
    );
    await page.getByRole('button', { name: 'Deliver 3 hours' }).click();
    for (const hours of ['09:00–10:00', '10:00–11:00', '11:00–12:00']) await isDelivered(page, hours);
    const files = await readdir(path.join(at.world.folder, 'coffee'), { recursive: true });
    assert.equal(files.filter((file) => file.endsWith('.jsonl.gz')).length, 3);
    await close();
  });

  it('reads in the plan how many rows of which hours go to a table, and finds exactly those there', async () => {
    const { schema, ...place } = await schemaPlace(at);
    const { address } = await arrange('Warehouse', place);
    const { page, close } = await at.visit();
    await page.goto(`${address}?start=${FROM}&end=2025-06-02T11:00:00.000Z`);
    const plan = page.getByRole('region', { name: 'Plan' });
    await plan.getByRole('button', { name: 'Deliver 2 hours' }).waitFor();
    assert.match((await plan.locator('dl').textContent())!, /rows\D*37(?!\d)/);
    await plan.getByRole('button', { name: 'Deliver 2 hours' }).click();
    await page.getByText('2 of 2 hours delivered').waitFor();
    await isDelivered(page, '10:00–11:00');
    const { rows } = await at.sluice.pool.query(
      `select extract(hour from timestamp at time zone 'UTC')::int as hour, count(*)::int from ${schema}.events
       group by 1 order by 1`,
    );
    assert.deepEqual(rows, [
      { hour: 9, count: 18 },
      { hour: 10, count: 19 },
    ]);
    await close();
  });

  it('pastes the commands of a plan into a shell, which deliver to the bucket what the page had shown, and verify it', async () => {
    const { bucket, client } = await createTestBucket();
    const { address } = await arrange('Lake', await bucketPlace({ bucket_name: bucket }));
    const { page, close } = await at.visit({ permissions: ['clipboard-read', 'clipboard-write'] });
    await page.goto(`${address}?start=${FROM}&end=2025-06-02T11:00:00.000Z`);
    await page.getByRole('button', { name: 'Deliver 2 hours' }).waitFor();
    await page.getByRole('button', { name: 'curl' }).click();
    await page.getByText('Copied').waitFor();
    const command = await page.evaluate(() => navigator.clipboard.readText());
    const SLUICE_KEY = await buildPersonalKey(at.sluice.db, at.tenant, 'batch_export:write');
    assert.ok(!command.includes(SLUICE_KEY.slice(0, 8)), command);
    const { stdout } = await run('sh', ['-c', command], { env: { ...process.env, SLUICE_KEY } });
    assert.match(stdout, /"backfill_id":"[\da-f-]{36}"/);
    // The page follows what it did not start.
    for (const hours of ['09:00–10:00', '10:00–11:00']) await isDelivered(page, hours);
    const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: bucket }));
    assert.equal(Contents.filter(({ Key }) => Key!.endsWith('.jsonl')).length, 2);
    await page.getByRole('button', { name: 'verify' }).click();
    const copied = await page.waitForFunction(async () => {
      const text = await navigator.clipboard.readText();
      return text.startsWith('bin/sluice verify') && text;
    });
    const checked = await run('sh', ['-c', String(await copied.jsonValue())], {
      cwd: ROOT,
      env: environmentWith({
        ...environmentOf(at.world),
        EXPORT_ALLOWED_HOSTS: '127.0.0.1',
      }),
    });
    assert.match(checked.stdout, /\bok +2\b/);
    await close();
  });

  it('pauses it for a migration of an hour, and the reconciler resumes it while the page is open', async () => {
    const { id, address } = await arrange('Moved', folder('moved'));
    const { page, close } = await at.visit();
    await page.goto(address);
    await page.getByText('Live ●', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Pause', exact: true }).click();
    await page.getByLabel('Reason').fill('migration');
    await page.getByRole('button', { name: /Resumes$/ }).click();
    await page.getByRole('option', { name: 'In an hour' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Pause' }).click();
    await page.getByText(/^Paused by Ada, “migration”; resumes /).waitFor();
    await at.sluice
      .db('batch_export_pauses')
      .where({ batch_export_id: id })
      .update({ resume_at: hoursAgo(1 / 60) });
    await at.world.engine.temporal.client.workflow.execute('reconcile', {
      workflowId: randomUUID(),
      taskQueue: TASK_QUEUES.control,
      args: [],
    });
    await page.getByRole('button', { name: 'Pause', exact: true }).waitFor();
    await page.getByText(/^Paused by/).waitFor({ state: 'detached' });
    await close();
  });

  it('unpauses it, sees how many hours the pause missed, and has them delivered', async () => {
    const { id, address } = await arrange('Missed', folder('missed'));
    await at.request('POST', `/batch_exports/${id}/pause/`, { reason: 'holidays' });
    const { db } = at.sluice;
    await db('batch_export_pauses')
      .where({ batch_export_id: id })
      .update({ paused_at: hoursAgo(2) });
    await db('batch_exports')
      .where({ id })
      .update({ created_at: hoursAgo(9) } as never);
    const { page, close } = await at.visit();
    await page.goto(address);
    await page.getByRole('button', { name: 'Unpause' }).click();
    // The third is one that ends while the page is opened.
    const question = page.getByText(/^[123] hours? ended during the pause/);
    const [count] = /\d/.exec((await question.textContent())!)!;
    await page.getByRole('button', { name: 'Unpause and deliver' }).click();
    await page.getByRole('button', { name: 'Pause', exact: true }).waitFor();
    await page.getByText(`${count} delivered`).waitFor();
    await close();
  });
});
