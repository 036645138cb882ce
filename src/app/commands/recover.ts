import { Command, Option } from 'commander';
import { SingleBar } from 'cli-progress';
import {
  compareDeliveries,
  intervalsToCompare,
  type ComparedDelivery,
  type UncheckedExport,
} from '../../../activities/rounds/compare-deliveries.ts';
import { readConfig } from '../../platform/config.ts';
import { createEngine, type ComposedEngine } from '../engine.ts';
import { engineOptions } from '../engine-options.ts';
import { CommandFailed, Conflict } from '../../platform/errors.ts';
import { foreignDeliveries } from '../../exports/timeline/accept-delivery.ts';
import { SYSTEM_AUTHOR } from '../../exports/batch-exports/audit.ts';
import type { BatchExport } from '../../exports/batch-exports/batch-export.ts';
import { SIDES, type Side } from '../../exports/timeline/foreign-deliveries.store.ts';
import { renewTimeline } from '../../exports/timeline/renew-timeline.ts';
import { describeBlock } from '../../exports/timeline/timeline-guard.ts';
import { parseDatetime } from '../../platform/http/parameters/datetime.ts';
import { createLogger } from '../../platform/telemetry/logger.ts';
import { timelineWitness } from '../../exports/temporal/witness.ts';
import { fillFromRunningUp } from '../up/running-up.ts';

type Options = { dryRun: boolean; force: boolean; from?: string; accept?: Side };

/** Number of receipts read at once; one with 10,000 files has four megabytes. */
const DELIVERIES_PER_PAGE = 10;

export function recoverCommand(): Command {
  return new Command('recover')
    .summary('resume deliveries after the database was restored or copied')
    .description(
      'Compares the destinations with this database, lists the differences, and starts a new timeline for the database: its epochs and ' +
        'versions of persons are higher than any that was delivered, Temporal gets a new witness, and blocked deliveries resume. ' +
        'Deliveries that this database does not know stay at the destinations until you accept one side, here or under ' +
        '`foreign_deliveries/` of the API. Run it only in the installation that will deliver from now on, and stop the other one first. ' +
        'Safe to repeat. Exit code: 0 if everything could be compared, else 1.',
    )
    .argument('[export]', 'id of a batch export; with --accept, only its deliveries are decided')
    .option('--dry-run', 'only list the differences', false)
    .option(
      '--force',
      'start a new timeline although deliveries are not blocked, because Temporal was restored together with the database',
      false,
    )
    .option(
      '--from <instant>',
      'with --dry-run: compare only data intervals that end after this instant, such as 2025-06-02T09:00Z',
    )
    .addOption(
      new Option(
        '--accept <side>',
        'decide all deliveries that await a decision: `theirs` keeps what is at the destination, `ours` replaces it',
      ).choices(SIDES),
    )
    .action(run);
}

async function run(exportId: string | undefined, options: Options): Promise<void> {
  checkOptions(exportId, options);
  const from = parseFrom(options.from);
  const config = await fillFromRunningUp(readConfig());
  const engine = createEngine(engineOptions(config, createLogger(config, 'recover')));
  try {
    if (options.accept) return await accept(engine, exportId, options.accept, options.dryRun);
    await recover(engine, { ...options, from });
  } finally {
    await engine.close();
  }
}

/** Refuses combinations of which one option would be ignored, because the command would then do more than intended. */
function checkOptions(exportId: string | undefined, { accept: side, from, force, dryRun }: Options): void {
  if (exportId !== undefined && side === undefined)
    throw new CommandFailed('Give an export only with --accept: a new timeline is for all exports.');
  if (from !== undefined && !dryRun)
    throw new CommandFailed('--from needs --dry-run: before a new timeline starts, all deliveries are compared.');
  if (force && side !== undefined)
    throw new CommandFailed('Give either --force or --accept: --force starts a new timeline, and --accept does not.');
}

function parseFrom(text: string | undefined): string | null {
  if (text === undefined) return null;
  const instant = parseDatetime(text)?.instant;
  if (instant) return instant;
  throw new CommandFailed(`--from ${text} is not an instant like 2025-06-02T09:00:00Z.`);
}

async function recover(
  engine: ComposedEngine,
  { dryRun, force, from }: Omit<Options, 'from'> & { from: string | null },
) {
  const { stores } = engine;
  const { blocked } = await stores.timeline.getState();
  console.log(blocked === null ? 'Deliveries are not blocked.' : describeBlock(blocked));
  const { above, unchecked, foreign } = await compare(engine, from, !dryRun);
  if (unchecked > 0) process.exitCode = 1;
  if (dryRun) return;
  if (blocked === null && !force) {
    console.log('The timeline stays as it is (--force makes a new one).');
    return;
  }
  const id = await renewTimeline(stores, timelineWitness(engine.temporal.client), above);
  console.log(`Deliveries go on as timeline ${id}.`);
  if (foreign > 0)
    console.log('What another timeline delivered waits for you: `sluice recover --accept theirs` or `ours`.');
}

/** Prints the differences. @param recordsForeign whether to record foreign deliveries, for an operator's decision */
async function compare(engine: ComposedEngine, from: string | null, recordsForeign: boolean) {
  const neverAborted = new AbortController().signal;
  const totals = { above: 0, unchecked: 0, foreign: 0, missing: 0 };
  const lines: string[] = [];
  const reportUnchecked = ({ exportId, reason }: UncheckedExport, { name }: BatchExport) => {
    totals.unchecked += 1;
    lines.push(`${exportId}  ${name}: not compared: ${reason}`);
  };
  const todo = [];
  for (const batchExport of await listExports(engine)) {
    const intervals = await intervalsToCompare(engine, batchExport, from, neverAborted);
    if ('reason' in intervals) reportUnchecked(intervals, batchExport);
    else todo.push({ one: batchExport, intervals });
  }
  const bar = new SingleBar({
    format: '{bar} {value} of {total} data intervals',
    clearOnComplete: true,
    stream: process.stderr,
  });
  bar.start(
    todo.reduce((sum, { intervals }) => sum + intervals.length, 0),
    0,
  );
  for (const { one: batchExport, intervals } of todo) {
    for await (const compared of compareDeliveries(engine, batchExport, intervals, neverAborted)) {
      bar.increment();
      if ('reason' in compared) {
        reportUnchecked(compared, batchExport);
        continue;
      }
      totals.above = Math.max(totals.above, compared.present?.receipt.epoch ?? 0);
      if (!compared.difference) continue;
      totals[compared.difference] += 1;
      lines.push(lineOf(batchExport, compared));
      if (recordsForeign && compared.difference === 'foreign')
        await engine.stores.foreignDeliveries.recordFound(compared, compared.present!.receipt);
    }
  }
  bar.stop();
  for (const line of lines) console.log(line);
  console.log(
    `${totals.foreign} data intervals were delivered by another timeline, ${totals.missing} are missing at their destination, ` +
      `${totals.unchecked} exports could not be compared to the end.`,
  );
  return totals;
}

function lineOf({ name }: BatchExport, { exportId, start, end, present }: ComparedDelivery): string {
  const description = present
    ? `delivered by another timeline: ${present.receipt.rows} rows, epoch ${present.receipt.epoch}, run ${present.receipt.run_id ?? 'unknown'}`
    : 'was delivered and is missing';
  return `${exportId}  ${name}  [${start}, ${end})  ${description}`;
}

async function listExports({ stores }: ComposedEngine): Promise<BatchExport[]> {
  const exports = await Promise.all((await stores.freshness.listIds()).map(async (id) => stores.batchExports.find(id)));
  return exports.flatMap((batchExport) => batchExport ?? []);
}

async function accept(
  engine: ComposedEngine,
  exportId: string | undefined,
  side: Side,
  dryRun: boolean,
): Promise<void> {
  const deliveries = foreignDeliveries(engine);
  const all = await listExports(engine);
  const selected = exportId === undefined ? all : all.filter(({ id }) => id === exportId);
  if (selected.length === 0 && exportId !== undefined) throw new CommandFailed(`There is no batch export ${exportId}.`);
  let waiting = 0;
  let decided = 0;
  for (const batchExport of selected) {
    for (let after = '-infinity'; ;) {
      const page = await deliveries.listWaiting(batchExport.id, { after, limit: DELIVERIES_PER_PAGE });
      waiting += page.length;
      for (const { id, start, end, receipt } of page) {
        const description = `${batchExport.id}  ${batchExport.name}  [${start}, ${end})  ${receipt.rows} rows`;
        try {
          if (!dryRun) await deliveries.accept(batchExport.projectId, batchExport.id, id, side, SYSTEM_AUTHOR);
          decided += 1;
          console.log(`${description}: ${side}`);
        } catch (error) {
          if (!(error instanceof Conflict)) throw error;
          console.log(`${description}: not decided: ${error.message}`);
          process.exitCode = 1;
        }
      }
      if (page.length < DELIVERIES_PER_PAGE) break;
      after = page.at(-1)!.end;
    }
  }
  const { blocked } = await engine.stores.timeline.getState();
  if (waiting === 0 && blocked !== null)
    throw new CommandFailed(
      'No delivery awaits a decision yet, because deliveries are blocked: run `sluice recover` first.',
    );
  console.log(`${decided} deliveries${dryRun ? ' would be' : ''} decided: ${side}.`);
}
