/** `sluice recover` as an operator runs it: the database is what it was before some deliveries, Temporal and the files are not. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { environmentWith } from '../../../src/platform/config.ts';
import { isoMicros } from '../../../src/exports/domain/instants.ts';
import { TASK_QUEUES } from '../../../src/exports/domain/task-queues.ts';
import { copyTestDatabase, restoreTestDatabase } from '../../support/database/database.ts';
import { buildEvent, microseconds } from '../../support/events/events.ts';
import {
  runsAfterBackfill,
  buildExport,
  buildExportWorld,
  environmentOf,
  eventually,
  type ExportWorld,
} from '../../support/exports/export-world.ts';
import { thisHour } from '../../support/hours.ts';

const SLUICE = fileURLToPath(new URL('../../../bin/sluice', import.meta.url));
const HOUR = 3_600_000;
const THIS_HOUR = await thisHour();
const at = (hours: number) => isoMicros(THIS_HOUR + hours * HOUR);
/** Rows that a run of an hour delivers. */
const ROWS = 3;
const NEVER_BLOCKED = /^Deliveries are not blocked\.$/m;

const foreignLine = (id: string, name: string, from: number) =>
  `${id}  ${name}  [${at(from)}, ${at(from + 1)})  delivered by another timeline: ${ROWS} rows, epoch 1, run `;
const missingLine = (id: string, name: string, from: number) =>
  `${id}  ${name}  [${at(from)}, ${at(from + 1)})  was delivered and is missing`;
/** Lines about data intervals, without the ids of the other timeline's runs. */
const differences = (stdout: string) =>
  stdout
    .split('\n')
    .filter((line) => line.includes('['))
    .map((line) => line.replace(/(?<=, run ).*/, ''))
    .sort();

describe('sluice recover', () => {
  let world: ExportWorld;
  /** Delivered one hour before the backup, whose files are gone, and two after it. */
  let web: string;
  /** Delivered one hour before the backup and one after it. */
  let shop: string;

  before(async () => {
    world = await buildExportWorld();
    await world.store(
      [-3.5, -2.5, -1.5].flatMap((hours) =>
        Array.from({ length: ROWS }, () => buildEvent({ timestamp: microseconds(at(hours)) })),
      ),
    );
    const worker = await world.startWorker();
    [web, shop] = [await buildDelivered('web'), await buildDelivered('shop')];
    assert.equal(await world.engine.timeline.check(), undefined);
    const backup = await copyTestDatabase(world.options.databaseUrl);
    await deliver(web, -3, -1);
    await deliver(shop, -3, -2);
    assert.equal(await world.engine.timeline.check(), undefined);
    worker.shutdown();
    await worker.stopped;
    await restoreTestDatabase(world.options.databaseUrl, backup);
    await backup.drop();
    await removeFiles('web', at(-4));
  });
  after(async () => world?.close());

  async function buildDelivered(directory: string): Promise<string> {
    const destination = { type: 'LocalFile', config: { directory } };
    const { id } = await world.batchExports.create(
      world.projectId,
      buildExport({ name: directory, destination, paused: true, endAt: at(-1) }),
    );
    await world.engine.pool.query('update batch_exports set created_at = $2 where id = $1', [id, at(-4.5)]);
    await deliver(id, -4, -3);
    return id;
  }

  async function deliver(id: string, from: number, to: number): Promise<void> {
    const range = { startAt: at(from), endAt: at(to) };
    const backfill = await world.backfills.request(world.projectId, id, range);
    for (const run of (await runsAfterBackfill(world, id, backfill.id)).slice(from - to))
      assert.equal(run.recordsCompleted, ROWS);
  }

  async function removeFiles(directory: string, start: string): Promise<void> {
    const folder = path.join(world.folder, directory);
    const prefix = start.replaceAll(/[-:]|\.\d+/g, '');
    const names = (await readdir(folder)).filter((name) => name.startsWith(prefix));
    assert.equal(names.length, 2, 'a file and its manifest');
    for (const name of names) await rm(path.join(folder, name));
  }

  const recover = (...words: string[]) =>
    new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
      const env = environmentWith({
        ...environmentOf(world),
        SLUICE_STATE_DIR: path.join(world.folder, 'no-state'),
      });
      execFile(process.execPath, [SLUICE, 'recover', ...words], { env }, (error, stdout, stderr) =>
        resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
      );
    });

  const timeline = () => world.engine.stores.timeline.getState();
  const waiting = (id: string) => world.engine.stores.foreignDeliveries.listWaiting(id, { limit: 10 });
  const waitingStarts = async (id: string) => (await waiting(id)).map(({ start }) => start);

  it('lists what another timeline delivered and what is missing, and changes nothing for a --dry-run', async () => {
    const before = await timeline();
    const { code, stdout, stderr } = await recover('--dry-run');
    assert.equal(code, 0, stderr);
    assert.match(stdout, NEVER_BLOCKED, 'no worker has asked the witness since');
    assert.deepEqual(
      differences(stdout),
      [
        missingLine(web, 'web', -4),
        foreignLine(web, 'web', -3),
        foreignLine(web, 'web', -2),
        foreignLine(shop, 'shop', -3),
      ].sort(),
    );
    assert.match(
      stdout,
      /^3 data intervals were delivered by another timeline, 1 are missing .*, 0 exports could not be compared/m,
    );
    assert.deepEqual(await timeline(), before);
    assert.deepEqual([await waiting(web), await waiting(shop)], [[], []]);
  });

  it('compares only what ends after --from', async () => {
    const { code, stdout } = await recover('--dry-run', '--from', at(-2));
    assert.deepEqual([code, differences(stdout)], [0, [foreignLine(web, 'web', -2)]]);
  });

  it('lists deliveries for a decision, and makes no new timeline unless deliveries are blocked', async () => {
    const { id } = await timeline();
    const { code, stdout } = await recover();
    assert.equal(code, 0);
    assert.match(stdout, /^The timeline stays as it is \(--force makes a new one\)\.$/m);
    assert.equal((await timeline()).id, id);
    assert.deepEqual([await waitingStarts(web), await waitingStarts(shop)], [[at(-3), at(-2)], [at(-3)]]);
  });

  it('allows deliveries although an export cannot be opened, and ends with 1', async () => {
    const worker = await world.startWorker();
    await world.engine.temporal.client.workflow.execute('reconcile', {
      workflowId: `reconcile-${randomUUID()}`,
      taskQueue: TASK_QUEUES.control,
      args: [],
    });
    worker.shutdown();
    await worker.stopped;
    const { id, blocked } = await timeline();
    assert.equal(blocked, 'differs');
    const seal = (secrets: string | null) =>
      world.engine.pool.query('update batch_exports set destination_secrets = $2 where id = $1', [shop, secrets]);
    await seal('v1.lost.c2VjcmV0');
    const { code, stdout, stderr } = await recover();
    await seal(null);
    assert.equal(code, 1, stderr);
    assert.match(stdout, /^Deliveries are blocked: /);
    assert.match(stdout, new RegExp(`^${shop}  shop: not compared: Its secrets cannot be decrypted`, 'm'));
    assert.match(stdout, /, 1 exports could not be compared to the end\.$/m);
    const after = await timeline();
    assert.notEqual(after.id, id);
    assert.equal(after.blocked, null);
    assert.match(stdout, new RegExp(`^Deliveries go on as timeline ${after.id}\\.$`, 'm'));
    assert.match((await recover()).stdout, NEVER_BLOCKED, 'again: there is nothing left to do');
    assert.equal((await timeline()).id, after.id);
  });

  it('makes a new timeline by --force although deliveries are not blocked', async () => {
    const { id } = await timeline();
    const { code, stdout } = await recover('--force');
    assert.equal(code, 0);
    assert.match(stdout, NEVER_BLOCKED);
    assert.notEqual((await timeline()).id, id);
  });

  it('decides nothing by --accept with --dry-run', async () => {
    const { code, stdout } = await recover('--accept', 'theirs', '--dry-run');
    assert.equal(code, 0);
    assert.match(stdout, /^3 deliveries would be decided: theirs\.$/m);
    assert.deepEqual([(await waiting(web)).length, (await waiting(shop)).length], [2, 1]);
  });

  it('keeps present deliveries by --accept theirs, of one export, but not those that broke off half-way', async () => {
    const interrupt = (change: string) =>
      world.engine.pool.query(`update foreign_deliveries set receipt = ${change} where batch_export_id = $1`, [shop]);
    await interrupt(`receipt || '{"interrupted": true}'`);
    const refused = await recover('--accept', 'theirs', shop);
    assert.equal(refused.code, 1);
    assert.match(refused.stdout, /not decided: .*interrupted half-way/);
    await interrupt(`receipt - 'interrupted'`);
    const { code, stdout } = await recover('--accept', 'theirs', shop);
    assert.deepEqual([code, /^1 deliveries decided: theirs\.$/m.test(stdout)], [0, true], stdout);
    assert.deepEqual([await waiting(shop), (await waiting(web)).length], [[], 2]);
    const run = await world.engine.stores.runs.findNewestOfInterval(shop, at(-2));
    assert.deepEqual([run?.status, run?.recordsCompleted], ['Completed', ROWS]);
  });

  it('replaces what is there by --accept ours, of every export', async () => {
    const { code, stdout } = await recover('--accept', 'ours');
    assert.deepEqual([code, /^2 deliveries decided: ours\.$/m.test(stdout)], [0, true], stdout);
    assert.deepEqual(await waiting(web), []);
    await world.startWorker();
    for (const end of [at(-2), at(-1)]) {
      const run = await eventually('our delivery', async () => {
        const newest = await world.engine.stores.runs.findNewestOfInterval(web, end);
        return newest?.finishedAt ? newest : undefined;
      });
      assert.equal(run.status, 'Completed');
      assert.ok(run.epoch! > 1, 'above theirs');
    }
    assert.deepEqual(differences((await recover('--dry-run')).stdout), [missingLine(web, 'web', -4)]);
  });

  for (const [what, words, message] of [
    ['an instant that is none', ['--dry-run', '--from', 'yesterday'], /--from yesterday is not an instant/],
    ['an export without a side', ['00000000-0000-0000-0000-000000000000'], /Give an export only with --accept/],
    ['an instant for a timeline', ['--from', '2025-06-02T09:00Z'], /--from needs --dry-run/],
    ['a timeline and a decision', ['--force', '--accept', 'ours'], /Give either --force or --accept/],
    ['a side that there is not', ['--accept', 'mine'], /Allowed choices are theirs, ours/],
    [
      'an export that there is not',
      ['--accept', 'ours', '00000000-0000-0000-0000-000000000000'],
      /There is no batch export 00000000-0000-0000-0000-000000000000/,
    ],
  ] as const) {
    it(`refuses ${what}`, async () => {
      const { code, stderr } = await recover(...words);
      assert.equal(code, 1);
      assert.match(stderr, message);
    });
  }
});
