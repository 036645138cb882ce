import assert from 'node:assert/strict';
import fc from 'fast-check';
import { createClient } from '../../../src/platform/db/connection.ts';
import type { Column } from '../../../src/conditions/rows/columns.ts';
import { ROW_ID, RowsDigester, rowIdColumn, rowsDigestSql } from '../../../src/conditions/rows/rows-digest.ts';
import { createEmptyDatabase } from '../../support/database/database.ts';

const uuids = fc.array(fc.oneof(fc.uuid(), fc.constant('ffffffff-ffff-ffff-ffff-ffffffffffff')), { maxLength: 100 });

function digestOf(values: readonly string[]): string {
  const digester = new RowsDigester();
  for (const value of values) digester.add(Buffer.from(`00${value.replaceAll('-', '')}`, 'hex'), 1);
  return digester.digest();
}

describe('the digest of rows', () => {
  it('is the sum of the low 60 bits of their uuids, modulo 2^64', () => {
    fc.assert(
      fc.property(uuids, (values) => {
        const sum = values.reduce((total, uuid) => total + BigInt(`0x${uuid.replaceAll('-', '').slice(17)}`), 0n);
        assert.equal(digestOf(values), BigInt.asUintN(64, sum).toString());
      }),
    );
  });

  it('is the same in SQL, in any order', async () => {
    const database = await createEmptyDatabase();
    const client = createClient({ url: database.url, applicationName: 'test' });
    await client.connect();
    try {
      await fc.assert(
        fc.asyncProperty(uuids, async (values) => {
          const { rows } = await client.query<{ digest: string }>(
            `select ${rowsDigestSql('id')} as digest from unnest($1::uuid[]) as id`,
            [values.toReversed()],
          );
          assert.equal(rows[0]!.digest, digestOf(values));
        }),
        { numRuns: 50 },
      );
    } finally {
      await client.end();
      await database.drop();
    }
  });

  it('is of the hidden row id where there is one, else of the uuid', () => {
    const columns: Column[] = [{ name: 'uuid', type: 'uuid' }, { name: 'event', type: 'text' }, ROW_ID];
    assert.equal(rowIdColumn(columns), 2);
  });

  it('needs a uuid', () => {
    assert.equal(
      rowIdColumn([
        { name: 'event', type: 'text' },
        { name: 'uuid', type: 'uuid' },
      ]),
      1,
    );
    assert.throws(() => rowIdColumn([{ name: 'uuid', type: 'text' }]), /uuid/);
  });
});
