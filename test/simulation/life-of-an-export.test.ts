import fc from 'fast-check';
import { buildExportWorld, type ExportWorld } from '../support/export-world.ts';
import { FOUND_LIVES } from './found-lives.ts';
import { buildInstallation, type Installation } from './installation.ts';
import { anyLifeForReal, liveForReal, stepOf } from './live-for-real.ts';
import { anyLife, live } from './simulate.ts';

/** Two thousand of them, and twenty on the real server, with seeds at random, are `npm run test:simulation`. */
const LIVES = 10;
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
      for (const life of FOUND_LIVES) await live(world, life);
    });

    it('for days', async () => {
      const property = fc.asyncProperty(anyLife, async (life) => live(world, life));
      await fc.assert(property, { numRuns: LIVES, seed: SEED });
    });
  });

  describe('on the real server', function () {
    this.timeout(LIFE_MILLIS * LIVES_FOR_REAL);
    let world: ExportWorld;
    const rejecting = new Set<string>();
    before(async () => {
      world = await buildExportWorld();
      world.onStep = stepOf(rejecting);
      await world.startWorker();
    });
    after(async () => world.close());

    it('for hours that are past', async () => {
      const property = fc.asyncProperty(anyLifeForReal, async (life) => liveForReal(world, rejecting, life));
      await fc.assert(property, { numRuns: LIVES_FOR_REAL, seed: SEED, endOnFailure: true });
    });
  });
});
