/** `sluice backup` of a server that is written to, the restore as the documentation has it, and `sluice recover` after it. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmod, cp, mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BackupManifest } from '../../../src/app/backup/manifest.ts';
import { prepareDatabase } from '../../../src/app/prepare-database.ts';
import { isoMicros } from '../../../src/exports/domain/instants.ts';
import { environmentWith } from '../../../src/platform/config.ts';
import { createKnex } from '../../../src/platform/db/connection.ts';
import { startEmbeddedPostgres, type EmbeddedPostgres } from '../../../src/platform/db/embedded-postgres.ts';
import { freePort } from '../../../src/platform/processes/port.ts';
import { generateKeyRing } from '../../../src/platform/secrets/key-ring.ts';
import { buildTenant } from '../../support/api/identity.ts';
import { createEmptyDatabase } from '../../support/database/database.ts';
import { buildEvent, microseconds } from '../../support/events/events.ts';
import {
  buildExport,
  buildExportWorld,
  runsAfterBackfill,
  type ExportWorld,
} from '../../support/exports/export-world.ts';
import { thisHour } from '../../support/hours.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const HOUR = 3_600_000;
const THIS_HOUR = await thisHour();
const at = (hours: number) => isoMicros(THIS_HOUR + hours * HOUR);

type Ended = { code: number; stdout: string; stderr: string };

describe('sluice backup', () => {
  let scratch: string;
  let state: string;
  let backup: string;
  let port: number;
  let postgres: EmbeddedPostgres;
  let world: ExportWorld;
  let exportId: string;

  const startPostgres = () => startEmbeddedPostgres({ directory: path.join(state, 'postgres'), port, durable: false });

  before(async () => {
    scratch = await mkdtemp(path.join(tmpdir(), 'sluice-test-backup-'));
    // Run by root, Postgres is another user, and keeps its cluster elsewhere if it cannot reach this folder.
    await chmod(scratch, 0o755);
    state = path.join(scratch, 'state');
    backup = path.join(scratch, 'backup');
    port = await freePort();
    postgres = await startPostgres();
    await chmod(state, 0o755);
    await prepareDatabase(postgres.url);
    const db = createKnex({ url: postgres.url, applicationName: 'test' });
    const { projectId } = await buildTenant(db);
    await db.destroy();
    world = await buildExportWorld('silent', {
      installed: {
        database: { url: postgres.url, drop: async () => {} },
        localRoot: path.join(state, 'exports'),
        encryptionKeys: generateKeyRing(),
        projectId,
      },
    });
    const { temporal, encryptionKeys } = world.options;
    await writeFile(path.join(state, 'encryption-keys'), encryptionKeys);
    await writeFile(
      path.join(state, 'dev.json'),
      JSON.stringify({ database_url: postgres.url, temporal_address: temporal.address }),
    );
  });
  after(async () => {
    await world?.close();
    await postgres?.stop('immediate');
    await rm(scratch, { recursive: true, force: true });
  });

  /** Runs a shell command beside the `sluice up` of the state folder. */
  function shell(command: string, changes: Record<string, string | undefined> = {}): Promise<Ended> {
    const env = environmentWith({
      DATABASE_URL: undefined,
      SLUICE_ENCRYPTION_KEYS: undefined,
      SLUICE_STATE_DIR: state,
      TEMPORAL_NAMESPACE: world.options.temporal.namespace,
      ...changes,
    });
    return new Promise((resolve) =>
      execFile('bash', ['-c', command], { env, cwd: ROOT }, (error, stdout, stderr) =>
        resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
      ),
    );
  }
  const sluice = (words: string, changes?: Record<string, string | undefined>) =>
    shell(`exec "${process.execPath}" bin/sluice ${words}`, changes);

  const storeEvent = (hours: number) => world.store([buildEvent({ timestamp: microseconds(at(hours)) })]);

  async function deliver(from: number, to: number): Promise<void> {
    const range = { startAt: at(from), endAt: at(to) };
    const { id } = await world.backfills.request(world.projectId, exportId, range);
    const run = (await runsAfterBackfill(world, exportId, id)).find(({ end }) => end === at(to));
    assert.deepEqual([run?.status, run?.recordsCompleted], ['Completed', 1]);
  }

  async function countEvents(): Promise<number> {
    const { rows } = await world.engine.pool.query<{ count: number }>('select count(*)::int as count from events');
    return rows[0]!.count;
  }

  /** Files that were delivered, with their bytes. */
  async function readDelivered(): Promise<Map<string, string>> {
    const names = (await readdir(world.folder, { recursive: true, withFileTypes: true })).filter((one) => one.isFile());
    const files = names.map(({ parentPath, name }) => path.join(parentPath, name)).sort();
    return new Map(await Promise.all(files.map(async (file) => [file, await readFile(file, 'base64')] as const)));
  }

  it('is consistent while events are written; after the restore no delivered data is touched, and deliveries continue', async () => {
    for (const hours of [-3.5, -2.5, -1.5]) await storeEvent(hours);
    const worker = await world.startWorker();
    const destination = { type: 'LocalFile', config: { directory: 'web' } };
    const wanted = buildExport({ name: 'web', destination, paused: true, endAt: at(0) });
    exportId = (await world.batchExports.create(world.projectId, wanted)).id;
    await world.engine.pool.query('update batch_exports set created_at = $2 where id = $1', [exportId, at(-4.5)]);
    await deliver(-4, -3);
    assert.equal(await world.engine.timeline.check(), undefined);

    const [before, writing] = [await countEvents(), new AbortController()];
    const writes = (async () => {
      while (!writing.signal.aborted) await storeEvent(-5.5);
    })();
    const taken = await sluice(`backup "${backup}"`);
    writing.abort();
    await writes;
    assert.equal(taken.code, 0, taken.stderr);
    assert.match(taken.stdout, /^\S+\/backup is complete: \d+\.\d MB of Postgres 18/);
    assert.match(taken.stdout, /need the encryption keys k1 of \S+\/state\/encryption-keys, which it does not contain/);
    assert.match(taken.stdout, /does not contain the state of Temporal/);
    assert.deepEqual((await readdir(backup)).sort(), ['backup.json', 'base.tar', 'password']);
    const manifest = JSON.parse(await readFile(path.join(backup, 'backup.json'), 'utf8')) as BackupManifest;
    assert.equal(manifest.timeline, (await world.engine.stores.timeline.getState()).id);
    assert.match(`${manifest.start_lsn} ${manifest.end_lsn}`, /^[\dA-F]+\/[\dA-F]+ [\dA-F]+\/[\dA-F]+$/);

    await deliver(-3, -2);
    assert.equal(await world.engine.timeline.check(), undefined);
    const [after, delivered] = [await countEvents(), await readDelivered()];
    worker.shutdown();
    await worker.stopped;

    await postgres.stop();
    const restored = await shell(await restoreCommands());
    assert.equal(restored.code, 0, restored.stderr);
    postgres = await startPostgres();
    const count = await countEvents();
    assert.ok(before <= count && count < after, `${before} <= ${count} < ${after}`);

    await world.startWorker();
    assert.match((await world.engine.timeline.check())!, /sluice recover/);
    const recovered = await sluice('recover');
    assert.equal(recovered.code, 0, recovered.stderr);
    const difference = `${exportId}  web  [${at(-3)}, ${at(-2)})  delivered by another timeline: 1 rows`;
    assert.ok(recovered.stdout.includes(difference), recovered.stdout);
    assert.match(recovered.stdout, /^1 data intervals were delivered by another timeline, 0 are missing/m);
    assert.match(recovered.stdout, /^Deliveries go on as timeline /m);
    await deliver(-2, -1);
    const now = await readDelivered();
    assert.ok(now.size > delivered.size);
    for (const [file, bytes] of delivered) assert.equal(now.get(file), bytes, file);
  });

  /** The commands of docs/restores.md, for these folders. */
  async function restoreCommands(): Promise<string> {
    const page = await readFile(path.join(ROOT, 'docs/restores.md'), 'utf8');
    const block = /```sh\nbackup=[^]*?```/.exec(page)![0].replaceAll(/^```.*$/gm, '');
    return `set -e\n${block.replace(/^backup=.*$/m, `backup="${backup}"`).replace(/^state=.*$/m, `state="${state}"`)}`;
  }

  it('is found whole by --check, and damaged where a byte, a file or its manifest is gone', async () => {
    assert.match((await sluice(`backup --check "${backup}"`)).stdout, /backup is complete: /);
    const copy = path.join(scratch, 'copy');
    const damage: [RegExp, (folder: string) => Promise<void>][] = [
      [
        /base\.tar was changed: its SHA-256 differs/,
        (folder) => writeFile(path.join(folder, 'base.tar'), 'x', { flag: 'r+' }),
      ],
      [/base\.tar has 100 bytes instead of \d+/, (folder) => truncate(path.join(folder, 'base.tar'), 100)],
      [/password is missing/, (folder) => rm(path.join(folder, 'password'))],
      [/backup\.json was changed: it is not JSON/, (folder) => truncate(path.join(folder, 'backup.json'), 9)],
      [/is not a whole backup: it has no backup\.json/, (folder) => rm(path.join(folder, 'backup.json'))],
    ];
    for (const [message, apply] of damage) {
      await cp(backup, copy, { recursive: true });
      await apply(copy);
      const { code, stderr } = await sluice(`backup --check "${copy}"`);
      assert.equal(code, 1);
      assert.match(stderr, message);
      await rm(copy, { recursive: true });
    }
  });

  it('leaves nothing where it cannot be written to the end', async () => {
    const folder = path.join(scratch, 'full');
    const { code, stderr } = await shell(`ulimit -f 4096; exec "${process.execPath}" bin/sluice backup "${folder}"`);
    assert.equal(code, 1);
    assert.match(stderr, /full cannot be written \(EFBIG\)/);
    assert.deepEqual(
      (await readdir(scratch)).filter((name) => name.startsWith('full')),
      [],
    );
  });

  it('refuses a folder that exists, a server that Sluice did not start, and a Sluice that does not run', async () => {
    const existing = await sluice(`backup "${backup}"`);
    assert.equal(existing.code, 1);
    assert.match(existing.stderr, /backup exists already\. Name a new folder\./);
    const [other, folder] = [await createEmptyDatabase(), path.join(scratch, 'refused')];
    try {
      await prepareDatabase(other.url);
      const foreign = await sluice(`backup "${folder}"`, { DATABASE_URL: other.url });
      assert.equal(foreign.code, 1);
      assert.match(
        foreign.stderr,
        /not the one that `sluice up` started\. .*point-in-time recovery: docs\/restores\.md/,
      );
    } finally {
      await other.drop();
    }
    const absent = await sluice(`backup "${folder}"`, { SLUICE_STATE_DIR: path.join(scratch, 'absent') });
    assert.equal(absent.code, 1);
    assert.match(absent.stderr, /No Sluice is running with the state folder \S+absent\. Start it with `npm start`/);
    assert.deepEqual((await readdir(scratch)).sort(), ['backup', 'state']);
  });
});
