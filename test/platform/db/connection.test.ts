import assert from 'node:assert/strict';
import { createClient } from '../../../src/platform/db/connection.ts';
import { migrate } from '../../../src/platform/db/migrate.ts';
import { createEmptyDatabase, createTestDatabase } from '../../support/database/database.ts';

describe('the database', () => {
  it('keeps microseconds of instants and digits of bigints as text', async () => {
    const { url, drop } = await createEmptyDatabase();
    const client = createClient({ url, applicationName: 'test' });
    await client.connect();
    const { rows } = await client.query(
      "select '2015-05-17 12:05:03.000001+02'::timestamptz as t, '2015-05-17T10:05:03Z'::timestamptz as whole, 9007199254740993::bigint as n",
    );
    await client.end();
    await drop();
    assert.deepEqual(rows[0], {
      t: '2015-05-17T10:05:03.000001Z',
      whole: '2015-05-17T10:05:03.000000Z',
      n: '9007199254740993',
    });
  });

  it('is migrated once by twenty migrators at once', async () => {
    const { url, drop } = await createEmptyDatabase();
    const applied = await Promise.all(Array.from({ length: 20 }, () => migrate(url)));
    await drop();
    assert.equal(applied.filter((names) => names.length > 0).length, 1);
  });

  it('is cloned from a template that has every migration', async () => {
    const { url, drop } = await createTestDatabase();
    assert.deepEqual(await migrate(url), []);
    await drop();
  });
});
