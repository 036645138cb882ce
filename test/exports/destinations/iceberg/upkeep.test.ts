/** Tables over time: snapshots that expire, columns that are added, files that nothing names any more. */
import assert from 'node:assert/strict';
import { DeleteObjectCommand, ListMultipartUploadsCommand } from '@aws-sdk/client-s3';
import { DeliveredElsewhere, type DestinationRejected } from '../../../../src/platform/errors.ts';
import { schemaOf } from '../../../../src/exports/destinations/iceberg/table.ts';
import type { ManifestFile } from '../../../../src/exports/destinations/iceberg/manifest-schemas.ts';
import { buildRows, stopAt, testInterval } from '../../../support/exports/deliveries.ts';
import { makeIcebergPlace, type IcebergPlace } from '../../../support/exports/iceberg-place.ts';
import { needsPyiceberg, readByPyiceberg } from '../../../support/exports/iceberg-reader.ts';
import {
  assertWhole,
  change,
  createTable,
  dropColumn,
  mergeManifests,
  renameFiles,
  setProperties,
} from '../../../support/exports/iceberg-writer.ts';
import { startFaultyProxy } from '../../../support/servers/faulty-proxy.ts';
import { needsIcebergCatalog } from '../../../support/servers/iceberg-catalog.ts';
import { needsObjectStore } from '../../../support/servers/object-store.ts';

const OURS = ['_sluice_export', '_sluice_interval_time'];

/** Every snapshot may expire as soon as another has replaced it. */
const keepNoSnapshots = (place: IcebergPlace) => setProperties(place, { 'history.expire.max-snapshot-age-ms': '0' });

const isList = (key: string) => key.endsWith('-list.avro');

const snapshotIds = async (place: IcebergPlace) =>
  (await place.metadata())!.snapshots!.map((snapshot) => String(snapshot['snapshot-id']));

const fieldNames = async (place: IcebergPlace) => schemaOf((await place.metadata())!).fields.map(({ name }) => name);

const currentId = async (place: IcebergPlace) => String((await place.metadata())!['current-snapshot-id']);

/** @returns a table with the delivery of a run that was killed before it cleaned up, and the ids of its snapshots */
async function killAfterCommit() {
  const place = await makeIcebergPlace();
  const interval = testInterval(place);
  const run = interval.plan([buildRows(1)]);
  const staged = await run.write();
  await stopAt('after-commit', (steps) => run.commit(staged, steps));
  const ids = await snapshotIds(place);
  return { place, interval, ids };
}

describe('a table of Iceberg', () => {
  before(async function () {
    needsIcebergCatalog(this);
    await needsObjectStore(this);
  });

  it('loses the snapshots of earlier deliveries, then the files that only those had, and no record of a delivery', async function () {
    needsPyiceberg(this);
    const place = await makeIcebergPlace();
    const [interval, empty, last] = [testInterval(place), testInterval(place), testInterval(place)];
    const rows = buildRows(2);
    await interval.deliver([buildRows(3)]);
    const none = await empty.deliver([]);
    await interval.deliver([rows]);
    assert.equal((await snapshotIds(place)).length, 3, 'a day has not passed');
    await keepNoSnapshots(place);
    const again = await interval.deliver([rows]);
    const { run, receipt } = await last.deliver([buildRows(1)]);
    assert.deepEqual(await snapshotIds(place), [await currentId(place)]);

    const superseded = [interval, last].flatMap((one) => [...one.superseded()]);
    assert.equal(await place.leftovers(), superseded.length);
    assert.ok(superseded.some((url) => url.endsWith('.parquet')));
    const [lists, others] = [superseded.filter(isList), superseded.filter((key) => !isList(key))];
    assert.deepEqual((await run.deleteSuperseded(lists, superseded))?.goneKeys, [], 'lists go last');
    assert.deepEqual(await run.deleteSuperseded(superseded), { goneKeys: [...others, ...lists], isDenied: false });
    assert.deepEqual([await place.leftovers(), interval.recorded(), last.recorded()], [0, 0, 0]);
    assert.equal((await readByPyiceberg(place.server)).length, 3);
    assert.deepEqual(await run.verify(receipt, true), []);
    for (const one of [again, none]) {
      assert.deepEqual(await one.run.verify(one.receipt, true), []);
      assert.equal((await one.run.present())?.receipt.run_id, one.run.delivery.runId);
    }
    for (const one of [interval, empty]) {
      assert.equal((await one.deliveries()).length, 1);
      await assert.rejects(one.restored().deliver([buildRows(1)]), DeliveredElsewhere);
    }
  });

  it('keeps the snapshots of others, those that branches and tags need, and their files', async () => {
    const place = await makeIcebergPlace();
    const interval = testInterval(place);
    // The manifest of this delivery is in every snapshot until another program merges it.
    await testInterval(place).deliver([buildRows(1)]);
    await interval.deliver([buildRows(1)]);
    const behind = await snapshotIds(place);
    await interval.deliver([buildRows(2)]);
    const branched = await currentId(place);
    await change(place, [
      { action: 'set-snapshot-ref', 'ref-name': 'audit', type: 'branch', 'snapshot-id': BigInt(branched) },
    ]);
    await interval.deliver([buildRows(3)]);
    const free = await currentId(place);
    await mergeManifests(place);
    const theirs = await currentId(place);
    await keepNoSnapshots(place);
    const { run } = await interval.deliver([buildRows(1)]);
    const expected = [...behind, branched, theirs, await currentId(place)];
    assert.deepEqual(await snapshotIds(place), expected);
    assert.ok(!expected.includes(free));
    const superseded = interval.superseded();
    assert.ok(superseded.size > 0);
    await run.deleteSuperseded(superseded);
    await assertWhole(place);
    assert.equal((await place.read())!.length, 2);

    await setProperties(place, { 'gc.enabled': 'false' });
    await interval.deliver([buildRows(1)]);
    await setProperties(place, { 'gc.enabled': 'true', 'history.expire.min-snapshots-to-keep': '2' });
    await interval.deliver([buildRows(1)]);
    assert.equal((await snapshotIds(place)).length, expected.length + 1);
  });

  it('keeps the snapshot that alone records a delivery, because another program renamed the files', async () => {
    const place = await makeIcebergPlace();
    const [interval, other] = [testInterval(place), testInterval(place)];
    await interval.deliver([buildRows(2)]);
    const record = await currentId(place);
    await renameFiles(place);
    await keepNoSnapshots(place);
    await other.deliver([buildRows(1)]);
    await other.deliver([buildRows(1)]);
    assert.equal((await snapshotIds(place)).length, 4);
    await assert.rejects(interval.restored().deliver([buildRows(1)]), DeliveredElsewhere);
    await interval.deliver([buildRows(1)]);
    assert.ok(!(await snapshotIds(place)).includes(record));
    assert.equal((await place.read())!.length, 2);
  });

  for (const happens of ['is never made', 'is made'] as const) {
    it(`loses no file of a snapshot that stays, and keeps none of others, if a kill comes before an expiry that ${happens}`, async () => {
      const place = await makeIcebergPlace();
      const interval = testInterval(place);
      await interval.deliver([buildRows(1)]);
      await keepNoSnapshots(place);
      const first = await snapshotIds(place);
      const run = interval.plan([buildRows(2)]);
      const staged = await run.write();
      await stopAt('expire', (steps) => run.commit(staged, steps));
      assert.deepEqual([interval.recorded(), interval.superseded().size], [1, 0]);
      if (happens === 'is made') {
        await change(place, [{ action: 'remove-snapshots', 'snapshot-ids': first.map(BigInt) }]);
        await run.commit(staged);
      } else {
        assert.deepEqual(await run.discard(), []);
        assert.equal(interval.superseded().size, 0);
        await testInterval(place).deliver([buildRows(1)]);
      }
      assert.equal(interval.recorded(), 0);
      const superseded = interval.superseded();
      await run.deleteSuperseded(superseded);
      await assertWhole(place);
      if (happens === 'is made') assert.deepEqual([await place.leftovers(), superseded.size], [0, 3]);
    });
  }

  it('keeps a file of a killed run that later deliveries and a tag name, though the snapshot of the run has expired', async () => {
    const { place, interval, ids } = await killAfterCommit();
    await testInterval(place).deliver([buildRows(1)]);
    const tagged = (await snapshotIds(place)).at(-1)!;
    await change(place, [
      { action: 'set-snapshot-ref', 'ref-name': 'audit', type: 'tag', 'snapshot-id': BigInt(tagged) },
      { action: 'remove-snapshots', 'snapshot-ids': ids.map(BigInt) },
    ]);
    await interval.deliver([buildRows(2)]);
    assert.equal(interval.recorded(), 0);
    await assertWhole(place);
  });

  it('keeps a file of a killed run that others name, though the snapshot of the run has expired', async () => {
    const { place, interval, ids } = await killAfterCommit();
    await mergeManifests(place);
    await change(place, [{ action: 'remove-snapshots', 'snapshot-ids': ids.map(BigInt) }]);
    await interval.deliver([buildRows(2)]);
    assert.equal(interval.recorded(), 0);
    await assertWhole(place);
  });

  it('has its manifests merged, those of each export, without a change of rows', async () => {
    const place = await makeIcebergPlace();
    const { exportId } = testInterval(place);
    const hours = Array.from({ length: 4 }, (_, hour) => testInterval(place, {}, exportId, hour));
    for (const rows of [2, 1]) await testInterval(place).deliver([buildRows(rows)]);
    await setProperties(place, { 'commit.manifest.min-count-to-merge': '3' });
    await keepNoSnapshots(place);
    for (const hour of hours) await hour.deliver([buildRows(2)]);
    const { snapshots } = (await place.metadata())!;
    const list = await place.readAvro<ManifestFile>(snapshots!.at(-1)!['manifest-list']);
    const counts = list.map((one) => one.added_files_count + one.existing_files_count);
    assert.deepEqual([counts.length, Math.max(...counts)], [4, 3]);
    const { run, receipt } = await hours[1]!.deliver([buildRows(1)]);
    assert.equal((await place.read())!.length, 10);
    assert.deepEqual(await run.verify(receipt, true), []);
    await run.deleteSuperseded(hours.flatMap((hour) => [...hour.superseded()]));
    await assertWhole(place);
    assert.deepEqual([await place.leftovers(), (await hours[0]!.deliveries()).length], [0, 4]);
  });

  for (const [name, missing, left] of [
    ['its own', 0, 1],
    ['that of the next one', 1, 4],
  ] as const) {
    it(`loses a snapshot also if a manifest list is missing, ${name}, and says so`, async () => {
      const place = await makeIcebergPlace();
      const [interval, other] = [testInterval(place), testInterval(place)];
      for (const rows of [1, 2, 3]) await interval.deliver([buildRows(rows)]);
      const { 'manifest-list': list } = (await place.metadata())!.snapshots![missing]!;
      const { client, bucket: Bucket } = place.server.bucket;
      await client.send(new DeleteObjectCommand({ Bucket, Key: new URL(list).pathname.slice(1) }));
      await keepNoSnapshots(place);
      const { run } = await other.deliver([buildRows(1)]);
      assert.deepEqual(await snapshotIds(place), [await currentId(place)]);
      assert.match(other.warnings().join(), /Another program has deleted metadata of old snapshots/);
      await run.deleteSuperseded(other.superseded());
      await assertWhole(place);
      assert.deepEqual([(await place.read())!.length, await place.leftovers()], [4, left]);
    });
  }

  it('deletes nothing of a snapshot that is back', async () => {
    const place = await makeIcebergPlace();
    const { run } = await testInterval(place).deliver([buildRows(1)]);
    const [{ 'manifest-list': list } = { 'manifest-list': '' }] = (await place.metadata())!.snapshots!;
    const [file] = Object.keys(await place.snapshot());
    assert.deepEqual((await run.deleteSuperseded([file!], [file!, list]))?.goneKeys, [file]);
    await assertWhole(place);
  });

  describe('that lacks a column of the export', () => {
    it('gets it if Sluice made the table, once, though several runs find it missing', async function () {
      needsPyiceberg(this);
      const place = await makeIcebergPlace();
      const [old] = buildRows(1);
      await testInterval(place).deliver([[old!]]);
      await dropColumn(place, 'properties');
      const shares = Array.from({ length: 3 }, () => buildRows(1));
      await Promise.all(shares.map((rows) => testInterval(place).deliver([rows])));
      assert.deepEqual(await fieldNames(place), ['uuid', 'event', ...OURS, 'properties']);
      const read = await readByPyiceberg(place.server);
      const expected = [...shares.flat().map(({ uuid }) => [uuid, '{"n":0}']), [old!.uuid, null]];
      const found = read.map(({ uuid, properties }) => JSON.stringify([uuid, properties]));
      assert.deepEqual(found.sort(), expected.map((values) => JSON.stringify(values)).sort());
    });

    for (const [name, make, add_columns] of [
      ['a table of others, only if the export says so', 'theirs', true],
      ['its own, unless the export says no', 'ours', false],
    ] as const) {
      it(`gets it in ${name}`, async () => {
        const place = await makeIcebergPlace();
        if (make === 'theirs') await createTable(place, ['uuid', 'event', ...OURS], OURS);
        else {
          await testInterval(place).deliver([buildRows(1)]);
          await dropColumn(place, 'properties');
        }
        const explicitPlace = { ...place, config: { ...(place.config as object), add_columns } };
        const refused = testInterval(add_columns ? place : explicitPlace).deliver([buildRows(1)]);
        await assert.rejects(refused, (error: DestinationRejected) => error.fault?.code === 'column_missing');
        assert.ok(!(await fieldNames(place)).includes('properties'));
        await testInterval(add_columns ? explicitPlace : place).deliver([buildRows(1)]);
        assert.ok((await fieldNames(place)).includes('properties'));
      });
    }
  });

  it('leaves no unfinished upload of a manifest that could not be written', async () => {
    const direct = await makeIcebergPlace();
    const proxy = await startFaultyProxy(direct.server.bucket.endpoint, ({ method, url }) =>
      method !== 'GET' && /\/metadata\/sluice-(?!.*uploads=)/.test(url) ? 'denied' : undefined,
    );
    const place = { ...direct, config: { ...(direct.config as object), endpoint_url: proxy.origin } };
    await assert.rejects(testInterval(place).deliver([buildRows(1)])).finally(proxy.close);
    assert.ok(proxy.faults > 0);
    const { client, bucket: Bucket } = direct.server.bucket;
    const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket }));
    assert.deepEqual(
      Uploads.filter(({ Key }) => Key!.includes(`${direct.server.namespace}/`) && Key!.includes('/metadata/')),
      [],
    );
  });
});
