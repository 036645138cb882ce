/**
 * Makes a committed fixture: an installation of the version that runs this, with deliveries that ended and deliveries that were
 * interrupted inside their commits. Run once for a version, at its commit:
 *
 *   node test/upgrade/make-installation.ts test/upgrade/installation-0024
 */
import { randomUUID } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import type { Step } from '../../activities/engine.ts';
import { isoMicros, millisOf } from '../../src/exports/domain/instants.ts';
import { createEmptyDatabase, stopTestDatabases } from '../support/database/database.ts';
import { buildEvent, microseconds } from '../support/events/events.ts';
import {
  runsAfterBackfill,
  buildExport,
  buildExportWorld,
  eventually,
  type ExportWorld,
} from '../support/exports/export-world.ts';
import { stopTestTemporal } from '../support/servers/temporal.ts';
import { DESTINATION_USER, ensureDestinationUser, saveInstallation, type Interrupted } from './installation.ts';

const HOUR = 3_600_000;
const BEGINNING = millisOf('2015-05-17T00:00:00Z');
const at = (hours: number) => isoMicros(BEGINNING + hours * HOUR);

const folder = process.argv[2];
if (folder === undefined) throw new Error('usage: node test/upgrade/make-installation.ts FOLDER');

const world = await buildExportWorld();
const destination = await createEmptyDatabase();
await ensureDestinationUser(destination.url);
const interrupted: Interrupted[] = [];
const held = new Map<string, string>();
world.onStep = async (step: Step) => {
  if (held.get(step.exportId) !== step.name) return;
  interrupted.push({ exportId: step.exportId, end: step.end, step: step.name });
  await new Promise(() => {});
};
await world.startWorker();

const url = new URL(destination.url);
const files = (directory: string, more = {}) => ({ type: 'LocalFile', config: { directory, ...more } });
const table = (name: string) => ({
  type: 'Postgres',
  config: {
    host: url.hostname,
    port: Number(url.port),
    user: DESTINATION_USER.name,
    password: DESTINATION_USER.password,
    database: url.pathname.slice(1),
    schema: 'public',
    table_name: name,
  },
});

/** Paused and over: nothing of it is due whenever the fixture is read. */
async function build(name: string, to: { type: string; config: Record<string, unknown> }): Promise<string> {
  const made = await world.batchExports.create(
    world.projectId,
    buildExport({ name, destination: to, paused: true, endAt: at(24) }),
  );
  return made.id;
}

async function deliver(exportId: string, from: number, to: number): Promise<void> {
  const { id } = await world.backfills.request(world.projectId, exportId, { startAt: at(from), endAt: at(to) });
  const runs = await runsAfterBackfill(world, exportId, id);
  const failed = runs.find(({ status }) => status !== 'Completed');
  if (failed) throw new Error(`a run ended as ${failed.status}: ${failed.latestError}`);
}

/** Asks for one interval, and leaves its run standing still at the step. */
async function interrupt(exportId: string, hour: number, step: string): Promise<void> {
  held.set(exportId, step);
  await world.backfills.request(world.projectId, exportId, { startAt: at(hour), endAt: at(hour + 1) });
  await eventually('the step', async () => interrupted.some((one) => one.exportId === exportId));
}

const storeRows = (in_: ExportWorld, hour: number, count: number) =>
  in_.store(
    Array.from({ length: count }, (_, index) =>
      buildEvent({
        uuid: randomUUID(),
        distinctId: `person ${index}`,
        timestamp: microseconds(BigInt(BEGINNING + hour * HOUR + index * 1000 - 946_684_800_000) * 1000n),
      }),
    ),
  );

for (const hour of [0, 1, 2]) await storeRows(world, hour, 5 + hour);
const exports = {
  files: await build('files', files('files', { compression: 'gzip' })),
  'numbered files': await build('numbered files', files('numbered', { max_file_size_mb: 1 })),
  table: await build('table', table('events_delivered')),
  'files, first delivery interrupted': await build('interrupted', files('interrupted')),
  'files, second delivery interrupted': await build('replacing', files('replacing')),
  'table, interrupted after its commit': await build('table after', table('events_after')),
  'table, interrupted before its commit': await build('table before', table('events_before')),
  'files, interrupted while staging': await build('staging', files('staging')),
};
for (const name of ['files', 'numbered files', 'table'] as const) await deliver(exports[name], 0, 4);
await deliver(exports['files, second delivery interrupted'], 0, 2);
await deliver(exports['table, interrupted before its commit'], 0, 1);
await storeRows(world, 1, 3);
await interrupt(exports['files, first delivery interrupted'], 1, 'manifest');
await interrupt(exports['files, second delivery interrupted'], 1, 'manifest');
await interrupt(exports['table, interrupted after its commit'], 1, 'after-commit');
await interrupt(exports['table, interrupted before its commit'], 1, 'before-commit');
await interrupt(exports['files, interrupted while staging'], 1, 'part-0-end');

const migrations = (await readdir(new URL('../../migrations/', import.meta.url))).sort();
await saveInstallation(
  folder,
  {
    schema: migrations.at(-1)!.replace(/\.ts$/, ''),
    encryptionKeys: world.options.encryptionKeys,
    projectId: world.projectId,
    exports,
    interrupted,
  },
  {
    databaseUrl: world.options.databaseUrl,
    destinationUrl: destination.url,
    localRoot: world.options.environment.localRoot!,
  },
);
console.log(`${interrupted.length} interrupted runs, ${Object.keys(exports).length} exports: ${folder}`);
// The runs that stand still never end by themselves.
await stopTestTemporal();
await stopTestDatabases();
process.exit(0);
