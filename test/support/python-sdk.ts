/** A released posthog for Python, at work. */
import path from 'node:path';
import { needsPython, runPython } from './python.ts';
import type { Said } from './sdk-story.ts';

const SCRIPT = path.join(import.meta.dirname, '../sdks/story.py');
const posthog = (version: string) => ({ name: 'posthog', version });

/** For a `before` hook, with its `this`. */
export async function needsPythonSdk(suite: Mocha.Context, version: string): Promise<void> {
  await needsPython(suite, posthog(version));
}

/**
 * Runs test/sdks/story.py to its end.
 * @returns what the SDK says that it sent
 */
export async function runPythonSdk(version: string, what: 'story' | 'counted', ...rest: string[]): Promise<Said[]> {
  const told = JSON.parse(await runPython(posthog(version), SCRIPT, what, ...rest)) as {
    version: string;
    said: Said[];
  };
  if (told.version !== version) throw new Error(`expected posthog ${version}, found ${told.version}`);
  return told.said;
}
