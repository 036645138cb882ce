import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Receipt } from '../../../src/exports/destinations/contract.ts';
import type { BatchExport } from '../../../src/exports/batch-exports/batch-export.ts';
import { createExportRows, type ExportRows } from '../../support/database/export-rows.ts';
import { eventually } from '../../support/exports/export-world.ts';

const START = Date.parse('2015-05-17T10:00:00Z');

describe('the ledger', () => {
  let rows: ExportRows;
  before(async () => {
    rows = await createExportRows();
  });
  after(() => rows.close());

  it('forgets more artifacts at once than a statement of Postgres has parameters', async () => {
    const run = await rows.buildRun(await rows.buildExport(), { start: START, end: START + 3_600_000 });
    const { artifacts, ledger } = rows.stores;
    const interval = { exportId: run.batchExportId, start: run.start, end: run.end };
    const hold = { ...interval, epoch: await ledger.takeEpoch(interval, run.id) };
    const [kept, gone] = [await artifacts.record(hold, {}), await artifacts.record(hold, {})];
    await artifacts.discard([gone, ...Array.from({ length: 70_000 }, () => randomUUID())]);
    assert.deepEqual(
      (await artifacts.list(hold)).map(({ id }) => id),
      [kept],
    );
  });

  it('records nothing instead of what was discarded', async () => {
    const { artifacts } = rows.stores;
    const { hold } = await buildHold();
    const intent = await artifacts.record(hold, { key: 'a' });
    const upload = await artifacts.record(hold, { key: 'a', id: '1' }, intent);
    const only = [{ id: upload, epoch: hold.epoch, artifact: { key: 'a', id: '1' } }];
    assert.deepEqual(await artifacts.list(hold), only);
    await assert.rejects(artifacts.record(hold, { key: 'a', id: '2' }, intent), { name: 'Superseded' });
    assert.deepEqual(await artifacts.list(hold), only);
  });

  const RECEIPT: Receipt = {
    rows: 1,
    bytes: 1,
    digest: '1',
    location: 'here',
    epoch: 1,
    cutoff: '2015-05-17T12:00:00.000000Z',
    timeline: null,
  };

  /** A run that has taken its interval. */
  async function buildHold(of?: BatchExport) {
    const run = await rows.buildRun(of ?? (await rows.buildExport()), { start: START, end: START + 3_600_000 });
    const interval = { exportId: run.batchExportId, start: run.start, end: run.end };
    return { run, interval, hold: { ...interval, epoch: await rows.stores.ledger.takeEpoch(interval, run.id) } };
  }

  it('gives each run an epoch above all before it, after a restore above those of other deliveries', async () => {
    const { ledger } = rows.stores;
    const { interval, run, hold } = await buildHold();
    assert.equal(hold.epoch, 1);
    assert.equal(await ledger.takeEpoch(interval, run.id), 2);
    assert.equal(await ledger.takeEpoch(interval, run.id), 3);
    await rows.db('timeline').update({ epochs_above: '1000' });
    assert.equal(await ledger.takeEpoch(interval, run.id), 1001);
    await rows.db('timeline').update({ epochs_above: '0' });
    assert.equal(await ledger.takeEpoch(interval, run.id), 1002);
  });

  it('lets nothing be done under an epoch that is no longer the interval’s', async () => {
    const { artifacts, ledger } = rows.stores;
    for (const state of ['open', 'committing', 'delivered'] as const) {
      const { interval, hold } = await buildHold();
      const later = await rows.buildRun(await rows.stores.batchExports.getIncludingDeleted(hold.exportId), {
        start: START,
        end: START + 3_600_000,
      });
      const present = { ...interval, epoch: await ledger.takeEpoch(interval, later.id) };
      if (state !== 'open') await ledger.beginCommit(present);
      if (state === 'delivered') await ledger.markDelivered(present, RECEIPT);
      const superseded = { name: 'Superseded', message: `superseded by run ${later.id}` };
      await assert.rejects(ledger.lockIfOpen(hold), superseded, state);
      await assert.rejects(ledger.beginCommit(hold), superseded, state);
      await assert.rejects(ledger.markDelivered(hold, RECEIPT), superseded, state);
      await assert.rejects(artifacts.record(hold, {}), superseded, state);
      await ledger.reopen(hold);
      const entry = await ledger.find(interval);
      assert.deepEqual([entry?.epoch, entry?.state], [present.epoch, state]);
    }
  });

  it('takes no part once the commit has begun, and records nothing beside a delivery', async () => {
    const { artifacts, ledger } = rows.stores;
    const { hold } = await buildHold();
    await ledger.lockIfOpen(hold);
    assert.equal(await ledger.beginCommit(hold), 'committing');
    await assert.rejects(ledger.lockIfOpen(hold), { name: 'Superseded' });
    await artifacts.record(hold, {});
    await ledger.markDelivered(hold, RECEIPT);
    await assert.rejects(artifacts.record(hold, {}), { name: 'Superseded' });
    assert.equal((await artifacts.list(hold)).length, 1);
  });

  it('lets no later run take an interval between its check and the part that it is for', async () => {
    const { ledger } = rows.stores;
    const { interval, run, hold } = await buildHold();
    let isTaken = false;
    let taking: Promise<unknown> | undefined;
    await rows.stores.inTransaction(async (inside) => {
      await inside.ledger.lockIfOpen(hold);
      taking = ledger.takeEpoch(interval, run.id).then(() => (isTaken = true));
      await eventually('the later run to wait for a lock', async () => {
        const { rowCount } = await rows.db.raw<{ rowCount: number }>(
          `select from pg_locks join pg_stat_activity using (pid) where datname = current_database() and not granted`,
        );
        return rowCount > 0;
      });
      assert.equal(isTaken, false);
    });
    await taking;
    assert.equal(isTaken, true);
  });

  it('begins no commit for an export that was deleted, and ends one that had begun', async () => {
    const { ledger, batchExports } = rows.stores;
    const [begun, open] = [await buildHold(), await buildHold()];
    await ledger.beginCommit(begun.hold);
    for (const { hold } of [begun, open]) await batchExports.markDeleted(hold.exportId);
    assert.equal(await ledger.beginCommit(begun.hold), 'committing');
    await assert.rejects(ledger.beginCommit(open.hold), { name: 'NotFound' });
    assert.equal((await ledger.find(open.interval))?.state, 'open');
  });

  for (const way of ['delivered', 'adopted'] as const) {
    it(`keeps an interval stale whose late events are not in what is ${way}`, async () => {
      const { ledger } = rows.stores;
      const { hold, interval, run } = await buildHold();
      await ledger.beginCommit(hold);
      const deliver = (receipt: Receipt) =>
        way === 'delivered' ? ledger.markDelivered(hold, receipt) : ledger.adopt(hold, run.id, receipt);
      const key = {
        batch_export_id: hold.exportId,
        data_interval_start: interval.start,
        data_interval_end: interval.end,
        kind: 'stale',
      };
      const lastAt = '2015-05-17T12:30:00.000000Z';
      await rows.db('batch_export_troubles').insert({ ...key, since: '2015-05-17T11:30:00Z', last_at: lastAt });
      await deliver(RECEIPT);
      assert.equal((await rows.db('batch_export_troubles').where(key)).length, 1);
      await deliver({ ...RECEIPT, cutoff: '2015-05-17T13:00:00.000000Z' });
      assert.equal((await rows.db('batch_export_troubles').where(key)).length, 0);
    });
  }
});
