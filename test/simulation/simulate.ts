/** One life of an export in the simulated installation. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { buildExport } from '../support/export-world.ts';
import { anyCadence, anyCommand, ask, changeOf, noticePause, type Command, type Life } from './commands.ts';
import { assertExpected } from './expectations.ts';
import type { Installation } from './installation.ts';
import { Model, type ModelCadence } from './model.ts';

const HOUR = 3_600_000;

/** Days before the clocks change in Berlin, New York, Havana or Lord Howe, and in the middle of nothing. */
const BEGINNINGS = ['2026-03-06', '2026-03-27', '2026-04-03', '2026-07-29', '2026-10-02', '2026-10-23', '2026-10-30'];

export type Lived = { begin: string; cadence: ModelCadence; lasts: number; commands: Command[] };

export const anyLife: fc.Arbitrary<Lived> = fc.record({
  begin: fc.constantFrom(...BEGINNINGS),
  cadence: anyCadence,
  /** Days until the export's `end_at`. */
  lasts: fc.constantFrom(5, 100, 100),
  commands: fc.array(anyCommand, { minLength: 3, maxLength: 14 }),
});

/** @throws AssertionError when the export became something else than the model says */
export async function live(world: Installation, { begin, cadence, lasts, commands }: Lived): Promise<void> {
  const { clock, temporal, projectId } = world;
  temporal.forget();
  world.refused.length = 0;
  world.setWeather('fine');
  // No boundary is so close to a whole minute and some seconds that it matters which clock is looked at.
  await clock.set(Date.parse(`${begin}T10:00:37Z`));
  const endAt = clock.now() + lasts * 24 * HOUR;
  const { id } = await world.batchExports.create(
    projectId,
    buildExport({ ...changeOf(cadence), endAt: new Date(endAt).toISOString() }),
  );
  const life: Life = { world, id, model: new Model(cadence, clock.now(), endAt) };
  for (const command of commands) {
    await perform(world, life, command);
    await noticePause(life);
  }

  world.setWeather('fine');
  if (temporal.isAway()) temporal.comeBack(clock.now());
  // The hours in which what failed is tried again.
  for (const hours of [0.1, 0.2, 0.5, 1.1, 1.1, 1.1]) await world.advance(hours * HOUR);
  await noticePause(life);
  assert.deepEqual(world.refused, []);
  await assertExpected(life, clock.now());
  await world.batchExports.delete(projectId, id);
}

async function perform(world: Installation, life: Life, command: Command): Promise<void> {
  const { clock, temporal } = world;
  if (command.do === 'advance') return world.advance(command.hours * HOUR);
  if (command.do === 'weather') return world.setWeather(command.weather);
  if (command.do === 'outage') {
    temporal.goAway();
    await world.advance(command.hours * HOUR);
    // What users ask for meanwhile is refused.
    await ask(life, { do: 'backfill', hoursAgo: 30, hours: 30 }, clock.now(), true);
    temporal.comeBack(clock.now());
    return world.settle();
  }
  return ask(life, command, clock.now(), temporal.isAway());
}
