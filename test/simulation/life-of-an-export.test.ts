import fc from 'fast-check';
import { FOUND_LIVES } from './found-lives.ts';
import { buildInstallation, type Installation } from './installation.ts';
import { anyLifeOfHours, replayOnRealInstallation } from './live-for-real.ts';
import { buildRealInstallation, type RealInstallation } from './real-installation.ts';
import { anyLife, replayLives } from './simulate.ts';

/** Two thousand of them, and 25 on the real server, of which five last for minutes, with seeds at random, are `npm run test:simulation`. */
const LIVES = 4;
/** The same lives for everybody: what fails here fails because of a change. */
const SEED = 13;
const LIVES_FOR_REAL = 2;
/** Of each, on a machine that does much else. */
const LIFE_MILLIS = 180_000;

describe('an export delivers exactly what it should, whatever happens to it', () => {
  describe('on a simulated server', function () {
    this.timeout(LIFE_MILLIS * LIVES);
    let world: Installation;
    before(async () => {
      world = await buildInstallation();
    });
    after(async () => world.close());

    it('in lives in which a fault was found', async () => {
      for (const life of FOUND_LIVES) await replayLives(world, life);
    });

    it('for days', async () => {
      const property = fc.asyncProperty(anyLife, async (life) => replayLives(world, life));
      await fc.assert(property, { numRuns: LIVES, seed: SEED });
    });
  });

  describe('on the real server', function () {
    this.timeout(LIFE_MILLIS * LIVES_FOR_REAL);
    let world: RealInstallation;
    before(async () => {
      world = await buildRealInstallation();
    });
    after(async () => world.close());

    it('for hours that are past', async () => {
      const property = fc.asyncProperty(anyLifeOfHours, async (life) => replayOnRealInstallation(world, life));
      await fc.assert(property, { numRuns: LIVES_FOR_REAL, seed: SEED, endOnFailure: true });
    });
  });
});
