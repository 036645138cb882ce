/**
 * `npm run test:upgrade`: an upgrade under load. Processes of an older version and of this one work side by side, before the way back and
 * after it, until events refer to states of persons, which older versions do not know. At the end every row is compared.
 */
import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Command } from 'commander';
import { createPool } from '../../src/platform/db/connection.ts';
import { apiClient } from '../chaos/api-client.ts';
import { findDifferences } from '../chaos/check.ts';
import { createFleet, type PlaceType } from '../chaos/fleet.ts';
import { findLeft } from '../chaos/housekeeping.ts';
import { install, type Installation } from '../chaos/installation.ts';
import { startLoad, type Load } from '../chaos/load.ts';
import { stores } from '../chaos/objects.ts';
import { startOperator } from '../chaos/operator.ts';
import { end, LAUNCHER } from '../chaos/server-process.ts';
import { findUndelivered, pauseAll } from '../chaos/settle.ts';
import { seeded } from '../support/random.ts';
import { checkOut } from './older-version.ts';

const run = promisify(execFile);
/** The last version that does not know states of persons. */
const BEFORE_STATES = '7c8962361da4';
const TYPES: readonly PlaceType[] = ['LocalFile', 'S3Compatible', 'Postgres'];
const SETTLE_MINUTES = 5;

const command = new Command('test:upgrade')
  .option('--from <revision>', 'the older version', BEFORE_STATES)
  .option('--seed <n>', 'repeats the choices of an earlier run; a new one by default')
  .option('--seconds <n>', 'how long each stage takes', '25')
  .action(drill);

type Options = { from: string; seed?: string; seconds: string };

async function drill({ from, seed = String(Math.floor(Math.random() * 1e6)), seconds }: Options): Promise<void> {
  console.log(`from ${from}, seed ${seed}`);
  const older = await checkOut(from);
  try {
    const installation = await install(TYPES, older.launcher);
    try {
      const problems = await upgrade(installation, older.launcher, Number(seed), Number(seconds) * 1000);
      for (const problem of problems) console.error(`FAILED: ${problem}`);
      console.log(problems.length === 0 ? '1 passed, 0 failed' : '0 passed, 1 failed');
      process.exitCode = problems.length === 0 ? 0 : 1;
    } finally {
      await installation.close({ keep: false });
    }
  } finally {
    await older.remove();
  }
}

async function upgrade(installation: Installation, older: string, seed: number, stageMs: number): Promise<string[]> {
  const random = (stream: number) => seeded(seed * 16 + stream);
  const present = await installation.ofVersion(LAUNCHER, 3);
  const urls = [...installation.apiUrls, present.api.url];
  const api = apiClient(urls, installation.projectId, installation.key);
  const fleet = createFleet(installation, api, random(0));
  for (const type of TYPES)
    for (const live of [true, false]) await fleet.create(fleet.newPlace(type), live, 'versioned');
  const load = startLoad({
    urls,
    token: installation.token,
    names: () => fleet.members.map(({ event }) => event),
    random: random(1),
  });
  const operator = startOperator(fleet, api, load, random(2));
  const problems: string[] = [];
  const stage = async (name: string) => {
    console.log(name);
    problems.push(...(await idleFor(load, stageMs)).map((what) => `${name}: ${what}`));
  };

  await stage('the older version alone');
  await sluice(installation, 'migrate');
  await stage('the older version, on the new schema');
  await startBoth(present);
  await stage('both versions');
  await endBoth(present);
  await stage('back to the older version');
  await startBoth(present);
  for (const server of [...installation.apis, ...installation.workers]) await end(server);
  await stage('this version alone');
  await sluice(installation, 'states', '--refer');
  await stage('events refer to states');
  problems.push(...(await tryOlder(installation, older, stageMs)));

  await operator.stop();
  await load.stop();
  const eyes = stores(installation);
  const ranges = await pauseAll(fleet, api, eyes);
  const open = await findUndelivered(fleet, api, ranges, SETTLE_MINUTES);
  const checked = await findDifferences(
    installation,
    fleet,
    load,
    { stores: eyes, lake: undefined, foreign: new Map() },
    ranges,
  );
  console.log(
    Object.entries(checked.counts)
      .map(([what, count]) => `${count} ${what}`)
      .join(', '),
  );
  console.log(
    `${load.acknowledged.size} events acknowledged; the operator's actions: ${JSON.stringify(operator.actions)}`,
  );
  problems.push(...(await findLeft(installation, true)));
  return [...problems, ...checked.problems, ...open.map((what) => `not settled: ${what}`), ...api.serverErrors];
}

type Processes = Awaited<ReturnType<Installation['ofVersion']>>;

async function startBoth({ api, worker }: Processes): Promise<void> {
  await Promise.all([api.start(), worker.start()]);
}

async function endBoth({ api, worker }: Processes): Promise<void> {
  await Promise.all([end(api), end(worker)]);
}

const sluice = (installation: Installation, ...args: string[]) =>
  run(process.execPath, [LAUNCHER, ...args], { env: installation.environment });

/** @returns what stood still meanwhile */
async function idleFor(load: Load, milliseconds: number): Promise<string[]> {
  const before = load.acknowledged.size;
  await sleep(milliseconds);
  return load.acknowledged.size > before ? [] : ['no event was acknowledged'];
}

/** Starts the older version by mistake: it may store nothing and deliver nothing else, and the way back over the migrations is refused. */
async function tryOlder(installation: Installation, older: string, milliseconds: number): Promise<string[]> {
  const processes = await installation.ofVersion(older, 4);
  await startBoth(processes);
  const { status } = await fetch(`${processes.api.url}/i/v0/e/`, {
    method: 'POST',
    body: JSON.stringify({ api_key: installation.token, event: 'of the older version', distinct_id: 'someone' }),
  });
  const rollback = await sluice(installation, 'migrate', '--rollback').then(
    () => 'done',
    (error: Error & { stderr?: string }) => error.stderr ?? error.message,
  );
  await sleep(milliseconds);
  await endBoth(processes);
  const pool = createPool({ url: installation.source.url(), applicationName: 'drill', maxConnections: 1 });
  const { rows } = await pool.query(`select from events where event = 'of the older version'`);
  await pool.end();
  return [
    ...(status < 500 || rows.length > 0
      ? [`the older version answered ${status} and stored ${rows.length} events after the switch`]
      : []),
    ...(rollback.includes('no way back') ? [] : [`the way back was not refused: ${rollback}`]),
  ];
}

await command.parseAsync();
// Parts that were stopped half way may still wait for something.
process.exit();
