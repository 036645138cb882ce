import assert from 'node:assert/strict';
import fc from 'fast-check';
import { createPool, type Pool } from '../../../src/platform/db/connection.ts';
import { AnswerTooLarge, quoteText, quoteTextArray, simpleQuery } from '../../../src/platform/db/simple-query.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts';

/** All that Postgres stores as text. */
const storable = fc
  .string({
    unit: fc.oneof(
      fc.constantFrom("'", '\\', '"', '{', '}', ',', 'E', '$', ';', '-', 'NULL', '\n'),
      fc.string({ unit: 'grapheme' }),
    ),
  })
  .filter((text) => !text.includes('\0') && text.isWellFormed());

describe('texts in SQL', () => {
  let database: TestDatabase;
  let pool: Pool;

  before(async () => {
    database = await createTestDatabase();
    pool = createPool({ url: database.url, applicationName: 'test', maxConnections: 1 });
  });
  after(async () => {
    await pool.end();
    await database.drop();
  });

  async function runQuery(sql: string) {
    const client = await pool.connect();
    try {
      return await simpleQuery(client, sql, { timeoutMs: 10_000 });
    } finally {
      client.release();
    }
  }

  for (const setting of ['on', 'off']) {
    it(`mean themselves, with standard_conforming_strings ${setting}`, async () => {
      await runQuery(`set escape_string_warning = off; set standard_conforming_strings = ${setting}`);
      const property = fc.asyncProperty(fc.array(storable, { maxLength: 5 }), async (texts) => {
        const [[joined] = [], [array] = []] = await runQuery(
          `select ${quoteText(texts.join(' '))}; select to_json(${quoteTextArray(texts)}::text[])`,
        );
        assert.equal(joined, texts.join(' '));
        assert.deepEqual(JSON.parse(array!), texts);
      });
      await fc.assert(property, { numRuns: 300 });
    });
  }
});

describe('an answer of Postgres', () => {
  let database: TestDatabase;
  let pool: Pool;

  before(async () => {
    database = await createTestDatabase();
    pool = createPool({ url: database.url, applicationName: 'test' });
  });
  after(async () => {
    await pool.end();
    await database.drop();
  });

  it('is not read to its end when it is too large', async () => {
    const client = await pool.connect();
    const endless = `select repeat('x', 1000000) from generate_series(1, 1000000)`;
    const answer = simpleQuery(client, endless, { timeoutMs: 60_000, maxText: 5_000_000 });
    await assert.rejects(answer, AnswerTooLarge);
    client.release(true);
  });
});
