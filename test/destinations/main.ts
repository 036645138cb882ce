/**
 * `npm run test:destinations`: the tests of all destinations, with every pair of steps at which two commits can meet; `npm test` tries some
 * of these.
 */
import { spawn } from 'node:child_process';

const tests = spawn(
  process.execPath,
  ['node_modules/mocha/bin/mocha.js', '--parallel', '--jobs', '3', 'test/exports/destinations/**/*.test.ts'],
  { stdio: 'inherit', env: { ...process.env, SLUICE_CONTRACT: 'whole' } },
);
tests.once('exit', (code) => (process.exitCode = code ?? 1));
