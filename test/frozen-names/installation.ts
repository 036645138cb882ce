/** Two real databases to read catalogues of: Sluice's own, migrated, and one that a Postgres destination has prepared. */
import type pg from 'pg';
import { createClient } from '../../src/platform/db/connection.ts';
import { prepareTables, tableNames } from '../../src/exports/destinations/postgres/tables.ts';
import { columnsOf, mergeOf } from '../../src/events/reading/selection.ts';
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from '../support/database/database.ts';
import { wholeContent } from './content.ts';

export type Installation = { own: pg.Client; destination: pg.Client; close(): Promise<void> };

export async function startInstallation(): Promise<Installation> {
  const databases = [await createTestDatabase(), await createEmptyDatabase()] as const;
  const [own, destination] = await Promise.all(databases.map(connect));
  for (const model of ['events', 'persons'] as const) {
    const content = wholeContent(model);
    const delivery = { columns: columnsOf(content, 'rows'), merge: mergeOf(content) };
    await prepareTables(destination!, tableNames('public', model), delivery);
  }
  return {
    own: own!,
    destination: destination!,
    async close() {
      await Promise.all([own!.end(), destination!.end()]);
      for (const database of databases) await database.drop();
    },
  };
}

async function connect({ url }: TestDatabase): Promise<pg.Client> {
  const client = createClient({ url, applicationName: 'test' });
  await client.connect();
  return client;
}
