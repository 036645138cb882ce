/**
 * `npm run chaos -- --seed N --minutes M`: a whole installation under load, an operator who changes everything, servers that are
 * killed and frozen, and readers who follow the documented rule; at the end every row and status is compared. The choices of a seed
 * repeat; what they meet depends on the machine.
 */
import { Command } from 'commander';
import { setTimeout as sleep } from 'node:timers/promises';
import { stopSignals } from '../../src/platform/processes/stop-signals.ts';
import { connectTemporal } from '../../src/platform/temporal/connection.ts';
import { seeded } from '../support/random.ts';
import { apiClient } from './api-client.ts';
import { findDifferences, type Checked } from './check.ts';
import { startFaults } from './faults.ts';
import { createFleet, isFileType, TYPES, type PlaceType } from './fleet.ts';
import { startHousekeeping } from './housekeeping.ts';
import { install, type Installation } from './installation.ts';
import { lakeOf, startForeignRows } from './lake.ts';
import { startLoad } from './load.ts';
import { stores } from './objects.ts';
import { startOperator } from './operator.ts';
import { startReaders } from './readers.ts';
import { restoreAndRecover } from './restore.ts';
import { pauseAll, findUndelivered } from './settle.ts';
import { checkWebhooks } from './webhooks.ts';

type Options = {
  seed?: string;
  minutes: string;
  short: boolean;
  settle: string;
  restore: boolean;
  keep: boolean;
};

const READERS = 3;
const SHORT_MINUTES = '1';
/** Number of types of places in a short run, which the seed chooses. */
const SHORT_TYPES = 3;

const command = new Command('chaos')
  .option('--seed <n>', 'repeats the choices of an earlier run; a new one by default')
  .option('--minutes <n>', 'how long faults go on', '10')
  .option('--short', 'a minute of faults at three types of places, and no restore, for every change', false)
  .option('--settle <n>', 'how many minutes the rest may take to be delivered afterwards', '10')
  .option('--no-restore', 'do not restore the source at the end from a snapshot taken half way')
  .option('--keep', 'leave the folder with data and logs when something is wrong', false)
  .action(run);

async function run(given: Options): Promise<void> {
  const options = given.short ? { ...given, minutes: SHORT_MINUTES, restore: false } : given;
  const seed = options.seed === undefined ? Math.floor(Math.random() * 1e6) : Number(options.seed);
  const types = given.short ? seeded(seed).shuffled(TYPES).slice(0, SHORT_TYPES) : TYPES;
  console.log(`seed ${seed}, ${options.minutes} minutes, places: ${types.join(', ')}`);
  const installation = await install(types);
  let problems: string[] = ['it did not come to its end'];
  const signals = stopSignals();
  try {
    problems = await Promise.race([
      runChaos(installation, types, seed, options),
      signals.requested.then(() => ['it was stopped']),
    ]);
  } finally {
    const keep = options.keep && problems.length > 0;
    if (keep) console.log(`data and logs stay in ${installation.folder}`);
    await installation.close({ keep });
  }
  for (const problem of problems.slice(0, 50)) console.error(`FAILED: ${problem}`);
  console.log(`${problems.length === 0 ? 'passed' : `failed, ${problems.length} problems,`} with seed ${seed}`);
  console.log(problems.length === 0 ? '1 passed, 0 failed' : '0 passed, 1 failed');
  // Parts that were stopped half way may still wait for something.
  process.exit(problems.length === 0 ? 0 : 1);
}

async function runChaos(
  installation: Installation,
  types: readonly PlaceType[],
  seed: number,
  options: Options,
): Promise<string[]> {
  // Streams of choices of their own: how fast one is does not change what another one chooses.
  const random = (stream: number) => seeded(seed * 16 + stream);
  const api = apiClient(installation.apiUrls, installation.projectId, installation.key);
  const housekeeping = startHousekeeping(installation);
  const fleet = createFleet(installation, api, random(0));
  for (const type of types) {
    await fleet.create(fleet.newPlace(type), true, 'versioned');
    await fleet.create(fleet.newPlace(type), false, 'versioned');
  }
  // Of any three types one is of files.
  const fileTypes = types.filter(isFileType);
  await fleet.create(fleet.newPlace(fileTypes[0]!), true, 'stable');
  await fleet.create(fleet.newPlace(fileTypes.at(-1)!), true, 'versioned', 'persons');

  const { apiUrls: urls, token } = installation;
  const names = () => fleet.members.map(({ event }) => event);
  const load = startLoad({ urls, token, names, random: random(1) });
  const operator = startOperator(fleet, api, load, random(2));
  const temporal = connectTemporal({
    address: installation.temporal.address(),
    namespace: installation.temporal.namespace,
  });
  const faults = startFaults(installation, temporal.client, random(3));
  const eyes = stores(installation);
  const lake = lakeOf(installation);
  const readers = startReaders(fleet, eyes, lake, random(4), READERS);
  const foreign = startForeignRows(installation, fleet, random(5));
  const beganAt = performance.now();
  const seconds = () => `${Math.round((performance.now() - beganAt) / 1000)} s`;
  const progress = setInterval(() => {
    const minute = Math.round((performance.now() - beganAt) / 60_000);
    const counts = [
      `${sum(faults.counts)} faults`,
      `${sum(operator.actions)} actions`,
      `${load.sent.size} events sent`,
    ];
    console.log(
      `minute ${minute} of ${options.minutes}: ${[...counts, `${readers.counts.rows} rows read`].join(', ')}`,
    );
  }, 60_000);
  const half = () => Promise.race([sleep(Number(options.minutes) * 30_000), operator.failed, faults.failed]);
  await half();
  if (options.restore) await faults.between(() => installation.source.snapshot());
  housekeeping.beginReferring();
  await half();
  clearInterval(progress);

  console.log(`no more faults, after ${seconds()}: what is missing is delivered`);
  await faults.stop();
  await operator.stop();
  await load.stop();
  await foreign.stop();
  const left = await housekeeping.finish();
  const ranges = await pauseAll(fleet, api, eyes);
  const open = await findUndelivered(fleet, api, ranges, Number(options.settle));
  await readers.stop();
  await temporal.close();
  console.log(`comparing every row and every webhook, after ${seconds()}`);
  const checked = await findDifferences(
    installation,
    fleet,
    load,
    { stores: eyes, lake, foreign: foreign.kept },
    ranges,
  );
  console.log(`compared, after ${seconds()}`);
  const webhookProblems = await checkWebhooks(installation, fleet);
  const restored =
    options.restore && checked.problems.length === 0 ? await restoreAndRecover(installation, fleet, eyes, lake) : [];
  report({
    faults: faults.counts,
    operator: operator.actions,
    readers: readers.counts,
    housekeeping: housekeeping.counts,
    refused: fleet.counts.refused,
  });
  console.log(
    `webhooks: ${webhookProblems.notices} notices, ${webhookProblems.arrived} of them arrived; ${installation.webhooks.refused} requests were refused`,
  );
  reportCounts(checked, readers.torn.length, load.sent.size);
  return [
    ...emptyComparisons({
      'events acknowledged': load.acknowledged.size,
      'intervals compared': checked.counts.intervals,
      'rows compared': checked.counts.rows,
      'rows read by readers': readers.counts.rows,
      ...(lake && {
        'snapshots compared': checked.counts.snapshots,
        'snapshots read by readers': readers.counts.snapshots,
        ...(installation.foreign && { 'rows of other writers': foreign.count() }),
      }),
      faults: sum(faults.counts),
      'actions of the operator': sum(operator.actions),
    }),
    ...checked.problems,
    ...left,
    ...webhookProblems.problems,
    ...restored,
    ...readers.torn.map((what) => `torn for a reader: ${what}`),
    ...open.map((what) => `not settled: ${what}`),
    ...api.serverErrors.map((what) => `answered as no client should see: ${what}`),
  ];
}

/** A comparison of nothing finds nothing wrong. */
function emptyComparisons(counts: Record<string, number>): string[] {
  return Object.entries(counts).flatMap(([what, count]) => (count === 0 ? [`there were no ${what}`] : []));
}

const sum = (counts: Record<string, number>) => Object.values(counts).reduce((total, count) => total + count, 0);

function report(all: Record<string, Record<string, number> | number>): void {
  for (const [what, counts] of Object.entries(all)) {
    if (typeof counts === 'number') console.log(`${what}: ${counts}`);
    else {
      const parts = Object.entries(counts).map(([name, count]) => `${count} x ${name}`);
      console.log(`${what}, ${sum(counts)} in all: ${parts.sort().join(', ')}`);
    }
  }
}

function reportCounts({ counts }: Checked, torn: number, sent: number): void {
  const parts = Object.entries({ ...counts, 'torn for readers of versioned': torn, 'events sent': sent });
  console.log(parts.map(([what, count]) => `${count} ${what}`).join(', '));
}

await command.parseAsync();
