/** `npm run db:schema`: writes `db/` from an empty database that all migrations have passed over. */
import { createKnex } from '../../src/platform/db/connection.ts';
import { createTestDatabase, stopTestDatabases } from '../support/database/database.ts';
import { readSchema } from './catalogues.ts';
import { schemaFiles, writeSchemaFiles } from './files.ts';

const database = await createTestDatabase();
const db = createKnex({ url: database.url, applicationName: 'schema' });
try {
  const files = schemaFiles(await readSchema(db));
  writeSchemaFiles(files);
  console.log(`db/: ${Object.keys(files).length} files`);
} finally {
  await db.destroy();
  await stopTestDatabases();
}
