/** Advisory locks of Sluice: one key for each purpose, and keys that a rolling upgrade must find unchanged. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { createClient, createPool } from '../../../src/platform/db/connection.ts';
import { migrate } from '../../../src/platform/db/migrate.ts';
import { createSealer } from '../../../src/events/table/seal.ts';
import { createEmptyDatabase, createTestDatabase } from '../../support/database/database.ts';
import { eventually } from '../../support/exports/export-world.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** Every key with the files that may name it: a file in two lines, or a key in two purposes, makes strangers wait for each other. */
const KEYS: Record<number, { purpose: string; files: readonly string[] }> = {
  7316001: { purpose: 'migrators take turns', files: ['src/platform/db/migrate.ts'] },
  7316002: {
    purpose: 'a seal sees writers of events',
    files: ['migrations/0002_events.ts', 'src/events/table/seal.ts'],
  },
  7316003: {
    purpose: 'merges of a project’s persons exclude what reads or writes them',
    files: [
      'migrations/0002_events.ts',
      'migrations/0005_persons.ts',
      'migrations/0005_persons_ingest.ts',
      'src/events/records/persons.store.ts',
      'src/flags/cohorts/members.store.ts',
    ],
  },
  7316004: { purpose: 'partitions are made one at a time', files: ['migrations/0002_events.ts'] },
  7316005: { purpose: 'first starts take turns', files: ['src/people/demo.store.ts'] },
  7316006: { purpose: 'group types are numbered one at a time', files: ['migrations/0005_persons.ts'] },
  7316008: {
    purpose: 'changes of a project’s flags',
    files: ['migrations/0016_feature_flags.ts', 'src/flags/stores.ts'],
  },
  7316009: { purpose: 'changes of a project’s dashboards', files: ['src/analytics/dashboards/stores.ts'] },
  7316010: { purpose: 'an insight is computed once', files: ['src/analytics/insights/results/results.store.ts'] },
  7316011: { purpose: 'backfills of a project end', files: ['src/exports/backfills/backfill-ends.store.ts'] },
  7316012: { purpose: 'requests of a project are claimed', files: ['src/exports/runs/run-requests.store.ts'] },
  7316013: { purpose: 'tables of a destination are made', files: ['src/exports/destinations/postgres/tables.ts'] },
  7316026: {
    purpose: 'places in one store are reserved one at a time',
    files: ['src/exports/deliveries/places.store.ts'],
  },
};

const files = ['src', 'activities', 'workflows', 'migrations'].flatMap((folder) =>
  readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => path.join(folder, name)),
);
const textOf = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');

describe('advisory locks', () => {
  it('have one key for each purpose', () => {
    const found: Record<number, string[]> = {};
    for (const file of files.sort()) {
      const keys = new Set(
        [...textOf(file).matchAll(/\b7_?316_?(\d{3})\b/g)].map(([, digits]) => 7_316_000 + Number(digits)),
      );
      for (const key of keys) (found[key] ??= []).push(file);
    }
    const expected = Object.fromEntries(Object.entries(KEYS).map(([key, use]) => [key, use.files]));
    assert.deepEqual(found, expected);
  });

  it('have keys of this table only', () => {
    const taking = files.filter((file) => /pg_(try_)?advisory_(xact_)?lock/.test(textOf(file)));
    const listed = new Set(Object.values(KEYS).flatMap((use) => use.files));
    assert.ok(taking.length >= 10);
    assert.deepEqual(
      taking.filter((file) => !listed.has(file)),
      [],
    );
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
