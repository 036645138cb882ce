import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { ensurePartitions } from '../../src/events/table/partitions.ts';
import { featureFlagStore } from '../../src/flags/feature-flags/feature-flags.store.ts';
import { flagUsageRoutes } from '../../src/flags/usage.routes.ts';
import { flagUsageStore } from '../../src/flags/usage.store.ts';
import { createGatekeeper } from '../../src/people/access/gatekeeper.ts';
import { identityStores } from '../../src/people/stores.ts';
import { startApi, type Api } from '../support/api/api.ts';
import { post, startCapture, type CaptureServer } from '../support/events/capture.ts';
import { createTestDatabase, type TestDatabase } from '../support/database/database.ts';
import { buildPersonalKey, buildTenant, type Tenant } from '../support/api/identity.ts';

type Usage = { key: string; variant: unknown; day: string; calls: number; persons: number };
type Page = { count: number; next: string | null; results: Usage[] };
type Refusal = { attr: string; detail: string };

const lines = ({ results }: Page) =>
  results.map(
    ({ key, variant, day, calls, persons }) => `${day} ${key} ${JSON.stringify(variant)} ${calls}/${persons}`,
  );

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();

describe('the usage of feature flags', () => {
  let database: TestDatabase;
  let server: CaptureServer;
  let api: Api;
  let ours: Tenant;
  let theirs: Tenant;
  let key: string;

  /** As SDKs say that a flag was asked for. */
  async function call(flag: unknown, response: unknown, timestamp: string, distinctId = 'd', of = ours): Promise<void> {
    const properties = { $feature_flag: flag, $feature_flag_response: response };
    const batch = [
      { event: '$feature_flag_called', distinct_id: distinctId, timestamp, properties, uuid: randomUUID() },
    ];
    const body = { api_key: of.apiToken, batch, historical_migration: true };
    assert.equal((await post(`${server.url}/batch/`, body)).status, 200);
  }

  const path = (query: string) => `/api/projects/${ours.projectId}/feature_flags/usage/${query}`;

  async function list(query: string): Promise<Page> {
    const answer = await api.request('GET', path(query), { key });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return answer.body as Page;
  }

  async function refusal(query: string): Promise<Refusal> {
    const answer = await api.request('GET', path(query), { key });
    assert.equal(answer.status, 400, JSON.stringify(answer.body));
    return answer.body as Refusal;
  }

  before(async () => {
    database = await createTestDatabase();
    server = await startCapture(database.url);
    const { db } = server;
    ours = await buildTenant(db, { historicalFromProjectKey: true });
    theirs = await buildTenant(db, { historicalFromProjectKey: true });
    key = await buildPersonalKey(db, ours, 'feature_flag:read');
    api = await startApi({
      routes: flagUsageRoutes,
      collaborators: { flagUsage: flagUsageStore(db), hiddenFlags: featureFlagStore(db) },
      gatekeeper: createGatekeeper(identityStores(db)),
    });
    await call('checkout', 'test', '2015-05-17T10:00:00Z', 'anna');
    await call('checkout', 'test', '2015-05-17T11:00:00Z', 'anna');
    await call('checkout', 'test', '2015-05-17T23:30:00Z', 'bert');
    await call('checkout', 'control', '2015-05-17T12:00:00Z', 'carl');
    await call('checkout', false, '2015-05-18T00:00:00Z', 'anna');
    await call('banner', true, '2015-05-18T12:00:00Z');
    await call('banner', undefined, '2015-05-18T12:00:00Z');
    await call('banner', 7, '2015-05-18T12:00:00Z');
    await call(undefined, true, '2015-05-18T12:00:00Z');
    await call('checkout', 'test', '2015-05-17T10:00:00Z', 'anna', theirs);
  });
  after(async () => {
    await api.stop();
    await server.stop();
    await database.drop();
  });

  const MAY = '?date_from=2015-05-01&date_to=2015-06-01';

  it('is counted by flag, variant and day, the newest day first', async () => {
    const page = await list(MAY);
    assert.deepEqual(lines(page), [
      '2015-05-18 banner null 1/1',
      '2015-05-18 banner "7" 1/1',
      '2015-05-18 banner true 1/1',
      '2015-05-18 checkout false 1/1',
      '2015-05-17 checkout "control" 1/1',
      '2015-05-17 checkout "test" 3/2',
    ]);
    assert.equal(page.count, 6);
  });

  it('can be filtered by one flag', async () => {
    assert.equal((await list(`${MAY}&key=checkout`)).count, 3);
    assert.equal((await list(`${MAY}&key=unheard_of`)).count, 0);
  });

  it('counts the days of a time zone, and reads dates in it', async () => {
    const inBerlin = await list(`${MAY}&key=checkout&timezone=Europe/Berlin`);
    assert.deepEqual(lines(inBerlin), [
      '2015-05-18 checkout "test" 1/1',
      '2015-05-18 checkout false 1/1',
      '2015-05-17 checkout "control" 1/1',
      '2015-05-17 checkout "test" 2/1',
    ]);
    const day = '&date_from=2015-05-18&date_to=2015-05-19&key=checkout';
    assert.equal((await list(`?timezone=Europe/Berlin${day}`)).count, 2);
    assert.equal((await list(`?timezone=UTC${day}`)).count, 1);
    const instants = '&date_from=2015-05-18T00:00:00Z&date_to=2015-05-19T00:00:00%2B00:00&key=checkout';
    assert.equal((await list(`?timezone=Europe/Berlin${instants}`)).count, 1);
  });

  it('has a period that ends before its end', async () => {
    assert.deepEqual(lines(await list('?date_from=2015-05-17T11:00:00Z&date_to=2015-05-18T00:00:00Z&key=checkout')), [
      '2015-05-17 checkout "control" 1/1',
      '2015-05-17 checkout "test" 2/2',
    ]);
  });

  it('is that of the last thirty days by default', async () => {
    await call('recent', true, daysAgo(28));
    await call('recent', true, daysAgo(31));
    assert.deepEqual(
      (await list('?key=recent')).results.map(({ calls }) => calls),
      [1],
    );
  });

  it('comes in pages', async () => {
    const page = await list(`${MAY}&limit=4&offset=4`);
    assert.deepEqual([page.count, page.results.length, page.next], [6, 2, null]);
    assert.deepEqual(
      [(await list(`${MAY}&offset=100`)).count, (await list(`${MAY}&limit=1`)).next !== null],
      [6, true],
    );
  });

  it('is for those who may read flags', async () => {
    const { db } = server;
    assert.equal((await api.request('GET', path(MAY))).status, 401);
    for (const other of [await buildPersonalKey(db, ours, 'event:write'), await buildPersonalKey(db, theirs, '*')]) {
      assert.equal((await api.request('GET', path(MAY), { key: other })).status, 403);
    }
    const environment = `/api/environments/${ours.projectId}/feature_flags/usage/`;
    assert.equal((await api.request('GET', environment, { key })).status, 200);
  });

  it('names the parameter that is wrong', async () => {
    assert.equal((await refusal('?date_from=soon')).attr, 'date_from');
    assert.equal((await refusal('?date_to=2015-02-30')).attr, 'date_to');
    for (const timezone of ['Mars/Olympus', '%2B05:30', 'UTC-3', "';--", '']) {
      assert.equal((await refusal(`?timezone=${timezone}`)).attr, 'timezone', timezone);
    }
    assert.match((await refusal('?date_from=2015-06-01&date_to=2015-06-01')).detail, /start before/);
    assert.match((await refusal('?date_from=2013-01-01&date_to=2015-06-01')).detail, /366 days/);
  });

  it('is found by an index that each month of events has, also those to come', async () => {
    await server.pool.query(
      `create or replace function wall_clock() returns timestamptz language sql as $$ select clock_timestamp() + interval '2 months' $$`,
    );
    assert.equal((await ensurePartitions(server.pool)).length, 2);
    const { rows } = await server.pool.query<{ indexes: number; months: number }>(`
      select (select count(*)::int from pg_inherits where inhparent = 'events_flag_calls'::regclass) as indexes,
             (select count(*)::int from pg_inherits where inhparent = 'events'::regclass) as months`);
    assert.equal(rows[0]!.indexes, rows[0]!.months);
  });
});
