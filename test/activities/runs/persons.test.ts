import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { createClient, createPool, type Pool } from '../../../src/platform/db/connection.ts';
import { createIngest, INGEST_TIMEOUTS } from '../../../src/events/ingest/ingest.ts';
import { isoMicros } from '../../../src/exports/domain/instants.ts';
import { exportVerifier } from '../../../src/exports/deliveries/verify.ts';
import { openSession, requirePlan } from '../../../activities/runs/open-session.ts';
import { createEmptyDatabase, type TestDatabase } from '../../support/database/database.ts';
import { deliveredFiles } from '../../support/exports/delivered-files.ts';
import { buildRows } from '../../support/events/events.ts';
import {
  runsAfterBackfill,
  buildExport,
  buildExportWorld,
  type ExportWorld,
} from '../../support/exports/export-world.ts';
import { eventOf, identify, mergeDangerously, set, type Line } from '../../support/events/person-lines.ts';
import { buildPersonEvent, personVersions } from '../../support/database/stored-persons.ts';

const PERSONS = 1000;
const MINUTES = 6;
const MINUTE = 60_000;

/** A bigint comes from the table as text. */
type Row = {
  distinct_id: string;
  person_id: string;
  person_version: number | string;
  properties: object;
  is_deleted: boolean;
};
const facts = ({ distinct_id, person_id, person_version, properties, is_deleted }: Row) => ({
  distinct_id,
  person_id,
  person_version: Number(person_version),
  properties,
  is_deleted,
});

type Facts = ReturnType<typeof facts>;

/** The same numbers in each run of the test. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

describe('persons that change while they are exported', () => {
  let world: ExportWorld;
  let place: TestDatabase;
  let table: ReturnType<typeof createClient>;
  let exportIds: string[];
  const random = seeded(20_150_517);
  const pick = () => `person-${Math.floor(random() * PERSONS)}`;
  const begin = Math.floor(Date.now() / MINUTE) * MINUTE - (MINUTES + 5) * MINUTE;
  const boundary = (minute: number) => isoMicros(begin + minute * MINUTE);

  before(async () => {
    world = await buildExportWorld();
    await world.startWorker();
    place = await createEmptyDatabase();
    table = createClient({ url: place.url, applicationName: 'test' });
    await table.connect();
    const url = new URL(place.url);
    const config = {
      host: url.hostname,
      port: Number(url.port),
      user: url.username,
      password: decodeURIComponent(url.password),
      database: url.pathname.slice(1),
      table_name: 'people',
    };
    const destinations = [
      { type: 'Postgres', config },
      { type: 'LocalFile', config: { directory: 'people' } },
      { type: 'LocalFile', config: { directory: 'parquet', file_format: 'Parquet', compression: 'zstd' } },
    ];
    const created = destinations.map((destination) =>
      world.batchExports.create(
        world.projectId,
        buildExport({ model: 'persons', interval: 'every 1 minutes', paused: true, destination }),
      ),
    );
    exportIds = (await Promise.all(created)).map(({ id }) => id);
  });
  after(async () => {
    await table?.end();
    await world?.close();
    await place?.drop();
  });

  /** As capture stores them in that minute: their instants are given, so that minutes need not pass. */
  async function storeIn(minute: number, groups: readonly Line[][]): Promise<void> {
    const pool = createPool({ url: world.options.databaseUrl, applicationName: 'test-ingest', ...INGEST_TIMEOUTS });
    const at = isoMicros(begin + minute * MINUTE + 10_000 + Math.floor(random() * 40_000));
    pool.on('connect', (client) => void client.query(`set sluice.ingest_now to '${at}'`));
    try {
      const ingest = createIngest(pool);
      for (const group of groups) {
        const events = group.map((line) => buildPersonEvent(eventOf(line)));
        await ingest.store(world.projectId, [buildRows(events, { projectId: world.projectId })]);
      }
      if (minute > 0) await deleteSome(pool);
    } finally {
      await pool.end();
    }
  }

  async function deleteSome(pool: Pool): Promise<void> {
    await pool.query(
      'select delete_persons($1, array(select person_id from person_distinct_ids where project_id = $1 and distinct_id = any ($2) and person_id is not null))',
      [world.projectId, [pick(), pick(), pick()]],
    );
  }

  /** Three groups of changes of anybody, and a few merges. */
  function changes(minute: number): Line[][] {
    return Array.from({ length: 3 }, (_, group) => [
      ...Array.from({ length: 150 }, () => set(pick(), { minute, group })),
      ...Array.from({ length: 3 }, () => mergeDangerously(pick(), pick())),
    ]);
  }

  async function deliver(exportId: string, from: number, to: number): Promise<void> {
    const range = { startAt: boundary(from), endAt: boundary(to) };
    const backfill = await world.backfills.request(world.projectId, exportId, range);
    const runs = await runsAfterBackfill(world, exportId, backfill.id);
    const others = runs.filter(({ status }) => status !== 'Completed');
    assert.deepEqual(
      others.map(({ status, latestError }) => `${status}: ${latestError}`),
      [],
    );
  }

  async function inTable(): Promise<Map<string, Facts>> {
    const { rows } = await table.query<Row>('select * from people where team_id = $1', [world.projectId]);
    return new Map(rows.map((row) => [row.distinct_id, facts(row)]));
  }

  const files = async () => {
    const names = await deliveredFiles(path.join(world.folder, 'people'));
    return Promise.all(names.map(async (name) => ({ name, text: await readFile(name, 'utf8') })));
  };

  /** As a reader of the files would: of each distinct id the newest version. */
  async function inFiles(): Promise<Map<string, Facts>> {
    const newest = new Map<string, Facts>();
    for (const { text } of await files()) {
      const rows = text
        .split('\n')
        .filter(Boolean)
        .map((line) => facts(JSON.parse(line) as Row));
      for (const row of rows) {
        const known = newest.get(row.distinct_id);
        if (!known || known.person_version < row.person_version) newest.set(row.distinct_id, row);
      }
    }
    return newest;
  }

  /** Every byte at both destinations that a reader sees. */
  async function everything(): Promise<string> {
    const { rows } = await table.query<{ row: string }>('select people::text as row from people order by 1');
    return createHash('sha256')
      .update(JSON.stringify([rows, await files()]))
      .digest('hex');
  }

  it('arrive everywhere in their newest version', async () => {
    await storeIn(0, [Array.from({ length: PERSONS }, (_, n) => identify(`person-${n}`, `anon-${n}`))]);
    for (let minute = 1; minute < MINUTES; minute++) {
      await Promise.all([storeIn(minute, changes(minute)), ...exportIds.map((id) => deliver(id, minute - 1, minute))]);
    }
    await Promise.all(exportIds.map((id) => deliver(id, MINUTES - 1, MINUTES)));

    const versions = await personVersions(world.engine.pool, world.projectId);
    const newest = new Map(
      [...versions].map(([id, all]) => [id, facts({ ...all.at(-1)!, person_version: all.at(-1)!.version })]),
    );
    assert.equal(newest.size, 2 * PERSONS);
    assert.ok([...newest.values()].some((row) => row.is_deleted));
    assert.ok([...versions.values()].some((all) => all.length > 5));
    assert.deepEqual(await inTable(), newest);
    assert.deepEqual(await inFiles(), newest);
  });

  it('stay as they are when all intervals are delivered again, in any order', async () => {
    const before = await everything();
    const intervals = exportIds.flatMap((id) => Array.from({ length: MINUTES }, (_, minute) => ({ id, minute })));
    for (const { id, minute } of intervals.toSorted(() => random() - 0.5)) await deliver(id, minute, minute + 1);
    assert.equal(await everything(), before);
    assert.deepEqual(await inTable(), await inFiles());
  });

  it('are verified beside the source: a version that is lost or older is found', async () => {
    const never = new AbortController().signal;
    const verifier = exportVerifier({
      ...world.engine,
      openSession: async (run) => openSession(world.engine, requirePlan(run), never),
    });
    const [tableId, ...fileIds] = exportIds as [string, string, string];
    const all = { from: boundary(0), to: boundary(MINUTES) };
    const findings = async (id: string) =>
      (await Array.fromAsync(verifier.verify(id, all, true))).flatMap((interval) => interval.findings);
    assert.deepEqual(await findings(tableId), []);
    for (const id of fileIds) assert.deepEqual(await findings(id), []);
    await table.query(`delete from people where distinct_id = (select min(distinct_id) from people)`);
    await table.query(`update people set person_version = 0 where distinct_id = (select max(distinct_id) from people)`);
    const found = await findings(tableId);
    assert.ok(found.length >= 1);
    assert.deepEqual(new Set(found.map(({ kind }) => kind)), new Set(['differing']));
  });
});
