/** Brings a database to this version's schema. Safe to call from many processes at once: they take turns. */
import { readdir } from 'node:fs/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import path from 'node:path';
import { CommandFailed } from '../errors.ts';
import { ADVISORY_LOCKS } from './advisory-locks.ts';
import { createClient, createKnex, type Knex, type Pool } from './connection.ts';
import { POOLS } from './pools.ts';
import { SQL_STATE, sqlState } from './sql-states.ts';

const FOLDER = fileURLToPath(new URL('../../../migrations/', import.meta.url));

type Migration = { up(knex: Knex): Promise<void>; down(knex: Knex): Promise<void> };

const source = {
  async getMigrations(): Promise<string[]> {
    return (await readdir(FOLDER)).filter((name) => name.endsWith('.ts')).sort();
  },
  getMigrationName: (name: string) => name.replace(/\.ts$/, ''),
  getMigration: async (name: string) => (await import(pathToFileURL(path.join(FOLDER, name)).href)) as Migration,
};

/** @returns the names of the migrations that were applied, oldest first; empty when there was nothing to do */
export async function migrate(url: string): Promise<string[]> {
  return withMigrator(url, async (migrator) => {
    const [, applied] = (await migrator.latest()) as [number, string[]];
    return applied;
  });
}

/** @returns the names of this version's migrations that the database has not seen yet, oldest first */
export async function pendingMigrations(pool: Pool): Promise<string[]> {
  const applied = new Set(await appliedMigrations(pool));
  return (await knownMigrations()).filter((name) => !applied.has(name));
}

/** @returns the names of migrations that a newer version applied to the database, oldest first */
export async function unknownMigrations(pool: Pool): Promise<string[]> {
  const known = new Set(await knownMigrations());
  return (await appliedMigrations(pool)).filter((name) => !known.has(name));
}

async function knownMigrations(): Promise<string[]> {
  return (await source.getMigrations()).map(source.getMigrationName);
}

async function appliedMigrations(pool: Pool): Promise<string[]> {
  const { rows } = await pool
    .query<{ name: string }>('select name from schema_migrations order by id')
    .catch((error: unknown) => {
      if (sqlState(error) === SQL_STATE.undefinedTable) return { rows: [] };
      throw error;
    });
  return rows.map(({ name }) => name);
}

/** Undoes the newest batch of migrations (development only). */
export async function rollback(url: string): Promise<string[]> {
  return withMigrator(url, async (migrator) => {
    const [, undone] = (await migrator.rollback().catch(throwRefusal)) as [number, string[]];
    return undone;
  });
}

/** A migration's own sentence, which knex puts behind the statement. */
function throwRefusal(error: Error): never {
  if (sqlState(error) !== SQL_STATE.raiseException) throw error;
  throw new CommandFailed(`${error.message.slice(error.message.lastIndexOf(' - ') + 3)}.`);
}

async function withMigrator<T>(url: string, work: (migrator: Knex.Migrator) => Promise<T>): Promise<T> {
  // knex has a lock of its own, but a second migrator fails on it instead of waiting: ours queues them.
  const lockClient = createClient({ url, ...POOLS.migrate });
  const db = createKnex({ url, ...POOLS.migrations });
  try {
    await lockClient.connect();
    // tooth: migrate-lock
    await lockClient.query('select pg_advisory_lock($1)', [ADVISORY_LOCKS.migrations]);
    // A migrator that was killed leaves knex's own lock behind; holding ours proves that no other migrator is at work.
    const migrator = db.migrate;
    const config = { migrationSource: source, tableName: 'schema_migrations' };
    await migrator.forceFreeMigrationsLock(config);
    return await work({
      latest: () => migrator.latest(config),
      rollback: () => migrator.rollback(config),
    } as Knex.Migrator);
  } finally {
    await db.destroy();
    await lockClient.end();
  }
}
