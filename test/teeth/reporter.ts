/** Mocha's reporter for one run: what passed and what failed first, as JSON. Its own one breaks off at values that JSON does not have. */
import { renameSync, writeFileSync } from 'node:fs';
import type { MochaOptions, Runner, Test } from 'mocha';

export type Failure = { title: string; name: string; code: string; message: string };
export type Report = { passes: number; failures: Failure[] };

/** @param options `reporterOption.output`: the file, which is there once it is whole */
export default function TeethReporter(
  runner: Runner,
  { reporterOption }: MochaOptions & { reporterOption?: { output: string } },
): void {
  const output = reporterOption!.output;
  const report: Report = { passes: 0, failures: [] };
  runner.on('pass', () => (report.passes += 1));
  runner.on('fail', (test: Test, error: Error & { code?: unknown }) => {
    const { name, message, code } = error;
    report.failures.push({ title: test.fullTitle(), name, code: typeof code === 'string' ? code : '', message });
  });
  runner.once('end', () => {
    writeFileSync(`${output}.part`, JSON.stringify(report));
    renameSync(`${output}.part`, output);
  });
}
