/**
 * `npm run test:destinations`: the tests of all destinations, with every pair of steps at which two commits can meet; `npm test` tries some
 * of these.
 */
import { runMocha } from '../support/mocha.ts';

process.exitCode = await runMocha(['test/exports/destinations/**/*.test.ts'], {
  jobs: 3,
  environment: { SLUICE_CONTRACT: 'whole' },
});
