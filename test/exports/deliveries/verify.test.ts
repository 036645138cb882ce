import assert from 'node:assert/strict';
import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import zlib from 'node:zlib';
import { openSession, requirePlan } from '../../../activities/runs/open-session.ts';
import { createClient } from '../../../src/platform/db/connection.ts';
import { exportVerifier, type VerifiedInterval, type VerifyRange } from '../../../src/exports/deliveries/verify.ts';
import { createEmptyDatabase } from '../../support/database/database.ts';
import { deliveredFiles } from '../../support/exports/delivered-files.ts';
import { buildEvent, microseconds } from '../../support/events/events.ts';
import {
  runsAfterBackfill,
  buildExport,
  buildExportWorld,
  eventually,
  type ExportWorld,
} from '../../support/exports/export-world.ts';

const DAY = '2015-05-17T';
const at = (time: string) => `${DAY}${time}.000000Z`;
const ALL: VerifyRange = { from: null, to: null };
const eventAt = (hour: number) => buildEvent({ timestamp: microseconds(`${DAY}${hour}:30:00Z`) });

describe('verifying an export', () => {
  let world: ExportWorld;
  let exportId: string;
  let directory: string;

  before(async () => {
    world = await buildExportWorld();
    await world.startWorker();
  });
  after(async () => world.close());

  /** Three hours with 3, 4 and 5 events, delivered to files. */
  beforeEach(async () => {
    await world.engine.pool.query('truncate events, event_ids, import_ranges, event_retention');
    await world.store([3, 4, 5].flatMap((count, hour) => Array.from({ length: count }, () => eventAt(10 + hour))));
    const one = buildExport();
    directory = path.join(world.folder, String(one.destination.config['directory']));
    exportId = (await world.batchExports.create(world.projectId, one)).id;
    await deliver();
  });

  async function deliver(startAt = `${DAY}10:00:00Z`, endAt = `${DAY}13:00:00Z`): Promise<void> {
    const { id } = await world.backfills.request(world.projectId, exportId, { startAt, endAt });
    await runsAfterBackfill(world, exportId, id);
  }

  async function verify(
    range = ALL,
    deep = false,
    overrides: Partial<Parameters<typeof exportVerifier>[0]> = {},
  ): Promise<VerifiedInterval[]> {
    const { engine } = world;
    const { signal } = new AbortController();
    const verifier = exportVerifier({
      ...engine,
      ...overrides,
      openSession: async (run) => openSession(engine, requirePlan(run), signal),
    });
    return Array.fromAsync(verifier.verify(exportId, range, deep));
  }

  /** The kinds of findings by interval: only those with any. */
  async function findings(range = ALL, deep = false): Promise<Record<string, string[]>> {
    const found = (await verify(range, deep)).filter((interval) => interval.findings.length > 0);
    return Object.fromEntries(
      found.map(({ start, findings: all }) => [start, [...new Set(all.map(({ kind }) => kind))]]),
    );
  }

  /** Changes the file of the second hour. */
  async function change(edit: (text: string) => string): Promise<void> {
    const [, file] = await deliveredFiles(directory);
    await writeFile(file!, edit(await readFile(file!, 'utf8')));
  }

  it('finds nothing where nothing changed, however it looks', async () => {
    for (const deep of [false, true]) {
      const results = await verify(ALL, deep);
      assert.deepEqual(
        results,
        [3, 4, 5].map((rows, hour) => ({
          start: at(`${10 + hour}:00:00`),
          end: at(`${11 + hour}:00:00`),
          rows,
          findings: [],
        })),
      );
    }
  });

  it('finds a changed byte', async () => {
    await change((text) => text.replace('pageview', 'pagevieW'));
    assert.deepEqual(await findings(), { [at('11:00:00')]: ['differing'] });
  });

  it('finds a row exchanged for another of the same length', async () => {
    await change((text) => text.replace(/"uuid":"[^"]{36}"/, `"uuid":"${buildEvent().uuid}"`));
    assert.deepEqual(await findings(ALL, true), { [at('11:00:00')]: ['differing'] });
  });

  it('names the file that is missing', async () => {
    const [, second] = await deliveredFiles(directory);
    await rm(second!);
    const [, { findings: found }] = (await verify()) as [unknown, VerifiedInterval];
    assert.equal(found.length, 1);
    assert.equal(found[0]!.kind, 'differing');
    assert.ok(found[0]!.what.includes(`${path.basename(second!)} is missing`), found[0]!.what);
  });

  it('compares the counts of a delivery that cannot be read back with the source', async () => {
    const wanted = buildExport({ destination: { type: 'NoOp', config: {} } });
    exportId = (await world.batchExports.create(world.projectId, wanted)).id;
    await deliver();
    assert.deepEqual(
      (await verify(ALL, true)).map(({ rows, findings: found }) => [rows, found]),
      [3, 4, 5].map((rows) => [rows, []]),
    );
    await world.engine.pool.query('delete from events where interval_time < $1', [at('11:00:00')]);
    assert.deepEqual(await findings(), { [at('10:00:00')]: ['deleted'] });
  });

  it('distinguishes rows deleted at the source from rows lost at the destination', async () => {
    await world.engine.pool.query('delete from events where interval_time < $1', [at('11:00:00')]);
    const [first, ...rest] = await verify();
    assert.deepEqual(
      first!.findings.map(({ kind, what }) => ({ kind, what })),
      [{ kind: 'deleted', what: '3 rows were deleted at the source.' }],
    );
    assert.ok(rest.every(({ findings: found }) => found.length === 0));
  });

  const expire = async () =>
    world.engine.pool.query('insert into event_retention (project_id, retained_from) values ($1, $2)', [
      world.projectId,
      at('11:00:00'),
    ]);

  describe('after its source has expired in part', () => {
    const refusal = { code: 'source_expired', message: /begin before 2015-05-17T11:00:00.000000Z are no longer kept/ };

    it('compares only the destination with the receipt', async () => {
      await expire();
      assert.deepEqual(await findings(), { [at('10:00:00')]: ['expired'] });
      await world.engine.pool.query('delete from events where interval_time < $1', [at('11:00:00')]);
      assert.deepEqual(await findings(ALL, true), { [at('10:00:00')]: ['expired'] });
      const [first] = await deliveredFiles(directory);
      await rm(first!);
      assert.deepEqual(await findings(), { [at('10:00:00')]: ['differing', 'expired'] });
    });

    it('continues when the source expires meanwhile, and calls expired what was never delivered', async () => {
      const { engine } = world;
      const events = {
        ...engine.events,
        async digest(slice: Parameters<typeof engine.events.digest>[0]) {
          if (slice.start === at('10:00:00')) await expire();
          return engine.events.digest(slice);
        },
      };
      const kinds = (await verify(ALL, false, { events })).map(({ findings: found }) => found.map(({ kind }) => kind));
      assert.deepEqual(kinds, [['expired'], [], []]);
      assert.deepEqual(await findings({ from: at('09:00:00'), to: at('13:00:00') }), {
        [at('09:00:00')]: ['expired'],
        [at('10:00:00')]: ['expired'],
      });
    });

    it('replaces no delivery by what is left at the source', async () => {
      const { engine, backfills, projectId } = world;
      const delivered = await engine.stores.runs.findNewestOfInterval(exportId, at('11:00:00'));
      await expire();
      await assert.rejects(deliver(), { ...refusal, attr: 'start_at' });
      await assert.rejects(backfills.retry(projectId, exportId, delivered!.id), refusal);
      const interval = { start: Date.parse(`${DAY}10:00:00Z`), end: Date.parse(`${DAY}11:00:00Z`) };
      await engine.stores.runRequests.open(exportId, [interval], 'backfill');
      await backfills.wake(exportId);
      const failed = await eventually('a run that was requested before', async () => {
        const run = await engine.stores.runs.findNewestOfInterval(exportId, at('11:00:00'));
        return run && run.id !== delivered!.id && run.status !== 'Starting' ? run : undefined;
      });
      assert.deepEqual([failed.status, failed.errorCode, failed.errorOwner], ['Failed', 'source_expired', 'you']);
      assert.match(failed.latestError!, refusal.message);
      await deliver(`${DAY}11:00:00Z`);
      assert.deepEqual(await findings(), { [at('10:00:00')]: ['expired'] });
    });

    it('needs events of a day before for sessions, and none for persons', async () => {
      await expire();
      const { projectId } = world;
      const request = async (model: 'sessions' | 'persons', startAt: string) => {
        const { id } = await world.batchExports.create(projectId, buildExport({ model }));
        await world.backfills.request(projectId, id, { startAt, endAt: '2015-05-18T13:00:00Z' });
      };
      await assert.rejects(request('sessions', '2015-05-18T10:00:00Z'), /begin before 2015-05-18T11:00:00.000000Z/);
      await request('sessions', '2015-05-18T11:00:00Z');
      await request('persons', '2015-05-18T10:00:00Z');
    });
  });

  it('finds a source that has more than was delivered', async () => {
    // As a writer would that gets around the seal and its guard.
    await world.engine.pool.query(
      `begin;
       set local session_replication_role = replica;
       insert into events select project_id, gen_random_uuid(), event, distinct_id, person_id, properties, person_properties,
         elements_chain, "timestamp", created_at, inserted_at, interval_time, row_bytes
       from events where interval_time < '${at('11:00:00')}' limit 1;
       commit`,
    );
    assert.deepEqual(await findings(), { [at('10:00:00')]: ['differing'] });
  });

  it('calls an interval stale that an import has added to, until it is delivered again', async () => {
    await world.store([eventAt(12)]);
    assert.deepEqual(await findings(), { [at('12:00:00')]: ['stale'] });
    await deliver(`${DAY}12:00:00Z`);
    assert.deepEqual(await findings(ALL, true), {});
  });

  it('reports intervals of a range that were never delivered', async () => {
    const range = { from: at('09:00:00'), to: at('14:00:00') };
    assert.deepEqual(await findings(range), { [at('09:00:00')]: ['missing'], [at('13:00:00')]: ['missing'] });
    assert.deepEqual((await verify(range)).length, 5);
    assert.deepEqual(await findings({ from: at('10:30:00'), to: at('12:00:00') }), {});
  });

  it('reads packed files to the last byte when it looks deep', async () => {
    const config = { directory: `${path.basename(directory)}-packed`, compression: 'gzip' };
    const { id } = await world.batchExports.create(
      world.projectId,
      buildExport({ destination: { type: 'LocalFile', config } }),
    );
    exportId = id;
    directory = path.join(world.folder, config.directory);
    await deliver();
    assert.deepEqual(await findings(ALL, true), {});
    const [file] = await deliveredFiles(directory);
    await writeFile(file!, zlib.gzipSync(zlib.gunzipSync(await readFile(file!)), { level: 1 }));
    assert.deepEqual(await findings(ALL, true), { [at('10:00:00')]: ['differing'] });
  });

  for (const config of [
    { file_format: 'Parquet', compression: 'zstd' },
    { file_format: 'CSV', compression: 'brotli' },
    { file_format: 'JSONLines', compression: 'zstd' },
  ]) {
    it(`reads ${config.file_format} back, also where it shows no uuid`, async () => {
      for (const excludeColumns of [[], ['uuid']]) {
        directory = path.join(world.folder, `${path.basename(directory)}-next`);
        const one = buildExport({
          destination: { type: 'LocalFile', config: { ...config, directory: path.basename(directory) } },
        });
        exportId = (await world.batchExports.create(world.projectId, { ...one, content: { excludeColumns } })).id;
        await deliver();
        assert.deepEqual(await findings(ALL, true), {});
        const [, file] = await deliveredFiles(directory);
        const bytes = await readFile(file!);
        bytes[bytes.length >> 1]! ^= 1;
        await writeFile(file!, bytes);
        assert.deepEqual(await findings(ALL, true), { [at('11:00:00')]: ['differing'] });
      }
    });
  }

  it('finds rows taken from and added to a table', async () => {
    const database = await createEmptyDatabase();
    const client = createClient({ url: database.url, applicationName: 'test' });
    await client.connect();
    try {
      const { hostname, port, username, password, pathname } = new URL(database.url);
      const place = {
        host: hostname,
        port: Number(port),
        database: pathname.slice(1),
        schema: 'public',
        table_name: 't',
      };
      const config = { ...place, user: username, password: decodeURIComponent(password), has_self_signed_cert: false };
      const one = buildExport({ destination: { type: 'Postgres', config } });
      exportId = (await world.batchExports.create(world.projectId, one)).id;
      await deliver();
      assert.deepEqual(await findings(ALL, true), {});
      await client.query('delete from t where uuid = (select max(uuid::text)::uuid from t where timestamp < $1)', [
        at('11:00:00'),
      ]);
      await client.query('insert into t select * from t where timestamp > $1 limit 1', [at('12:00:00')]);
      assert.deepEqual(await findings(), { [at('10:00:00')]: ['differing'], [at('12:00:00')]: ['differing'] });
    } finally {
      await client.end();
      await database.drop();
    }
  });

  it('reads an interval back where its run delivered it, also after the export moved', async () => {
    const config = { directory: `${path.basename(directory)}-moved` };
    await world.batchExports.patch(world.projectId, exportId, { destination: { type: 'LocalFile', config } });
    await deliver(`${DAY}12:00:00Z`);
    assert.deepEqual(await findings(ALL, true), {});
    await change((text) => text.replace('{', '['));
    assert.deepEqual(await findings(ALL, true), { [at('11:00:00')]: ['differing'] });
  });

  it('says that it cannot look at an earlier place whose credentials are gone', async () => {
    const database = await createEmptyDatabase();
    const client = createClient({ url: database.url, applicationName: 'test' });
    await client.connect();
    try {
      const { hostname: host, port, username: user, password, pathname } = new URL(database.url);
      const config = { host, port: Number(port), user, password: decodeURIComponent(password) };
      await client.query('create schema former');
      const place = { ...config, database: pathname.slice(1), schema: 'former', table_name: 't' };
      const one = buildExport({ destination: { type: 'Postgres', config: place } });
      exportId = (await world.batchExports.create(world.projectId, one)).id;
      await deliver(`${DAY}12:00:00Z`);
      const moved = { type: 'Postgres', config: { schema: 'public' } };
      await world.batchExports.patch(world.projectId, exportId, { destination: moved });
      await world.engine.stores.places.forgetUnused();
      const [interval] = await verify();
      assert.equal(interval!.findings[0]!.kind, 'unchecked');
      assert.match(interval!.findings[0]!.what, /credentials were deleted/);
    } finally {
      await client.end();
      await database.drop();
    }
  });

  it('does not judge an interval that is just being committed', async () => {
    await world.engine.pool.query(
      `update batch_export_intervals set state = 'committing' where batch_export_id = $1 and data_interval_start = $2`,
      [exportId, at('10:00:00')],
    );
    assert.deepEqual(await findings(), { [at('10:00:00')]: ['unchecked'] });
  });
});
