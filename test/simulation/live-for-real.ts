/** One life of an export on the real server, real workers and the real clock: it begins some intervals ago, in a pause. */
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { isoMicros, millisOf } from '../../src/exports/domain/instants.ts';
import type { Run } from '../../src/exports/runs/run-rows.ts';
import { buildExport, eventually } from '../support/exports/export-world.ts';
import {
  anyCommand,
  applyCommand,
  changeOf,
  destinationOf,
  noticePause,
  runsOf,
  type Command,
  type Life,
} from './commands.ts';
import { assertDelivered, assertExpected, assertStale } from './expectations.ts';
import { Model, type ModelCadence } from './model.ts';
import type { RealInstallation } from './real-installation.ts';
import { NAMES, Rows } from './rows.ts';
import { noForeignDeliveries } from './story.ts';

const HOUR = 3_600_000;
const MINUTE = 60_000;
/** Of what a command calls hours. */
const CREATED_AGO = 8;
const PAUSED_AGO = 4;
/** History is imported before that: no scheduled run reads there meanwhile. */
const IMPORTED_BEFORE = 4;
/** Every event is far from where an interval begins or ends, for every clock. */
const BOUNDARY_MILLIS = 2000;
const OUTAGE_MILLIS = 2000;
/** A schedule starts its run within it, and a run is over. */
const SCHEDULED_MILLIS = 5000;
/** A schedule that could not be changed, or was paused before its jitter was over, leaves a gap that is filled after minutes. */
const GAP_MILLIS = 210_000;

export type LivedForReal = { interval: string; timezone: string; commands: Command[] };

const isOfMinutes = (interval: string) => /^every [1-5] minutes$/.test(interval);

const commandsOf = (interval: string) => {
  const left = ['move', 'succeed', 'thaw', ...(isOfMinutes(interval) ? [] : ['advance', 'capture'])];
  return anyCommand.filter(({ do: what }) => !left.includes(what)).map((command) => withinLifetime(interval, command));
};

/** Lives are short here: what commands are about lies between their beginning and now. */
function withinLifetime(interval: string, command: Command): Command {
  switch (command.do) {
    case 'backfill':
      return { ...command, hoursAgo: 2 + (command.hoursAgo % 8) };
    case 'import':
      return { ...command, hoursAgo: IMPORTED_BEFORE + 1 + (command.hoursAgo % 4) };
    case 'patch':
      if (!isOfMinutes(interval)) return command;
      return { ...command, cadence: { ...command.cadence, ...ofMinutes(1 + (command.cadence.interval.length % 3)) } };
    default:
      return command;
  }
}

const ofMinutes = (minutes: number) => ({ interval: `every ${minutes} minutes`, offsetDay: 0, offsetHour: 0 });

const livesOf = (intervals: readonly string[], most: number): fc.Arbitrary<LivedForReal> =>
  fc.constantFrom(...intervals).chain((interval) =>
    fc.record({
      interval: fc.constant(interval),
      timezone: fc.constantFrom('UTC', 'Europe/Berlin', 'Asia/Kolkata'),
      commands: fc.array(commandsOf(interval), { minLength: 6, maxLength: most }).map(beginning(interval)),
    }),
  );

/** A life of minutes has a schedule that acts. */
const beginning = (interval: string) => (commands: Command[]) =>
  isOfMinutes(interval)
    ? [{ do: 'unpause', backfill: false } as const, { do: 'advance', hours: 1 } as const, ...commands]
    : commands;

/** All within seconds: what is due is past. */
export const anyLifeOfHours = livesOf(['hour', 'every 30 minutes', 'every 25 minutes'], 12);
/** Schedules act meanwhile. */
export const anyLifeOfMinutes = livesOf(['every 1 minutes', 'every 2 minutes'], 10);

/** @throws AssertionError when the export, or what it delivered, became something else than the model says */
export async function replayOnRealInstallation(
  world: RealInstallation,
  { interval, timezone, commands }: LivedForReal,
): Promise<void> {
  const life = await beginLife(world, { interval, timezone, offsetDay: 0, offsetHour: 0 });
  const { id } = life;
  const { projectId, engine } = life.world;
  const now = async () => millisOf(await engine.stores.batchExports.now());

  for (const command of commands) {
    await perform(world, life, command);
    await noticePause(life);
  }
  world.rejecting.delete(id);
  await applyCommand(life, { do: 'pause' }, await now(), false);
  await world.reconcile();
  await eventually('the export to come to rest', async () => isAtRest(life), 120);
  // Intervals that ended meanwhile may be settled now, and stale.
  await world.reconcile();
  await eventually('the export to come to rest', async () => isAtRest(life), 120);
  const waitsForGaps = commands.some(({ do: what }) => what === 'patch' || what === 'outage');
  await assertExpected(life, commands, await now(), new Map(), waitsForGaps ? GAP_MILLIS : SCHEDULED_MILLIS);
  await assertStale(life, noForeignDeliveries());
  const story = { lives: [life], foreign: noForeignDeliveries() };
  await assertDelivered(story, await world.delivered(projectId), await world.recordedKeys());
  await life.world.batchExports.delete(projectId, id);
}

async function beginLife(world: RealInstallation, cadence: ModelCadence): Promise<Life> {
  const { engine, batchExports, backfills, runs } = world;
  const hour = isOfMinutes(cadence.interval) ? MINUTE : HOUR;
  const projectId = await world.buildProject();
  const rows = new Rows();
  const directory = rows.directory();
  const name = NAMES[0];
  const { id } = await batchExports.create(
    projectId,
    buildExport({ ...changeOf(cadence), destination: destinationOf(name, directory), paused: true }),
  );
  const began = Date.now();
  const [created, paused] = [CREATED_AGO, PAUSED_AGO].map((ago) => began - ago * hour) as [number, number];
  await engine.pool.query('update batch_exports set created_at = $2 where id = $1', [id, isoMicros(created)]);
  await engine.pool.query('update batch_export_pauses set paused_at = $2 where batch_export_id = $1', [
    id,
    isoMicros(paused),
  ]);
  const model = new Model(cadence, created, Infinity);
  model.move(directory, rows.take());
  model.pause(paused);
  const life: Life = {
    world: { projectId, engine, runs, batchExports, backfills },
    id,
    model,
    name,
    redeliverStale: false,
    rows,
    hour,
    planned: (run: Run) => ({ turn: rows.planOf(run.id), directory }),
  };
  world.whenPlanned((runId) => rows.planned(runId));
  await storeHistory(world, life, { hoursAgo: CREATED_AGO, hours: CREATED_AGO - IMPORTED_BEFORE });
  return life;
}

async function perform(world: RealInstallation, life: Life, command: Command): Promise<void> {
  const { id, hour } = life;
  const now = async () => millisOf(await life.world.engine.stores.batchExports.now());
  switch (command.do) {
    case 'weather':
      return void world.rejecting[command.weather === 'rejecting' ? 'add' : 'delete'](id);
    case 'advance': {
      await captureNow(world, life);
      const at = await now();
      await sleep(Math.ceil(at / hour) * hour - at + SCHEDULED_MILLIS);
      return;
    }
    case 'capture':
      return captureNow(world, life);
    case 'import':
      await eventually('the export to come to rest', async () => isAtRest(life), 120);
      return storeHistory(world, life, {
        ...command,
        hours: Math.min(command.hours, command.hoursAgo - IMPORTED_BEFORE),
      });
    case 'outage':
      return world.withoutTemporal(async () => {
        await sleep(OUTAGE_MILLIS);
        await applyCommand(life, { do: 'backfill', hoursAgo: 3, hours: 3 }, await now(), true);
        await applyCommand(life, { do: life.model.paused ? 'unpause' : 'pause', backfill: false }, await now(), true);
      });
    default:
      return applyCommand(life, command, await now(), false);
  }
}

/** History, so many hours of it. */
async function storeHistory(
  world: RealInstallation,
  { world: { projectId }, rows, hour }: Life,
  { hoursAgo, hours }: { hoursAgo: number; hours: number },
): Promise<void> {
  const from = Date.now() - hoursAgo * hour;
  const history = [0, 0.2, 0.4, 0.6, 0.8].flatMap((part) =>
    NAMES.map((name) => rows.build(name, Math.floor(from + part * hours * hour), true)),
  );
  await world.store(projectId, history, true);
  rows.stored(history);
}

/** Events of both names, now. */
async function captureNow(world: RealInstallation, { world: { projectId }, rows }: Life): Promise<void> {
  const since = Date.now() % MINUTE;
  if (since < BOUNDARY_MILLIS) await sleep(BOUNDARY_MILLIS - since);
  if (since > MINUTE - BOUNDARY_MILLIS) await sleep(MINUTE - since + BOUNDARY_MILLIS);
  const arrived = NAMES.map((name) => rows.build(name, Date.now(), false));
  await world.store(projectId, arrived, false);
  rows.stored(arrived);
}

async function isAtRest(life: Life): Promise<boolean> {
  const { world, id } = life;
  const open = await world.engine.stores.runRequests.countOpen(id);
  return open === 0 && (await runsOf(life)).every(({ finishedAt }) => finishedAt !== null);
}
