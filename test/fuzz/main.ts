/**
 * `npm run fuzz`: schemathesis asks a started server everything that its OpenAPI document offers, with real ids and all checks but one. It ends
 * with 1 when an operation was never answered with 2xx, anything with 5xx, or anything otherwise than the document says.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Command } from 'commander';
import { buildWorkplace } from '../authorization/operations/workplace.ts';
import { stopTestDatabases } from '../support/database/database.ts';
import { pythonProgram } from '../support/sdks/python.ts';
import { startSluice } from '../support/servers/sluice.ts';
import { stopTestTemporal, testTemporal } from '../support/servers/temporal.ts';
import { configurationText, REQUEST_SECONDS } from './configuration.ts';
import { documentFor } from './document.ts';
import { assertGuarded, guard } from './guard.ts';
import { tally } from './tally.ts';

const SCHEMATHESIS = { name: 'schemathesis', version: '4.32.5' };
/** Of every change: the same choices each time. */
const SHORT = { seed: '1', cases: '4', phases: 'examples,fuzzing' };
/** Every backfill that a case asks for, beside those of the examples. */
const BACKFILLS = 1_000_000;

type Options = {
  seed?: string;
  short: boolean;
  phases: string;
  cases: string;
  workers: string;
  only?: string;
  answers?: string;
};

const command = new Command('fuzz')
  .option('--seed <n>', 'repeats the choices of an earlier run; a new one by default')
  .option('--short', 'few cases, the same ones each time: for every change', false)
  .option('--phases <names>', 'of schemathesis', 'examples,coverage,fuzzing,stateful')
  .option('--cases <n>', 'of each operation in the longest phase', '60')
  .option('--workers <n>', 'requests at once; Python 3.11 fails at times with more than one', '1')
  .option('--only <pattern>', 'paths that match it')
  .option('--answers <file>', 'writes what was asked and answered, in order')
  .action(run);

async function run(given: Options): Promise<void> {
  const options = given.short ? { ...given, ...SHORT, seed: given.seed ?? SHORT.seed } : given;
  const seed = options.seed === undefined ? Math.floor(Math.random() * 1e6) : Number(options.seed);
  const started = performance.now();
  console.log(`seed ${seed}`);
  const folder = await mkdtemp(path.join(tmpdir(), 'sluice-fuzz-'));
  const sluice = await startSluice({
    temporal: await testTemporal(),
    localRoot: path.join(folder, 'exports'),
    backfillsPerProject: BACKFILLS,
    // Why something was answered with 503.
    logLevel: 'warn',
  });
  try {
    const at = await buildWorkplace(sluice.db, sluice.url);
    const described = await documentFor(at, sluice.url);
    const document = path.join(folder, 'openapi.json');
    await writeFile(document, JSON.stringify(described));
    const configuration = path.join(folder, 'schemathesis.toml');
    const session = await at.session();
    await guard(at);
    await writeFile(configuration, configurationText(at, session));
    sluice.answered.length = 0;
    const code = await schemathesis(options, { seed, folder, document, configuration, url: sluice.url });
    const answered = [...sluice.answered];
    if (options.answers) await writeFile(options.answers, answered.map((one) => `${JSON.stringify(one)}\n`).join(''));
    await assertGuarded(at, session, sluice.url);
    const { lines, good, bad } = tally(answered, described, options.only);
    for (const line of lines) console.log(line);
    const seconds = ((performance.now() - started) / 1000).toFixed(0);
    // One for what schemathesis found, whatever it is: its summary above counts it.
    const failed = bad + (code === 0 ? 0 : 1);
    console.log(
      `seed ${seed}, ${seconds} s; operations that were answered 2xx, then those that were not and everything else that is wrong:`,
    );
    console.log(`${good} passed, ${failed} failed`);
    process.exitCode = failed === 0 ? 0 : 1;
  } finally {
    await sluice.stop();
    await Promise.all([stopTestDatabases(), stopTestTemporal()]);
    await rm(folder, { recursive: true, force: true });
  }
}

type Run = { seed: number; folder: string; document: string; configuration: string; url: string };

/** @returns its exit code: 1 when a check failed */
async function schemathesis(options: Options, { seed, folder, document, configuration, url }: Run): Promise<number> {
  const { phases, cases, workers, only } = options;
  const args = [
    ['--config-file', configuration, 'run', document, '--url', url],
    ['--seed', String(seed), '--workers', workers, '--continue-on-failure', '--no-color'],
    ['--phases', phases],
    ['--max-examples', cases, '--request-timeout', String(REQUEST_SECONDS), '--no-shrink'],
    ['--suppress-health-check', 'all', '--warnings', 'off', '--generation-database', 'none'],
    only === undefined ? [] : ['--include-path-regex', only],
  ].flat();
  const program = await pythonProgram(SCHEMATHESIS, 'schemathesis');
  const child = spawn(program, args, { stdio: ['ignore', 'inherit', 'inherit'], cwd: folder });
  const [code] = (await once(child, 'exit')) as [number | null];
  return code ?? 1;
}

await command.parseAsync(process.argv);
