/** One life of an export on the real server, real workers and the real clock: it begins hours ago, in a pause. */
import fc from 'fast-check';
import { DestinationRejected } from '../../src/errors.ts';
import { isoMicros, millisOf } from '../../src/exports/domain/instants.ts';
import { exportRuns } from '../../src/exports/runs.ts';
import { ensureReachable } from '../../src/temporal/connection.ts';
import { buildExport, eventually, type ExportWorld } from '../support/export-world.ts';
import { anyCommand, ask, changeOf, noticePause, runsOf, type Command, type Life } from './commands.ts';
import { assertExpected } from './expectations.ts';
import { Model } from './model.ts';
import { NAMES, Rows } from './rows.ts';

const HOUR = 3_600_000;
const CREATED_HOURS_AGO = 6;
const PAUSED_HOURS_AGO = 3;
/** A run takes a moment, so that some are under way when they are cancelled. */
const RUN_MILLIS = 50;

export type LivedForReal = { interval: string; timezone: string; commands: Command[] };

/** Time passes by itself, and the server stays. */
const anyRealCommand = anyCommand
  .filter(({ do: what }) => !['advance', 'outage', 'capture', 'import', 'move', 'succeed'].includes(what))
  .map((command) => (command.do === 'backfill' ? { ...command, hoursAgo: 2 + (command.hoursAgo % 8) } : command));

export const anyLifeForReal: fc.Arbitrary<LivedForReal> = fc.record({
  interval: fc.constantFrom('hour', 'every 30 minutes', 'every 25 minutes'),
  timezone: fc.constantFrom('UTC', 'Europe/Berlin', 'Asia/Kolkata'),
  commands: fc.array(anyRealCommand, { minLength: 6, maxLength: 12 }),
});

/**
 * @param rejecting ids of exports whose destination says no: `stepOf` makes it so
 * @throws AssertionError when the export became something else than the model says
 */
export async function liveForReal(
  world: ExportWorld,
  rejecting: Set<string>,
  { interval, timezone, commands }: LivedForReal,
): Promise<void> {
  const { engine, projectId } = world;
  const { stores, executions, limits, pool } = engine;
  const cadence = { interval, timezone, offsetDay: 0, offsetHour: 0 };
  const { id } = await world.batchExports.create(projectId, buildExport({ ...changeOf(cadence), paused: true }));
  const began = Date.now();
  await pool.query('update batch_exports set created_at = $2 where id = $1', [
    id,
    isoMicros(began - CREATED_HOURS_AGO * HOUR),
  ]);
  await pool.query('update batch_export_pauses set paused_at = $2 where batch_export_id = $1', [
    id,
    isoMicros(began - PAUSED_HOURS_AGO * HOUR),
  ]);
  const model = new Model(cadence, began - CREATED_HOURS_AGO * HOUR, Infinity);
  model.pause(began - PAUSED_HOURS_AGO * HOUR);
  const runs = exportRuns({
    stores,
    executions,
    limits,
    ensureTemporal: () => ensureReachable(engine.temporal.client),
  });
  const life: Life = {
    world: { projectId, engine, runs, batchExports: world.batchExports, backfills: world.backfills },
    id,
    model,
    // Without rows: every interval here is empty.
    name: NAMES[0],
    redeliverStale: false,
    rows: new Rows(),
    planned: () => ({ turn: 0, directory: model.directory }),
  };

  for (const command of commands) {
    if (command.do === 'weather') rejecting[command.weather === 'rejecting' ? 'add' : 'delete'](id);
    else await ask(life, command, millisOf(await stores.batchExports.now()), false);
    await noticePause(life);
  }
  rejecting.delete(id);
  await reconcile(world);
  await eventually('the export to come to rest', async () => isAtRest(life), 120);
  await noticePause(life);
  await assertExpected(life, millisOf(await stores.batchExports.now()), new Map());
  await world.batchExports.delete(projectId, id);
}

/** What happens at the steps of runs. */
export function stepOf(rejecting: ReadonlySet<string>): ExportWorld['onStep'] {
  return async ({ name, exportId }) => {
    if (name !== 'before-committing') return;
    await new Promise((resolve) => setTimeout(resolve, RUN_MILLIS));
    if (rejecting.has(exportId)) throw new DestinationRejected('The destination says no.');
  };
}

let rounds = 0;

async function reconcile({ engine }: ExportWorld): Promise<void> {
  await engine.temporal.client.workflow.execute('reconcile', {
    workflowId: `reconcile-${process.pid}-${++rounds}`,
    taskQueue: 'sluice-control',
  });
}

async function isAtRest(life: Life): Promise<boolean> {
  const { world, id } = life;
  const open = await world.engine.stores.requests.countOpen(id);
  return open === 0 && (await runsOf(life)).every(({ finishedAt }) => finishedAt !== null);
}
