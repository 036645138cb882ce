/** Deliveries that the database does not know, as after a restore: people see both sides, and decide. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { assertAccessible } from '../../support/console/axe.ts';
import { buildConsoleInstallation, type ConsoleInstallation } from '../../support/console/installation.ts';
import { buildEvent, microseconds } from '../../support/events/events.ts';
import { runsAfterBackfill, buildExport } from '../../support/exports/export-world.ts';
import { needsBrowser } from '../../support/sdks/browser.ts';

const HOUR = { startAt: '2025-06-02T09:00:00Z', endAt: '2025-06-02T10:00:00Z' };

describe('story: a delivery of another timeline', () => {
  let at: ConsoleInstallation;
  before(async function () {
    await needsBrowser(this);
    at = await buildConsoleInstallation();
  });
  after(() => at?.close());

  const store = (...minutes: number[]) =>
    at.world.store(
      minutes.map((minute) =>
        buildEvent({ uuid: randomUUID(), timestamp: microseconds(`2025-06-02T09:${minute}:00Z`) }),
      ),
    );

  /** An hour that was delivered, after which the database lost what it knew of that; a further run found it out. */
  async function arrange(name: string): Promise<{ id: string; address: string; run: string }> {
    const { world, tenant, sluice } = at;
    const destination = { type: 'LocalFile' as const, config: { directory: name } };
    const { id } = await world.batchExports.create(world.projectId, buildExport({ name, destination }));
    const deliver = async () => {
      const backfill = await world.backfills.request(world.projectId, id, HOUR);
      return (await runsAfterBackfill(world, id, backfill.id)).at(-1)!;
    };
    assert.equal((await deliver()).status, 'Completed');
    for (const table of ['batch_export_intervals', 'batch_export_runs'])
      await sluice.pool.query(`delete from ${table} where batch_export_id = $1`, [id]);
    const found = await deliver();
    assert.equal(found.status, 'Failed');
    const address = `/project/${tenant.projectId}/exports/${id}`;
    return { id, address, run: `${address}/runs/${found.id}` };
  }

  it('is accepted on the page of the run that found it: the interval counts as delivered', async () => {
    await store(30, 40);
    const { address, run } = await arrange('theirs');
    const { page, close } = await at.visit();
    await page.goto(`${address}?start=${HOUR.startAt}&end=${HOUR.endAt}`);
    const plan = page.getByRole('region', { name: 'Plan' });
    await plan.getByText('Another timeline delivered 1 hour of these. This plan leaves that out').waitFor();
    await plan.getByRole('heading', { name: '2 Jun 2025 11:00–12:00 CEST' }).waitFor();
    await plan.getByText('2 Jun 2025 09:00–10:00 UTC').waitFor();
    assert.equal(await plan.getByRole('button', { name: 'Nothing to deliver' }).isDisabled(), true);
    await plan.getByRole('link', { name: 'Decide' }).click();
    await page.waitForURL(new RegExp(`${run}$`));
    await page.getByRole('link', { name: 'Decide which delivery stays' }).waitFor();
    assert.equal(await page.getByRole('button', { name: /retry/i }).count(), 0);
    const theirs = page.getByRole('article').filter({ hasText: 'theirs' });
    await theirs.getByText(/^2 rows, \d+ B$/).waitFor();
    await theirs.getByText('2 rows, not delivered').waitFor();
    await assertAccessible(page);
    await theirs.getByRole('button', { name: 'Accept theirs' }).click();
    await page.goto(`${address}?since=${HOUR.startAt}&view=table`);
    await page.getByRole('row', { name: /^2 Jun 2025 09:00–10:00 UTC 1 hour delivered/ }).waitFor();
    await close();
  });

  it('is replaced by ours from the page of the export, after a question', async () => {
    const { address } = await arrange('ours');
    await store(50);
    const { page, close } = await at.visit();
    await page.goto(`${address}?since=${HOUR.startAt}&view=table`);
    const section = page.getByRole('region', { name: 'Delivered by another timeline' });
    await section.getByRole('heading', { name: '2 Jun 2025 11:00–12:00 CEST (09:00–10:00 UTC)' }).waitFor();
    await section.getByText('2 rows, not delivered').waitFor();
    await assertAccessible(page);
    await section.getByRole('button', { name: 'Ours' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Replace theirs' }).click();
    await page.getByRole('row', { name: /^2 Jun 2025 09:00–10:00 UTC 1 hour delivered/ }).waitFor();
    await section.waitFor({ state: 'detached' });
    await close();
  });

  it('is found behind a hundred others, which are shown step by step', async () => {
    const { id, address } = await arrange('many');
    // Hours of the year before, which come first.
    await at.sluice.pool.query(
      `insert into foreign_deliveries (batch_export_id, data_interval_start, data_interval_end, run_id, epoch, receipt)
       select $1, start, start + interval '1 hour', '', 1, '{"rows": 1, "bytes": 1, "location": "theirs"}'
       from generate_series('2024-06-01T00:00:00Z'::timestamptz, '2024-06-05T07:00:00Z', interval '1 hour') as start`,
      [id],
    );
    // More hours, newer ones, that need somebody for another reason than the map names.
    await at.sluice.db.raw(
      `insert into batch_export_troubles (batch_export_id, kind, data_interval_start, data_interval_end)
       select ?, 'gave_up', start, start + interval '1 hour'
       from generate_series('2025-06-03T00:00:00Z'::timestamptz, '2025-06-07T07:00:00Z', interval '1 hour') as start`,
      [id],
    );
    const { page, close } = await at.visit();
    await page.goto(`${address}?since=2024-06-01T00:00:00Z&view=table`);
    await page.getByText('The oldest 3 of more than 100.').waitFor();
    const last = page.getByRole('heading', { name: '2 Jun 2025 11:00–12:00 CEST (09:00–10:00 UTC)' });
    assert.equal(await last.count(), 0);
    for (const shown of ['53 of more than 100', '103 of 105']) {
      await page.getByRole('button', { name: 'Show more' }).click();
      await page.getByText(`The oldest ${shown}.`).waitFor();
    }
    await page.getByRole('button', { name: 'Show more' }).click();
    await last.waitFor();
    assert.equal(await page.getByRole('button', { name: 'Show more' }).count(), 0);
    await close();
  });

  it('and every other waits while the installation is held: its pages say so', async () => {
    const { address, run } = await arrange('held');
    const { page, close } = await at.visit();
    await at.sluice.pool.query(`update timeline set blocked = 'differs'`);
    try {
      for (const path of [`/project/${at.tenant.projectId}/exports`, address, run]) {
        await page.goto(path);
        await page.getByRole('alert').filter({ hasText: 'sluice recover' }).waitFor();
      }
    } finally {
      await at.sluice.pool.query('update timeline set blocked = null');
    }
    await close();
  });
});
