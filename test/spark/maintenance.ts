/** `npm run test:spark`: a table that Sluice delivers to and Spark reads, maintains and writes to, in turns. */
import assert from 'node:assert/strict';
import { DeliveredElsewhere, type DestinationRejected } from '../../src/platform/errors.ts';
import { buildRows, testInterval, type TestInterval, type TestRow } from '../support/exports/deliveries.ts';
import { makeIcebergPlace, type IcebergPlace } from '../support/exports/iceberg-place.ts';
import { needsPyiceberg, readByPyiceberg } from '../support/exports/iceberg-reader.ts';
import { needsIcebergCatalog } from '../support/servers/iceberg-catalog.ts';
import { needsObjectStore } from '../support/servers/object-store.ts';
import { needsSpark, startSpark, type Spark } from './spark.ts';

const HOURS = 84;
const ROWS = 10_000;
const FOREIGN = 500;

type Hour = { interval: TestInterval; rows: TestRow[] };
type Delivered = Awaited<ReturnType<TestInterval['deliver']>>;

describe('Spark, beside Sluice in one table', function () {
  this.timeout(600_000);
  let spark: Spark;
  let place: IcebergPlace;
  let table: string;
  const hours: Hour[] = [];
  const foreign = new Set(Array.from({ length: FOREIGN }, (_, n) => `foreign ${n}`));

  before(async function () {
    needsSpark(this);
    needsPyiceberg(this);
    needsIcebergCatalog(this);
    await needsObjectStore(this);
    place = await makeIcebergPlace();
    const startedAt = performance.now();
    spark = await startSpark(place.server);
    console.log(`    Spark ${spark.version} has started, after ${Math.round(performance.now() - startedAt)} ms`);
    table = `lake.${place.server.namespace}.events`;
    // Every second export merges the files of its intervals.
    const { exportId } = testInterval(place);
    const compacting = { ...place, config: { ...(place.config as object), compact: true } };
    const { exportId: compactedId } = testInterval(place);
    for (let hour = 0; hour < HOURS; hour++) {
      const interval =
        hour % 2 === 0 ? testInterval(place, {}, exportId, hour) : testInterval(compacting, {}, compactedId, hour);
      hours.push({ interval, rows: [] });
      await deliver(hours[hour]!, Math.floor((ROWS * (hour + 1)) / HOURS) - Math.floor((ROWS * hour) / HOURS));
    }
  });
  after(async () => spark?.stop());

  /** Delivers new rows in two parts. */
  async function deliver(hour: Hour, count: number): Promise<Delivered> {
    hour.rows = buildRows(count);
    const half = count >> 1;
    return hour.interval.deliver([hour.rows.slice(0, half), hour.rows.slice(half)]);
  }

  const expected = () => [...hours.flatMap(({ rows }) => rows.map(({ uuid }) => uuid)), ...foreign].sort();

  /** Asserts that Spark and pyiceberg see each row of ours and of others once, and nothing else. */
  async function assertRows(): Promise<void> {
    const inSpark = await spark.run(`select uuid from ${table}`);
    assert.deepEqual(inSpark.map(({ uuid }) => String(uuid)).sort(), expected());
    const inPyiceberg = await readByPyiceberg(place.server);
    assert.deepEqual(inPyiceberg.map(({ uuid }) => String(uuid)).sort(), expected());
  }

  const deliverRestored = async (hour: number) => hours[hour]!.interval.restored().deliver([buildRows(1)]);

  const call = (procedure: string, more = '') =>
    spark.run(`call lake.system.${procedure}(table => '${place.server.namespace}.events'${more})`);

  /** Delivers some hours again, with other rows, and others with the rows that they have. */
  async function deliverAgain(first: number): Promise<void> {
    for (let hour = first; hour < HOURS; hour += 12) {
      const { run, receipt } = await deliver(hours[hour]!, hours[hour]!.rows.length - 1);
      assert.deepEqual(await run.verify(receipt, true), []);
      const { interval, rows } = hours[hour + 1 < HOURS ? hour + 1 : 0]!;
      const half = rows.length >> 1;
      const same = await interval.deliver([rows.slice(0, half), rows.slice(half)]);
      assert.deepEqual(await same.run.verify(same.receipt, true), []);
    }
    await assertRows();
  }

  it('adds rows of its own, which it finds beside every row of ours', async () => {
    await spark.run(
      `insert into ${table}
       select concat('foreign ', id), null, null, 'another', timestamp '2015-05-17 10:00:00' from range(${FOREIGN})`,
    );
    await assertRows();
  });

  it('rewrites data files and manifests, and every interval can be delivered again', async () => {
    const [files] = await call('rewrite_data_files', ", options => map('min-input-files', '2')");
    assert.ok(Number(files!['rewritten_data_files_count']) >= HOURS);
    await assertRows();
    await call('rewrite_manifests');
    await assertRows();
    await deliverAgain(0);
  });

  it('expires snapshots, and every interval can be delivered again', async () => {
    const [counts] = await call('expire_snapshots', ', older_than => current_timestamp(), retain_last => 1');
    assert.ok(Number(counts!['deleted_data_files_count']) > 0);
    await assertRows();
    await deliverAgain(3);
    // A database without receipts knows deliveries by the names of their files, which hour 2 has only from Spark.
    for (const hour of [0, 3]) await assert.rejects(deliverRestored(hour), DeliveredElsewhere);
    await assert.rejects(
      deliverRestored(2),
      (error: DestinationRejected) => error.fault?.code === 'files_unattributed',
    );
    await assertRows();
  });

  for (const mode of ['copy-on-write', 'merge-on-read'])
    it(`deletes rows of its own and of ours by ${mode}, which verification finds, and a delivery brings ours back`, async () => {
      await spark.run(`alter table ${table} set tblproperties ('write.delete.mode' = '${mode}')`);
      const [hour] = hours;
      const { run, receipt } = await deliver(hour!, 100);
      const own = [...foreign].slice(0, 100);
      const ours = hour!.rows.slice(0, 7).map(({ uuid }) => uuid);
      await spark.run(`delete from ${table} where uuid in (${[...own, ...ours].map((uuid) => `'${uuid}'`).join()})`);
      for (const uuid of own) foreign.delete(uuid);
      assert.notDeepEqual(await run.verify(receipt, true), []);
      const { rows, interval } = hour!;
      const again = await interval.deliver([rows.slice(0, 50), rows.slice(50)]);
      assert.deepEqual(await again.run.verify(again.receipt, true), []);
      await deliverAgain(6);
    });
});
