/** Tables whose owner changes them while deliveries are made, and clocks that differ. */
import assert from 'node:assert/strict';
import { schemaOf } from '../../../../src/exports/destinations/iceberg/table.ts';
import { StagedLost } from '../../../../src/platform/errors.ts';
import { buildRows, testInterval } from '../../../support/exports/deliveries.ts';
import { makeIcebergPlace, type IcebergPlace } from '../../../support/exports/iceberg-place.ts';
import { createTable, dropColumn } from '../../../support/exports/iceberg-writer.ts';
import { needsPyiceberg, readByPyiceberg } from '../../../support/exports/iceberg-reader.ts';
import { needsIcebergCatalog } from '../../../support/servers/iceberg-catalog.ts';
import { needsObjectStore } from '../../../support/servers/object-store.ts';

const OURS = ['_sluice_export', '_sluice_interval_time'];

async function dropTable({ server }: IcebergPlace): Promise<void> {
  const answer = await fetch(`${server.uri}/v1/namespaces/${server.namespace}/tables/events`, { method: 'DELETE' });
  assert.ok(answer.ok, `${answer.status}`);
}

const eventsAsRead = async (place: IcebergPlace) => (await readByPyiceberg(place.server)).map(({ event }) => event);

describe('an Iceberg table that is changed', () => {
  before(async function () {
    needsIcebergCatalog(this);
    await needsObjectStore(this);
  });

  it('gets no files that were staged for other columns of the same names', async () => {
    const place = await makeIcebergPlace();
    await createTable(place, ['uuid', 'event', 'properties', ...OURS], OURS);
    const run = testInterval(place).plan([buildRows(2)]);
    const staged = await run.write();
    await dropTable(place);
    await createTable(place, ['event', 'properties', 'uuid', ...OURS], OURS);
    await assert.rejects(run.commit(staged), StagedLost);
  });

  it('gets a delivery of equal content again if a column was dropped and added again', async function () {
    needsPyiceberg(this);
    const place = await makeIcebergPlace();
    const interval = testInterval(place);
    const rows = buildRows(2);
    const { run, receipt } = await interval.deliver([rows]);
    await dropColumn(place, 'event');
    // Any delivery adds the column, with another id, by which readers find its values.
    const other = testInterval(place);
    await other.deliver([buildRows(1)]);
    assert.equal((await eventsAsRead(place)).filter((event) => event === null).length, 2);
    assert.notDeepEqual(await run.verify(receipt, false), []);
    const before = (await place.metadata())!;
    const again = await interval.deliver([rows]);
    assert.deepEqual(await eventsAsRead(place), ['viewed', 'viewed', 'viewed']);
    assert.deepEqual(await again.run.verify(again.receipt, true), []);
    assert.deepEqual(schemaOf((await place.metadata())!), schemaOf(before));
  });

  it('gets the deliveries of a worker whose clock is minutes behind the catalog’s', async () => {
    const place = await makeIcebergPlace();
    const { now } = Date;
    await testInterval(place).deliver([buildRows(1)]);
    Date.now = () => now() - 5 * 60_000;
    try {
      await testInterval(place).deliver([buildRows(1)]);
    } finally {
      Date.now = now;
    }
    assert.equal((await place.read())!.length, 2);
  });
});
