/** posthog-python asks for flags, as it is released, against a started server. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  ADA,
  ADAS_PAYLOADS,
  answeredPaths,
  BOB,
  buildFlagWorld,
  DECIDED_LOCALLY,
  type FlagWorld,
} from '../support/flags/flag-world.ts';
import { askForFlags, needsPythonSdk, type FlagsOutput } from '../support/sdks/python-sdk.ts';
import { readEvents } from '../support/sdks/sdk-story.ts';
import { startSluice, type Sluice } from '../support/servers/sluice.ts';

const PATIENCE_MS = 60_000;
const VERSIONS = [
  { version: '7.91.1', remote: '/flags/', feed: '/flags/definitions', kind: 'secretKey' },
  { version: '3.7.0', remote: '/decide/', feed: '/api/feature_flag/local_evaluation/', kind: 'personalKey' },
] as const;

for (const { version, remote, feed, kind } of VERSIONS) {
  describe(`flags in posthog-python ${version}`, () => {
    let sluice: Sluice;
    let world: FlagWorld;
    let output: FlagsOutput;
    before(async function () {
      await needsPythonSdk(this, version);
      sluice = await startSluice();
      world = await buildFlagWorld(sluice);
      const telling = askForFlags(version, sluice.url, world.apiToken, world[kind]);
      await takeFlagAway();
      output = await telling;
    });
    after(() => sluice?.stop());

    /** Once the local evaluation has the definitions and has asked for what it cannot decide. */
    async function takeFlagAway(): Promise<void> {
      const until = Date.now() + PATIENCE_MS;
      const countRemoteRequests = () => {
        const paths = answeredPaths(sluice);
        return paths.slice(paths.indexOf(feed) + 1).filter((path) => path === remote).length;
      };
      while (!(answeredPaths(sluice).includes(feed) && countRemoteRequests() >= 3) && Date.now() < until)
        await sleep(10);
      const { projectId } = world;
      await sluice.db('feature_flags').where({ project_id: projectId, key: 'everybody' }).update({ active: false });
    }

    it('come with their payloads, for the stored person', () => {
      const { ada, bob, payload } = output.remote;
      assert.deepEqual(ada.featureFlags, ADA);
      const payloads = Object.entries(ada.featureFlagPayloads).map(([key, text]) => [key, JSON.parse(text) as unknown]);
      assert.deepEqual(Object.fromEntries(payloads), ADAS_PAYLOADS);
      assert.deepEqual(bob, BOB);
      assert.deepEqual(payload, ADAS_PAYLOADS.everybody);
      assert.ok(sluice.answered.filter(({ method }) => method === 'POST').every(({ inLane }) => inLane));
    });

    it('go by what the caller says, instead of what is stored', () => {
      assert.deepEqual(output.remote.overridden, [true, false, true]);
    });

    it('are captured when they are called', async () => {
      const called = (await readEvents(sluice, world)).filter(
        ({ event, properties }) => event === '$feature_flag_called' && properties['$feature_flag'] === 'colours',
      );
      assert.equal(output.remote.called, 'blue');
      assert.equal(called[0]?.properties['$feature_flag_response'], 'blue');
      assert.equal(called[0].properties['$feature/colours'], 'blue');
    });

    it('are decided locally, but for those that need what is stored', () => {
      const { ada, payload, unknown, asked, chosen } = output.local;
      assert.deepEqual(ada, { ...DECIDED_LOCALLY, asleep: false });
      assert.equal(payload, 'sky');
      assert.equal(unknown, null);
      assert.deepEqual(asked, [true, 'blue', true, true]);
      assert.deepEqual(chosen, [true, true, false, null]);
    });

    it('change when they are polled for', () => {
      assert.equal(output.local.changed, false);
    });
  });
}
