/**
 * The console in a browser, over an export of 10,000 intervals and a run of 200,000 log lines. Measures how soon grid and log are painted and how
 * soon the grid answers to a key, to a drag and to its history, each as the median of 20 and as a share of its limit. Counts the frames of fast
 * scrolls and jumps in which some of the log's area is blank, and those that say that lines are loading.
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
const LIMITS_MS = { grid: 300, answer: 100, log: 500 };
const HOUR = 3_600_000;
/** Pixels of a frame of the scroll, its frames, then jumps to the last loaded line, all in several runs. */
const SCROLL = { step: 300, frames: 200, jumps: 60 };
const SCROLLS = 3;

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
    for (const [way, act] of Object.entries({ key: byKeys, drag: byDrag, 'click in its history': byHistory }))
      judge(`the grid answers to a ${way}`, await act(page), LIMITS_MS.answer);
    for (let time = 0; time < TIMES; time += 1) {
      await page.goto(run);
      first.push(await paintedAfter(page, '[role=log] [data-index]', '/logs/', 'startTime'));
    }
    judge('a log of 200,000 lines is painted after it was asked for', first, LIMITS_MS.log);
    const all: Frames = { drawn: 0, loading: 0, blank: 0, deepest: 0 };
    for (let time = 0; time < SCROLLS; time += 1) {
      await page.goto(run);
      await page.locator('[role=log] [data-index]').first().waitFor();
      const some = await scrolledFrames(page);
      for (const kind of ['drawn', 'loading', 'blank'] as const) all[kind] += some[kind];
      all.deepest = Math.max(all.deepest, some.deepest);
    }
    log(
      `${SCROLLS} scrolls to line ${all.deepest} of the log: ${all.drawn} frames were drawn, ${all.loading} said that ` +
        `lines are loading, ${all.blank} had a part with neither`,
    );
    goals.push(atMost('frames of a scroll with a part that is not drawn', all.blank, 0));
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

/** In the page: notes the time from each event to the frame that shows the grid's answer. */
function watchAnswers(name: string): void {
  const times: number[] = [];
  (globalThis as { answered?: number[] }).answered = times;
  const scroll = document.querySelector('[role=grid]')!.parentElement!;
  const isDrawn = () => {
    const { left, top, width, height } = scroll.getBoundingClientRect();
    return Boolean(document.elementFromPoint(left + width / 2, top + height / 2)?.closest('[role=row]'));
  };
  addEventListener(
    name,
    (event) => {
      if (event instanceof PointerEvent && event.buttons !== 1) return;
      const look = () =>
        requestAnimationFrame(() =>
          setTimeout(() => (isDrawn() ? times.push(performance.now() - event.timeStamp) : look())),
        );
      look();
    },
    true,
  );
}

/** @returns milliseconds from each event to the frame that shows the answer */
async function answers(page: Page, event: string, act: (time: number) => Promise<void>): Promise<number[]> {
  await page.evaluate(watchAnswers, event);
  for (let time = 0; time < TIMES; time += 1) {
    await act(time);
    await page.waitForFunction((count) => (globalThis as { answered?: number[] }).answered!.length >= count, time + 1);
  }
  return page.evaluate(() => (globalThis as { answered?: number[] }).answered!.slice());
}

async function byKeys(page: Page): Promise<number[]> {
  await page.locator('[role=gridcell][tabindex="0"]').focus();
  return answers(page, 'keydown', (time) => page.keyboard.press(['ArrowDown', 'ArrowRight'][time % 2]!));
}

async function byDrag(page: Page): Promise<number[]> {
  const { x, y, width, height } = (await page.locator('[role=grid]').locator('..').boundingBox())!;
  await page.mouse.move(x + width / 2, y + 40);
  await page.mouse.down();
  const times = await answers(page, 'pointermove', (time) =>
    page.mouse.move(x + width / 2 + (time % 5) * 18, y + 60 + (time / TIMES) * (height - 80)),
  );
  await page.mouse.up();
  return times;
}

async function byHistory(page: Page): Promise<number[]> {
  const { x, y, width, height } = (await page.getByRole('img', { name: /^The whole history/ }).boundingBox())!;
  return answers(page, 'pointerdown', (time) =>
    page.mouse.click(x + width / 2, y + ((time * 7) % TIMES) * (height / TIMES)),
  );
}

type Frames = { drawn: number; loading: number; blank: number; /** The last line that was reached. */ deepest: number };

/** Scrolls fast through the loaded lines, and then jumps to the last of them again and again. */
async function scrolledFrames(page: Page): Promise<Frames> {
  return page.evaluate(async ({ step, frames, jumps }) => {
    const log = document.querySelector<HTMLElement>('[role=log]')!;
    log.scrollIntoView({ block: 'center' });
    const seen = { drawn: 0, loading: 0, blank: 0, deepest: 0 };
    async function look(): Promise<'drawn' | 'loading' | 'blank'> {
      await new Promise((drawn) => requestAnimationFrame(drawn));
      const { left, top, height } = log.getBoundingClientRect();
      const parts = [0.05, 0.3, 0.5, 0.7, 0.95].map((share) => {
        const found = document.elementFromPoint(left + 40, Math.min(innerHeight - 1, top + share * height));
        const line = found?.closest<HTMLElement>('[data-index]');
        seen.deepest = Math.max(seen.deepest, Number(line?.dataset['index'] ?? 0));
        // The paragraph below the last loaded line says that more are loading.
        return line ? 'drawn' : found?.closest('p') ? 'loading' : 'blank';
      });
      const kind = (['blank', 'loading'] as const).find((one) => parts.includes(one)) ?? 'drawn';
      seen[kind] += 1;
      return kind;
    }
    for (let at = 0; at < frames; at += 1) {
      log.scrollTop += step;
      await look();
    }
    for (let jump = 0; jump < jumps; jump += 1) {
      const before = log.scrollHeight;
      log.scrollTop = before;
      // Until the next lines have arrived; a minute of frames at most.
      for (let at = 0; at < 3600 && (at === 0 || log.scrollHeight === before); at += 1) await look();
      await look();
    }
    return seen;
  }, SCROLL);
}
