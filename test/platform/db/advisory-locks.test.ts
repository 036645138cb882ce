/** Advisory locks of Sluice: one key for each purpose, and keys that a rolling upgrade must find unchanged. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { ADVISORY_LOCKS } from '../../../src/platform/db/advisory-locks.ts';
import { createClient, createPool } from '../../../src/platform/db/connection.ts';
import { migrate } from '../../../src/platform/db/migrate.ts';
import { createSealer } from '../../../src/events/table/seal.ts';
import { createEmptyDatabase, createTestDatabase } from '../../support/database/database.ts';
import { eventually } from '../../support/exports/export-world.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** Keys and forms that released versions take; a lock that is new is added here, too. */
const RELEASED = {
  migrations: 7316001,
  eventWriters: 7316002,
  personMerges: 7316003,
  eventPartitions: 7316004,
  demo: 7316005,
  groupTypes: 7316006,
  flagChanges: 7316008,
  dashboardChanges: 7316009,
  insightResults: 7316010,
  backfillsOfProject: 7316011,
  requestsOfProject: 7316012,
  destinationTables: 7316013,
  placesOfStore: 7316026,
};
const REGISTRY = 'src/platform/db/advisory-locks.ts';
/** SQL functions have their keys as text; migrations are never edited. */
const IN_MIGRATIONS: Record<number, readonly string[]> = {
  7316002: ['migrations/0002_events.ts'],
  7316003: ['migrations/0002_events.ts', 'migrations/0005_persons.ts', 'migrations/0005_persons_ingest.ts'],
  7316004: ['migrations/0002_events.ts'],
  7316006: ['migrations/0005_persons.ts'],
  7316008: ['migrations/0016_feature_flags.ts'],
};

const files = ['src', 'activities', 'workflows', 'migrations'].flatMap((folder) =>
  readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => path.join(folder, name)),
);
const TAKING = /pg_(?:try_)?advisory_\w*lock/;
const textOf = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');

describe('advisory locks', () => {
  it('have one key for each purpose', () => {
    assert.deepEqual(ADVISORY_LOCKS, RELEASED);
    assert.equal(new Set(Object.values(ADVISORY_LOCKS)).size, Object.keys(ADVISORY_LOCKS).length);
  });

  it('have their keys in the registry, and in migrations', () => {
    const found: Record<number, string[]> = {};
    for (const file of files.filter((name) => name !== REGISTRY).sort()) {
      const keys = new Set(
        [...textOf(file).matchAll(/\b7_?316_?(\d{3})\b/g)].map(([, digits]) => 7_316_000 + Number(digits)),
      );
      for (const key of keys) (found[key] ??= []).push(file);
    }
    assert.deepEqual(found, IN_MIGRATIONS);
  });

  it('are taken by keys of the registry, never by a number', () => {
    const taking = files.filter(
      (file) => !file.startsWith('migrations/') && file !== REGISTRY && TAKING.test(textOf(file)),
    );
    assert.ok(taking.length >= 10);
    const withoutRegistry = taking.filter((file) => !/ADVISORY_LOCKS[.[]/.test(textOf(file)));
    assert.deepEqual(withoutRegistry, []);
    const withNumber = taking.filter((file) => /pg_(?:try_)?advisory_\w+\(\s*\d/.test(textOf(file)));
    assert.deepEqual(withNumber, []);
  });

  it('of writers of events is 7316002 in the one-argument form, which sealers of every version look for', async () => {
    const database = await createTestDatabase();
    const pool = createPool({ url: database.url, applicationName: 'test' });
    const writer = await pool.connect();
    await writer.query('begin');
    await writer.query('select ingest_now()');
    const { rows } = await pool.query(`select classid::int, objid::int, objsubid::int, mode from pg_locks
      where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())`);
    assert.deepEqual(rows, [{ classid: 0, objid: 7_316_002, objsubid: 1, mode: 'ShareLock' }]);
    await writer.query('rollback');
    writer.release();

    // A writer of an older version, which knows this key alone: a seal waits for it.
    const older = await pool.connect();
    await older.query('begin; select pg_advisory_xact_lock_shared(7316002)');
    await createSealer(pool, { patienceMs: 50 }).seal();
    await assert.rejects(older.query('select 1'), 'its session is ended');
    older.release(true);
    await pool.end();
    await database.drop();
  });

  it('of migrators is 7316001 in the one-argument form, which migrators of every version take', async () => {
    const database = await createEmptyDatabase();
    const older = createClient({ url: database.url, applicationName: 'test' });
    await older.connect();
    await older.query('select pg_advisory_lock(7316001)');
    let done = false;
    const migrating = migrate(database.url).finally(() => (done = true));
    await eventually('the migrator to wait', async () => {
      const { rows } = await older.query(`select from pg_locks where locktype = 'advisory' and not granted
        and classid = 0 and objid = 7316001 and objsubid = 1
        and database = (select oid from pg_database where datname = current_database())`);
      return rows.length === 1;
    });
    assert.equal(done, false);
    await older.query('select pg_advisory_unlock(7316001)');
    assert.ok((await migrating).length > 0);
    await older.end();
    await database.drop();
  });
});
