/** `npm run test:simulation -- [lives] [seed]`: lives of exports against the model, many more than the test suite has time for. */
import fc from 'fast-check';
import { stopTestDatabases } from '../support/database/database.ts';
import { stopTestTemporal } from '../support/servers/temporal.ts';
import { buildInstallation } from './installation.ts';
import { anyLifeOfHours, anyLifeOfMinutes, replayOnRealInstallation } from './live-for-real.ts';
import { buildRealInstallation } from './real-installation.ts';
import { anyLife, replayLives } from './simulate.ts';

const [lives = 2000, seed = Date.now() % 1_000_000] = process.argv.slice(2).map(Number);
const LIVES_OF_HOURS = 20;
/** In each some minutes pass. */
const LIVES_OF_MINUTES = 5;

async function runSimulated(): Promise<void> {
  const world = await buildInstallation();
  let lived = 0;
  const property = fc.asyncProperty(anyLife, async (life) => {
    await replayLives(world, life);
    if (++lived % 100 === 0) console.log(`${lived} as expected`);
  });
  try {
    await fc.assert(property, { numRuns: lives, seed });
  } finally {
    await world.close();
  }
}

async function runReal(): Promise<void> {
  const world = await buildRealInstallation();
  try {
    for (const [anyLifeForReal, count, what] of [
      [anyLifeOfHours, LIVES_OF_HOURS, 'hours'],
      [anyLifeOfMinutes, LIVES_OF_MINUTES, 'minutes'],
    ] as const) {
      await fc.assert(
        fc.asyncProperty(anyLifeForReal, async (life) => replayOnRealInstallation(world, life)),
        { numRuns: count, seed, endOnFailure: true },
      );
      console.log(`${count} of ${what} as expected on the real server`);
    }
  } finally {
    await world.close();
  }
}

console.log(`${lives} lives, seed ${seed}`);
try {
  if (lives > 0) await runSimulated();
  await runReal();
} finally {
  await Promise.all([stopTestDatabases(), stopTestTemporal()]);
}
