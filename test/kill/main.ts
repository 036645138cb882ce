/**
 * `npm run test:kill -- --seed N`: real workers, killed (`kills.ts`) and frozen (`freezes.ts`) at steps of real exports to files, an
 * S3 store and Postgres. A step is a point of a run at which somebody else could see what happens next; a worker process
 * (`worker.ts`) asks at each whether it may go on. Every third seed also terminates a workflow inside its commit. Then capture
 * under load, its Postgres and its API killed (`capture.ts`).
 */
import { Command } from 'commander';
import { stopTestDatabases } from '../support/database/database.ts';
import { buildExportWorld } from '../support/exports/export-world.ts';
import { stopTestObjectStore } from '../support/servers/object-store.ts';
import { stopTestTemporal } from '../support/servers/temporal.ts';
import { captureKills } from './capture.ts';
import { freezes } from './freezes.ts';
import { kills } from './kills.ts';
import { localFilePlace, postgresPlace, s3Place } from './places.ts';
import { seeded } from '../support/random.ts';

type Options = { seed?: string; short: boolean; kills: string; only?: string; places?: string };

const command = new Command('test:kill')
  .option('--seed <n>', 'repeats the choices of an earlier run; a new one by default')
  .option('--short', 'a few kills and freezes, for every change', false)
  .option('--kills <n>', 'how often a worker is killed', '20')
  .option('--only <scene>', 'kills, freezes or capture')
  .option('--places <types>', 'some of LocalFile,S3Compatible,Postgres')
  .action(run);

async function run(options: Options): Promise<void> {
  const { short, only } = options;
  const seed = options.seed === undefined ? Math.floor(Math.random() * 1e6) : Number(options.seed);
  const started = performance.now();
  console.log(`seed ${seed}`);
  const problems: string[] = [];
  try {
    if (only !== 'capture') problems.push(...(await exportScenes(seed, options)));
    if (only === undefined || only === 'capture') {
      const [postgresKills, apiKills] = short ? [4, 1] : [20, 5];
      problems.push(...(await captureKills({ random: seeded(seed), postgresKills, apiKills })));
    }
  } finally {
    await Promise.all([stopTestDatabases(), stopTestObjectStore(), stopTestTemporal()]);
  }
  for (const problem of problems) console.error(`FAILED: ${problem}`);
  const seconds = ((performance.now() - started) / 1000).toFixed(0);
  console.log(`${problems.length === 0 ? 'passed' : 'failed'} with seed ${seed} in ${seconds} s`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}

async function exportScenes(seed: number, { short, kills: count, only, places: types }: Options): Promise<string[]> {
  const world = await buildExportWorld();
  const all = [await localFilePlace(world.folder), await s3Place(), await postgresPlace()];
  const places = all.filter(({ type }) => types === undefined || types.split(',').includes(type));
  const problems: string[] = [];
  try {
    await world.engine.schedules.ensureReconciler();
    if (only !== 'freezes') {
      const wanted = short ? 4 : Number(count);
      problems.push(
        ...(await kills({
          world,
          places,
          random: seeded(seed),
          kills: wanted,
          hours: short ? 8 : 24,
          terminate: seed % 3 === 0,
        })),
      );
    }
    if (only !== 'kills') {
      problems.push(...(await freezes({ world, places, random: seeded(seed), most: short ? 2 : Infinity })));
    }
    return problems;
  } finally {
    for (const place of all) await place.close();
    await world.close();
  }
}

await command.parseAsync();
