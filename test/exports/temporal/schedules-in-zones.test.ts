import assert from 'node:assert/strict';
import type { ExportPatch } from '../../../src/exports/batch-exports/batch-exports.ts';
import {
  boundaryAfter,
  cadenceWith,
  isNearClockChange,
  type Cadence,
  type CadenceChange,
} from '../../../src/exports/domain/cadence.ts';
import { isoMicros, isoSeconds, millisOf } from '../../../src/exports/domain/instants.ts';
import {
  intervalsWithin,
  isStartedByPresentSchedule,
  type DataInterval,
} from '../../../src/exports/domain/intervals.ts';
import { isDatabaseAway } from '../../../src/platform/db/away.ts';
import { buildEvent, microseconds } from '../../support/events/events.ts';
import {
  runsAfterBackfill,
  buildExport,
  buildExportWorld,
  type ExportWorld,
} from '../../support/exports/export-world.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** Both changes of the clocks of a year, seen from the middle between them. */
const YEAR = { from: millisOf('2027-01-01T00:00:00Z'), to: millisOf('2028-02-01T00:00:00Z') };

const ZONES = [
  'Europe/Berlin',
  'America/New_York',
  'Asia/Kolkata',
  'Australia/Lord_Howe',
  'America/Havana',
  'Europe/London',
];

const seconds = (at: number) => ({ seconds: at / 1000, nanos: 0 });

describe('schedules in time zones', () => {
  let world: ExportWorld;
  before(async () => {
    world = await buildExportWorld();
    await world.startWorker();
  });
  after(async () => world.close());

  async function create(cadence: CadenceChange): Promise<string> {
    const { id } = await world.batchExports.create(world.projectId, buildExport({ interval: 'day', ...cadence }));
    return id;
  }

  /** Changes an export as clients do: again after a 503, which is what waits too long for a connection. */
  async function patchAsClient(id: string, change: ExportPatch): Promise<void> {
    for (let patched = false; !patched;) {
      patched = await world.batchExports.patch(world.projectId, id, change).then(
        () => true,
        (error: Error) => {
          if (isDatabaseAway(error)) return false;
          throw error;
        },
      );
    }
  }

  /** The times at which Temporal itself would start a run, between two instants, both included. */
  async function matching(scheduleId: string, { from, to }: { from: number; to: number }): Promise<number[]> {
    const { namespace } = world.options.temporal;
    const { startTime } = await world.engine.temporal.client.workflowService.listScheduleMatchingTimes({
      namespace,
      scheduleId,
      startTime: seconds(from - 1000) as never,
      endTime: seconds(to) as never,
    });
    return startTime!.map(({ seconds: at }) => Number(at) * 1000);
  }

  /** How long the export's data intervals are, in hours. */
  async function lengths(change: CadenceChange): Promise<number[]> {
    const tiling = await world.engine.stores.batchExports.getTiling(await create(change));
    const hours = [...intervalsWithin(tiling, YEAR.from, YEAR.to)].map(({ start, end }) => (end - start) / HOUR);
    return [...new Set(hours)].sort((a, b) => a - b);
  }

  const cadences: CadenceChange[] = ZONES.flatMap((timezone) => [
    { timezone, interval: 'day' },
    ...[1, 2, 3].map((offsetHour) => ({ timezone, interval: 'day', offsetHour })),
    { timezone, interval: 'week' },
    { timezone, interval: 'week', offsetDay: 6, offsetHour: 23 },
    { timezone, interval: 'week', offsetDay: 0, offsetHour: 2 },
    { timezone, interval: 'month' },
    { timezone, interval: 'month', offsetHour: 7 },
  ]);
  for (const change of cadences) {
    const cadence = cadenceWith(change);
    it(`start exactly the data intervals: ${words(cadence)}`, async () => {
      const id = await create(change);
      const tiling = await world.engine.stores.batchExports.getTiling(id);
      const started = await matching(id, YEAR);
      const ends = [...intervalsWithin(tiling, YEAR.from - 32 * DAY, YEAR.to)].map(({ end }) => end);
      const due = ends.filter((end) => end >= YEAR.from);
      assert.deepEqual(started.map(isoSeconds), due.filter((end) => started.includes(end)).map(isoSeconds));
      const others = due.filter((end) => !started.includes(end));
      // Close to a change of the clocks, the reconciler starts what Temporal misses.
      assert.ok(others.length <= 2, String(others.map(isoSeconds)));
      for (const end of others) assert.ok(isNearClockChange(cadence, end), isoSeconds(end));
      for (const end of others) assert.ok(!isStartedByPresentSchedule(tiling, end));
    });
  }

  for (const timezone of ZONES) {
    it(`start hours that are the same in ${timezone}`, async () => {
      const id = await create({ interval: 'hour', timezone });
      const range = { from: YEAR.from, to: YEAR.from + 14 * DAY };
      const hours = Array.from({ length: 14 * 24 + 1 }, (_, hour) => YEAR.from + hour * HOUR);
      assert.deepEqual(await matching(id, range), hours);
    });
  }

  it('have days of 23 and 25 hours, and weeks of 167 and 169', async () => {
    for (const timezone of ['Europe/Berlin', 'America/New_York']) {
      assert.deepEqual(await lengths({ interval: 'day', timezone }), [23, 24, 25]);
      assert.deepEqual(await lengths({ interval: 'week', timezone }), [167, 168, 169]);
    }
    assert.deepEqual(await lengths({ interval: 'day', timezone: 'Australia/Lord_Howe' }), [23.5, 24, 24.5]);
    assert.deepEqual(await lengths({ interval: 'day', timezone: 'Asia/Kolkata' }), [24]);
  });

  it('say the names of zones as Temporal knows them', async () => {
    const id = await create({ timezone: 'Asia/Kolkata' });
    const { spec, action } = await world.engine.temporal.client.schedule.getHandle(id).describe();
    assert.equal(spec.timezone, 'Asia/Kolkata');
    assert.equal(action.staticSummary, 'Daily events to LocalFile');
  });

  it('are delayed by jitter', async () => {
    const { id } = await world.batchExports.create(world.projectId, buildExport({ jitterSeconds: 600 }));
    const range = { from: YEAR.from, to: YEAR.from + 5 * HOUR };
    const late = (await matching(id, range)).map((at) => at % HOUR);
    assert.equal(late.length, 5);
    assert.ok(late.every((by) => by >= 0 && by < 600_000) && late.some((by) => by > 0), String(late));
  });

  for (const timezone of ['Europe/Berlin', 'Asia/Kolkata']) {
    for (const interval of ['day', 'week', 'month']) {
      it(`are left alone when they say what the row says: ${interval} in ${timezone}`, async () => {
        const id = await create({ interval, timezone, offsetHour: 2 });
        const { lastUpdatedAt } = (await world.engine.temporal.client.schedule.getHandle(id).describe()).info;
        await world.engine.scheduleSync.verify(id);
        const { info } = await world.engine.temporal.client.schedule.getHandle(id).describe();
        assert.deepEqual(info.lastUpdatedAt, lastUpdatedAt);
      });
    }
  }

  it('hand over from zone to zone at the end of the interval running now, leaving nothing out', async () => {
    const id = await create({ interval: 'day', timezone: 'Asia/Tokyo' });
    const change = { timezone: 'America/New_York', offsetHour: 3 };
    await world.batchExports.patch(world.projectId, id, change);
    const now = Date.now();
    const handover = boundaryAfter(cadenceWith({ interval: 'day', timezone: 'Asia/Tokyo' }), now);
    const tiling = await world.engine.stores.batchExports.getTiling(id);
    assert.deepEqual(
      tiling.map(({ timezone, validFrom }) => [timezone, validFrom]),
      [
        ['Asia/Tokyo', -Infinity],
        ['America/New_York', handover],
      ],
    );
    assertTiles([...intervalsWithin(tiling, handover - 10 * DAY, handover + 10 * DAY)]);
    const next = boundaryAfter(cadenceWith({ interval: 'day', ...change }), handover);
    assert.equal((await matching(id, { from: now - (now % 1000), to: handover + 3 * DAY }))[0], next);
  });

  it('equal the row after fifty pairs of changes of zone and offset at once', async () => {
    const id = await create({});
    const changes = Array.from({ length: 50 }, (_, index) => [
      { interval: index % 3 === 0 ? 'week' : 'day', timezone: ZONES[index % ZONES.length]! },
      { paused: index % 2 === 0, ...(index % 2 === 0 && { timezone: null, jitterSeconds: index }) },
    ]).flat();
    await Promise.all(changes.map(async (change) => patchAsClient(id, change)));
    const row = (await world.engine.stores.schedules.find(id))!;
    assert.equal(row.scheduleVersion, row.version);
    assert.deepEqual(await world.engine.schedules.compare(row), { difference: 'no' });
    const { state, spec, action } = await world.engine.temporal.client.schedule.getHandle(id).describe();
    assert.deepEqual([state.paused, spec.timezone], [row.paused, row.timezone]);
    assert.equal(spec.jitter ?? 0, row.jitterSeconds * 1000);
    assert.deepEqual(action.memo, { version: row.version });
    const newest = (await world.engine.stores.batchExports.getTiling(id)).at(-1)!;
    assert.deepEqual([newest.interval, newest.timezone], [row.interval, row.timezone]);
  });

  const changes: { change: CadenceChange; from: string; to: string; days: number[] }[] = [
    {
      change: { interval: 'day', timezone: 'Europe/Berlin', offsetHour: 2 },
      from: '2026-03-28T01:00:00Z',
      to: '2026-03-31T00:00:00Z',
      days: [24, 23, 24],
    },
    {
      change: { interval: 'day', timezone: 'America/New_York', offsetHour: 1 },
      from: '2025-11-01T05:00:00Z',
      to: '2025-11-04T06:00:00Z',
      days: [24, 25, 24],
    },
    {
      change: { interval: 'week', timezone: 'Australia/Lord_Howe' },
      from: '2025-03-29T13:00:00Z',
      to: '2025-04-12T13:30:00Z',
      days: [168, 168.5],
    },
  ];
  for (const { change, from, to, days } of changes) {
    it(`deliver each event once when the past is backfilled: ${words(cadenceWith(change))}`, async () => {
      const id = await create({ ...change });
      const tiling = await world.engine.stores.batchExports.getTiling(id);
      const intervals = [...intervalsWithin(tiling, millisOf(from), millisOf(to))];
      const edges = intervals.flatMap(({ start, end }) => [start, start + 1, end - 1]);
      await world.store(edges.map((at) => buildEvent({ timestamp: microseconds(new Date(at).toISOString()) })));
      const { id: backfill } = await world.backfills.request(world.projectId, id, { startAt: from, endAt: to });
      const runs = await runsAfterBackfill(world, id, backfill);
      assert.deepEqual(
        runs.map(({ start, end }) => (millisOf(end) - millisOf(start)) / HOUR),
        days,
      );
      assertTiles(runs.map(({ start, end }) => ({ start: millisOf(start), end: millisOf(end) })));
      assert.deepEqual(
        [runs[0]?.start, runs.at(-1)?.end].map((at) => isoSeconds(millisOf(at!))),
        [from, to],
      );
      const delivered = runs.reduce((sum, { recordsCompleted }) => sum + (recordsCompleted ?? 0), 0);
      assert.equal(delivered, edges.length);
    });
  }

  it('keep the zone of older intervals for their backfill', async () => {
    const id = await create({ interval: 'day', timezone: 'Europe/Berlin' });
    await world.batchExports.patch(world.projectId, id, { timezone: 'America/New_York' });
    const range = { startAt: '2026-03-27T00:00:00Z', endAt: '2026-03-31T00:00:00Z' };
    const intervals = [
      ...intervalsWithin(
        await world.engine.stores.batchExports.getTiling(id),
        millisOf(range.startAt),
        millisOf(range.endAt),
      ),
    ];
    assertTiles(intervals);
    assert.deepEqual(
      intervals.map(({ end }) => isoMicros(end)),
      ['2026-03-28T23:00:00.000000Z', '2026-03-29T22:00:00.000000Z', '2026-03-30T22:00:00.000000Z'],
    );
  });
});

function assertTiles(intervals: readonly DataInterval[]): void {
  assert.ok(intervals.length > 1);
  for (const [index, { start, end }] of intervals.entries()) {
    assert.ok(start < end);
    if (index > 0) assert.equal(start, intervals[index - 1]!.end);
  }
}

function words({ interval, timezone, offsetDay, offsetHour }: Cadence): string {
  return `${interval} in ${timezone}, day ${offsetDay}, hour ${offsetHour}`;
}
