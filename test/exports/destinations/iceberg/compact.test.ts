/** Compaction of intervals, against Apache's REST catalog and versitygw. */
import assert from 'node:assert/strict';
import { REPLACED_AT_ONCE } from '../../../../src/exports/destinations/promises.ts';
import { currentSnapshot } from '../../../../src/exports/destinations/iceberg/present.ts';
import type { ManifestFile } from '../../../../src/exports/destinations/iceberg/manifest-schemas.ts';
import { buildRows, freezeAt, stopAt, testInterval, uuidsOf } from '../../../support/exports/deliveries.ts';
import { itKeepsTheContract } from '../../../support/exports/destination-contract.ts';
import { makeIcebergPlace, type IcebergPlace } from '../../../support/exports/iceberg-place.ts';
import { needsPyiceberg, readByPyiceberg } from '../../../support/exports/iceberg-reader.ts';
import { assertWhole, deleteBeside, setProperties } from '../../../support/exports/iceberg-writer.ts';
import { startFaultyProxy } from '../../../support/servers/faulty-proxy.ts';
import { needsIcebergCatalog } from '../../../support/servers/iceberg-catalog.ts';
import { needsObjectStore } from '../../../support/servers/object-store.ts';

const makePlace = () => makeIcebergPlace({ compact: true });

const operations = async (place: IcebergPlace) =>
  (await place.metadata())!.snapshots!.map(({ summary }) => summary!['operation']);

describe('Iceberg that compacts', () => {
  before(async function () {
    needsIcebergCatalog(this);
    await needsObjectStore(this);
  });
  itKeepsTheContract(REPLACED_AT_ONCE, makePlace);

  it('merges the parts of an interval under a snapshot of its own, without a change of rows', async function () {
    needsPyiceberg(this);
    const place = await makePlace();
    const [interval, other] = [testInterval(place), testInterval(place)];
    await other.deliver([buildRows(1)]);
    const parts = [buildRows(3), buildRows(2), []];
    const { run, receipt } = await interval.deliver(parts);
    assert.deepEqual(await operations(place), ['append', 'append', 'replace']);
    const files = Object.entries(await place.snapshot());
    assert.equal(files.length, 2);
    const read = await readByPyiceberg(place.server);
    assert.equal(read.length, 6);
    assert.deepEqual(
      read
        .filter(({ _sluice_export: id }) => id === interval.exportId)
        .map(({ uuid, event, properties }) => JSON.stringify([uuid, event, properties]))
        .sort(),
      parts
        .flat()
        .map(({ uuid, event, properties }) => JSON.stringify([uuid, event, JSON.stringify(properties)]))
        .sort(),
    );
    assert.deepEqual(await run.verify(receipt, true), []);
    const [, merged] = files.find(([url]) => /-m0-[^/]+$/.test(url))!;
    assert.equal(receipt.bytes, Buffer.from(merged, 'base64').length);
    assert.deepEqual([await place.leftovers(), interval.recorded(), interval.warnings()], [0, 0, []]);
  });

  it('keeps the record of a delivery when all earlier snapshots expire, and the files that only those had go', async () => {
    const place = await makePlace();
    const [interval, other] = [testInterval(place), testInterval(place)];
    const { run, receipt } = await interval.deliver([buildRows(1), buildRows(1)]);
    await setProperties(place, { 'history.expire.max-snapshot-age-ms': '0' });
    await other.deliver([buildRows(1)]);
    assert.deepEqual(await operations(place), ['append']);
    assert.deepEqual((await run.present())?.receipt, receipt);
    assert.deepEqual(await run.verify(receipt, true), []);
    assert.equal((await interval.deliveries()).length, 1);
    await run.deleteSuperseded(other.superseded());
    assert.equal(await place.leftovers(), 0);
    await assertWhole(place);
  });

  it('leaves files alone that are as large as the table wants them', async () => {
    const place = await makePlace();
    const interval = testInterval(place);
    await interval.deliver([buildRows(1)]);
    await setProperties(place, { 'write.target-file-size-bytes': '1000' });
    await interval.deliver([buildRows(1), buildRows(1)]);
    assert.deepEqual(await operations(place), ['append', 'overwrite']);
    assert.equal(Object.keys(await place.snapshot()).length, 2);
  });

  it('leaves files alone beside which another writer has deleted rows', async () => {
    const place = await makePlace();
    const interval = testInterval(place);
    const run = interval.plan([buildRows(2), buildRows(1)]);
    const staged = await run.write();
    await stopAt('after-commit', (steps) => run.commit(staged, steps));
    await deleteBeside(place);
    await run.commit(staged);
    assert.deepEqual(await operations(place), ['append', 'delete']);
  });

  it('merges many small manifests after deliveries of one file each', async () => {
    const place = await makePlace();
    const { exportId } = testInterval(place);
    for (let hour = 0; hour < 10; hour++) await testInterval(place, {}, exportId, hour).deliver([buildRows(1)]);
    const metadata = (await place.metadata())!;
    const list = await place.readAvro<ManifestFile>(currentSnapshot(metadata)!['manifest-list']);
    assert.deepEqual(
      list.map(({ existing_files_count: count }) => count),
      [10],
    );
    assert.equal((await place.read())!.length, 10);
    assert.equal((await operations(place)).at(-1), 'replace');
  });

  it('leaves the manifests of another export in the table as they are', async () => {
    const place = await makePlace();
    const other = { ...place, config: { ...(place.config as object), compact: false } };
    const [{ exportId: own }, { exportId: another }] = [testInterval(place), testInterval(other)];
    for (let hour = 0; hour < 10; hour++) {
      await testInterval(other, {}, another, hour).deliver([buildRows(1)]);
      if (hour < 8) await testInterval(place, {}, own, hour).deliver([buildRows(1)]);
    }
    const counts = async () => {
      const list = currentSnapshot((await place.metadata())!)!['manifest-list'];
      return (await place.readAvro<ManifestFile>(list))
        .map((one) => one.added_files_count + one.existing_files_count)
        .filter((files) => files > 0)
        .sort((a, b) => a - b);
    };
    await testInterval(place, {}, own, 8).deliver([buildRows(1), buildRows(1)]);
    assert.deepEqual(
      await counts(),
      Array.from({ length: 19 }, () => 1),
    );
    await testInterval(place, {}, own, 9).deliver([buildRows(1)]);
    assert.deepEqual(await counts(), [...Array.from({ length: 10 }, () => 1), 10]);
    await assertWhole(place);
  });

  it('finds a compaction whose answer was lost, and makes it once', async () => {
    const direct = await makePlace();
    let commits = 0;
    const proxy = await startFaultyProxy(direct.server.uri, ({ method, url }) =>
      method === 'POST' && url.endsWith('/tables/events') && ++commits === 2 ? 'drop' : undefined,
    );
    const place = { ...direct, config: { ...(direct.config as object), catalog_uri: proxy.origin } };
    const interval = testInterval(place);
    const { run, receipt } = await interval.deliver([buildRows(2), buildRows(2)]);
    assert.equal(proxy.faults, 1);
    assert.deepEqual(await operations(place), ['append', 'replace']);
    assert.deepEqual(await run.verify(receipt, true), []);
    assert.deepEqual([await place.leftovers(), interval.recorded(), interval.warnings()], [0, 0, []]);
    proxy.close();
  });

  describe('is a complete delivery where files cannot be merged, and the log says why', () => {
    const parts = [buildRows(1), buildRows(1)];

    async function assertLogged(place: IcebergPlace, sentence: RegExp, afterCommit = async () => {}): Promise<void> {
      const interval = testInterval(place);
      const run = interval.plan(parts);
      const staged = await run.write();
      await run.commit(staged, async (step) => (step === 'after-commit' ? afterCommit() : undefined));
      const [logged = '', ...more] = interval.warnings();
      assert.deepEqual(more, []);
      assert.match(logged, sentence);
      assert.match(logged, / The delivery itself is complete\.$/);
      assert.doesNotMatch(logged, /127\.0\.0\.1|localhost|s3:\/\//);
      assert.deepEqual(await operations(place), ['append']);
      assert.deepEqual([await place.leftovers(), interval.recorded()], [0, 0]);
    }

    it('if the storage refuses a request', async () => {
      const direct = await makePlace();
      const proxy = await startFaultyProxy(direct.server.bucket.endpoint, ({ method, url }) =>
        method === 'GET' && url.includes('.parquet') ? 'denied' : undefined,
      );
      const place = { ...direct, config: { ...(direct.config as object), endpoint_url: proxy.origin } };
      await assertLogged(place, /^Files could not be merged\. The credentials are wrong or may not do this\./);
      proxy.close();
      assert.deepEqual(await place.read(), uuidsOf(parts));
    });

    it('if the catalog refuses the commit', async () => {
      const direct = await makePlace();
      let commits = 0;
      const proxy = await startFaultyProxy(direct.server.uri, ({ method, url }) =>
        method === 'POST' && url.endsWith('/tables/events') && ++commits === 2 ? '403' : undefined,
      );
      const place = { ...direct, config: { ...(direct.config as object), catalog_uri: proxy.origin } };
      await assertLogged(place, /^Files could not be merged\. The catalog does not accept the token/);
      proxy.close();
      assert.deepEqual(await place.read(), uuidsOf(parts));
    });

    it('if a file is damaged', async () => {
      const place = await makePlace();
      const { inflict } = place.damages.find(({ name }) => name === 'changed file')!;
      await assertLogged(
        place,
        /^Files could not be merged: one of them cannot be read \(it is not valid Parquet/,
        inflict,
      );
    });
  });

  it('keeps what a frozen compaction may still name when the run is discarded, and removes it later', async () => {
    const place = await makePlace();
    const interval = testInterval(place);
    const parts = [buildRows(2), buildRows(1)];
    const run = interval.plan(parts);
    const staged = await run.write();
    const frozen = freezeAt('compact');
    const commit = run.commit(staged, frozen.steps);
    await frozen.reached;
    assert.equal((await run.discard()).length, 2);
    frozen.thaw();
    const receipt = await commit;
    assert.deepEqual(await operations(place), ['append', 'replace']);
    assert.deepEqual(await place.read(), uuidsOf(parts));
    await assertWhole(place);
    assert.deepEqual(await run.verify(receipt, true), []);
    assert.deepEqual([await place.leftovers(), interval.recorded()], [0, 0]);
  });

  it('names no file that is deleted when the run is discarded at the same time', async () => {
    const direct = await makePlace();
    const [removing, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let lists = 0;
    const proxy = await startFaultyProxy(direct.server.bucket.endpoint, async ({ method, url }) => {
      if (method !== 'GET' || !url.includes('list-type') || !url.includes('compaction-') || lists++ > 0)
        return undefined;
      removing.resolve();
      await goOn.promise;
      return undefined;
    });
    const place = { ...direct, config: { ...(direct.config as object), endpoint_url: proxy.origin } };
    const interval = testInterval(place);
    const [parts, last] = [[buildRows(2), buildRows(1)], buildRows(1)];
    const run = interval.plan(parts);
    const staged = await run.write();
    const frozen = freezeAt('compact');
    const commit = run.commit(staged, frozen.steps);
    await frozen.reached;
    await testInterval(direct).deliver([last]);
    const discarded = run.discard();
    await removing.promise;
    frozen.thaw();
    const receipt = await commit;
    goOn.resolve();
    await discarded;
    await assertWhole(place);
    assert.deepEqual(await place.read(), uuidsOf([...parts, last]));
    assert.deepEqual(await run.verify(receipt, true), []);
    proxy.close();
  });

  it('leaves nothing of a killed compaction once any other delivery has changed the table', async () => {
    const place = await makePlace();
    const interval = testInterval(place);
    const parts = [buildRows(2), buildRows(1)];
    const run = interval.plan(parts);
    const staged = await run.write();
    await stopAt('compact', (steps) => run.commit(staged, steps));
    assert.ok((await place.leftovers()) > 0);
    const last = buildRows(1);
    await testInterval(place).deliver([last]);
    assert.deepEqual(await run.discard(), []);
    assert.deepEqual([await place.leftovers(), interval.recorded()], [0, 0]);
    await assertWhole(place);
    assert.deepEqual(await place.read(), uuidsOf([...parts, last]));
  });
});
