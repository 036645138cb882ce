/**
 * Python with a released posthog in it: a virtual environment for each version, in our cache folder. Where one is missing its
 * suite says so and is skipped; with SLUICE_REQUIRE=all that is a failure.
 */
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { cacheFolder } from '../../src/config.ts';
import { findProgram } from '../../src/processes/program.ts';
import type { Said } from './sdk-story.ts';

const SCRIPT = path.join(import.meta.dirname, '../sdks/story.py');
const TIMEOUT_MS = 30_000;

const environmentOf = (version: string) => path.join(cacheFolder(), 'python', `posthog-${version}`);
const findPython = (version: string) => findProgram('python', [path.join(environmentOf(version), 'bin')]);

/** For a `before` hook, with its `this`. */
export async function needsPythonSdk(suite: Mocha.Context, version: string): Promise<void> {
  if (await findPython(version)) return;
  const folder = environmentOf(version);
  const message = `posthog ${version} is not installed: python3 -m venv ${folder} && ${folder}/bin/pip install posthog==${version}`;
  if (process.env['SLUICE_REQUIRE'] === 'all') throw new Error(message);
  console.log(`    skipped: ${message}`);
  suite.skip();
}

/**
 * Runs test/sdks/story.py to its end.
 * @returns what the SDK says that it sent
 */
export async function runPythonSdk(version: string, what: 'story' | 'counted', ...rest: string[]): Promise<Said[]> {
  const python = await findPython(version);
  if (!python) throw new Error(`posthog ${version} is not installed`);
  const { stdout } = await promisify(execFile)(python, [SCRIPT, what, ...rest], { timeout: TIMEOUT_MS });
  const told = JSON.parse(stdout) as { version: string; said: Said[] };
  if (told.version !== version) throw new Error(`expected posthog ${version}, found ${told.version}`);
  return told.said;
}
