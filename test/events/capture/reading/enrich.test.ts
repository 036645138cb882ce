import assert from 'node:assert/strict';
import { createEnrichment } from '../../../../src/events/capture/reading/enrich.ts';
import type { Locate } from '../../../../src/platform/wire/geoip.ts';
import { post, startCapture, type CaptureServer } from '../../../support/events/capture.ts';
import { createTestDatabase, type TestDatabase } from '../../../support/database/database.ts';
import { buildTenant, type Tenant } from '../../../support/api/identity.ts';

/** Two cities, as a database would know them. */
const locate: Locate = (address) => {
  if (address === '81.2.69.142') return { $geoip_city_name: 'London', $geoip_country_code: 'GB' };
  if (address === '89.160.20.112') return { $geoip_city_name: 'Linköping', $geoip_country_code: 'SE' };
  return undefined;
};
const LONDON = { $geoip_city_name: 'London', $geoip_country_code: 'GB' };
const LINKOEPING = { $geoip_city_name: 'Linköping', $geoip_country_code: 'SE' };

describe('the origin of an event', () => {
  let database: TestDatabase;
  let server: CaptureServer;
  let tenant: Tenant;
  let anonymous: Tenant;

  before(async () => {
    database = await createTestDatabase();
    server = await startCapture(database.url, { locate, trustedProxies: ['127.0.0.1'] });
    tenant = await buildTenant(server.db, { historicalFromProjectKey: true });
    anonymous = await buildTenant(server.db, { anonymizeIps: true });
  });
  after(async () => {
    await server.stop();
    await database.drop();
  });
  beforeEach(() => server.pool.query('truncate events, event_ids'));

  /** Sends one event from London and returns its properties as they were stored. */
  async function sendAndReadProperties(
    properties: object | undefined,
    { apiToken }: Tenant,
    more: object = {},
  ): Promise<unknown> {
    const event = { event: 'e', distinct_id: 'd', properties, timestamp: '2015-05-17T10:00:00Z' };
    const forwarded = { 'X-Forwarded-For': '1.1.1.1, 81.2.69.142' };
    const body = { api_key: apiToken, batch: [event], ...more };
    assert.equal((await post(`${server.url}/batch/`, body, forwarded)).status, 200);
    const { rows } = await server.pool.query<{ properties: unknown }>('select properties from events');
    return rows[0]!.properties;
  }

  it('is its client, where it says nothing else', async () => {
    assert.deepEqual(await sendAndReadProperties({ a: 1 }, tenant), { a: 1, $ip: '81.2.69.142', ...LONDON });
  });

  it('is added to an event without properties', async () => {
    assert.deepEqual(await sendAndReadProperties(undefined, tenant), { $ip: '81.2.69.142', ...LONDON });
  });

  it('is the address that it says itself', async () => {
    assert.deepEqual(await sendAndReadProperties({ $ip: '89.160.20.112' }, tenant), {
      $ip: '89.160.20.112',
      ...LINKOEPING,
    });
    for (const $ip of ['10.0.0.1', null, '', 'nonsense', 7, { a: 1 }]) {
      await server.pool.query('truncate events, event_ids');
      assert.deepEqual(await sendAndReadProperties({ $ip }, tenant), { $ip });
    }
  });

  it('overrides a place that it claims', async () => {
    const claimed = { $geoip_city_name: 'Atlantis', $geoip_postal_code: '1' };
    assert.deepEqual(await sendAndReadProperties(claimed, tenant), { ...claimed, $ip: '81.2.69.142', ...LONDON });
  });

  it('is not looked up where the event opts out', async () => {
    const disabled = { $geoip_disable: true, $geoip_city_name: 'Atlantis' };
    assert.deepEqual(await sendAndReadProperties(disabled, tenant), { ...disabled, $ip: '81.2.69.142' });
  });

  it('is a place without an address where the project keeps none', async () => {
    assert.deepEqual(await sendAndReadProperties({}, anonymous), LONDON);
    await server.pool.query('truncate events, event_ids');
    assert.deepEqual(await sendAndReadProperties({ $ip: '89.160.20.112' }, anonymous), LINKOEPING);
  });

  it('of history is not taken from the address of its sender', async () => {
    const history = { historical_migration: true };
    assert.deepEqual(await sendAndReadProperties({ a: 1 }, tenant, history), { a: 1 });
    await server.pool.query('truncate events, event_ids');
    const known = { $ip: '81.2.69.142' };
    assert.deepEqual(await sendAndReadProperties(known, tenant, history), { ...known, ...LONDON });
  });

  it('is found once for a request, however many events it has', () => {
    const lookedUp: string[] = [];
    const enrich = createEnrichment((address) => void lookedUp.push(address));
    enrich([{}, { properties: {} }, { properties: { $geoip_disable: true } }, {}], { address: 'a', anonymize: false });
    assert.deepEqual(lookedUp, ['a']);
  });

  it('is added to nothing that is no event', () => {
    const events = [null, 1, 'x', [], { properties: 'x' }, { properties: [] }];
    const before = structuredClone(events);
    createEnrichment(locate)(events, { address: '81.2.69.142', anonymize: true });
    assert.deepEqual(events, before);
  });
});
