import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { createKnex, type Knex } from '../../../src/platform/db/connection.ts';
import { readSchema, type SchemaObject } from '../../schema/catalogues.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts';

type Migration = { up(knex: Knex): Promise<void>; down(knex: Knex): Promise<void> };

const FOLDER = new URL('../../../migrations/', import.meta.url);
const keyOf = ({ kind, of, name, definition }: SchemaObject) => JSON.stringify([kind, of, name, definition]);
describe('migrations', () => {
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

  /** Without the order of columns: one that went down and up again is the last. */
  const schema = async () =>
    (await readSchema(db)).map((object) => ({ ...object, position: 0 })).sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));

  it('go down, each to where it was, and up again to the same schema', async () => {
    const names = readdirSync(FOLDER).sort();
    const migrations = await Promise.all(names.map((name) => import(new URL(name, FOLDER).href) as Promise<Migration>));
    const states = [await schema()];
    for (const migration of migrations.toReversed()) {
      await migration.down(db);
      states.push(await schema());
    }
    assert.deepEqual(states.pop(), []);
    for (const [index, migration] of migrations.entries()) {
      await migration.up(db);
      assert.deepEqual(await schema(), states.pop(), names[index]);
    }
  });
});
