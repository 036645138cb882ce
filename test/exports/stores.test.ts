import assert from 'node:assert/strict';
import type { BatchExport } from '../../src/exports/batch-exports/batch-export.ts';
import type { ExportStores } from '../../src/exports/stores.ts';
import { createExportRows, type ExportRows } from '../support/database/export-rows.ts';

type Inside = Parameters<Parameters<ExportStores['inTransaction']>[0]>[0];

const lock = (inside: Inside, { projectId, id }: BatchExport) => inside.batchExports.lock(projectId, id);
const rename = (inside: Inside, { id }: BatchExport, name: string) => inside.batchExports.update(id, { name });

describe('a transaction', () => {
  let rows: ExportRows;
  before(async () => {
    rows = await createExportRows();
  });
  after(() => rows.close());

  it('that Postgres ends because of a deadlock is made again: both of two that wait for each other commit', async () => {
    const [a, b] = [await rows.buildExport(), await rows.buildExport()];
    const bothHold = Promise.withResolvers<void>();
    let attempts = 0;
    let held = 0;
    const inOrder = async (first: BatchExport, second: BatchExport) =>
      rows.stores.inTransaction(async (inside) => {
        attempts += 1;
        const { name } = await lock(inside, first);
        held += 1;
        if (held === 2) bothHold.resolve();
        await bothHold.promise;
        await rename(inside, first, `${name}+`);
        const { name: other } = await lock(inside, second);
        await rename(inside, second, `${other}+`);
      });
    await Promise.all([inOrder(a, b), inOrder(b, a)]);
    assert.equal(attempts, 3, 'one was made again');
    const names = await Promise.all([a, b].map(async ({ id }) => (await rows.stores.batchExports.find(id))?.name));
    assert.deepEqual(names, ['test++', 'test++'], 'and left nothing of its first attempt');
  });

  it('that fails otherwise is not made again', async () => {
    let attempts = 0;
    await assert.rejects(
      rows.stores.inTransaction(async () => {
        attempts += 1;
        throw new Error('no');
      }),
      /^Error: no$/,
    );
    assert.equal(attempts, 1);
  });
});
