/** `db/` says what the database is: it is what all migrations together make of an empty one. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { createKnex, type Knex } from '../../../src/platform/db/connection.ts';
import { readSchema } from '../../schema/catalogues.ts';
import { readSchemaFiles, schemaFiles } from '../../schema/files.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts';

const UPDATE = 'db/ differs from what migrations make: run `npm run db:schema` and commit db/ with the migration';
/** The first number that belongs to one migration alone: some older ones share theirs, and keep their released names. */
const UNIQUE_FROM = 25;

describe('the schema in db/', () => {
  let database: TestDatabase;
  let db: Knex;

  before(async () => {
    database = await createTestDatabase();
    db = createKnex({ url: database.url, applicationName: 'test' });
  });
  after(async () => {
    await db.destroy();
    await database.drop();
  });

  it('is what a migrated database has', async () => {
    const written = readSchemaFiles();
    const present = schemaFiles(await readSchema(db));
    assert.deepEqual(Object.keys(written).sort(), Object.keys(present).sort(), UPDATE);
    for (const [name, text] of Object.entries(present)) assert.equal(written[name], text, `${UPDATE}: ${name}`);
  });

  it('has every table, column, function and trigger of the catalogues', async () => {
    const text = Object.values(schemaFiles(await readSchema(db))).join('\n');
    const { rows } = await db.raw<{ rows: { name: string }[] }>(`
      select table_name || '.' || column_name as name from information_schema.columns where table_schema = 'public'
        and table_name !~ '^schema_migrations|_\\d{4}_?\\d{2}|_\\d+$'
      union all select '.' || trigger_name from information_schema.triggers where event_object_schema = 'public'
        and event_object_table !~ '_\\d{4}_?\\d{2}|_\\d+$'
      union all select '.' || routine_name from information_schema.routines where routine_schema = 'public'`);
    assert.ok(rows.length > 500);
    const missing = rows.filter(({ name }) => !name.split('.').every((word) => text.includes(word)));
    assert.deepEqual(missing, []);
  });
});

describe('migrations', () => {
  it(`have numbers of their own from ${UNIQUE_FROM} on`, () => {
    const numbers = readdirSync(new URL('../../../migrations/', import.meta.url)).map((name) =>
      Number(name.slice(0, 4)),
    );
    const shared = numbers.filter((number, index) => number >= UNIQUE_FROM && numbers.indexOf(number) !== index);
    assert.ok(numbers.every(Number.isInteger));
    assert.deepEqual(shared, []);
  });
});
