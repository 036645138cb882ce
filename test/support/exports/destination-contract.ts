/** The promises of every destination (`src/exports/destinations/contract.ts`), as tests that each of them must pass. */
import assert from 'node:assert/strict';
import { DeliveredElsewhere, IntervalShrank, Superseded } from '../../../src/platform/errors.ts';
import { promisesOf, type Promises } from '../../../src/exports/destinations/promises.ts';
import { buildRows, freezeAt, stopAt, testInterval, type TestInterval, type TestRow, uuidsOf } from './deliveries.ts';
import { itTakesRowsOneWay } from './one-way-contract.ts';
import { someSteps, stepPairs } from './step-pairs.ts';
import type { TestPlace } from './test-place.ts';

export type { TestPlace } from './test-place.ts';

/**
 * @param promises of the places: they select the tests
 * @param mostSteps of a commit that are tried, as `someSteps` has them
 */
export function itKeepsTheContract(promises: Promises, makePlace: () => Promise<TestPlace>, mostSteps?: number): void {
  if (promises.redelivery === 'replaces') itReplaces(promises, makePlace, mostSteps);
  else itTakesRowsOneWay(promises, makePlace);
}

/** Tests of destinations that hold the last delivery alone, and show nothing before its commit. */
function itReplaces(promises: Promises, makePlace: () => Promise<TestPlace>, mostSteps?: number): void {
  let place: TestPlace;
  let interval: TestInterval;
  beforeEach(async () => {
    place = await makePlace();
    interval = testInterval(place);
  });
  afterEach(() => place.stop());

  it('shows nothing before the commit, and exactly the rows after it', async () => {
    const parts = [buildRows(3), buildRows(2)];
    const run = interval.plan(parts);
    assert.deepEqual(await interval.deliveries(), []);
    const staged = await run.write();
    assert.equal(await place.read(), undefined);
    assert.equal(await run.delivered(), undefined);
    assert.deepEqual(await interval.deliveries(), []);

    const receipt = await run.commit(staged);
    assert.deepEqual(await place.read(), uuidsOf(parts));
    assert.equal(receipt.rows, 5);
    assert.equal(receipt.epoch, run.delivery.epoch);
    assert.deepEqual(await run.delivered(), receipt);
    const { start, end } = run.delivery;
    assert.deepEqual(await interval.deliveries(), [{ start, end }]);
    assert.deepEqual(await run.verify(receipt), []);
    assert.deepEqual(await run.verify(receipt, true), []);
    assert.equal(await place.leftovers(), 0);
    assert.equal(interval.recorded(), 0);
    assert.deepEqual(promisesOf(place.destination, place.config as Record<string, unknown>), promises);
  });

  it('commits the same parts twice without changing a byte', async () => {
    const run = interval.plan([buildRows(3)]);
    const staged = await run.write();
    const receipt = await run.commit(staged);
    const before = await place.snapshot();
    assert.deepEqual(await run.commit(staged), receipt);
    assert.deepEqual(await place.snapshot(), before);
  });

  it('delivers equal content again without changing a byte', async () => {
    const parts = [buildRows(3), buildRows(3)];
    const first = await interval.deliver(parts);
    const before = await place.snapshot();
    const second = await interval.deliver(parts);
    assert.deepEqual(await place.snapshot(), before);
    assert.equal(second.receipt.rows, first.receipt.rows);
    assert.deepEqual(await second.run.verify(second.receipt, true), []);
    assert.equal(await place.leftovers(), 0);
  });

  for (const [name, shapes] of [
    ['more parts', [[2], [1, 2, 3]]],
    ['fewer parts', [[1, 2, 3], [2]]],
    ['no rows', [[2, 2], []]],
    ['rows after none', [[], [2]]],
    ['one empty part', [[2, 1], [0]]],
  ] as const) {
    it(`replaces an earlier delivery with ${name}`, async () => {
      for (const shape of shapes) {
        const parts = shape.map((count) => buildRows(count));
        const { run, receipt } = await interval.deliver(parts);
        assert.deepEqual(await place.read(), uuidsOf(parts));
        assert.deepEqual(await run.verify(receipt, true), []);
      }
      assert.equal(await place.leftovers(), 0);
    });
  }

  it('is searched for rows by the values of their columns of type text, also from the middle on', async () => {
    const parts = [buildRows(2), [...buildRows(2, 'ada'), ...buildRows(1)], buildRows(1, 'bob')];
    const { run, receipt } = await interval.deliver(parts);
    const found = await run.search(receipt, ['ada', 'bob']);
    assert.equal(
      found !== undefined,
      place.isSearchable ?? true,
      'a session has `search`, or its place says that it has not',
    );
    if (!found) return;
    assert.equal(sum(found), 3);
    assert.deepEqual(await run.search(receipt, ['ada', 'bob'], 1), found.slice(1));
    assert.deepEqual(await run.search(receipt, ['ad', 'Ada', 'n', '']), found.fill(0));
    const later = await interval.deliver([buildRows(3)]);
    assert.equal(sum((await later.run.search(later.receipt, ['ada', 'bob']))!), 0);
  });

  it('passes on what breaks in the source, and leaves nothing behind', async () => {
    const error = new IntervalShrank(1);
    await assert.rejects(interval.plan([buildRows(3)]).writeBroken(error), (thrown) => thrown === error);
    assert.equal(await place.leftovers(), 0);
    assert.equal(interval.recorded(), 0);
  });

  it('leaves what is visible alone when a run is discarded', async () => {
    const { run: first, receipt } = await interval.deliver([buildRows(3)]);
    const before = await place.snapshot();
    const second = interval.plan([buildRows(2), buildRows(2)]);
    await second.write();
    await second.discard();
    assert.deepEqual(await place.snapshot(), before);
    assert.deepEqual(await first.verify(receipt), []);
    assert.equal(await place.leftovers(), 0);
    assert.equal(interval.recorded(), 0);
  });

  /** The steps of commits, by the numbers of rows in their parts. */
  const stepsOfCommits = new Map<string, readonly string[]>();

  /** The commit's steps for these parts, when two other parts were delivered before. */
  async function commitSteps(parts: readonly (readonly TestRow[])[]): Promise<readonly string[]> {
    const shape = parts.map(({ length }) => length).join();
    const known = stepsOfCommits.get(shape);
    if (known) return known;
    await interval.deliver([buildRows(2), buildRows(1)]);
    const run = interval.plan(parts);
    const steps: string[] = [];
    await run.commit(await run.write(), async (name) => void steps.push(name));
    await freshPlace();
    const found = [...new Set(steps)];
    stepsOfCommits.set(shape, found);
    return found;
  }

  async function freshPlace(): Promise<void> {
    await place.stop();
    place = await makePlace();
    interval = testInterval(place);
  }

  async function assertNothingLeft(step: string): Promise<void> {
    assert.equal(await place.leftovers(), 0, step);
    assert.equal(interval.recorded(), 0, step);
    await freshPlace();
  }

  /** Asserts that `before` is unchanged. Where file names contain the run, our file may stand beside it. */
  async function assertKept(before: Record<string, string>, step: string): Promise<void> {
    const after = await place.snapshot();
    assert.deepEqual({ ...after, ...before }, after, step);
  }

  describe('killed at any step of the commit', () => {
    const parts = [buildRows(2), buildRows(2)];
    const [fewer, more] = [[buildRows(3)], [buildRows(1), buildRows(1), buildRows(1)]];

    it('ends complete when the same commit is made again', async () => {
      for (const step of someSteps(await commitSteps(parts), mostSteps)) {
        await interval.deliver([buildRows(2), buildRows(1), buildRows(1)]);
        const run = interval.plan(parts);
        const staged = await run.write();
        await stopAt(step, (steps) => run.commit(staged, steps));
        const receipt = await run.commit(staged);
        assert.deepEqual(await place.read(), uuidsOf(parts), step);
        assert.deepEqual(await run.verify(receipt, true), [], step);
        assert.equal(await place.leftovers(), 0, step);
        await freshPlace();
      }
    });

    for (const { name, earlier, later, discard } of [
      { name: 'a later run delivers fewer parts', earlier: [[buildRows(2)]], later: fewer, discard: false },
      { name: 'a later run delivers more parts', earlier: [[buildRows(2)]], later: more, discard: false },
      { name: 'it was the first, and a later run delivers fewer parts', earlier: [], later: fewer, discard: false },
      { name: 'it was the first and discarded, and a later run delivers', earlier: [], later: fewer, discard: true },
    ]) {
      it(`ends complete when ${name}`, async () => {
        for (const step of someSteps(await commitSteps(parts), mostSteps)) {
          for (const before of earlier) await interval.deliver(before);
          const run = interval.plan(parts);
          const staged = await run.write();
          await stopAt(step, (steps) => run.commit(staged, steps));
          if (discard) await run.discard();
          const { run: laterRun, receipt } = await interval.deliver(later);
          assert.deepEqual(await place.read(), uuidsOf(later), step);
          assert.deepEqual(await laterRun.verify(receipt, true), [], step);
          assert.equal(await place.leftovers(), 0, step);
          await freshPlace();
        }
      });
    }
  });

  describe('killed while an upload begins', () => {
    const parts = [buildRows(2), buildRows(2)];
    const steps = ['upload-intent', 'upload-begun'];

    it('leaves nothing when the run is discarded', async () => {
      for (const step of steps) {
        const run = interval.plan(parts);
        await stopAt(step, (at) => run.write(at));
        await run.discard();
        await assertNothingLeft(step);
      }
    });

    it('leaves nothing when the part is staged again', async () => {
      for (const step of steps) {
        const run = interval.plan(parts);
        await stopAt(step, (at) => run.write(at));
        await run.commit(await run.write());
        assert.deepEqual(await place.read(), uuidsOf(parts), step);
        await assertNothingLeft(step);
      }
    });

    it('leaves nothing when a later run delivers', async () => {
      for (const step of steps) {
        const run = interval.plan(parts);
        await stopAt(step, (at) => run.write(at));
        await interval.deliver([buildRows(1), buildRows(1)]);
        await assertNothingLeft(step);
      }
    });

    it('leaves alone what a later run has begun and not recorded yet', async () => {
      for (const step of steps) {
        const run = interval.plan(parts);
        await stopAt(step, (at) => run.write(at));
        const later = interval.plan(parts);
        const frozen = freezeAt('upload-begun');
        const write = later.write(frozen.steps);
        await Promise.race([frozen.reached, write]);
        await run.discard();
        frozen.thaw();
        await later.commit(await write);
        assert.deepEqual(await place.read(), uuidsOf(parts), step);
        await assertNothingLeft(step);
      }
    });

    it('leaves nothing of an attempt that was frozen there, and continues beside the one that finished', async () => {
      for (const step of steps) {
        const run = interval.plan(parts);
        const frozen = freezeAt(step);
        const write = run.write(frozen.steps);
        const reached = await Promise.race([frozen.reached.then(() => true), write.then(() => false)]);
        await run.commit(await run.write());
        frozen.thaw();
        if (reached) await assert.rejects(write, Superseded);
        assert.deepEqual(await place.read(), uuidsOf(parts), step);
        await assertNothingLeft(step);
      }
    });
  });

  describe('frozen at any step, and going on after a later run delivered', () => {
    for (const [name, laterParts] of [
      ['more parts', [buildRows(1), buildRows(1), buildRows(1)]],
      ['fewer parts', [buildRows(3)]],
      ['the earlier content', undefined],
    ] as const) {
      it(`changes not one byte: ${name}`, async () => {
        const earlier = [buildRows(2), buildRows(1)];
        const parts = [buildRows(2), buildRows(2)];
        for (const step of someSteps(await commitSteps(parts), mostSteps)) {
          await interval.deliver(earlier);
          const run = interval.plan(parts);
          const staged = await run.write();
          const frozen = freezeAt(step);
          const commit = run.commit(staged, frozen.steps);
          await frozen.reached;

          const later = await interval.deliver(laterParts ?? earlier);
          const before = await place.snapshot();
          frozen.thaw();
          await assertHarmless(commit, step);
          assert.deepEqual(await place.snapshot(), before, step);
          assert.deepEqual(await place.read(), uuidsOf(laterParts ?? earlier), step);
          assert.deepEqual(await later.run.verify(later.receipt, true), [], step);
          assert.equal(await place.leftovers(), 0, step);
          await freshPlace();
        }
      });
    }

    it('changes not one byte: the same run, committed by another attempt', async () => {
      const parts = [buildRows(2), buildRows(2)];
      for (const step of someSteps(await commitSteps(parts), mostSteps)) {
        await interval.deliver([buildRows(2), buildRows(1)]);
        const run = interval.plan(parts);
        const staged = await run.write();
        const frozen = freezeAt(step);
        const commit = run.commit(staged, frozen.steps);
        await frozen.reached;

        const receipt = await run.commit(staged);
        interval.markDelivered();
        const before = await place.snapshot();
        frozen.thaw();
        await assertHarmless(commit, step);
        assert.deepEqual(await place.snapshot(), before, step);
        assert.deepEqual(await run.verify(receipt, true), [], step);
        await freshPlace();
      }
    });

    it('cannot mix with a later run that is committing at the same time', async () => {
      const [parts, laterParts] = [
        [buildRows(2), buildRows(2)],
        [buildRows(1), buildRows(1), buildRows(1)],
      ];
      const { pairs, repeat } = stepPairs(await commitSteps(parts), await commitSteps(laterParts), mostSteps);
      for (const [step, laterStep] of pairs) {
        const at = `${step} beside ${laterStep} (${repeat})`;
        const run = interval.plan(parts);
        const staged = await run.write();
        const frozen = freezeAt(step);
        const commit = run.commit(staged, frozen.steps);
        await Promise.race([frozen.reached, commit]);

        const later = interval.plan(laterParts);
        const laterFrozen = freezeAt(laterStep);
        const laterCommit = later.commit(await later.write(), laterFrozen.steps);
        await Promise.race([laterFrozen.reached, laterCommit]);
        frozen.thaw();
        await assertHarmless(commit, at);
        laterFrozen.thaw();
        const receipt = await laterCommit;
        assert.deepEqual(await later.verify(receipt, true), [], at);
        assert.deepEqual(await place.read(), uuidsOf(laterParts), at);
        await freshPlace();
      }
    });

    it('says that a later run has delivered, though that delivered the same rows', async () => {
      const parts = [buildRows(2), buildRows(2)];
      const run = interval.plan(parts);
      const staged = await run.write();
      await interval.deliver(parts);
      const before = await place.snapshot();
      await assert.rejects(run.commit(staged), Superseded);
      assert.deepEqual(await place.snapshot(), before);
    });

    it('stages nothing that anybody will see', async () => {
      for (const step of ['upload-intent', 'upload-begun', 'part-0-begin', 'part-0-end']) {
        const run = interval.plan([buildRows(2)]);
        const frozen = freezeAt(step);
        const write = run.write(frozen.steps);
        // A destination without uploads has no such steps: there its part is staged beside the later run.
        await Promise.race([frozen.reached, write]);
        const { run: later, receipt } = await interval.deliver([buildRows(3)]);
        const before = await place.snapshot();
        frozen.thaw();
        await write.catch(() => {});
        assert.deepEqual(await place.snapshot(), before, step);
        assert.deepEqual(await later.verify(receipt, true), [], step);
        assert.equal(await place.leftovers(), 0, step);
        await freshPlace();
      }
    });
  });

  describe('beside a delivery of a run that the database does not know, as after a restore', () => {
    for (const [name, parts] of [
      ['no rows, as a gap run whose events are gone', []],
      ['other rows', [buildRows(1), buildRows(2)]],
    ] as const) {
      it(`replaces nothing by ${name}`, async () => {
        const theirs = await interval.deliver([buildRows(3), buildRows(2)]);
        const before = await place.snapshot();
        const restored = interval.restored();
        // Epochs count from 1 again: first one equal to theirs, then higher ones.
        for (let epoch = 1; epoch < 4; epoch++) {
          const run = restored.plan(parts);
          await assert.rejects(run.commit(await run.write()), DeliveredElsewhere, `epoch ${epoch}`);
          assert.equal(await run.delivered(), undefined);
          const present = await run.present();
          assert.equal(present?.isKnown, false);
          assert.equal(present.receipt.run_id, theirs.run.delivery.runId);
          await run.discard();
        }
        assert.deepEqual(await place.snapshot(), before);
        assert.deepEqual(await theirs.run.verify(theirs.receipt, true), []);
        assert.equal((await theirs.run.present())?.isKnown, true);
        assert.equal(await place.leftovers(), 0);
      });
    }

    it('replaces it once an operator has accepted that', async () => {
      const theirs = await interval.deliver([buildRows(3), buildRows(2)]);
      const restored = interval.restored();
      restored.plan([]);
      restored.accept(theirs.run.delivery.runId);
      const parts = [buildRows(1)];
      const { run, receipt } = await restored.deliver(parts);
      assert.deepEqual(await place.read(), uuidsOf(parts));
      assert.deepEqual(await run.verify(receipt, true), []);
      assert.notDeepEqual(await theirs.run.verify(theirs.receipt), []);
    });

    it('replaces nothing that comes while it commits', async () => {
      const parts = [buildRows(2), buildRows(2)];
      const stepsReached: string[] = [];
      const wanted = ['rows', 'file', 'manifest'];
      for (const step of wanted) {
        const run = interval.plan(parts);
        const staged = await run.write();
        const frozen = freezeAt(...(step === 'file' ? ['file-0', 'file-1', 'file-2'] : [step]));
        const commit = run.commit(staged, frozen.steps);
        const reached = await Promise.race([frozen.reached.then(() => true), commit.then(() => false)]);
        if (reached) {
          stepsReached.push(step);
          const laterParts = [buildRows(3), buildRows(1)];
          const theirs = await interval.restored().deliver(laterParts);
          const before = await place.snapshot();
          frozen.thaw();
          await assert.rejects(commit, DeliveredElsewhere, step);
          await assertKept(before, step);
          assert.deepEqual(await theirs.run.verify(theirs.receipt, true), [], step);
        }
        await freshPlace();
      }
      assertReached(stepsReached, wanted);
    });

    it('replaces nothing that comes while it replaces a delivery of its own', async () => {
      const stepsReached: string[] = [];
      const wanted = ['rows', 'replacing', 'file'];
      for (const step of wanted) {
        const { run: earlier } = await interval.deliver([buildRows(1)]);
        const run = interval.plan([buildRows(2), buildRows(2)]);
        const staged = await run.write();
        const frozen = freezeAt(...(step === 'file' ? ['file-0', 'file-1', 'file-2'] : [step]));
        const commit = run.commit(staged, frozen.steps);
        const reached = await Promise.race([frozen.reached.then(() => true), commit.then(() => false)]);
        if (reached) {
          stepsReached.push(step);
          const restored = interval.restored();
          // Before "replacing", the restored runs replace the earlier delivery; after it, ours.
          for (const { delivery } of [earlier, run]) restored.accept(delivery.runId);
          // The restored engine's epochs are above that of the delivery which it replaces.
          restored.plan([]);
          restored.plan([]);
          const theirs = await restored.deliver([buildRows(3), buildRows(1)]);
          const before = await place.snapshot();
          frozen.thaw();
          await assert.rejects(commit, DeliveredElsewhere, step);
          await assertKept(before, step);
          assert.deepEqual(await theirs.run.verify(theirs.receipt, true), [], step);
        }
        await freshPlace();
      }
      assertReached(stepsReached, wanted);
    });
  });

  it('never shows a reader half a delivery', async () => {
    const deliveries = [[5, 5, 5], [1], [4, 4], [], [2, 2, 2, 2]].map((shape) =>
      shape.map((count) => buildRows(count)),
    );
    const whole = new Set(deliveries.map((parts) => JSON.stringify(uuidsOf(parts))));
    const finished = new AbortController();
    const delivering = (async () => {
      for (const parts of deliveries) await interval.deliver(parts);
    })().finally(() => finished.abort());
    let polls = 0;
    while (!finished.signal.aborted) {
      const seen = await place.read();
      if (seen) assert.ok(whole.has(JSON.stringify(seen)), 'a reader saw something that no run delivered');
      polls++;
    }
    await delivering;
    assert.ok(polls > 5);
  });

  it('finds what was changed behind its back', async () => {
    for (const index of place.damages.keys()) {
      const { run, receipt } = await interval.deliver([buildRows(3), buildRows(2)]);
      const { name, deepOnly, inflict } = place.damages[index]!;
      await inflict();
      if (!deepOnly) assert.notDeepEqual(await run.verify(receipt), [], name);
      assert.notDeepEqual(await run.verify(receipt, true), [], name);
      await freshPlace();
    }
  });

  it('repairs what was changed behind its back when it delivers again', async () => {
    const parts = [buildRows(3), buildRows(2)];
    for (const index of place.damages.keys()) {
      await interval.deliver(parts);
      const { name, inflict } = place.damages[index]!;
      await inflict();
      const { run, receipt } = await interval.deliver(parts);
      assert.deepEqual(await run.verify(receipt, true), [], name);
      assert.deepEqual(await place.read(), uuidsOf(parts), name);
      await freshPlace();
    }
  });
}

const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);

/** Guards the tests above: they prove nothing if the commit has none of the steps at which they stop it. */
function assertReached(steps: readonly string[], wanted: readonly string[]): void {
  const names = wanted.map((step) => (step === 'file' ? 'file-<n>' : step)).join(', ');
  assert.notDeepEqual(
    steps,
    [],
    `\`commit\` calls \`context.step\` with none of these names: ${names}. ` +
      'src/exports/destinations/contract.ts says when it calls which.',
  );
}

/** A thawed commit may find everything already done; otherwise it must fail as superseded. */
async function assertHarmless(commit: Promise<unknown>, step: string): Promise<void> {
  await commit.catch((error: unknown) => {
    if (!(error instanceof Superseded))
      throw new Error(`${step}: the frozen commit failed otherwise`, { cause: error });
  });
}
