/**
 * The console in a browser, over an export of 10,000 intervals and a run of 200,000 log lines. Measures how soon grid and log are painted and how
 * soon the grid answers to a key, each as the median of 20 and as a share of its limit. Counts the frames of a fast scroll in which some of the
 * log's area is blank.
 */
import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { buildConsoleInstallation, type ConsoleInstallation } from '../test/support/console/installation.ts';
import { stopTestDatabases } from '../test/support/database/database.ts';
import { buildExport } from '../test/support/exports/export-world.ts';
import { stopTestBrowser } from '../test/support/sdks/browser.ts';
import { stopTestTemporal } from '../test/support/servers/temporal.ts';
import { atMost, median, type Bench, type Goal } from './measure.ts';

const INTERVALS = 10_000;
const LINES = 200_000;
const TIMES = 20;
const LIMITS_MS = { grid: 300, key: 100, log: 500 };
const HOUR = 3_600_000;
/** Pixels of a frame of the scroll, and its frames. */
const SCROLL = { step: 300, frames: 200 };

export const bench: Bench = async ({ log }) => {
  const at = await buildConsoleInstallation();
  const goals: Goal[] = [];
  function judge(goal: string, values: readonly number[], limit: number): void {
    log(`${goal}: median ${median(values).toFixed(0)} ms of ${values.length}, the limit is ${limit} ms`);
    goals.push(atMost(`${goal}, as a share of ${limit} ms`, median(values) / limit, 1));
  }
  try {
    const { grid, run } = await store(at);
    const { page, close } = await at.visit({ viewport: { width: 1280, height: 900 } });
    await page.addInitScript(watchPaints);
    const [painted, first]: [number[], number[]] = [[], []];
    for (let time = 0; time < TIMES; time += 1) {
      await page.goto(grid);
      painted.push(await paintedAfter(page, '[role=gridcell]', '/intervals/map/', 'responseEnd'));
    }
    judge('a grid of 10,000 intervals is painted after its data', painted, LIMITS_MS.grid);
    judge('the grid answers to a key', await keys(page), LIMITS_MS.key);
    for (let time = 0; time < TIMES; time += 1) {
      await page.goto(run);
      first.push(await paintedAfter(page, '[role=log] [data-index]', '/logs/', 'startTime'));
    }
    judge('a log of 200,000 lines is painted after it was asked for', first, LIMITS_MS.log);
    const blank = await blankFrames(page);
    log(`${blank} of ${SCROLL.frames} frames of a scroll through the log had a part that was not drawn`);
    goals.push(atMost('frames of a scroll with a part that is not drawn', blank, 0));
    await close();
  } finally {
    await at.close();
    await Promise.all([stopTestBrowser(), stopTestTemporal(), stopTestDatabases()]);
  }
  return { name: 'console', cases: [], goals };
};

/** @returns addresses of the two pages */
async function store({ sluice, world, tenant }: ConsoleInstallation): Promise<{ grid: string; run: string }> {
  const { id } = await world.batchExports.create(world.projectId, buildExport({ name: 'Long' }));
  const end = Math.floor(Date.now() / HOUR) * HOUR;
  const [first, runId] = [new Date(end - INTERVALS * HOUR).toISOString(), randomUUID()];
  await sluice
    .db('batch_exports')
    .where({ id })
    .update({ created_at: first } as never);
  // Every tenth run failed; otherwise the map would be one long stretch.
  await sluice.pool.query(
    `insert into batch_export_runs
       (id, project_id, batch_export_id, data_interval_start, data_interval_end, kind, status, closed_by, latest_error, workflow_id,
        workflow_run_id, created_at, finished_at)
     select case when n = 1 then $4::uuid else gen_random_uuid() end, $1::int, $2::uuid, at, at + interval '1 hour', 'scheduled',
       case when n % 10 = 0 then 'Failed' else 'Completed' end, 'run', case when n % 10 = 0 then 'The bucket does not exist.' end,
       $2::uuid || '-' || n, gen_random_uuid()::text, at + interval '1 hour', at + interval '61 minutes'
     from generate_series(1, $5::int) as n, lateral (select $3::timestamptz + (n - 1) * interval '1 hour' as at) as bounds`,
    [world.projectId, id, first, runId, INTERVALS],
  );
  await sluice.pool.query(
    `insert into batch_export_intervals (batch_export_id, data_interval_start, data_interval_end, epoch, state, run_id, receipt)
     select batch_export_id, data_interval_start, data_interval_end, 1, 'delivered', id, '{"rows": 1}'
     from batch_export_runs where batch_export_id = $1 and status = 'Completed'`,
    [id],
  );
  await sluice.pool.query(
    `insert into batch_export_logs (batch_export_id, run_id, level, message, attempt)
     select $1, $2, 'INFO', 'Line ' || n || ' of a run that has much to say', 1 from generate_series(1, $3::int) as n`,
    [id, runId, LINES],
  );
  await sluice.pool.query('analyze');
  const address = `/project/${tenant.projectId}/exports/${id}`;
  return { grid: address, run: `${address}/runs/${runId}` };
}

/** In the page: notes when an element of each selector was first painted. */
function watchPaints(): void {
  const found: Record<string, number> = {};
  (globalThis as { painted?: typeof found }).painted = found;
  function look() {
    for (const selector of ['[role=gridcell]', '[role=log] [data-index]'])
      if (!(selector in found) && document.querySelector(selector)) {
        found[selector] = Infinity;
        // The task after a frame's callbacks runs once the frame was drawn.
        requestAnimationFrame(() => setTimeout(() => (found[selector] = performance.now())));
      }
  }
  new MutationObserver(look).observe(document, { childList: true, subtree: true });
}

/** @returns milliseconds from the last request for the path to the first paint of the selector */
async function paintedAfter(
  page: Page,
  selector: string,
  path: string,
  edge: 'startTime' | 'responseEnd',
): Promise<number> {
  const handle = await page.waitForFunction((one) => {
    const { painted } = globalThis as unknown as { painted: Record<string, number> };
    const value = painted[one] ?? Infinity;
    return Number.isFinite(value) ? value : false;
  }, selector);
  const painted = Number(await handle.jsonValue());
  const requested = await page.evaluate(
    ({ part, name, before }) =>
      performance
        .getEntriesByType('resource')
        .filter((one) => one.name.includes(part) && (one as PerformanceResourceTiming)[name] <= before)
        .map((one) => (one as PerformanceResourceTiming)[name])
        .at(-1)!,
    { part: path, name: edge, before: painted },
  );
  return painted - requested;
}

/** @returns milliseconds from each press to the frame that shows it */
async function keys(page: Page): Promise<number[]> {
  await page.locator('[role=gridcell][tabindex="0"]').focus();
  await page.evaluate(() => {
    const times: number[] = [];
    (globalThis as { pressed?: number[] }).pressed = times;
    addEventListener(
      'keydown',
      ({ timeStamp }) => requestAnimationFrame(() => setTimeout(() => times.push(performance.now() - timeStamp))),
      true,
    );
  });
  for (let time = 0; time < TIMES; time += 1) {
    await page.keyboard.press(['ArrowDown', 'Shift+ArrowLeft'][time % 2]!);
    await page.waitForFunction((count) => (globalThis as { pressed?: number[] }).pressed!.length >= count, time + 1);
  }
  return page.evaluate(() => (globalThis as { pressed?: number[] }).pressed!.slice());
}

/** @returns frames in which some of the log's area had no line */
async function blankFrames(page: Page): Promise<number> {
  return page.evaluate(async ({ step, frames }) => {
    const log = document.querySelector<HTMLElement>('[role=log]')!;
    log.scrollIntoView({ block: 'center' });
    let blank = 0;
    for (let at = 0; at < frames; at += 1) {
      log.scrollTop += step;
      await new Promise((drawn) => requestAnimationFrame(drawn));
      const { left, top, height } = log.getBoundingClientRect();
      const isDrawn = [0.05, 0.3, 0.5, 0.7, 0.95].every((share) => {
        const found = document.elementFromPoint(left + 40, Math.min(innerHeight - 1, top + share * height));
        // A line, or the paragraph below the last loaded line, which says that more are loading.
        return found?.closest('[data-index]') !== null || found?.closest('p') !== null;
      });
      if (!isDrawn) blank += 1;
    }
    return blank;
  }, SCROLL);
}
