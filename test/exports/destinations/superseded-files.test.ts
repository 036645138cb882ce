/** Which files a delivery records as superseded, before readers can find out that they are. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { destinationOf } from '../../../src/exports/destinations/index.ts';
import type { Layout } from '../../../src/exports/destinations/object-store/keys.ts';
import { buildRows, freezeAt, testInterval, type TestInterval } from '../../support/exports/deliveries.ts';

const keysOf = ({ files }: { files?: { key: string }[] }) => files!.map(({ key }) => key).sort();
const supersededOf = (interval: TestInterval) => [...interval.superseded()].sort();

/** Begins to deliver other rows than are shown, and stops when the files are visible and the manifest does not name them. */
async function breakOff(interval: TestInterval) {
  const broken = interval.plan([buildRows(1), buildRows(1)]);
  const staged = await broken.write();
  const frozen = freezeAt('manifest');
  void broken.commit(staged, frozen.steps).catch(() => {});
  await frozen.reached;
  interval.superseded().clear();
  return { broken, revealed: staged.map((part) => String(part.staged['key'])).sort() };
}

describe('superseded files', () => {
  let root: string;
  before(async () => {
    root = await mkdtemp(path.join(tmpdir(), 'sluice-superseded-'));
  });
  after(() => rm(root, { recursive: true, force: true }));

  let folders = 0;
  /** `become` changes the layout of what is planned from then on. */
  function intervalWith(layout: Layout): TestInterval & { become(layout: Layout): void } {
    const environment = { localRoot: root, allowedHosts: [] };
    const config = { directory: `web-${(folders += 1)}`, prefix: '', compression: 'gzip', layout };
    const interval = testInterval({ destination: destinationOf('LocalFile', environment), config, environment });
    return { ...interval, become: (next) => Object.assign(config, { layout: next }) };
  }

  const shown = [buildRows(2)];

  it('are on record before the manifest changes', async () => {
    const interval = intervalWith('versioned');
    const { receipt } = await interval.deliver([buildRows(2), buildRows(1)]);
    assert.deepEqual(supersededOf(interval), []);
    const run = interval.plan([buildRows(1)]);
    let before: string[] | undefined;
    await run.commit(await run.write(), async (step) => {
      if (step === 'manifest') before = supersededOf(interval);
    });
    assert.deepEqual(before, keysOf(receipt));
    assert.deepEqual(supersededOf(interval), keysOf(receipt));
  });

  it('are none where equal content is delivered again', async () => {
    const interval = intervalWith('versioned');
    const parts = [buildRows(2), buildRows(1)];
    await interval.deliver(parts);
    await interval.deliver(parts);
    assert.deepEqual(supersededOf(interval), []);
  });

  it('are none of stable names, which are never deleted', async () => {
    const interval = intervalWith('stable');
    await interval.deliver([buildRows(2), buildRows(1)]);
    await interval.deliver([buildRows(1)]);
    assert.deepEqual(supersededOf(interval), []);
  });

  describe('of versioned names, where the layout has become stable', () => {
    it('are on record before the manifest leaves them out', async () => {
      const interval = intervalWith('versioned');
      const { receipt } = await interval.deliver([buildRows(2), buildRows(1)]);
      interval.become('stable');
      const run = interval.plan([buildRows(1)]);
      let before: string[] | undefined;
      await run.commit(await run.write(), async (step) => {
        if (step === 'replacing') before = supersededOf(interval);
      });
      assert.deepEqual(before, keysOf(receipt));
      assert.deepEqual(supersededOf(interval), keysOf(receipt));
    });

    for (const [how, end] of [
      ['delivers other rows', async (interval: TestInterval) => interval.deliver([buildRows(1)])],
      ['finds the rows that are shown', async (interval: TestInterval) => interval.deliver(shown)],
      [
        'is discarded',
        async (interval: TestInterval) => {
          const run = interval.plan([buildRows(1)]);
          await run.write();
          await run.discard();
        },
      ],
    ] as const) {
      it(`are those that a commit which broke off had made visible, when a later run ${how}`, async () => {
        const interval = intervalWith('stable');
        await interval.deliver(shown);
        interval.become('versioned');
        const { revealed } = await breakOff(interval);
        interval.become('stable');
        await end(interval);
        assert.deepEqual(supersededOf(interval), revealed);
      });
    }
  });

  describe('of a commit that broke off when its files were visible, and its manifest was not', () => {
    let interval: TestInterval;
    let broken: ReturnType<TestInterval['plan']>;
    let revealed: string[];
    beforeEach(async () => {
      interval = intervalWith('versioned');
      await interval.deliver(shown);
      ({ broken, revealed } = await breakOff(interval));
    });

    it('are those files, when it is discarded', async () => {
      await broken.discard();
      assert.deepEqual(supersededOf(interval), revealed);
      assert.equal(interval.recorded(), 0);
    });

    it('are those files, when a later run delivers other content', async () => {
      const { receipt } = await interval.deliver([buildRows(3)]);
      const superseded = supersededOf(interval);
      assert.deepEqual(
        revealed.filter((key) => !superseded.includes(key)),
        [],
      );
      assert.ok(!keysOf(receipt).some((key) => superseded.includes(key)));
    });

    it('are those files, when a later run finds the content that is shown', async () => {
      await interval.deliver(shown);
      assert.deepEqual(supersededOf(interval), revealed);
    });
  });

  it('have names that no later delivery uses, also not of the same rows', async () => {
    const interval = intervalWith('versioned');
    const [one, other] = [[buildRows(2)], [buildRows(2)]];
    const used = new Set<string>();
    for (const parts of [one, other, one, other]) {
      const { receipt } = await interval.deliver(parts);
      for (const key of keysOf(receipt)) {
        assert.ok(!used.has(key), key);
        used.add(key);
      }
    }
    assert.equal(used.size, 4);
  });
});
