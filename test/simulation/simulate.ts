/** One life of an export in the simulated installation. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { buildExport } from '../support/exports/export-world.ts';
import { Conflict } from '../../src/platform/errors.ts';
import { LAYOUTS } from '../../src/exports/destinations/object-store/keys.ts';
import type { Run } from '../../src/exports/runs/run-rows.ts';
import {
  anyCadence,
  anyLifesCommands,
  applyCommand,
  changeOf,
  destinationOf,
  noticePause,
  runsOf,
  type Command,
  type Life,
} from './commands.ts';
import { assertDelivered, assertExpected, assertStale } from './expectations.ts';
import type { Installation } from './installation.ts';
import { Model } from './model.ts';
import {
  acceptDelivery,
  assertForeignUnchanged,
  assertNothingWhileBlocked,
  takeBackup,
  recover,
  restore,
} from './restores.ts';
import { NAMES, Rows } from './rows.ts';
import { existingLives, noForeignDeliveries, type Lived, type Story } from './story.ts';

const HOUR = 3_600_000;

/** Days before the clocks change in Berlin, New York, Havana or Lord Howe, and in the middle of nothing. */
const BEGINNINGS = ['2026-03-06', '2026-03-27', '2026-04-03', '2026-07-29', '2026-10-02', '2026-10-23', '2026-10-30'];

export const anyLife: fc.Arbitrary<Lived> = fc.record({
  begin: fc.constantFrom(...BEGINNINGS),
  cadence: anyCadence,
  /** Days until the export's `end_at`. */
  lasts: fc.constantFrom(5, 100, 100),
  redeliverStale: fc.boolean(),
  layout: fc.constantFrom(...LAYOUTS),
  commands: anyLifesCommands,
});

/** Exports of one life, one after the other. */
const MAX_EXPORTS = 3;
/** Events that arrive while time passes. */
const ARRIVALS = 3;

/** @throws AssertionError when the export became something else than the model says */
export async function replayLives(world: Installation, lived: Lived): Promise<void> {
  const { clock, temporal, worker } = world;
  // No boundary is so close to a whole minute and some seconds that it matters which clock is looked at.
  await world.begin(Date.parse(`${lived.begin}T10:00:37Z`));
  const rows = new Rows();
  worker.whenPlanned((runId) => rows.planned(runId));
  const story: Story = { world, lived, rows, lives: [], deleted: new Set(), foreign: noForeignDeliveries() };
  await create(story, rows.directory());
  for (const command of lived.commands) {
    await perform(story, command);
    for (const life of existingLives(story)) await noticePause(life);
    await assertNothingWhileBlocked(story);
  }

  worker.setWeather('fine');
  if (temporal.isAway()) temporal.comeBack(clock.now());
  await recover(story);
  // The hours in which what failed is tried again.
  for (const hours of [0.1, 0.2, 0.5, 1.1]) await advanceClock(story, hours * HOUR);
  await worker.thaw();
  for (const hours of [1.1, 1.1]) await advanceClock(story, hours * HOUR);
  assert.deepEqual(worker.refused, []);
  for (const life of existingLives(story)) {
    await noticePause(life);
    await assertExpected(life, lived.commands, clock.now(), story.foreign.adopted);
    await assertStale(life, story.foreign);
  }
  await assertForeignUnchanged(story);
  await assertDelivered(story, await world.delivered(), await world.recordedKeys());
  for (const { id } of existingLives(story)) await world.batchExports.delete(world.projectId, id);
}

async function create({ world, lived, rows, lives }: Story, directory: string): Promise<void> {
  const { clock, projectId } = world;
  const { cadence, redeliverStale, layout } = lived;
  const endAt = clock.now() + lived.lasts * 24 * HOUR;
  const name = NAMES[lives.length % NAMES.length]!;
  const { id } = await world.batchExports.create(
    projectId,
    buildExport({
      ...changeOf(cadence),
      redeliverStale,
      destination: destinationOf(name, directory, layout),
      endAt: new Date(endAt).toISOString(),
    }),
  );
  const model = new Model(cadence, clock.now(), endAt);
  model.move(directory, rows.take());
  const planned = (run: Run) => {
    const turn = rows.planOf(run.id);
    return { turn, directory: life.model.directoryAt(turn) };
  };
  const life: Life = { world, id, model, name, redeliverStale, rows, hour: HOUR, planned };
  lives.push(life);
}

/** Time passes, and events arrive. */
async function advanceClock({ world, rows }: Story, by: number): Promise<void> {
  const from = world.clock.now();
  const arrivals = Array.from({ length: ARRIVALS }, (_, index) => ({
    at: from + ((index + 0.5) / ARRIVALS) * by,
    happen: () => captureNow(world, rows),
  }));
  await world.advance(by, arrivals);
}

/** One event of each name, now. */
async function captureNow(world: Installation, rows: Rows): Promise<void> {
  const arrived = NAMES.map((name) => rows.build(name, world.clock.now(), false));
  await world.store(arrived, { historical: false });
  rows.stored(arrived);
}

async function perform(story: Story, command: Command): Promise<void> {
  const { world, rows } = story;
  const { clock, temporal, worker } = world;
  const life = story.lives.at(-1)!;
  switch (command.do) {
    case 'advance':
      return advanceClock(story, command.hours * HOUR);
    case 'weather':
      return worker.setWeather(command.weather);
    case 'capture':
      return captureNow(world, rows);
    case 'import': {
      const from = clock.now() - command.hoursAgo * HOUR;
      const spread = Math.min(command.hours, command.hoursAgo) * HOUR;
      const history = [0, 0.4, 0.9].flatMap((part) =>
        NAMES.map((name) => rows.build(name, Math.floor(from + part * spread), true)),
      );
      await world.store(history, { historical: true });
      return rows.stored(history);
    }
    case 'succeed':
      return takeFreedPlace(story, command.after);
    case 'backUp':
      return takeBackup(story);
    case 'restore':
      return restore(story, command.restarts);
    case 'recover':
      return recover(story);
    case 'accept':
      return acceptDelivery(story, command);
    case 'thaw':
      return worker.thaw();
    case 'outage':
      temporal.goAway();
      await advanceClock(story, command.hours * HOUR);
      // Requests of users are refused meanwhile.
      await applyCommand(life, { do: 'backfill', hoursAgo: 30, hours: 30 }, clock.now(), true);
      temporal.comeBack(clock.now());
      return world.settle();
    default:
      return applyCommand(life, command, clock.now(), temporal.isAway());
  }
}

async function findOpenRunsAt(life: Life, directory: string): Promise<string[]> {
  const open = (await runsOf(life)).filter(({ plan, finishedAt }) => plan && finishedAt === null);
  return open.filter((run) => life.planned(run).directory === directory).map(({ id }) => id);
}

/** A place that is left is free once nothing of the export that left it is under way there. */
async function takeFreedPlace(story: Story, after: 'delete' | 'move'): Promise<void> {
  const { world, rows, lives, deleted } = story;
  if (lives.length === MAX_EXPORTS) return;
  const former = lives.at(-1)!;
  const { directory } = former.model;
  if (after === 'move') {
    await applyCommand(former, { do: 'move' }, world.clock.now(), false);
  } else {
    await world.batchExports.delete(world.projectId, former.id);
    deleted.add(former);
  }
  try {
    await create(story, directory);
    assert.deepEqual(
      await findOpenRunsAt(former, directory),
      [],
      'a place is free once no run of another export is under way there',
    );
  } catch (error) {
    if (!(error instanceof Conflict)) throw error;
    await create(story, rows.directory());
  }
}
