import assert from 'node:assert/strict';
import { createKnex, type Knex } from '../../../src/platform/db/connection.ts';
import { createMetering, type CountedUse, type Metering } from '../../../src/flags/metering/metering.ts';
import { flagRequestRoutes } from '../../../src/flags/metering/requests.routes.ts';
import { requestStore, type CountedRequests, type RequestStore } from '../../../src/flags/metering/requests.store.ts';
import { sdkName } from '../../../src/flags/metering/sdk-name.ts';
import { createGatekeeper } from '../../../src/people/access/gatekeeper.ts';
import { identityStores } from '../../../src/people/stores.ts';
import { keyStore } from '../../../src/people/keys/keys.store.ts';
import { createLogger } from '../../../src/platform/telemetry/logger.ts';
import { startApi, type Api } from '../../support/api/api.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts';
import { buildPersonalKey, buildTenant, type Tenant } from '../../support/api/identity.ts';
import { until } from '../../support/until.ts';
import { thisHour } from '../../support/hours.ts';

type Line = { day: string; kind: string; key: string; key_id: string | null; sdk: string; requests: number };
type Page = { count: number; next: string | null; results: Line[] };

const log = createLogger({ LOG_LEVEL: 'silent' }, 'test');
const NEVER_MS = 1_000_000;
const SOON_MS = 10;
const DAY_MS = 86_400_000;
const today = () => new Date().toISOString().slice(0, 10);

const countedUse = (projectId: number, changes: Partial<CountedUse> = {}): CountedUse => {
  return { projectId, kind: 'decide', keyId: null, sdk: 'posthog-node/5.70.0', requests: 1, ...changes };
};

const days = (page: Page) => page.results.map(({ day, requests }) => `${day} ${requests}`);

describe('the metering of flags', () => {
  let database: TestDatabase;
  let db: Knex;
  let store: RequestStore;
  let api: Api;
  const opened: Metering[] = [];

  before(async () => {
    await thisHour();
    database = await createTestDatabase();
    db = createKnex({ url: database.url, applicationName: 'test' });
    store = requestStore(db);
    const gatekeeper = createGatekeeper(identityStores(db));
    api = await startApi({ routes: flagRequestRoutes, collaborators: { flagRequests: store }, gatekeeper });
  });
  after(async () => {
    await Promise.all(opened.map((metering) => metering.close()));
    await api.stop();
    await db.destroy();
    await database.drop();
  });

  function open(flushEveryMs: number, options: { now?: () => number; store?: RequestStore } = {}): Metering {
    const metering = createMetering({ store, log, flushEveryMs, ...options });
    opened.push(metering);
    return metering;
  }

  async function list(tenant: Tenant, query = ''): Promise<Page> {
    const key = await buildPersonalKey(db, tenant, 'feature_flag:read');
    const answer = await api.request('GET', `/api/projects/${tenant.projectId}/feature_flags/requests/${query}`, {
      key,
    });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return answer.body as Page;
  }

  it('shows requests to those who may read flags, and names the parameter that is wrong', async () => {
    const [ours, theirs] = [await buildTenant(db), await buildTenant(db)];
    const path = `/api/projects/${ours.projectId}/feature_flags/requests/`;
    const key = await buildPersonalKey(db, ours, 'feature_flag:read');
    const cases: [query: string, key: string | undefined, status: number, attr: string | null][] = [
      ['', undefined, 401, null],
      ['', await buildPersonalKey(db, ours, 'event:read'), 403, null],
      ['', await buildPersonalKey(db, theirs, 'feature_flag:read'), 403, null],
      ['?date_from=yesterday', key, 400, 'date_from'],
      ['?date_from=2015-05-18&date_to=2015-05-17', key, 400, 'date_from'],
      ['?kind=capture', key, 400, 'kind'],
    ];
    for (const [query, given, status, attr] of cases) {
      const answer = await api.request('GET', path + query, given === undefined ? {} : { key: given });
      assert.deepEqual([answer.status, (answer.body as { attr: string }).attr], [status, attr], query);
    }
  });

  it('adds up the requests of all processes by kind, key and SDK, and shows no key', async () => {
    const tenant = await buildTenant(db);
    const { id: keyId, key } = await keyStore(db).create({ userId: tenant.userId }, { label: 'x', scopes: ['*'] });
    const secret = await keyStore(db).create({ projectId: tenant.projectId }, { label: 'x', scopes: ['*'] });
    const processes = [open(NEVER_MS), open(NEVER_MS)];
    for (const metering of processes) {
      metering.count(countedUse(tenant.projectId));
      metering.count(countedUse(tenant.projectId, { requests: 2 }));
      metering.count(countedUse(tenant.projectId, { kind: 'definitions', keyId }));
      metering.count(countedUse(tenant.projectId, { kind: 'ofrep', keyId: secret.id, sdk: 'unknown' }));
      metering.count(countedUse(999_999));
    }
    await Promise.all(processes.map((metering) => metering.close()));
    const { count, results } = await list(tenant);
    const day = today();
    const sdk = 'posthog-node/5.70.0';
    assert.equal(count, 3);
    assert.deepEqual(results, [
      { day, kind: 'decide', key: `phc_...${tenant.apiToken.slice(-4)}`, key_id: null, sdk, requests: 6 },
      { day, kind: 'definitions', key: `phx_...${key.slice(-4)}`, key_id: keyId, sdk, requests: 2 },
      { day, kind: 'ofrep', key: `phs_...${secret.key.slice(-4)}`, key_id: secret.id, sdk: 'unknown', requests: 2 },
    ]);
    assert.deepEqual((await list(tenant, `?key=${keyId}`)).results, [results[1]]);
    assert.deepEqual((await list(tenant, `?key=${results[0]!.key}`)).results, [results[0]]);
    assert.deepEqual((await list(tenant, '?sdk=unknown')).results, [results[2]]);
    assert.deepEqual((await list(tenant, '?kind=decide')).results, [results[0]]);
    const page = await list(tenant, '?limit=1&offset=1');
    assert.deepEqual([page.count, page.results], [3, [results[1]]]);
    assert.match(page.next ?? '', /limit=1&offset=2$/);
  });

  it('counts by the days of UTC, and shows the last thirty, the newest first', async () => {
    const tenant = await buildTenant(db);
    let now = Date.parse('2015-05-17T23:59:59.999Z');
    const metering = open(NEVER_MS, { now: () => now });
    metering.count(countedUse(tenant.projectId));
    now += 1;
    metering.count(countedUse(tenant.projectId, { requests: 5 }));
    await metering.close();
    assert.deepEqual(days(await list(tenant)), []);
    assert.deepEqual(days(await list(tenant, '?date_from=2015-05-17&date_to=2015-05-18')), [
      '2015-05-18 5',
      '2015-05-17 1',
    ]);
    assert.deepEqual(days(await list(tenant, '?date_to=2015-05-17')), ['2015-05-17 1']);
    assert.deepEqual(days(await list(tenant, '?date_to=2015-06-16')), ['2015-05-18 5']);
  });

  it('loses nothing while Postgres is away', async () => {
    const tenant = await buildTenant(db);
    let isAway = true;
    const add = (counted: readonly CountedRequests[]) =>
      isAway ? Promise.reject(new Error('away')) : store.add(counted);
    const metering = open(SOON_MS, { store: { ...store, add } });
    for (let round = 0; round < 3; round++) {
      metering.count(countedUse(tenant.projectId));
      await new Promise((resolve) => setTimeout(resolve, 2 * SOON_MS));
    }
    isAway = false;
    await metering.close();
    assert.deepEqual(
      (await list(tenant)).results.map(({ requests }) => requests),
      [3],
    );
  });

  it('counts SDK versions after the first hundred together, as "other"', async () => {
    const tenant = await buildTenant(db);
    const metering = open(NEVER_MS);
    for (let version = 0; version < 110; version++) {
      metering.count(countedUse(tenant.projectId, { sdk: `posthog-js/${version}` }));
    }
    metering.count(countedUse(tenant.projectId, { sdk: 'posthog-js/7' }));
    await metering.close();
    assert.equal((await list(tenant)).count, 101);
    assert.deepEqual(
      (await list(tenant, '?sdk=other')).results.map(({ requests }) => requests),
      [10],
    );
    assert.deepEqual(
      (await list(tenant, '?sdk=posthog-js/7')).results.map(({ requests }) => requests),
      [2],
    );
  });

  it('announces to every process within moments that a quota is used, that it was raised, and that a month has begun', async () => {
    const tenant = await buildTenant(db);
    const { projectId } = tenant;
    const setQuota = (quota: number | null) =>
      db('projects').where({ id: projectId }).update({ flag_requests_per_month: quota });
    let ahead = 0;
    const now = () => Date.now() + ahead;
    const processes = [open(SOON_MS, { now }), open(SOON_MS, { now })];
    const becomes = (over: boolean) =>
      until(`all to be ${over ? 'over' : 'under'} its quota`, () =>
        processes.every((metering) => metering.isOverQuota(projectId) === over),
      );
    await setQuota(10);
    processes[0]!.count(countedUse(projectId, { requests: 9 }));
    await new Promise((resolve) => setTimeout(resolve, 5 * SOON_MS));
    await becomes(false);
    processes[1]!.count(countedUse(projectId));
    await becomes(true);
    await setQuota(11);
    await becomes(false);
    await setQuota(0);
    await becomes(true);
    await setQuota(null);
    await becomes(false);
    await setQuota(10);
    await becomes(true);
    ahead = 31 * DAY_MS;
    assert.equal(processes[0]!.isOverQuota(projectId), false);
  });
});

describe('the name of an SDK', () => {
  const cases: [userAgent: string | undefined, version: string | null, name: string][] = [
    ['posthog-node/5.70.0', null, 'posthog-node/5.70.0'],
    ['posthog-python/7.91.1', null, 'posthog-python/7.91.1'],
    ['posthog-ruby3.1.0', null, 'posthog-ruby3.1.0'],
    ['posthog-go/1.2.3-beta.1 (linux)', null, 'posthog-go/1.2.3-beta.1'],
    ['python-requests/2.31', null, 'python-requests/2.31'],
    ['node', null, 'node'],
    ['Mozilla/5.0 (X11; Linux x86_64) Chrome/120.0', null, 'browser'],
    ['Mozilla/5.0 (X11; Linux x86_64) Chrome/120.0', '1.434.0', 'posthog-js/1.434.0'],
    ['Mozilla/5.0', '<script>', 'browser'],
    [undefined, null, 'unknown'],
    ['', null, 'unknown'],
    ['{"a": 1}', null, 'unknown'],
    [`${'x'.repeat(500)}/1.0`, null, 'unknown'],
  ];
  for (const [userAgent, version, name] of cases) {
    it(`is ${name} for ${String(userAgent).slice(0, 40)} with ${version}`, () => {
      assert.equal(sdkName(userAgent, version), name);
    });
  }
});
