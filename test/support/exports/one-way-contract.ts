/**
 * Tests of destinations that take rows while a part is written, and cannot be read (`oneWaySession`). After a commit no row is missing, and
 * a receiver can recognize repeats.
 */
import assert from 'node:assert/strict';
import { IntervalShrank, Superseded } from '../../../src/platform/errors.ts';
import { promisesOf, type Promises } from '../../../src/exports/destinations/promises.ts';
import { buildRows, freezeAt, stopAt, testInterval, type TestInterval, type TestRow, uuidsOf } from './deliveries.ts';
import type { TestPlace } from './test-place.ts';

type Parts = readonly (readonly TestRow[])[];

/** The sum, modulo 2^64, of the low 60 bits of each uuid. */
function digestOf(parts: Parts): string {
  const ids = uuidsOf(parts).map((uuid) => BigInt(`0x${uuid.replaceAll('-', '').slice(17)}`));
  return BigInt.asUintN(
    64,
    ids.reduce((sum, id) => sum + id, 0n),
  ).toString();
}

export function itTakesRowsOneWay(promises: Promises, makePlace: () => Promise<TestPlace>): void {
  let place: TestPlace;
  let interval: TestInterval;
  beforeEach(() => freshPlace());
  afterEach(() => place.stop());

  async function freshPlace(): Promise<void> {
    place = await makePlace();
    interval = testInterval(place);
  }

  const acceptedRequests = () => place.arrivals?.() ?? [];

  it('acknowledges the rows that it took, and has nothing to find or to remove', async () => {
    const parts = [buildRows(5), buildRows(3)];
    const { run, receipt } = await interval.deliver(parts);
    const { delivery } = run;
    assert.deepEqual([receipt.rows, receipt.digest], [8, digestOf(parts)]);
    assert.deepEqual(
      [receipt.epoch, receipt.cutoff, receipt.run_id],
      [delivery.epoch, delivery.cutoff, delivery.runId],
    );
    assert.ok(receipt.bytes > 0);
    assert.equal(await run.verify(receipt), undefined);
    assert.deepEqual([await run.delivered(), await run.present()], [undefined, undefined]);
    assert.deepEqual(await interval.deliveries(), []);
    await run.discard();
    assert.equal(interval.recorded(), 0);
    assert.deepEqual(promisesOf(place.destination, place.config as Record<string, unknown>), promises);
  });

  it('takes an interval without rows', async () => {
    const { receipt } = await interval.deliver([]);
    assert.deepEqual([receipt.rows, receipt.digest, acceptedRequests().length], [0, '0', 0]);
  });

  it('sends nothing by a commit, however often it is made', async () => {
    const run = interval.plan([buildRows(3)]);
    const staged = await run.write();
    const before = acceptedRequests().length;
    assert.deepEqual(await run.commit(staged), await run.commit(staged));
    assert.equal(acceptedRequests().length, before);
  });

  it('passes on what breaks in the source', async () => {
    const error = new IntervalShrank(1);
    await assert.rejects(interval.plan([buildRows(3)]).writeBroken(error), (thrown) => thrown === error);
    assert.equal(interval.recorded(), 0);
  });

  if (promises.redelivery === 'counts_only') {
    it('delivers no row', async () => {
      await interval.deliver([buildRows(5)]);
      assert.deepEqual([acceptedRequests(), await place.read()], [[], undefined]);
    });
    return;
  }

  /** Uuids by the key of their request. @throws AssertionError when two requests of one key have other rows */
  function arrivals(): Map<string, readonly string[]> {
    const byKey = new Map<string, readonly string[]>();
    for (const { key, uuids } of acceptedRequests()) {
      assert.deepEqual(uuids, byKey.get(key) ?? uuids, key);
      byKey.set(key, uuids);
    }
    return byKey;
  }

  async function assertThere(parts: Parts, at = ''): Promise<void> {
    assert.deepEqual(await place.read(), uuidsOf(parts), at);
    // Apart from repeats, each row is in one request.
    assert.deepEqual([...arrivals().values()].flat().sort(), uuidsOf(parts), at);
  }

  /** Steps of writing these parts. */
  async function writeSteps(parts: Parts): Promise<string[]> {
    const steps: string[] = [];
    await interval.plan(parts).write(async (name) => void steps.push(name));
    assert.ok(steps.length > 5, 'the parts have several requests');
    await place.stop();
    await freshPlace();
    return [...new Set(steps)];
  }

  it('has sent each row once when nothing breaks', async () => {
    const parts = [buildRows(5), buildRows(3)];
    await interval.deliver(parts);
    await assertThere(parts);
    assert.equal(acceptedRequests().length, arrivals().size);
  });

  it('repeats an attempt under the same keys', async () => {
    const parts = [buildRows(5), buildRows(3)];
    const run = interval.plan(parts);
    await run.write();
    const keys = [...arrivals().keys()];
    await run.commit(await run.write());
    await assertThere(parts);
    assert.deepEqual([...arrivals().keys()], keys);
    assert.equal(acceptedRequests().length, 2 * keys.length);
  });

  it('repeats the rows of an interval under the keys of another run', async () => {
    const parts = [buildRows(5)];
    await interval.deliver(parts);
    const first = new Set(arrivals().keys());
    await interval.deliver(parts);
    assert.deepEqual(await place.read(), uuidsOf(parts));
    const second = [...arrivals().keys()].filter((key) => !first.has(key));
    assert.equal(second.length, first.size);
  });

  it('misses no row when it was killed at any step and is written again', async () => {
    const parts = [buildRows(5), buildRows(3)];
    for (const step of await writeSteps(parts)) {
      const run = interval.plan(parts);
      await stopAt(step, (steps) => run.write(steps));
      const before = [...arrivals().keys()];
      const receipt = await run.commit(await run.write());
      await assertThere(parts, step);
      assert.equal(receipt.rows, 8, step);
      assert.deepEqual([...arrivals().keys()].slice(0, before.length), before, step);
      await place.stop();
      await freshPlace();
    }
  });

  it('misses no row beside an attempt that was frozen at any step', async () => {
    const parts = [buildRows(5), buildRows(3)];
    for (const step of await writeSteps(parts)) {
      const run = interval.plan(parts);
      const frozen = freezeAt(step);
      const write = run.write(frozen.steps);
      await Promise.race([frozen.reached, write]);
      await run.commit(await run.write());
      frozen.thaw();
      await write;
      await assertThere(parts, step);
      await place.stop();
      await freshPlace();
    }
  });

  it('sends nothing more from an attempt that was frozen at any step, once a later run has the interval', async () => {
    const parts = [buildRows(5), buildRows(3)];
    for (const step of await writeSteps(parts)) {
      const run = interval.plan(parts);
      const frozen = freezeAt(step);
      const write = run.write(frozen.steps);
      await Promise.race([frozen.reached, write]);
      const later = [buildRows(2)];
      await interval.deliver(later);
      const before = acceptedRequests().length;
      frozen.thaw();
      await write.catch((error: unknown) => assert.ok(error instanceof Superseded, String(error)));
      assert.equal(acceptedRequests().length, before, step);
      const seen = await place.read();
      for (const uuid of uuidsOf(later)) assert.ok(seen?.includes(uuid), step);
      await place.stop();
      await freshPlace();
    }
  });

  it('leaves what has arrived when a run is discarded', async () => {
    const run = interval.plan([buildRows(5)]);
    await run.write();
    const before = acceptedRequests().length;
    await run.discard();
    assert.equal(acceptedRequests().length, before);
    assert.match(interval.warnings().join(), /stay with the receiver/);
  });
}
