/** The page of an export: its grid of intervals, and deliveries by their plan. */
import assert from 'node:assert/strict';
import type { Route } from 'playwright-core';
import type { Page } from 'playwright-core';
import { assertAccessible } from '../support/console/axe.ts';
import { buildConsoleInstallation, type ConsoleInstallation } from '../support/console/installation.ts';
import { assertReadable } from '../support/console/reading.ts';
import { runsAfterBackfill, buildExport } from '../support/exports/export-world.ts';
import { needsBrowser } from '../support/sdks/browser.ts';

const FROM = '2025-06-02T09:00:00.000Z';
const cell = (page: Page, hour: number) =>
  page.getByRole('gridcell', { name: new RegExp(`^2 Jun 2025 ${String(hour).padStart(2, '0')}:00`) });

/** Whether nothing that scrolls cuts the ring of an element that has the focus. Runs in the page. */
function isRingWhole(one: Element): boolean {
  const { outlineStyle, outlineWidth, outlineOffset } = getComputedStyle(one);
  const beyond = Number.parseFloat(outlineWidth) + Number.parseFloat(outlineOffset);
  const [ring, frame] = [one, one.closest('[role=grid]')!.parentElement!].map((each) => each.getBoundingClientRect());
  return outlineStyle !== 'none' && ring!.bottom + beyond <= frame!.bottom && ring!.top - beyond >= frame!.top;
}

/** How many pixels of a canvas have a colour, and the height of the first one. Runs in the page. */
function drawnAt(one: Element): { pixels: number; y: number } {
  const { width, height } = one as HTMLCanvasElement;
  const { data } = (one as HTMLCanvasElement).getContext('2d')!.getImageData(0, 0, width, height);
  const drawn = Array.from({ length: width * height }, (_, index) => index).filter((at) => data[at * 4 + 3]! > 0);
  return { pixels: drawn.length, y: Math.floor((drawn[0] ?? 0) / width) };
}

type Sweep = { cell: string | null; animation: string };

/** Collects the sweeps over cells from now on. */
async function watchSweeps(page: Page): Promise<() => Promise<Sweep[]>> {
  await page.evaluate(() => {
    const sweeps: Sweep[] = [];
    Object.assign(globalThis, { sweeps });
    const observer = new MutationObserver((changes) => {
      for (const { target } of changes) {
        if (!(target instanceof Element) || !target.matches('[data-just-verified]')) continue;
        const { animationName, animationDuration } = getComputedStyle(target, '::after');
        sweeps.push({ cell: target.getAttribute('aria-label'), animation: `${animationName} ${animationDuration}` });
      }
    });
    observer.observe(document.body, { subtree: true, attributeFilter: ['data-just-verified'] });
  });
  return () => page.evaluate(() => (globalThis as unknown as { sweeps: Sweep[] }).sweeps);
}

const isMap = (one: { url(): string }) => one.url().includes('/intervals/map/');

describe('the grid of an export', () => {
  let installation: ConsoleInstallation;
  before(async function () {
    await needsBrowser(this);
    installation = await buildConsoleInstallation();
  });
  after(() => installation?.close());

  /** An hourly export that has delivered nothing. */
  async function arrange(name: string): Promise<{ id: string; address: string }> {
    const { world, tenant } = installation;
    const { id } = await world.batchExports.create(world.projectId, buildExport({ name }));
    return { id, address: `/project/${tenant.projectId}/exports/${id}` };
  }
  const delivered = async (id: string) => {
    const { rows } = await installation.sluice.pool.query<{ hour: number }>(
      `select distinct extract(hour from data_interval_start at time zone 'UTC')::int as hour from batch_export_runs
       where batch_export_id = $1 and status = 'Completed' order by 1`,
      [id],
    );
    return rows.map(({ hour }) => hour);
  };

  it('delivers exactly the range that was dragged and whose plan was shown', async () => {
    const { id, address } = await arrange('Dragged');
    const { page, close } = await installation.visit();
    await page.goto(`${address}?since=${FROM}&at=${FROM}`);
    await page.getByRole('grid').focus();
    await page.evaluate(() => {
      const scroll = document.querySelector('[role=grid]')!.parentElement!;
      scroll.scrollTop = scroll.scrollHeight;
    });
    await page
      .getByRole('gridcell', { name: /^2 Jun 2025 09:00.*, not delivered, outside of the schedule$/ })
      .waitFor();
    await cell(page, 9).hover();
    await page.mouse.down();
    await cell(page, 10).hover();
    await cell(page, 11).hover();
    await page.mouse.up();
    await page.getByRole('button', { name: 'Deliver 3 hours' }).waitFor();
    const plan = page.getByRole('region', { name: 'Plan' });
    assert.match(
      (await plan.locator('dl').textContent())!,
      /^not delivered3rows0replaced deliveriesnonedurationnot known yet$/,
      'in the words of the cells',
    );
    await page
      .getByRole('list', { name: 'Intervals by state' })
      .getByText(/^\d[\d,]* outside of the schedule$/)
      .waitFor();
    await assertAccessible(page);
    const sweeps = await watchSweeps(page);
    await page.getByRole('button', { name: 'Deliver 3 hours' }).click();
    await page.getByText('3 of 3 hours delivered').waitFor();
    assert.deepEqual(await delivered(id), [9, 10, 11]);
    await page.getByText('Newest delivery: 2 Jun 2025 13:00–14:00 CEST. The next, ').waitFor();
    for (const hours of ['09:00–10:00', '10:00–11:00', '11:00–12:00'])
      await page.getByRole('gridcell', { name: `2 Jun 2025 ${hours} UTC, delivered`, exact: true }).waitFor();
    const swept = (await sweeps()).toSorted((one, other) => one.cell!.localeCompare(other.cell!));
    const expected = ['09:00–10:00', '10:00–11:00', '11:00–12:00'].map((hours) => `2 Jun 2025 ${hours} UTC, delivered`);
    assert.deepEqual(
      swept,
      expected.map((name) => ({ cell: name, animation: 'sweep 0.6s' })),
    );
    await page.waitForFunction(() => !document.querySelector('[role=gridcell][data-just-verified]'));
    const { searchParams } = new URL(page.url());
    assert.deepEqual([searchParams.get('start'), searchParams.get('end')], [FROM, '2025-06-02T12:00:00.000Z']);
    const receipt = page.getByRole('region', { name: 'Receipt' });
    assert.match((await receipt.locator('dl').textContent())!, /^rows0 planned 0duration[\d.]+ m?s $/);
    assert.deepEqual(
      await receipt.getByRole('list', { name: 'Runs' }).getByRole('link').allInnerTexts(),
      ['11:00–12:00', '10:00–11:00', '09:00–10:00'].map((hours) => `2 Jun 2025 ${hours} UTC`),
    );
    await assertAccessible(page);
    await page.reload();
    await receipt.getByText('3 of 3 hours delivered').waitFor();
    assert.equal(await plan.count(), 0);
    await receipt.getByRole('button', { name: 'Plan again' }).click();
    await plan.getByText('All of this is delivered already. Choose “all” to deliver it again.').waitFor();
    const nothing = plan.getByRole('button', { name: 'Nothing to deliver' });
    assert.equal(await nothing.isDisabled(), true);
    await plan.getByRole('radio', { name: 'all' }).check();
    // The plan counts rows before filters.
    await plan.getByText('0', { exact: true }).waitFor();
    const filters = [{ key: 'plan', operator: 'exact', type: 'event', value: 'pro' }];
    await installation.request('PATCH', `/batch_exports/${id}/`, { filters });
    await plan.getByText('up to 0', { exact: true }).waitFor();
    const requests = /backfills\/([\da-f-]{36}\/)?$/;
    const started: Route[] = [];
    // The start waits, and then the page looks in vain for as long as the deliveries are under way.
    await page.route(requests, (route) => {
      const body = route.request().postData();
      if (body?.includes('"dry_run":true')) return route.continue();
      return body === null ? undefined : void started.push(route);
    });
    await plan.getByRole('button', { name: 'Deliver 3 hours' }).click();
    await receipt.getByText('Starting 3 hours…').waitFor();
    assert.equal(await plan.count(), 0);
    assert.ok(await receipt.evaluate((one) => one === document.activeElement), 'the focus is not lost');
    const again = receipt.getByRole('button', { name: 'Plan again' });
    assert.equal(await again.count(), 0, 'a plan is started once');
    await started[0]!.continue();
    await again.click();
    await plan.getByRole('button', { name: 'Deliver 3 hours', disabled: false }).waitFor();
    assert.equal(started.length, 1);
    await page.unroute(requests);
    await page.getByRole('link', { name: 'Table', exact: true }).click();
    await page.getByRole('row', { name: /3 hours delivered/ }).waitFor();
    assert.equal(new URL(page.url()).searchParams.get('view'), 'table');
    await page.getByRole('link', { name: 'Grid', exact: true }).click();
    await page.getByRole('grid').waitFor();
    await close();
  });

  it('shows what changed since the plan was shown, and delivers only after another confirmation', async () => {
    const { id, address } = await arrange('Overtaken');
    const { page, close } = await installation.visit();
    await page.goto(`${address}?start=${FROM}&end=2025-06-02T12:00:00.000Z`);
    const button = page.getByRole('button', { name: 'Deliver 3 hours' });
    await button.waitFor();
    // The page does not look again before it delivers: otherwise its plan may be true, and there is nothing to say.
    const held: Route[] = [];
    const looks = /intervals\/map|backfills\//;
    await page.route(looks, (route) => {
      const isLook = route.request().method() === 'GET' || route.request().postData()?.includes('"dry_run":true');
      if (isLook) held.push(route);
      return isLook ? undefined : route.continue();
    });
    const { world } = installation;
    const first = await world.backfills.request(world.projectId, id, { startAt: FROM, endAt: '2025-06-02T11:00:00Z' });
    await runsAfterBackfill(world, id, first.id);
    const refused = page.waitForResponse((answer) => answer.status() === 409);
    await button.click();
    await refused;
    await page.unroute(looks);
    // A look that the page has given up meanwhile is answered already.
    for (const route of held) await route.continue().catch(() => {});
    await page.getByText('2 hours finished meanwhile. Now 1 hour.').waitFor();
    assert.deepEqual(await delivered(id), [9, 10]);
    await cell(page, 10)
      .and(page.getByRole('gridcell', { name: /, delivered$/ }))
      .waitFor();
    await page.emulateMedia({ reducedMotion: 'reduce' });
    const sweeps = await watchSweeps(page);
    const once = page.getByRole('button', { name: 'Deliver 1 hour' });
    assert.ok(await once.evaluate((one) => one === document.activeElement), 'it can be confirmed at once');
    await once.click();
    await page.getByText('1 of 1 hour delivered').waitFor();
    assert.deepEqual(await delivered(id), [9, 10, 11]);
    await page.getByRole('gridcell', { name: '2 Jun 2025 11:00–12:00 UTC, delivered', exact: true }).waitFor();
    assert.deepEqual(await sweeps(), []);
    await close();
  });

  it('is worked by keys alone: arrows, Shift, Enter and Escape', async () => {
    const { id, address } = await arrange('Keys');
    const { page, close } = await installation.visit();
    await page.goto(`${address}?start=${FROM}&end=2025-06-02T10:00:00.000Z`);
    await page.getByRole('button', { name: 'Deliver 1 hour' }).waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate(() => document.activeElement!.textContent), 'Skip to the intervals');
    await assertAccessible(page);
    await page.keyboard.press('Enter');
    assert.ok(await cell(page, 9).evaluate((one) => one === document.activeElement), 'the active interval');
    await page.keyboard.press('Escape');
    await page.getByText('Select intervals to see').waitFor();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Shift+ArrowRight');
    await page.getByRole('button', { name: 'Deliver 2 hours' }).waitFor();
    assert.equal(await cell(page, 11).getAttribute('aria-selected'), 'true');
    await page.keyboard.press('b');
    await page.keyboard.press('Enter');
    await page.getByText('2 of 2 hours delivered').waitFor();
    assert.deepEqual(await delivered(id), [10, 11]);
    await close();
  });

  it('is paused with a reason and an end, and unpaused with what it missed', async () => {
    const { id, address } = await arrange('Paused');
    const { page, close } = await installation.visit();
    await page.goto(address);
    await page.getByRole('button', { name: 'Pause', exact: true }).click();
    await page.getByLabel('Reason').fill('migration');
    await page.getByRole('button', { name: /Resumes$/ }).click();
    await page.getByRole('option', { name: 'At another time' }).click();
    await page.getByText('no other starts by itself until then.').waitFor();
    const time = page.getByLabel('Time (Europe/Berlin)');
    await time.fill('2020-01-06T09:00');
    await assertAccessible(page);
    const submit = page.getByRole('dialog').getByRole('button', { name: 'Pause' });
    await submit.click();
    await page.getByText(/resume_at|in the future/).waitFor();
    const year = new Date().getUTCFullYear() + (new Date().getUTCMonth() < 5 ? 0 : 1);
    await time.fill(`${year}-06-07T09:00`);
    await submit.click();
    await page.getByText(/^Paused by Ada, “migration”; resumes /).waitFor();
    const { pause } = await installation.request<{ pause: { reason: string; resume_at: string } }>(
      'GET',
      `/batch_exports/${id}/`,
    );
    assert.deepEqual([pause.reason, Date.parse(pause.resume_at)], ['migration', Date.parse(`${year}-06-07T07:00Z`)]);

    await installation.sluice
      .db('batch_export_pauses')
      .where({ batch_export_id: id })
      .update({ paused_at: new Date(Date.now() - 2 * 3_600_000).toISOString() });
    await installation.sluice
      .db('batch_exports')
      .where({ id })
      .update({ created_at: new Date(Date.now() - 9 * 3_600_000).toISOString() } as never);
    await page.reload();
    await page.getByRole('button', { name: 'Unpause' }).click();
    await page.getByText(/^[12] hours? ended during the pause/).waitFor();
    await page.getByRole('button', { name: 'Unpause and deliver' }).click();
    await page.getByRole('button', { name: 'Pause', exact: true }).waitFor();
    await close();
  });

  it('leads to earlier intervals while it is empty, names its zone, and lists the keys of its cells', async () => {
    const { address } = await arrange('Empty');
    const { page, close } = await installation.visit();
    await page.goto(address);
    await page.getByRole('link', { name: 'Or deliver history' }).click();
    await page.getByRole('grid', { name: 'Intervals, times in UTC' }).waitFor();
    await page.getByText('Hour, UTC', { exact: true }).waitFor();
    await page.getByText('History', { exact: true }).waitFor();
    await page.getByRole('img', { name: /^The whole history/ }).waitFor();
    await page.getByText('Select intervals to see').waitFor();
    await page.keyboard.press('?');
    const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    for (const does of ['Move between intervals', 'Select intervals', 'Ten rows up and down'])
      await dialog.getByText(does, { exact: true }).waitFor();
    await close();
  });

  for (const viewport of [
    { width: 1280, height: 900 },
    { width: 360, height: 740 },
  ])
    it(`goes to dates of long ago at ${viewport.width} pixels, and delivers from there`, async () => {
      const { id, address } = await arrange(`Dates ${viewport.width}`);
      const { page, close } = await installation.visit({ viewport });
      // The map is refused, and the form leads out of the address.
      await page.goto(`${address}?since=0020-06-02T00:00:00.000Z`);
      await page.getByText("'start' must not be before 1970-01-01T00:00:00Z.").waitFor();
      const [from, to] = [page.getByLabel('From (UTC)'), page.getByLabel('To (UTC)')];
      const goThere = page.getByRole('button', { name: 'Go there' });
      const refused = [
        ['0020-06-02T09:00', '2025-06-02T12:00', from, 'This must lie between 1970 and now'],
        ['12026-06-02T09:00', '2025-06-02T12:00', from, 'This must lie between 1970 and now'],
        ['2025-06-02T09:00', '12026-06-02T12:00', to, 'The year has more than four digits.'],
        ['2025-06-02T12:00', '2025-06-02T09:00', to, 'This is not later than From.'],
      ] as const;
      for (const [first, last, field, words] of refused) {
        await from.fill(first);
        await to.fill(last);
        await goThere.click();
        await page.locator('[data-invalid]', { has: field }).getByText(words).waitFor();
      }
      await from.fill('2025-06-02T09:00');
      await to.fill('2025-06-02T12:00');
      await goThere.click();
      await page.getByRole('button', { name: 'Deliver 3 hours' }).waitFor();
      assert.ok(await goThere.evaluate((one) => one === document.activeElement), 'the button keeps the focus');
      await page.reload();
      await page.getByRole('button', { name: 'Deliver 3 hours' }).waitFor();
      assert.deepEqual([await from.inputValue(), await to.inputValue()], ['2025-06-02T09:00', '2025-06-02T12:00']);
      if (viewport.width > 720) {
        await cell(page, 11).waitFor();
        assert.equal(await cell(page, 11).getAttribute('tabindex'), '0');
        // Other dates, also earlier ones, are shown by the same grid, which scrolls there, also when it is asked again.
        const grid = page.getByRole('grid');
        await grid.evaluate((one) => one.setAttribute('data-same', 'yes'));
        await from.fill('2025-05-05T09:00');
        await to.fill('2025-05-05T12:00');
        await goThere.click();
        await page.getByRole('heading', { name: /^5 May 2025 11:00–14:00 CEST/ }).waitFor();
        await page.getByRole('gridcell', { name: /^5 May 2025 11:00/, selected: true }).hover();
        await page.evaluate(() => (document.querySelector('[role=grid]')!.parentElement!.scrollTop = 0));
        await goThere.click();
        await page.waitForFunction(() => document.querySelector('[role=grid]')!.parentElement!.scrollTop > 0);
        assert.equal(await grid.getAttribute('data-same'), 'yes');
        await page.goBack();
        await page.getByRole('heading', { name: /^2 Jun 2025 11:00–14:00 CEST/ }).waitFor();
      }
      await assertAccessible(page);
      await assertReadable(page, 'dates');
      await page.getByRole('button', { name: 'Deliver 3 hours' }).click();
      await page.getByText('3 of 3 hours delivered').waitFor();
      assert.deepEqual(await delivered(id), [9, 10, 11]);
      await close();
    });

  it('goes to days on the clocks of the export, and to minutes of so long ago that not all fit', async () => {
    const { world, tenant } = installation;
    const { page, close } = await installation.visit();
    const days = await world.batchExports.create(
      world.projectId,
      buildExport({ name: 'Days', interval: 'day', timezone: 'Europe/Berlin', offsetHour: 5 }),
    );
    await page.goto(`/project/${tenant.projectId}/exports/${days.id}`);
    // The clocks change on the second of these days.
    await page.getByLabel('From (Europe/Berlin)').fill('2025-03-29');
    await page.getByLabel('To (Europe/Berlin)').fill('2025-03-30');
    await page.getByRole('button', { name: 'Go there' }).click();
    await page.getByRole('button', { name: 'Deliver 2 days' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: /^29 Mar 2025 05:00–31 Mar 2025 05:00/ }).waitFor();
    assert.equal(await page.getByLabel('To (Europe/Berlin)').inputValue(), '2025-03-30');

    const minutes = await world.batchExports.create(
      world.projectId,
      buildExport({ name: 'Minutes', interval: 'every 1 minutes' }),
    );
    await page.goto(`/project/${tenant.projectId}/exports/${minutes.id}`);
    await page.getByLabel('From (UTC)').fill('2025-06-02T09:00');
    await page.getByLabel('To (UTC)').fill('2025-06-02T09:03');
    await page.getByRole('button', { name: 'Go there' }).click();
    await page.getByRole('button', { name: 'Deliver 3 intervals' }).waitFor();
    await page.getByText('Later intervals are left out').waitFor();
    // These lie beyond the end of the map that is shown.
    await page.getByLabel('From (UTC)').fill('2025-09-02T09:00');
    await page.getByLabel('To (UTC)').fill('2025-09-02T09:04');
    await page.getByRole('button', { name: 'Go there' }).click();
    await page.getByRole('button', { name: 'Deliver 4 intervals' }).waitFor();
    const shared = new URL(page.url());
    shared.searchParams.delete('since');
    await page.goto(shared.href);
    const later = page.getByText('Later intervals are left out');
    await page.getByRole('link', { name: 'Show the newest' }).click();
    await later.waitFor({ state: 'detached' });
    await page.goBack();
    await later.waitFor();
    await page.getByRole('button', { name: 'Deliver 4 intervals' }).waitFor();
    await page.goForward();
    await later.waitFor({ state: 'detached' });

    // The whole history is not requested again once it was refused as too long.
    const long = { startAt: '2025-06-02T09:00:00Z', endAt: '2025-06-02T09:01:00Z' };
    const { id: backfill } = await world.backfills.request(world.projectId, minutes.id, long);
    await runsAfterBackfill(world, minutes.id, backfill);
    const halfAYearAgo = new Date(Date.now() - 180 * 86_400_000).toISOString();
    await installation.sluice
      .db('batch_exports')
      .where({ id: minutes.id })
      .update({ created_at: halfAYearAgo } as never);
    const refused = page.waitForResponse((answer) => isMap(answer) && answer.status() === 400);
    await page.reload();
    await refused;
    await page.getByRole('grid').waitFor();
    const requested: string[] = [];
    page.on('request', (request) => isMap(request) && requested.push(new URL(request.url()).search));
    for (const [action, next] of [
      ['pause', 'Unpause'],
      ['unpause', 'Pause'],
    ] as const) {
      const refreshed = page.waitForRequest(isMap);
      await installation.request('POST', `/batch_exports/${minutes.id}/${action}/`);
      await refreshed;
      await page.getByRole('button', { name: next, exact: true }).waitFor();
    }
    assert.ok(requested.length >= 2);
    assert.deepEqual([...new Set(requested)], ['']);
    await close();
  });

  it('opens where its intervals are if all of them are of long ago', async () => {
    const { id, address } = await arrange('History');
    const { world } = installation;
    const wanted = { startAt: FROM, endAt: '2025-06-02T10:00:00Z' };
    const { id: first } = await world.backfills.request(world.projectId, id, wanted);
    await runsAfterBackfill(world, id, first);
    const { page, close } = await installation.visit({ permissions: ['clipboard-read', 'clipboard-write'] });
    const maps: string[] = [];
    page.on('request', (request) => isMap(request) && maps.push(request.url()));
    await page.goto(address);
    await cell(page, 9).waitFor();
    assert.equal(await cell(page, 9).getAttribute('tabindex'), '0');
    await page.keyboard.press('c');
    await page.getByText('Copied.').waitFor();
    const command = await page.evaluate(() => navigator.clipboard.readText());
    assert.match(maps.at(-1)!, /\?start=2025-06-02T/);
    assert.ok(command.includes(`'${maps.at(-1)}'`), command);
    await page.waitForFunction(() => document.querySelector('[role=grid]')!.parentElement!.scrollTop > 0);
    await cell(page, 9).focus();
    await page.keyboard.press('ArrowRight');
    assert.equal(await cell(page, 10).evaluate(isRingWhole), true, 'the ring of a cell of the last row');
    // One hour of thousands is seen in the history, and a click on it leads there.
    const history = page.getByRole('img', { name: /^The whole history/ });
    const seen = await history.locator('canvas').evaluate(drawnAt);
    assert.ok(seen.pixels >= 16, `${seen.pixels} pixels of the history are drawn`);
    await page.evaluate(() => (document.querySelector('[role=grid]')!.parentElement!.scrollTop = 0));
    await history.click({ position: { x: 20, y: seen.y } });
    await page.waitForFunction(() => document.querySelector('[role=grid]')!.parentElement!.scrollTop > 0);
    await cell(page, 9).hover();
    await close();
  });

  it('is deleted by who types its name', async () => {
    const { id, address } = await arrange('Ending');
    const { page, close } = await installation.visit();
    await page.goto(address);
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    const remove = page.getByRole('dialog').getByRole('button', { name: 'Delete' });
    await page.getByLabel('Type Ending to delete it').fill('endin');
    assert.equal(await remove.isDisabled(), true);
    await page.getByLabel('Type Ending to delete it').fill('Ending');
    await remove.click();
    await page.waitForURL(/\/exports$/);
    await page.getByRole('status').getByText('Ending was deleted.').waitFor();
    await assert.rejects(installation.request('GET', `/batch_exports/${id}/`), / 404 /);
    await close();
  });

  it('is a table on a narrow screen, from which the same can be delivered', async () => {
    const { id, address } = await arrange('Narrow');
    const { world } = installation;
    const { id: first } = await world.backfills.request(world.projectId, id, {
      startAt: FROM,
      endAt: '2025-06-02T12:00:00Z',
    });
    await runsAfterBackfill(world, id, first);
    const { page, close } = await installation.visit({ viewport: { width: 360, height: 740 } });
    await page.goto(address);
    await page.getByRole('row', { name: /3 hours delivered/ }).waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    const focused = () => page.evaluate(() => document.activeElement!.getAttribute('aria-label'));
    assert.match((await focused())!, /^Select /);
    await page
      .getByRole('row', { name: /3 hours delivered/ })
      .getByRole('button', { name: /^Select/ })
      .click();
    await page.waitForFunction(() => {
      const { top, bottom } = document.activeElement!.getBoundingClientRect();
      return document.activeElement!.ariaLabel === 'Plan' && top >= 0 && top < innerHeight && bottom > 0;
    });
    await page.getByRole('radio', { name: 'all' }).check();
    await page.getByRole('button', { name: 'Deliver 3 hours' }).waitFor();
    assert.equal(await page.getByRole('grid').count(), 0);
    await assertAccessible(page);
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(width <= 360, `the page is ${width} px wide`);
    // The run of the selection's last hour, and, where an hour stands alone, of that hour.
    await page.getByText('2 Jun 2025 11:00–12:00 UTC, delivered').getByRole('button', { name: 'Open its run' }).click();
    await page.getByRole('heading', { name: /\(11:00–12:00 UTC\) · delivered$/ }).waitFor();
    await world.backfills.request(world.projectId, id, {
      startAt: '2025-06-02T14:00:00Z',
      endAt: '2025-06-02T15:00:00Z',
    });
    await page.goto(`${address}?since=${FROM}`);
    const open = page.getByRole('button', { name: 'Open the run of 2 Jun 2025 14:00–15:00 UTC' });
    await open.waitFor();
    const wider = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wider <= 360, `the page is ${wider} px wide`);
    await open.click();
    await page.getByRole('heading', { name: /\(14:00–15:00 UTC\) · / }).waitFor();
    await close();
  });
});
