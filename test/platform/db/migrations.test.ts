import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { createKnex, type Knex } from '../../../src/platform/db/connection.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts';

type Migration = { up(knex: Knex): Promise<void>; down(knex: Knex): Promise<void> };

const FOLDER = new URL('../../../migrations/', import.meta.url);
/** Everything that migrations make, by name and definition; the names of partitions are those of months. */
const SCHEMA = `
  select 'column' as kind, table_name || '.' || column_name as name,
      concat_ws(' ', data_type, is_nullable, column_default) as definition
    from information_schema.columns where table_schema = 'public' and table_name not like 'schema_migrations%'
  union all
  select 'index', indexname, indexdef from pg_indexes where schemaname = 'public' and tablename not like 'schema_migrations%'
  union all
  select 'function', proname, prosrc from pg_proc where pronamespace = 'public'::regnamespace
  union all
  select 'trigger', tgrelid::regclass || '.' || tgname, pg_get_triggerdef(oid) from pg_trigger where not tgisinternal
  union all
  select 'constraint', conrelid::regclass || '.' || conname, pg_get_constraintdef(oid)
    from pg_constraint where connamespace = 'public'::regnamespace and conrelid::regclass::text not like 'schema_migrations%'
  order by 1, 2, 3`;

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

  const schema = async () => ((await db.raw(SCHEMA)) as { rows: unknown[] }).rows;

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
