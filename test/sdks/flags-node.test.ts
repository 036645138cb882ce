/** posthog-node asks for flags, as it is released, against a started server. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { PostHog } from 'posthog-node';
import { PostHog as PostHog4 } from 'posthog-node-4';
import {
  ADA,
  ADAS_PAYLOADS,
  answeredPaths,
  BOB,
  buildFlagWorld,
  DECIDED_LOCALLY,
  ENROLLED,
  GROUP_PROPERTIES,
  GROUPS,
  PERSON_PROPERTIES,
  type FlagWorld,
} from '../support/flags/flag-world.ts';
import { readEvents } from '../support/sdks/sdk-story.ts';
import { startSluice, type Sluice } from '../support/servers/sluice.ts';

type Client = PostHog | PostHog4;
type Options = { host: string; secretKey?: string; featureFlagsPollingInterval?: number };

const POLLING_MS = 100;
const PATIENCE_MS = 60_000;
const known = { groups: GROUPS, personProperties: PERSON_PROPERTIES, groupProperties: GROUP_PROPERTIES };

const VERSIONS = [
  {
    version: '5.70.0',
    remote: '/flags/',
    feed: '/flags/definitions',
    keepsFeed: true,
    connect: (token: string, options: Options): Client => new PostHog(token, options),
  },
  {
    version: '4.2.1',
    remote: '/decide/',
    feed: '/api/feature_flag/local_evaluation',
    keepsFeed: false,
    connect: (token: string, { secretKey, ...options }: Options): Client =>
      new PostHog4(token, { ...options, ...(secretKey !== undefined && { personalApiKey: secretKey }) }),
  },
];

/** Types of the SDK want texts, callers give it what is stored. */
const enrolled = (choice: unknown) => ({ [ENROLLED]: choice as string });

for (const { version, remote, feed, keepsFeed, connect } of VERSIONS) {
  describe(`flags in posthog-node ${version}`, () => {
    let sluice: Sluice;
    let world: FlagWorld;
    const clients: Client[] = [];
    const { warn } = console;
    before(async () => {
      sluice = await startSluice();
      // The SDK warns of what it cannot decide itself, and of its own age.
      console.warn = () => {};
    });
    after(() => {
      console.warn = warn;
      return sluice.stop();
    });
    beforeEach(async () => {
      world = await buildFlagWorld(sluice);
      sluice.answered.length = 0;
    });
    afterEach(() => Promise.all(clients.splice(0).map((client) => client.shutdown())));

    function open(options: Partial<Options> = {}): Client {
      const client = connect(world.apiToken, { host: sluice.url, ...options });
      clients.push(client);
      return client;
    }

    /** Decisions alone count: the older SDK asks for the feed twice when it starts, and waits for one of them. */
    const askedForDecisions = (): string[] => answeredPaths(sluice).filter((path) => path === remote);

    it('come with their payloads, for the stored person', async () => {
      const client = open();
      const { featureFlags, featureFlagPayloads } = await client.getAllFlagsAndPayloads('ada', { groups: GROUPS });
      assert.deepEqual(featureFlags, ADA);
      // The newer one lists flags without a payload too.
      const payloads = Object.entries(featureFlagPayloads ?? {}).filter(([, payload]) => payload !== undefined);
      assert.deepEqual(Object.fromEntries(payloads), ADAS_PAYLOADS);
      assert.deepEqual(await client.getAllFlags('bob'), BOB);
      assert.deepEqual(await client.getFeatureFlagPayload('everybody', 'bob'), ADAS_PAYLOADS.everybody);
      assert.equal(await client.isFeatureEnabled('everybody', 'bob'), true);
      if ('evaluateFlags' in client) {
        const flags = await client.evaluateFlags('ada', { groups: GROUPS });
        assert.deepEqual(Object.fromEntries(flags.keys.map((key) => [key, flags.getFlag(key)])), ADA);
        assert.equal(flags.getFlagPayload('colours'), ADAS_PAYLOADS.colours);
      }
      assert.deepEqual([...new Set(answeredPaths(sluice))], [remote]);
      assert.ok(sluice.answered.every(({ inLane }) => inLane));
    });

    it('go by what the caller says, instead of what is stored', async () => {
      const client = open();
      assert.equal(await client.getFeatureFlag('for-pro', 'bob', { personProperties: { plan: 'pro' } }), true);
      assert.equal(await client.getFeatureFlag('for-pro', 'ada', { personProperties: { plan: 'free' } }), false);
      const groups = { company: 'other' };
      assert.equal(await client.getFeatureFlag('for-gold', 'bob', { groups }), false);
      const groupProperties = { company: { tier: 'gold' } };
      assert.equal(await client.getFeatureFlag('for-gold', 'bob', { groups, groupProperties }), true);
    });

    it('are captured when they are called', async () => {
      const client = open();
      assert.equal(await client.getFeatureFlag('colours', 'ada'), 'blue');
      await client.shutdown();
      const called = (await readEvents(sluice, world)).filter(({ event }) => event === '$feature_flag_called');
      assert.equal(called.length, 1);
      const { properties, distinct_id } = called[0]!;
      assert.equal(distinct_id, 'ada');
      assert.equal(properties['$feature_flag'], 'colours');
      assert.equal(properties['$feature_flag_response'], 'blue');
      assert.equal(properties['$feature/colours'], 'blue');
      if (version === '5.70.0') {
        assert.equal(properties['$feature_flag_version'], 1);
        assert.equal(properties['$feature_flag_reason'], 'Matched condition set 1');
        assert.match(properties['$feature_flag_request_id'] as string, /^[\da-f-]{36}$/);
      }
    });

    for (const kind of version === '5.70.0' ? (['secretKey', 'personalKey'] as const) : (['personalKey'] as const)) {
      it(`are decided locally with the project's ${kind}`, async () => {
        const client = open({ secretKey: world[kind] });
        await client.reloadFeatureFlags();
        const flags = await client.getAllFlags('ada', { ...known, onlyEvaluateLocally: true });
        assert.deepEqual(flags, { ...DECIDED_LOCALLY, asleep: false });
        const payload = await client.getFeatureFlagPayload('colours', 'ada', undefined, {
          ...known,
          onlyEvaluateLocally: true,
        });
        assert.equal(payload, 'sky');
        assert.deepEqual([...new Set(answeredPaths(sluice))], [feed]);
      });
    }

    it('are requested where they cannot be decided locally', async () => {
      const client = open({ secretKey: world.personalKey });
      await client.reloadFeatureFlags();
      assert.equal(await client.getFeatureFlag('invited', 'ada', { onlyEvaluateLocally: true }), undefined);
      assert.equal(await client.getFeatureFlag('half', 'ada'), false);
      assert.deepEqual(askedForDecisions(), []);
      assert.equal(await client.getFeatureFlag('invited', 'ada'), true);
      assert.equal(await client.getFeatureFlag('kept', 'ada'), 'blue');
      // Properties of ada that the SDK was not told are stored.
      assert.equal(await client.getFeatureFlag('for-pro', 'ada'), true);
      assert.deepEqual(askedForDecisions(), [remote, remote, remote]);
      assert.deepEqual(await client.getAllFlags('ada', { groups: GROUPS }), { ...ADA, asleep: false });
    });

    it('follow the choices of persons, sent or stored', async () => {
      const client = open({ secretKey: world.personalKey });
      await client.reloadFeatureFlags();
      const choiceOf = (person: string, personProperties: Record<string, string>, onlyEvaluateLocally = true) =>
        client.getFeatureFlag('early', person, { personProperties, onlyEvaluateLocally });
      for (const chosen of [true, 'true']) assert.equal(await choiceOf('bob', enrolled(chosen)), true);
      for (const chosen of [false, 'false', null]) assert.equal(await choiceOf('ada', enrolled(chosen)), false);
      assert.equal(await choiceOf('ada', {}), undefined);
      assert.equal(await choiceOf('ada', {}, false), true);
      assert.equal(await choiceOf('bob', {}, false), false);
    });

    it('change when they are polled for, and cost little when nothing has changed', async () => {
      const client = open({ secretKey: world.personalKey, featureFlagsPollingInterval: POLLING_MS });
      await client.reloadFeatureFlags();
      const local = { onlyEvaluateLocally: true, sendFeatureFlagEvents: false };
      assert.equal(await client.getFeatureFlag('everybody', 'ada', local), true);
      await until(() => sluice.answered.length >= 3);
      const { projectId } = world;
      await sluice.db('feature_flags').where({ project_id: projectId, key: 'everybody' }).update({ active: false });
      await until(async () => (await client.getFeatureFlag('everybody', 'ada', local)) === false);
      const statuses = sluice.answered.map(({ status }) => status);
      if (keepsFeed) assert.ok(statuses.includes(304), statuses.join());
    });

    it('are requested when the secret key is unknown', async () => {
      const client = open({ secretKey: 'phx_none' });
      client.on('error', () => {});
      assert.equal(await client.getFeatureFlag('everybody', 'bob'), true);
      assert.ok(sluice.answered.some(({ url, status }) => url.startsWith(feed) && status === 401));
    });
  });
}

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const end = Date.now() + PATIENCE_MS;
  while (!(await holds())) {
    assert.ok(Date.now() < end, 'it never came');
    await sleep(10);
  }
}
