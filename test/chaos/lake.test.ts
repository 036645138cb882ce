/** Faults that the comparison of chaos finds in a table of the lake. */
import assert from 'node:assert/strict';
import { ancestors } from '../../src/exports/destinations/iceberg/present.ts';
import { buildRows, testInterval } from '../support/exports/deliveries.ts';
import { makeIcebergPlace } from '../support/exports/iceberg-place.ts';
import { appendByPyiceberg, needsPyiceberg } from '../support/exports/iceberg-reader.ts';
import { mergeManifests } from '../support/exports/iceberg-writer.ts';
import { needsIcebergCatalog } from '../support/servers/iceberg-catalog.ts';
import { needsObjectStore } from '../support/servers/object-store.ts';
import { lakeOf } from './lake.ts';

const TABLE = { label: 'events' };

/** @returns a table with two deliveries: an interval of five rows in two files, and one of a row */
async function makeTable() {
  const place = await makeIcebergPlace();
  await testInterval(place).deliver([buildRows(3), buildRows(2)]);
  await testInterval(place).deliver([buildRows(1)]);
  const { problemsIn } = lakeOf({ lake: { table: place.server } })!;
  const line = async () => [...ancestors((await place.metadata())!)];
  return { place, line, problemsIn };
}

describe('the comparison of the lake under chaos', () => {
  before(async function () {
    needsIcebergCatalog(this);
    await needsObjectStore(this);
  });

  it('finds nothing in whole deliveries, beside rows of other writers, nor in their manifests written again', async function () {
    needsPyiceberg(this);
    const { place, line, problemsIn } = await makeTable();
    await appendByPyiceberg(place.server, 'events', 'foreign 1');
    await mergeManifests(place);
    assert.deepEqual(await problemsIn(TABLE, await line()), [[], [], [], []]);
  });

  for (const [name, change, found] of [
    ['half an interval', 'first', /has (2|3) rows, \1 different, of 5 in snapshot/],
    ['rows that are there twice', 'again', /has 10 rows, 5 different, of 5 in snapshot/],
  ] as const) {
    it(`finds ${name} in the snapshot that has them, and in no other`, async () => {
      const { place, line, problemsIn } = await makeTable();
      await mergeManifests(place, (entries) => {
        const [some, ...others] = entries.filter(({ data_file }) => data_file.record_count > 1n);
        const one = entries.filter(({ data_file }) => data_file.record_count === 1n);
        return change === 'first' ? [some!, ...one] : [some!, some!, ...others, ...others, ...one];
      });
      const [before, then, [problem = '', ...more] = []] = await problemsIn(TABLE, await line());
      assert.deepEqual([before, then, more], [[], [], []]);
      assert.match(problem, found);
    });
  }

  it('finds rows that no delivery made', async () => {
    const { line, problemsIn } = await makeTable();
    const [newest] = await line();
    const problems = await problemsIn(TABLE, [newest!]);
    assert.match(problems.flat().join(), /has 5 rows that no delivery made in snapshot/);
  });
});
