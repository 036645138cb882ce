import { Command } from 'commander';
import { readConfig } from '../../platform/config.ts';
import { CommandFailed } from '../../platform/errors.ts';
import { problem, type Diagnosis, type Level } from '../doctor/diagnosis.ts';
import { CONFIGURATION_FIX, examineInstallation } from '../doctor/installation.ts';
import { fillFromRunningUp } from '../up/running-up.ts';

type Options = { destinations: boolean; json: boolean };

export function doctorCommand(): Command {
  return new Command('doctor')
    .summary('find problems of this installation, and how to fix them')
    .description(
      'Checks the configuration, disk, Postgres, Temporal, workers, the API, stored secrets, and the destination of each export by its ' +
        'test steps. Prints how to fix each problem, and changes nothing. Run it with the environment of a worker, or in the ' +
        'folder where `npm start` runs. Exit code: 0 if there are no problems (warnings are allowed), else 1.',
    )
    .option('--no-destinations', 'skip the test steps of destinations, which connect to each destination')
    .option('--json', 'print one line of JSON per finding', false)
    .action(run);
}

async function run(options: Options): Promise<void> {
  const counts: Record<Level, number> = { problem: 0, warning: 0, ok: 0, skipped: 0 };
  for await (const diagnosis of diagnoseEnvironment(options)) {
    counts[diagnosis.level] += 1;
    console.log(options.json ? JSON.stringify(diagnosis) : lineOf(diagnosis));
  }
  if (!options.json) {
    const { problem: problems, warning: warnings, ok, skipped } = counts;
    console.log(`\nProblems: ${problems}, warnings: ${warnings}, ok: ${ok}, not checked: ${skipped}.`);
  }
  // Not exitCode: a connection on which Postgres does not answer must not keep the process alive.
  process.exit(counts.problem > 0 ? 1 : 0);
}

function lineOf({ level, check, detail, fix }: Diagnosis): string {
  const indent = ' '.repeat(9);
  return `${level.padEnd(9)}${check}: ${detail}${fix === undefined ? '' : `\n${indent}Fix: ${fix}`}`;
}

async function* diagnoseEnvironment({ destinations }: Options): AsyncGenerator<Diagnosis> {
  let config;
  try {
    config = await fillFromRunningUp(readConfig());
  } catch (error) {
    if (!(error instanceof CommandFailed)) throw error;
    yield { check: 'configuration', ...problem(error.message, CONFIGURATION_FIX) };
    return;
  }
  yield* examineInstallation(config, { destinations });
}
