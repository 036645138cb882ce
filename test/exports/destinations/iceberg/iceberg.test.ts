/** Against Apache's REST catalog, with its rows in Postgres, and versitygw. */
import assert from 'node:assert/strict';
import { DeliveredElsewhere, DestinationRejected, type InvalidInput } from '../../../../src/platform/errors.ts';
import { REPLACED_AT_ONCE } from '../../../../src/exports/destinations/promises.ts';
import { buildRows, COLUMNS, stopAt, testInterval } from '../../../support/exports/deliveries.ts';
import { itKeepsTheContract } from '../../../support/exports/destination-contract.ts';
import { makeIcebergPlace } from '../../../support/exports/iceberg-place.ts';
import { appendByPyiceberg, needsPyiceberg, readByPyiceberg } from '../../../support/exports/iceberg-reader.ts';
import { change, createTable, deleteBeside, mergeManifests } from '../../../support/exports/iceberg-writer.ts';
import { needsIcebergCatalog } from '../../../support/servers/iceberg-catalog.ts';
import { startFaultyProxy } from '../../../support/servers/faulty-proxy.ts';
import { needsObjectStore } from '../../../support/servers/object-store.ts';
import { LOOPBACK_ENVIRONMENT } from '../../../support/exports/test-place.ts';

const OURS = ['_sluice_export', '_sluice_interval_time'];

describe('Iceberg', () => {
  before(async function () {
    needsIcebergCatalog(this);
    await needsObjectStore(this);
  });
  itKeepsTheContract(REPLACED_AT_ONCE, makeIcebergPlace);

  it('moves the branch when equal content is delivered again, and keeps the files', async () => {
    const place = await makeIcebergPlace();
    const interval = testInterval(place);
    const rows = buildRows(3);
    await interval.deliver([rows]);
    const first = (await place.metadata())!;
    await interval.deliver([rows]);
    const second = (await place.metadata())!;
    assert.equal(second.snapshots!.length, first.snapshots!.length + 1);
    assert.notEqual(second['current-snapshot-id'], first['current-snapshot-id']);
  });

  it('keeps the rows of other exports and of other writers at once', async () => {
    const place = await makeIcebergPlace();
    const intervals = Array.from({ length: 4 }, () => testInterval(place));
    const shares = intervals.map(() => buildRows(2));
    await Promise.all(intervals.map((interval, index) => interval.deliver([shares[index]!])));
    const last = buildRows(1);
    await intervals[0]!.deliver([last]);
    const expected = [...last, ...shares.slice(1).flat()].map(({ uuid }) => uuid).sort();
    assert.deepEqual(await place.read(), expected);
  });

  it('skips the test steps of a table that does not exist, and passes those of one that does', async () => {
    const place = await makeIcebergPlace();
    const context = { projectId: 1, model: 'events', columns: COLUMNS, merge: null, environment: LOOPBACK_ENVIRONMENT };
    const outcomes = async () => {
      const found = [];
      for (const step of place.destination.steps)
        found.push(await step.run(place.config, { ...context, signal: AbortSignal.timeout(10_000) }));
      return found;
    };
    const skipped = { skipped: 'There is no table yet: the first run will create it.' };
    assert.deepEqual(await outcomes(), [undefined, undefined, skipped, skipped]);
    assert.equal(await place.metadata(), undefined);
    await testInterval(place).deliver([buildRows(1)]);
    const before = await place.snapshot();
    assert.deepEqual(await outcomes(), [undefined, undefined, undefined, undefined]);
    assert.deepEqual([await place.snapshot(), await place.leftovers()], [before, 0]);
  });

  it('removes the file and the manifests of an interval without rows whose commit was killed, when it delivers again', async () => {
    const place = await makeIcebergPlace();
    const interval = testInterval(place);
    await interval.deliver([buildRows(2)]);
    const run = interval.plan([]);
    await stopAt('rows', (steps) => run.commit([], steps));
    assert.equal(await place.leftovers(), 4);
    assert.equal((await run.discard()).length, 2);
    await interval.deliver([buildRows(1)]);
    assert.deepEqual([await place.leftovers(), interval.recorded()], [0, 0]);
  });

  it('keeps manifests of an expired snapshot that others still name', async () => {
    const place = await makeIcebergPlace();
    const [interval, other, third] = [testInterval(place), testInterval(place), testInterval(place)];
    await other.deliver([buildRows(2)]);
    await interval.deliver([buildRows(1)]);
    await mergeManifests(place);
    // Killed after its snapshot was made, so its record stays. The files of the other export are in a manifest of this run now.
    const run = interval.plan([buildRows(3)]);
    const staged = await run.write();
    await stopAt('after-commit', (steps) => run.commit(staged, steps));
    await third.deliver([buildRows(1)]);
    const { snapshots } = (await place.metadata())!;
    const ids = snapshots!.slice(0, -1).map((snapshot) => BigInt(snapshot['snapshot-id']));
    await change(place, [{ action: 'remove-snapshots', 'snapshot-ids': ids }]);
    await interval.deliver([buildRows(1)]);
    assert.equal((await place.read())!.length, 4);
    assert.equal(interval.recorded(), 0);
  });

  it('is read by pyiceberg, and keeps the rows that it appended', async function () {
    needsPyiceberg(this);
    const place = await makeIcebergPlace();
    const interval = testInterval(place);
    await interval.deliver([buildRows(2), buildRows(1)]);
    await appendByPyiceberg(place.server);
    const [row] = buildRows(1, 'ünïcode ☃');
    const { run, receipt } = await interval.deliver([[row!]]);
    const read = await readByPyiceberg(place.server);
    assert.deepEqual(
      read.find(({ uuid }) => uuid === row!.uuid),
      {
        uuid: row!.uuid,
        event: 'ünïcode ☃',
        properties: '{"n":0}',
        _sluice_export: interval.exportId,
        _sluice_interval_time: '2015-05-17 10:00:00+00:00',
      },
    );
    assert.deepEqual(read.map(({ uuid }) => String(uuid)).sort(), [row!.uuid, 'foreign'].sort());
    assert.deepEqual(await run.verify(receipt, true), []);
  });

  it('finds a commit whose answer was lost, and makes it once', async () => {
    const direct = await makeIcebergPlace();
    let isLost = false;
    const proxy = await startFaultyProxy(direct.server.uri, ({ method, url }) => {
      if (isLost || method !== 'POST' || !url.endsWith('/tables/events')) return undefined;
      isLost = true;
      return 'drop';
    });
    const place = { ...direct, config: { ...(direct.config as object), catalog_uri: proxy.origin } };
    const rows = buildRows(3);
    const { run, receipt } = await testInterval(place).deliver([rows]);
    assert.equal(proxy.faults, 1);
    assert.deepEqual(await place.read(), rows.map(({ uuid }) => uuid).sort());
    assert.equal((await place.metadata())!.snapshots!.length, 1);
    assert.deepEqual(await run.verify(receipt, true), []);
    proxy.close();
  });

  it('makes a commit that the catalog could not take at first', async () => {
    const direct = await makeIcebergPlace();
    let busy = 2;
    const proxy = await startFaultyProxy(direct.server.uri, ({ method, url }) =>
      method === 'POST' && url.endsWith('/tables/events') && busy-- > 0 ? '503' : undefined,
    );
    const place = { ...direct, config: { ...(direct.config as object), catalog_uri: proxy.origin } };
    const { run, receipt } = await testInterval(place).deliver([buildRows(2)]);
    assert.deepEqual(await run.verify(receipt, true), []);
    assert.equal(await place.leftovers(), 0);
    proxy.close();
  });

  it('finds its delivery by the names of the files once the snapshots have expired', async () => {
    const place = await makeIcebergPlace();
    const interval = testInterval(place);
    await interval.deliver([buildRows(2)]);
    // The delivery of another export is the only snapshot that stays.
    await testInterval(place).deliver([buildRows(1)]);
    const { snapshots } = (await place.metadata())!;
    await change(place, [{ action: 'remove-snapshots', 'snapshot-ids': [BigInt(snapshots![0]!['snapshot-id'])] }]);
    assert.deepEqual(await interval.deliveries(), [
      { start: '2015-05-17T10:00:00.000000Z', end: '2015-05-17T11:00:00.000000Z' },
    ]);
    const later = interval.restored();
    await assert.rejects(later.deliver([buildRows(1)]), DeliveredElsewhere);
    const { run, receipt } = await interval.deliver([buildRows(3)]);
    assert.deepEqual(await run.verify(receipt, true), []);
    assert.equal((await place.read())!.length, 4);
  });

  it('never calls an interval verified whose rows another writer deleted beside its files, and delivers them again', async () => {
    const place = await makeIcebergPlace();
    const interval = testInterval(place);
    const rows = buildRows(2);
    const { run, receipt } = await interval.deliver([rows]);
    await deleteBeside(place);
    for (const deep of [false, true]) {
      const differences = await run.verify(receipt, deep);
      assert.deepEqual(
        differences?.map(({ found }) => found),
        ['delete files: 1'],
      );
    }
    const before = await place.snapshot();
    const again = await interval.deliver([rows]);
    assert.notDeepEqual(await place.snapshot(), before);
    assert.deepEqual(await again.run.verify(again.receipt, true), []);
  });

  for (const [name, fields, partition, code] of [
    ['partitioned otherwise', ['uuid', 'event', 'properties', ...OURS], [], 'partitions_mismatch'],
    ['without a column', ['uuid', 'event', ...OURS], OURS, 'column_missing'],
  ] as const) {
    it(`refuses a table that is ${name}`, async () => {
      const place = await makeIcebergPlace();
      await createTable(place, fields, partition);
      await assert.rejects(testInterval(place).deliver([buildRows(1)]), (error: DestinationRejected) => {
        assert.ok(error instanceof DestinationRejected);
        assert.equal(error.fault?.code, code);
        return true;
      });
    });
  }

  it('delivers into an existing table with columns of its own', async () => {
    const place = await makeIcebergPlace();
    await createTable(place, ['theirs', ...OURS, 'properties', 'event', 'uuid'], OURS);
    const rows = buildRows(2);
    await testInterval(place).deliver([rows]);
    assert.deepEqual(await place.read(), rows.map(({ uuid }) => uuid).sort());
  });

  it('contacts no private catalog or storage, when saved, tested and run', async () => {
    const place = await makeIcebergPlace();
    const refused = { ...place.environment, allowedHosts: [] };
    const { destination, config } = place;
    for (const field of ['catalog_uri', 'endpoint_url']) {
      const other = { ...(config as object), catalog_uri: 'https://93.184.216.34', [field]: 'https://127.0.0.1:9000' };
      await assert.rejects(destination.validate(other, refused), (error: InvalidInput) => error.attr === field);
    }
    const context = { projectId: 1, model: 'events', columns: [], merge: null, environment: refused };
    for (const step of destination.steps)
      await assert.rejects(
        async () => step.run(config, { ...context, signal: AbortSignal.timeout(10_000) }),
        /This host cannot be used/,
      );
    await assert.rejects(testInterval({ ...place, environment: refused }).deliver([buildRows(1)]));
    assert.equal(await place.metadata(), undefined);

    // The catalog is allowed, by its name, and the storage is not.
    const catalogOnly = {
      ...place,
      environment: { localRoot: undefined, allowedHosts: ['localhost'] },
      config: { ...(config as object), catalog_uri: place.server.uri.replace('127.0.0.1', 'localhost') },
    };
    await assert.rejects(testInterval(catalogOnly).deliver([buildRows(1)]), /This host cannot be used/);
    assert.notEqual(await place.metadata(), undefined);
    assert.equal(await place.read(), undefined);
  });
});
