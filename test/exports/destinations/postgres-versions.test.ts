import assert from 'node:assert/strict';
import { createClient } from '../../../src/platform/db/connection.ts';
import { prepareTables, tableNames } from '../../../src/exports/destinations/postgres/tables.ts';
import { DestinationRejected } from '../../../src/platform/errors.ts';
import { columnsOf, mergeOf } from '../../../src/events/reading/selection.ts';
import { unfilteredContent } from '../../../src/conditions/rows/content.ts';
import { createEmptyDatabase, type TestDatabase } from '../../support/database/database.ts';

describe('a table of rows with versions', () => {
  let database: TestDatabase;
  let client: ReturnType<typeof createClient>;
  const persons = unfilteredContent('persons');
  const delivery = { columns: columnsOf(persons, 'rows'), merge: mergeOf(persons) };

  before(async () => {
    database = await createEmptyDatabase();
    client = createClient({ url: database.url, applicationName: 'test' });
    await client.connect();
  });
  after(async () => {
    await client?.end();
    await database?.drop();
  });

  const prepare = (table: string) => prepareTables(client, tableNames('public', table), delivery);
  const columnNames = async (table: string) => {
    const { rows } = await client.query<{ name: string }>(
      'select attname as name from pg_attribute where attrelid = $1::regclass and attnum > 0 order by attnum',
      [table],
    );
    return rows.map(({ name }) => name);
  };

  it('is made with its key, and with our columns behind those of the model', async () => {
    await prepare('made');
    assert.equal(
      (await columnNames('made')).join(' '),
      'team_id distinct_id person_id properties person_distinct_id_version person_version created_at _inserted_at ' +
        'is_deleted _sluice_row _sluice_export _sluice_interval_time',
    );
    const { rows } = await client.query(
      'select pg_get_indexdef(indexrelid) as def from pg_index where indrelid = $1::regclass and indisprimary',
      ['made'],
    );
    assert.match((rows[0] as { def: string }).def, /\(team_id, distinct_id\)$/);
    await prepare('made');
  });

  it('of the user’s own needs the key: the refusal says how it gets it', async () => {
    await client.query(`create table own (like made); create unique index partly on own (team_id, distinct_id) where is_deleted;
      create unique index wider on own (team_id, distinct_id, person_id); create index not_unique on own (team_id, distinct_id)`);
    const refusal = await prepare('own').catch((error: unknown) => error);
    assert.ok(refusal instanceof DestinationRejected);
    const [, statement] = /(ALTER TABLE .*;)$/.exec(refusal.message)!;
    await client.query(statement!);
    await prepare('own');
  });

  it('of the user’s own needs the columns: the refusal says how it gets them', async () => {
    await client.query('create table bare (team_id bigint, distinct_id text, primary key (distinct_id, team_id))');
    const refusal = await prepare('bare').catch((error: unknown) => error);
    assert.ok(refusal instanceof DestinationRejected);
    await client.query(/(ALTER TABLE .*;)$/.exec(refusal.message)![1]!);
    await prepare('bare');
    assert.ok((await columnNames('bare')).includes('_sluice_row'));
  });
});
