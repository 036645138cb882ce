/** Runs mocha in a process of its own. */
import { spawn } from 'node:child_process';

const MOCHA = 'node_modules/mocha/bin/mocha.js';

/**
 * @param files paths or patterns
 * @param options.jobs number of files at once
 * @param options.environment variables beside this process's own
 * @returns the exit code: 0 when every test passed
 */
export async function runMocha(
  files: readonly string[],
  { jobs, environment = {} }: { jobs: number; environment?: NodeJS.ProcessEnv },
): Promise<number> {
  const mocha = spawn(process.execPath, [MOCHA, '--parallel', '--jobs', String(jobs), ...files], {
    stdio: 'inherit',
    env: { ...process.env, ...environment },
  });
  return new Promise((resolve, reject) => mocha.once('error', reject).once('exit', (code) => resolve(code ?? 1)));
}
