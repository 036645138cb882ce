/** Runs programs with a released version of posthog for Python. */
import path from 'node:path';
import { needsPython, runPython } from './python.ts';
import type { ReportedEvent } from './sdk-story.ts';

const script = (name: string) => path.join(import.meta.dirname, `../../sdks/stories/${name}.py`);
const posthog = (version: string) => ({ name: 'posthog', version });

/** For a `before` hook, with its `this`. */
export async function needsPythonSdk(suite: Mocha.Context, version: string): Promise<void> {
  await needsPython(suite, posthog(version));
}

/**
 * Runs test/sdks/stories/story.py to its end.
 * @returns the events that the SDK reports as sent
 */
export async function runPythonSdk(
  version: string,
  what: 'story' | 'counted',
  ...rest: string[]
): Promise<ReportedEvent[]> {
  return (await run<{ said: ReportedEvent[] }>(version, 'story', what, ...rest)).said;
}

type Values = Record<string, boolean | string>;

/** The output of test/sdks/stories/flags.py. */
export type FlagsOutput = {
  remote: {
    ada: { featureFlags: Values; featureFlagPayloads: Record<string, string> };
    bob: Values;
    payload: unknown;
    overridden: unknown[];
    called: unknown;
  };
  local: { ada: Values; payload: unknown; unknown: unknown; asked: unknown[]; chosen: unknown[]; changed: unknown };
};

/** Runs test/sdks/stories/flags.py to its end. @param key a secret key */
export async function askForFlags(version: string, host: string, token: string, key: string): Promise<FlagsOutput> {
  return run(version, 'flags', host, token, key);
}

async function run<Output>(version: string, name: string, ...rest: string[]): Promise<Output> {
  const output = JSON.parse(await runPython(posthog(version), script(name), ...rest)) as Output & { version: string };
  if (output.version !== version) throw new Error(`expected posthog ${version}, found ${output.version}`);
  return output;
}
