/** posthog-node, as it is released, against a started server. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { PostHog } from 'posthog-node';
import { PostHog as PostHog4 } from 'posthog-node-4';
import { LIMITS } from '../../src/events/capture/limits.ts';
import { startFaultyProxy, type InjectedFault } from '../support/servers/faulty-proxy.ts';
import { buildTenant, type Tenant } from '../support/api/identity.ts';
import {
  assertCompany,
  assertOnePerson,
  assertStoredOnce,
  STORY,
  readEvents,
  type ReportedEvent,
} from '../support/sdks/sdk-story.ts';
import { startSluice, type Sluice } from '../support/servers/sluice.ts';

const LARGE_BYTES = 900_000;

type Client = PostHog | PostHog4;
type Options = { flushAt?: number; flushInterval?: number; fetchRetryDelay?: number };

type Connect = (token: string, options: Options & { host: string }) => Client;

const VERSIONS: { version: string; sends: string; connect: Connect }[] = [
  { version: '5.70.0', sends: 'gzip', connect: (token, options) => new PostHog(token, options) },
  {
    version: '5.70.0',
    sends: 'to the newer endpoint',
    connect: (token, options) => inV1(() => new PostHog(token, options)),
  },
  { version: '4.2.1', sends: 'JSON', connect: (token, options) => new PostHog4(token, options) },
  {
    version: '4.2.1',
    sends: 'forms',
    connect: (token, options) => new PostHog4(token, { ...options, captureMode: 'form' }),
  },
];

/** Clients that are made meanwhile send to `/i/v1/analytics/events`. */
function inV1<T>(make: () => T): T {
  process.env['POSTHOG_CAPTURE_MODE'] = 'v1';
  try {
    return make();
  } finally {
    delete process.env['POSTHOG_CAPTURE_MODE'];
  }
}

/** Sends what is queued. An event is queued a moment after `capture` returned, in the older version unknown to `flush`. */
async function flush(client: Client): Promise<void> {
  await sleep(1);
  await client.flush();
}

async function tellStory(client: Client): Promise<void> {
  const { anonymous, user, company, batch } = STORY;
  client.capture({ distinctId: anonymous, event: 'looked around' });
  client.capture({ distinctId: anonymous, event: 'looked around' });
  await flush(client);
  client.identify({ distinctId: user, properties: { email: 'ada@example.com', plan: 'free' } });
  // The older `identify` leaves `$set_once` out.
  client.capture({ distinctId: user, event: 'signed up', properties: { $set_once: { first_seen: 'monday' } } });
  client.alias({ distinctId: user, alias: anonymous });
  await flush(client);
  client.capture({ distinctId: anonymous, event: 'came back' });
  const changes = { $set: { plan: 'pro' }, $set_once: { first_seen: 'tuesday' } };
  client.capture({ distinctId: user, event: 'paid', properties: changes });
  client.groupIdentify({ groupType: 'company', groupKey: company, properties: { tier: 'gold' }, distinctId: user });
  await flush(client);
  client.capture({ distinctId: user, event: 'invited', groups: { company } });
  if ('captureAi' in client) client.captureAi({ distinctId: user, event: '$ai_generation' });
  for (let n = 0; n < batch; n++) client.capture({ distinctId: user, event: 'counted', properties: { n } });
  await client.shutdown();
}

for (const { version, sends, connect } of VERSIONS) {
  describe(`posthog-node ${version}, which sends ${sends}`, () => {
    let sluice: Sluice;
    let tenant: Tenant;
    before(async () => void (sluice = await startSluice()));
    after(() => sluice.stop());
    beforeEach(async () => {
      tenant = await buildTenant(sluice.db);
      sluice.answered.length = 0;
    });

    function open(host: string, options: Options = {}): { client: Client; said: ReportedEvent[] } {
      const said: ReportedEvent[] = [];
      const client = connect(tenant.apiToken, { host, ...options });
      for (const kind of ['capture', 'identify', 'alias'])
        client.on(kind, (event: ReportedEvent) => void said.push(event));
      return { client, said };
    }

    it('captures a whole story', async () => {
      const { client, said } = open(sluice.url);
      await tellStory(client);
      assert.equal(said.filter(({ event }) => event === 'counted').length, STORY.batch);
      const rows = await readEvents(sluice, tenant);
      assertStoredOnce(rows, said, { version });
      await assertOnePerson(sluice, tenant, rows, [STORY.anonymous, STORY.user]);
      await assertCompany(sluice, tenant, rows);
    });

    const faults: [string, InjectedFault][] = [
      ['the server had no time', 'busy'],
      ['the answer was lost', 'drop'],
    ];
    // Forms it sends in the mode `no-cors`: it cannot see what was answered.
    for (const [why, fault] of sends === 'forms' ? [] : faults) {
      it(`sends again when ${why}: each event is stored once`, async () => {
        let failures = 2;
        const proxy = await startFaultyProxy(sluice.url, () => (failures-- > 0 ? fault : undefined));
        const { client, said } = open(proxy.origin, { fetchRetryDelay: 20 });
        for (let n = 0; n < 10; n++) client.capture({ distinctId: STORY.user, event: 'counted', properties: { n } });
        await client.shutdown();
        proxy.close();
        assert.equal(proxy.faults, 2);
        assert.equal(said.length, 10);
        assertStoredOnce(await readEvents(sluice, tenant), said, { version });
      });
    }
  });
}

describe('posthog-node 5.70.0 with a batch that is too large', () => {
  let sluice: Sluice;
  before(async () => void (sluice = await startSluice()));
  after(() => sluice.stop());

  it('sends it in smaller ones', async () => {
    const tenant = await buildTenant(sluice.db);
    const events = Math.ceil(LIMITS.bodyBytes / LARGE_BYTES) + 1;
    const client = new PostHog(tenant.apiToken, { host: sluice.url, flushAt: events });
    const padding = 'x'.repeat(LARGE_BYTES);
    for (let n = 0; n < events; n++)
      client.capture({ distinctId: STORY.user, event: 'large', properties: { padding } });
    await client.shutdown();
    assert.deepEqual(
      sluice.answered.map(({ status }) => status),
      [413, 200, 200, 200],
    );
    assert.equal((await readEvents(sluice, tenant)).length, events);
  });
});
