/** Brings a database to the schema of an earlier version. */
import { readdir } from 'node:fs/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import path from 'node:path';
import type { Knex } from 'knex';
import { createKnex } from '../../src/platform/db/connection.ts';

const FOLDER = fileURLToPath(new URL('../../migrations/', import.meta.url));

/** @param newest the last migration to apply, as `schema_migrations` names it */
export async function migrateUpTo(url: string, newest: string): Promise<void> {
  const db = createKnex({ url, applicationName: 'test-upgrade', maxConnections: 2 });
  const migrationSource: Knex.MigrationSource<string> = {
    getMigrations: async () =>
      (await readdir(FOLDER)).filter((name) => name.endsWith('.ts') && name.replace(/\.ts$/, '') <= newest).sort(),
    getMigrationName: (name) => name.replace(/\.ts$/, ''),
    getMigration: async (name) => (await import(pathToFileURL(path.join(FOLDER, name)).href)) as Knex.Migration,
  };
  await db.migrate.latest({ migrationSource, tableName: 'schema_migrations' });
  await db.destroy();
}
