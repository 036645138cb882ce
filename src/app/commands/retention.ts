import { createInterface } from 'node:readline/promises';
import { SingleBar } from 'cli-progress';
import { Command } from 'commander';
import { readConfig, requireVariable } from '../../platform/config.ts';
import { createKnex, createPool } from '../../platform/db/connection.ts';
import { POOLS } from '../../platform/db/pools.ts';
import { CommandFailed } from '../../platform/errors.ts';
import { stopSignals } from '../../platform/processes/stop-signals.ts';
import { GROWING_TABLES } from '../../retention/growing-tables.ts';
import { deleteAll, limitedTables, measure, type LimitedTable } from '../../retention/retention.ts';
import type { OldRows } from '../../retention/slices.ts';
import { createLogger } from '../../platform/telemetry/logger.ts';
import { count, deleteExpiringEvents, listExpiringEvents } from './retention-events.ts';
import type { ExpiringEngine } from '../../../activities/rounds/expire-events.ts';
import { exportStores } from '../../exports/stores.ts';
import { fillFromRunningUp } from '../up/running-up.ts';

export function retentionCommand(): Command {
  return new Command('retention')
    .summary('delete rows that are older than the settings say, or list them')
    .description(
      'Deletes what a worker deletes by and by, all of it now: rows that are older than the RETENTION_… variables say and that nothing needs any ' +
        'more. It works in short transactions, beside running workers and APIs. After a stop or a failure, run it again: it goes on with ' +
        'what is left. It has the limits of its own variables, so give it those of the workers; it names them, and asks. Exit code: 0 when nothing is left to delete, else 1.',
    )
    .option(
      '--dry-run',
      'only list what would be deleted, what holds other old rows back, and which tables have no limit',
      false,
    )
    .option('--yes', 'delete without asking whether the limits are right', false)
    .action(run);
}

async function run({ dryRun, yes }: { dryRun: boolean; yes: boolean }): Promise<void> {
  const config = await fillFromRunningUp(readConfig());
  const url = requireVariable(config, 'DATABASE_URL');
  const pool = createPool({ url, ...POOLS.retention });
  const db = createKnex({ url, ...POOLS.retention });
  const engine = { pool, stores: exportStores(db), retention: config, log: createLogger(config, 'retention') };
  try {
    const tables = limitedTables(config);
    if (dryRun) await list(engine, tables);
    else await deleteFrom(engine, tables, yes);
  } finally {
    await db.destroy();
    await pool.end();
  }
}

async function list(engine: ExpiringEngine, tables: readonly LimitedTable[]): Promise<void> {
  const { pool } = engine;
  for (const limited of tables) {
    const old = await measure(pool, limited);
    console.log(`${limited.table}: ${old ? describe(old, limited) : `kept (${limited.expiry.setting} is 0)`}`);
    for (const [reason, rows] of Object.entries(old?.held ?? {}))
      console.log(`    ${count(rows)} held back by ${reason}`);
  }
  await listExpiringEvents(engine);
  console.log('\nKept without a limit:');
  for (const [table, growing] of Object.entries(GROWING_TABLES))
    if ('keptBecause' in growing) console.log(`${table}: ${growing.keptBecause}`);
}

function describe({ rows, oldest, newest }: OldRows, { days, expiry }: LimitedTable): string {
  const limit = `older than ${days} days (${expiry.setting})`;
  return rows === 0 ? `nothing to delete ${limit}` : `${count(rows)} to delete ${limit}, from ${oldest} to ${newest}`;
}

async function deleteFrom(engine: ExpiringEngine, tables: readonly LimitedTable[], yes: boolean): Promise<void> {
  const { pool, stores, retention } = engine;
  await assertNotBlocked(stores);
  const limits = new Map(tables.map(({ expiry, days }) => [expiry.setting, days]));
  console.log('Limits in force, in days (0: never):');
  for (const [setting, days] of limits) console.log(`    ${setting}=${days}`);
  console.log(
    `    RETENTION_EVENT_DAYS=${retention.RETENTION_EVENT_DAYS ?? 0} (projects may have an event_retention_days of their own)`,
  );
  if (!yes) await confirm();
  const stop = { isRequested: false };
  void stopSignals().requested.then(() => (stop.isRequested = true));
  for (const limited of tables) {
    const expected = (await measure(pool, limited))?.rows ?? 0;
    const deleted = await deleteSlices(limited.table, expected, deleteAll(pool, limited), stop);
    console.log(`${limited.table}: ${count(deleted)} deleted`);
  }
  const deleted = await deleteSlices('events', 0, deleteExpiringEvents(engine), stop);
  console.log(`events and import ranges: ${count(deleted)} deleted`);
}

/** @throws CommandFailed after a signal */
async function deleteSlices(
  name: string,
  expected: number,
  slices: AsyncIterable<number>,
  stop: { isRequested: boolean },
): Promise<number> {
  const bar = progressBar(name, expected);
  let deleted = 0;
  try {
    for await (const rows of slices) {
      deleted += rows;
      bar.setTotal(Math.max(expected, deleted));
      bar.update(deleted);
      if (stop.isRequested) break;
    }
  } finally {
    bar.stop();
  }
  if (stop.isRequested) throw new CommandFailed('Stopped. Run it again to go on with the rows that are left.');
  return deleted;
}

/** @throws CommandFailed unless somebody at a terminal agrees: without the workers' variables, the limits are the defaults */
async function confirm(): Promise<void> {
  if (!process.stdin.isTTY)
    throw new CommandFailed(
      'Nothing is deleted: without a terminal to ask at, say --yes if these are the limits of the workers.',
    );
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  // Ctrl-C or a closed terminal answers nothing.
  const answer = await Promise.race([
    terminal.question('Are these the limits of the workers? Delete what is older? [y/N] '),
    new Promise<string>((resolve) => terminal.once('close', () => resolve(''))),
  ]);
  terminal.close();
  if (!/^y(es)?$/i.test(answer.trim())) throw new CommandFailed('Nothing is deleted.');
}

/** @throws CommandFailed: after a restore, recovery may need what is old */
async function assertNotBlocked({ timeline }: ExpiringEngine['stores']): Promise<void> {
  if ((await timeline.getState()).blocked !== null)
    throw new CommandFailed('Nothing is deleted while deliveries are blocked: run `sluice recover` first.');
}

/** Starts a progress bar, which cli-progress shows only on a terminal. */
function progressBar(table: string, total: number): SingleBar {
  const format = `${table} {bar} {value} of {total} rows`;
  const bar = new SingleBar({ format, clearOnComplete: true, hideCursor: true, stream: process.stderr });
  bar.start(total, 0);
  return bar;
}
