/** Which files a delivery records as superseded, before readers can find out that they are. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { destinationOf } from '../../src/destinations/index.ts';
import { buildRows, freezeAt, testInterval, type TestInterval } from '../support/deliveries.ts';

const keysOf = ({ files }: { files?: { key: string }[] }) => files!.map(({ key }) => key).sort();
const supersededOf = (interval: TestInterval) => [...interval.superseded()].sort();

describe('superseded files', () => {
  let root: string;
  before(async () => {
    root = await mkdtemp(path.join(tmpdir(), 'sluice-superseded-'));
  });
  after(() => rm(root, { recursive: true, force: true }));

  let folders = 0;
  function intervalWith(layout: 'stable' | 'versioned'): TestInterval {
    const environment = { localRoot: root, allowedHosts: [] };
    const config = { directory: `web-${(folders += 1)}`, prefix: '', compression: 'gzip', layout };
    return testInterval({ destination: destinationOf('LocalFile', environment), config, environment });
  }

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

  it('are none under stable names, which are never deleted', async () => {
    const interval = intervalWith('stable');
    await interval.deliver([buildRows(2), buildRows(1)]);
    await interval.deliver([buildRows(1)]);
    assert.deepEqual(supersededOf(interval), []);
  });

  describe('of a commit that broke off when its files were visible, and its manifest was not', () => {
    const shown = [buildRows(2)];
    let interval: TestInterval;
    let broken: ReturnType<TestInterval['plan']>;
    let revealed: string[];
    beforeEach(async () => {
      interval = intervalWith('versioned');
      await interval.deliver(shown);
      broken = interval.plan([buildRows(1), buildRows(1)]);
      const staged = await broken.write();
      revealed = staged.map((part) => String(part.staged['key'])).sort();
      const frozen = freezeAt('manifest');
      void broken.commit(staged, frozen.steps).catch(() => {});
      await frozen.reached;
      interval.superseded().clear();
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
