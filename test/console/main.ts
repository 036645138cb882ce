/** `npm run test:console`: the console in a real browser, all of it, or every story and some of the rest. */
import { readFileSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { Command } from 'commander';
import { runMocha } from '../support/mocha.ts';
import { seeded } from '../support/random.ts';

/** Run for every change: what a person does from the beginning to the end of a matter, and what a page may weigh. */
const isAlwaysRun = (file: string) =>
  file.endsWith('/budget.test.ts') || readFileSync(file, 'utf8').includes("describe('story: ");
/** A page keeps a core busy while it is drawn: more of them at once only wait for one another. */
const JOBS = 2;
/** One in so many of the other files is run for every change. */
const SHORT_SHARE = 3;

type Options = { short: boolean; seed?: string };

async function run({ short, seed: given }: Options): Promise<void> {
  const files = (await Array.fromAsync(glob('test/console/**/*.test.ts'))).sort();
  if (!short) return void (process.exitCode = await runMocha(files, { jobs: JOBS }));
  const seed = given === undefined ? Math.floor(Math.random() * 1e6) : Number(given);
  const always = files.filter(isAlwaysRun);
  const others = files.filter((file) => !isAlwaysRun(file));
  const some = seeded(seed)
    .shuffled(others)
    .slice(0, Math.ceil(others.length / SHORT_SHARE))
    .sort();
  console.log(
    `seed ${seed}: ${always.length} files that are always run, and ${some.length} of ${others.length} others`,
  );
  process.exitCode = await runMocha([...always, ...some], { jobs: JOBS });
}

await new Command('test:console')
  .option('--short', `the stories, the budget, and one in ${SHORT_SHARE} of the other files: for every change`, false)
  .option('--seed <n>', 'repeats the choice of an earlier short run')
  .action(run)
  .parseAsync();
