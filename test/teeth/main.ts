/**
 * `npm run test:teeth`: takes the product's safety lines away, one at a time, each in a copy of the tree, and says which test
 * fails. A line whose tests still pass is one that the next change may lose unseen. See `list.ts`.
 */
import { readFileSync, rmSync } from 'node:fs';
import { cp, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { seeded } from '../support/random.ts';
import { TEETH } from './list.ts';
import { disagreements, findMarkers, withoutTooth, type Marker } from './markers.ts';
import { endRuns, runTests, type Outcome } from './test-run.ts';
import type { Tooth } from './tooth.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const LEFT_OUT = new Set(['node_modules', '.git', '.sluice']);

type Options = { seed?: string; some?: string; only?: string[] };
type Verdict = { tooth: Tooth; bites: boolean; says: string; seconds: number };

const command = new Command('test:teeth')
  .option('--some <n>', 'only so many, chosen by the seed')
  .option('--seed <n>', 'repeats the choice of an earlier run; a new one by default')
  .option('--only <name...>', 'only these')
  .action(run);

async function run(options: Options): Promise<void> {
  const started = performance.now();
  const markers = findMarkers(ROOT);
  const problems = disagreements(TEETH, markers);
  const chosen = chooseTeeth(options);
  const queue = [...chosen];
  const baselines = new Map<string, Promise<Outcome>>();
  const verdicts: Verdict[] = [];
  const work = async () => {
    const folder = await copyOfTree();
    try {
      for (let tooth = queue.shift(); tooth; tooth = queue.shift()) {
        const verdict = await tryTooth(tooth, folder, markers, baselines);
        console.log(line(verdict));
        verdicts.push(verdict);
      }
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  };
  await Promise.all(Array.from({ length: Math.min(2, availableParallelism(), chosen.length) }, work));
  summarize(verdicts, problems, performance.now() - started);
}

function chooseTeeth({ seed: given, some, only }: Options): readonly Tooth[] {
  if (only) {
    const unknown = only.filter((name) => !TEETH.some((tooth) => tooth.name === name));
    if (unknown.length > 0) throw new Error(`No tooth is named ${unknown.join(', ')}.`);
    return TEETH.filter(({ name }) => only.includes(name));
  }
  if (some === undefined) return TEETH;
  const seed = given === undefined ? Math.floor(Math.random() * 1e6) : Number(given);
  console.log(`seed ${seed}`);
  return seeded(seed).shuffled(TEETH).slice(0, Number(some));
}

const copies = new Set<string>();

/** The checkout is never changed: it is somebody's work, and may be tested at the same time. */
async function copyOfTree(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'sluice-teeth-'));
  copies.add(folder);
  await cp(ROOT, folder, {
    recursive: true,
    filter: (source) => !LEFT_OUT.has(path.relative(ROOT, source)),
  });
  await symlink(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'));
  return folder;
}

async function tryTooth(
  tooth: Tooth,
  folder: string,
  markers: readonly Marker[],
  baselines: Map<string, Promise<Outcome>>,
): Promise<Verdict> {
  const started = performance.now();
  const verdict = (bites: boolean, says: string) => ({ tooth, bites, says, seconds: secondsSince(started) });
  const marker = markers.find(({ name }) => name === tooth.name);
  if (!marker) return verdict(false, 'marked nowhere');
  // With the line in place its tests pass: else their failure without it says nothing.
  const key = JSON.stringify([tooth.tests, tooth.grep]);
  if (!baselines.has(key)) baselines.set(key, runTests(folder, tooth));
  const whole = await baselines.get(key)!;
  if (whole.end !== 'passed') return verdict(false, `its tests do not pass with it: ${described(whole)}`);
  const file = path.join(folder, marker.file);
  const text = readFileSync(path.join(ROOT, marker.file), 'utf8');
  try {
    await writeFile(file, withoutTooth(text, marker, tooth));
    const outcome = await runTests(folder, tooth);
    return verdict(bites(tooth, outcome), described(outcome));
  } catch (error) {
    return verdict(false, (error as Error).message);
  } finally {
    await writeFile(file, text);
  }
}

function bites({ hangs }: Tooth, { end }: Outcome): boolean {
  return end === 'failed' || (end === 'hung' && hangs !== undefined);
}

function described(outcome: Outcome): string {
  switch (outcome.end) {
    case 'passed':
      return `${outcome.tests} tests pass without it`;
    case 'failed':
      return `${outcome.test} — ${outcome.message}`;
    case 'hung':
      return `hangs: ${outcome.test}`;
    case 'broken':
      return `broken: ${outcome.why}`;
  }
}

function line({ tooth, bites, says, seconds }: Verdict): string {
  return `${bites ? 'bitten' : 'NOT   '} ${`${seconds}`.padStart(4)} s  ${tooth.name}: ${says}`;
}

function summarize(verdicts: readonly Verdict[], problems: readonly string[], ms: number): void {
  const width = Math.max(0, ...verdicts.map(({ tooth }) => tooth.name.length));
  console.log('');
  for (const { tooth, bites } of verdicts.toSorted((one, other) => one.tooth.name.localeCompare(other.tooth.name))) {
    console.log(`${bites ? 'bitten' : 'NOT   '}  ${tooth.name.padEnd(width)}  ${tooth.guards}`);
  }
  for (const problem of problems) console.error(`FAILED: ${problem}`);
  const bitten = verdicts.filter(({ bites }) => bites).length;
  const not = verdicts.length - bitten;
  console.log(`\n${bitten} bitten, ${not} not, in ${Math.round(ms / 1000)} s`);
  // As .ci/run counts them.
  console.log(`${bitten} passed, ${not + problems.length} failed`);
  process.exitCode = not + problems.length === 0 && bitten > 0 ? 0 : 1;
}

function secondsSince(started: number): number {
  return Math.round((performance.now() - started) / 1000);
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    endRuns();
    for (const folder of copies) rmSync(folder, { recursive: true, force: true });
    process.exit(130);
  });
}
await command.parseAsync();
