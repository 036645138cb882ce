/** Runs mocha in a process of its own, as `npm test` does. */
import { spawn } from 'node:child_process';

/**
 * @param files paths or patterns
 * @param environment variables beside this process's own
 * @returns the exit code: 0 when every test passed
 */
export async function runMocha(files: readonly string[], environment: NodeJS.ProcessEnv = {}): Promise<number> {
  const mocha = spawn(process.execPath, ['node_modules/mocha/bin/mocha.js', '--parallel', '--jobs', '3', ...files], {
    stdio: 'inherit',
    env: { ...process.env, ...environment },
  });
  return new Promise((resolve, reject) => mocha.once('error', reject).once('exit', (code) => resolve(code ?? 1)));
}
