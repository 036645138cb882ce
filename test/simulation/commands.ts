/** Commands to an export, and how they are done to the product and to the model alike. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { Conflict, InvalidInput, Unavailable } from '../../src/platform/errors.ts';
import type { Layout } from '../../src/exports/destinations/object-store/keys.ts';
import { isoMicros } from '../../src/exports/domain/instants.ts';
import { SIDES, type Side } from '../../src/exports/timeline/foreign-deliveries.store.ts';
import type { Run } from '../../src/exports/runs/run-rows.ts';
import type { CadenceChange } from '../../src/exports/domain/cadence.ts';
import type { Installation } from './installation.ts';
import { SYSTEM_AUTHOR } from '../../src/exports/batch-exports/audit.ts';
import type { Model, ModelCadence } from './model.ts';
import type { Name, Rows } from './rows.ts';
import { WEATHERS, type Weather } from './simulated-worker.ts';

export type Command =
  | { do: 'advance'; hours: number }
  | { do: 'pause' }
  | { do: 'unpause'; backfill: boolean }
  | { do: 'patch'; cadence: ModelCadence; jitterSeconds: number }
  | { do: 'backfill'; hoursAgo: number; hours: number }
  | { do: 'retry' | 'cancel'; nth: number }
  | { do: 'weather'; weather: Weather }
  | { do: 'outage'; hours: number }
  /** Events arrive now, or history does that happened so long ago. */
  | { do: 'capture' }
  | { do: 'import'; hoursAgo: number; hours: number }
  /** To another directory. */
  | { do: 'move' }
  /** The export is deleted or moves, and another one delivers other events to where it was. */
  | { do: 'succeed'; after: 'delete' | 'move' }
  /** A backup of the database, and the database as it was then: see `restores.ts`. */
  | { do: 'backUp' | 'recover' }
  | { do: 'restore'; restarts: boolean }
  /** Decisions of an operator about a delivery that a restored database does not know. */
  | { do: 'accept'; side: Side; nth: number }
  /** Frozen sessions go on. */
  | { do: 'thaw' };

/** Hours make many runs, so there are few of them. */
const INTERVALS = [
  'day',
  'day',
  'day',
  'day',
  'week',
  'month',
  'every 1440 minutes',
  'every 700 minutes',
  'every 360 minutes',
  'hour',
];

export const anyCadence: fc.Arbitrary<ModelCadence> = fc
  .record({
    interval: fc.constantFrom(...INTERVALS),
    timezone: fc.constantFrom(
      'UTC',
      'Europe/Berlin',
      'America/New_York',
      'Australia/Lord_Howe',
      'Asia/Kolkata',
      'America/Havana',
    ),
    offsetDay: fc.integer({ min: 0, max: 6 }),
    offsetHour: fc.constantFrom(0, 0, 1, 2, 3, 17),
  })
  .map(({ interval, timezone, offsetDay, offsetHour }) => ({
    interval,
    timezone,
    offsetDay: interval === 'week' ? offsetDay : 0,
    offsetHour: ['day', 'week', 'month'].includes(interval) ? offsetHour : 0,
  }));

const nth = fc.nat(20);

export const anyCommand: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant('advance' as const), hours: fc.constantFrom(0.2, 1, 5, 26, 30, 49) }),
  },
  { weight: 2, arbitrary: fc.constant({ do: 'pause' as const }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('unpause' as const), backfill: fc.boolean() }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('patch' as const),
      cadence: anyCadence,
      jitterSeconds: fc.constantFrom(0, 0, 60),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('backfill' as const),
      hoursAgo: fc.integer({ min: 2, max: 150 }),
      hours: fc.integer({ min: 1, max: 100 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('retry' as const), nth }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('cancel' as const), nth }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('weather' as const), weather: fc.constantFrom(...WEATHERS) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('outage' as const), hours: fc.constantFrom(0.5, 6, 30) }) },
  { weight: 2, arbitrary: fc.constant({ do: 'capture' as const }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('import' as const),
      hoursAgo: fc.integer({ min: 2, max: 100 }),
      hours: fc.integer({ min: 1, max: 60 }),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ do: 'move' as const }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('succeed' as const), after: fc.constantFrom('delete', 'move') }),
  },
  { weight: 1, arbitrary: fc.constant({ do: 'thaw' as const }) },
);

const anyCommands = (minLength: number, maxLength: number) => fc.array(anyCommand, { minLength, maxLength });

const anyRestore: fc.Arbitrary<Command> = fc.record({ do: fc.constant('restore' as const), restarts: fc.boolean() });

/** Commands of an operator after a restore, among all others; a second restore is to the same backup. */
const afterRestore: fc.Arbitrary<Command> = fc.oneof(
  { weight: 6, arbitrary: anyCommand },
  { weight: 1, arbitrary: fc.constant({ do: 'recover' as const }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('accept' as const), side: fc.constantFrom(...SIDES), nth }),
  },
  { weight: 1, arbitrary: anyRestore },
);

/** Of every other life the database is restored, to a time before some deliveries. */
export const anyLifesCommands: fc.Arbitrary<Command[]> = fc.oneof(
  anyCommands(3, 14),
  fc
    .tuple(
      anyCommands(0, 4),
      anyCommands(0, 4),
      anyRestore,
      anyCommands(0, 2),
      fc.array(afterRestore, { maxLength: 6 }),
    )
    .map(([before, between, restore, blocked, after]): Command[] => [
      ...before,
      { do: 'backUp' },
      ...between,
      { do: 'advance', hours: 30 },
      restore,
      ...blocked,
      { do: 'recover' },
      ...after,
    ]),
);

export type Life = {
  world: Pick<Installation, 'projectId' | 'batchExports' | 'backfills' | 'runs' | 'engine'>;
  id: string;
  model: Model;
  /** The events that it delivers. */
  name: Name;
  redeliverStale: boolean;
  rows: Rows;
  /** The length of an hour of a command here, in milliseconds. */
  hour: number;
  /** When a run was planned, in the order of all that was stored, and where it was to deliver. */
  planned(run: Run): { turn: number; directory: string };
};

/** Where an export delivers its events to. @param layout absent: as it was */
export function destinationOf(name: Name, directory: string, layout?: Layout) {
  return { type: 'LocalFile' as const, config: { directory, include_events: [name], ...(layout && { layout }) } };
}

/** The offsets that an interval does not know are left out, as a client would. */
export function changeOf({
  interval,
  timezone,
  offsetDay,
  offsetHour,
}: ModelCadence): CadenceChange & { interval: string } {
  return {
    interval,
    timezone,
    ...(interval === 'week' && { offsetDay }),
    ...(['day', 'week', 'month'].includes(interval) && { offsetHour }),
  };
}

export async function runsOf({ world, id }: Life): Promise<Run[]> {
  const all = await world.engine.stores.runs.list(world.projectId, id, { limit: 10_000 });
  return all.toReversed();
}

/**
 * Requests of a user. The model follows only when the product took one; for a refusal it has to have a reason.
 * @param now of the product's clock
 */
export async function applyCommand(life: Life, command: Command, now: number, isAway: boolean): Promise<void> {
  const { world, id, model } = life;
  const { projectId, batchExports, backfills, runs } = world;
  try {
    switch (command.do) {
      case 'pause':
        await batchExports.pause(projectId, id);
        return model.pause(now);
      case 'unpause':
        return await unpause(life, command.backfill, now);
      case 'patch': {
        const { cadence, jitterSeconds } = command;
        await batchExports.patch(projectId, id, { ...changeOf(cadence), jitterSeconds });
        return model.change(cadence, now);
      }
      case 'move': {
        const directory = life.rows.directory();
        await batchExports.patch(projectId, id, { destination: destinationOf(life.name, directory) });
        return model.move(directory, life.rows.take());
      }
      case 'backfill': {
        const start = (Math.floor(now / life.hour) - command.hoursAgo) * life.hour;
        const end = Math.min(start + command.hours * life.hour, now);
        const wanted = model.tiles(start, end).filter((tile) => tile.start >= start);
        const range = { startAt: isoMicros(start), endAt: isoMicros(end) };
        const requested = backfills.request(projectId, id, range);
        if (wanted.length === 0) return await assert.rejects(requested, InvalidInput);
        const { id: backfill, totalRuns } = await requested;
        assert.equal(totalRuns, wanted.length);
        return model.wish(
          wanted.map((tile) => tile.end),
          now,
          backfill,
        );
      }
      case 'retry':
      case 'cancel': {
        const all = await runsOf(life);
        const run = all[command.nth % Math.max(all.length, 1)];
        if (!run) return;
        if (command.do === 'cancel') return await runs.cancel(projectId, id, run.id);
        const { id: backfill } = await backfills.retry(projectId, id, run.id);
        return model.wish([Date.parse(run.end)], now, backfill);
      }
    }
  } catch (error) {
    const isOpenRun = error instanceof Conflict && command.do === 'retry';
    const isClosedRun = error instanceof InvalidInput && command.do === 'cancel';
    if (!(error instanceof Unavailable && isAway) && !isOpenRun && !isClosedRun) throw error;
  }
}

async function unpause(life: Life, backfill: boolean, now: number): Promise<void> {
  const { world, id, model } = life;
  const { projectId, batchExports, backfills } = world;
  const run = new Set((await runsOf(life)).map(({ end }) => Date.parse(end)));
  let paused = false;
  let backfillId: string | undefined;
  await batchExports.unpause(projectId, id, SYSTEM_AUTHOR, async (inside, changed) => {
    paused = true;
    if (backfill) backfillId = (await backfills.openForPause(inside, changed))?.id;
  });
  await backfills.wake(id);
  assert.equal(paused, model.paused);
  if (!paused) return;
  const missed = model.tiles(model.pausedAt - 1, Math.min(now, model.endAt)).filter(({ end }) => !run.has(end));
  if (backfillId !== undefined) assert.ok(missed.length > 0);
  // A run that began just now, for another wish, is one that grants this wish as well.
  if (backfill) {
    model.wish(
      missed.map(({ end }) => end),
      now,
      backfillId ?? null,
    );
  }
  model.unpause(now);
}

/** An export that fails too often pauses by itself: the model learns when. */
export async function noticePause({ world, id, model }: Life): Promise<void> {
  const { paused, pausedReason } = await world.batchExports.get(world.projectId, id);
  if (!paused || model.paused) return;
  assert.notEqual(pausedReason, null, 'nobody paused it, so it says why');
  const [pause] = (await world.engine.stores.gaps.listPauses(id)).filter(({ unpausedAt }) => unpausedAt === null);
  model.pause(Date.parse(pause!.pausedAt));
}
