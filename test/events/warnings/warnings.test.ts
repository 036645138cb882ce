import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { createKnex, type Knex } from '../../../src/platform/db/connection.ts';
import { createWarningWriter, type WarningWriter } from '../../../src/events/warnings/warning-writer.ts';
import { warningRoutes } from '../../../src/events/warnings/warnings.routes.ts';
import { warningStore, type WarningMinute, type WarningStore } from '../../../src/events/warnings/warnings.store.ts';
import { createGatekeeper } from '../../../src/people/access/gatekeeper.ts';
import { identityStores } from '../../../src/people/stores.ts';
import { createLogger } from '../../../src/platform/telemetry/logger.ts';
import { leastMs } from '../../support/durations.ts';
import { startApi, type Api } from '../../support/api/api.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts';
import { buildPersonalKey, buildTenant, type Tenant } from '../../support/api/identity.ts';

type Page = { count: number; next: string | null; results: { code: string; count: number; examples: object[] }[] };

const refused = { code: 'merge_refused', detail: 'This person is identified already.', distinctId: 'd' };
const dropped = { code: 'invalid_uuid', detail: 'This is not a valid UUID.' };

describe('ingestion warnings', () => {
  let database: TestDatabase;
  let db: Knex;
  let store: WarningStore;
  let api: Api;
  let ours: Tenant;
  let theirs: Tenant;
  let key: string;
  let lines: string[];

  const writerOver = (over: WarningStore): WarningWriter => {
    const log = createLogger({ LOG_LEVEL: 'debug' }, 'test', { write: (line) => lines.push(line) });
    return createWarningWriter({ store: over, log });
  };

  before(async () => {
    database = await createTestDatabase();
    db = createKnex({ url: database.url, applicationName: 'test' });
    store = warningStore(db);
    api = await startApi({
      routes: warningRoutes,
      collaborators: { ingestionWarnings: store },
      gatekeeper: createGatekeeper(identityStores(db)),
    });
  });
  after(async () => {
    await api.stop();
    await db.destroy();
    await database.drop();
  });
  beforeEach(async () => {
    lines = [];
    [ours, theirs] = [await buildTenant(db), await buildTenant(db)];
    key = await buildPersonalKey(db, ours, 'ingestion_warning:read');
  });

  const codes = async (query: string) => (await list(query)).results.map(({ code }) => code);

  async function list(query = ''): Promise<Page> {
    const answer = await api.request('GET', `/api/projects/${ours.projectId}/ingestion_warnings/${query}`, { key });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return answer.body as Page;
  }

  /** Of a minute in May 2015. */
  function minute(code: string, at: number, count = 1): WarningMinute {
    const seen = `2015-05-17T10:${String(at).padStart(2, '0')}:30.000Z`;
    const examples = [{ detail: `${code} at ${at}`, seen_at: seen }];
    return {
      projectId: ours.projectId,
      code,
      minute: `${seen.slice(0, 16)}Z`,
      count,
      lastSeen: seen,
      examples,
      daily: false,
    };
  }

  it('are listed within a second, under both prefixes of a project', async () => {
    const took = await leastMs(900, async (time) => {
      const noted = performance.now();
      const written = Promise.withResolvers<number>();
      const add: WarningStore['add'] = async (minutes) => {
        const waited = performance.now() - noted;
        await store.add(minutes);
        written.resolve(waited);
      };
      const { projectId } = time === 0 ? ours : theirs;
      writerOver({ ...store, add }).note(projectId, [refused, dropped, refused]);
      return written.promise;
    });
    assert.ok(took < 900, `${took} ms`);
    const { count, results } = await list();
    assert.deepEqual(
      [count, results.map((one) => `${one.code} ${one.count}`).sort()],
      [2, ['invalid_uuid 1', 'merge_refused 2']],
    );
    const [example] = results.find(({ code }) => code === 'merge_refused')!.examples as Record<string, string>[];
    assert.deepEqual({ ...example, seen_at: '' }, { detail: refused.detail, distinct_id: 'd', seen_at: '' });
    const path = `/api/environments/${ours.projectId}/ingestion_warnings/`;
    assert.deepEqual((await api.request('GET', path, { key })).body, await list());
  });

  it('are for those who may read them', async () => {
    const path = `/api/projects/${ours.projectId}/ingestion_warnings/`;
    const others = [await buildPersonalKey(db, ours, 'event:write'), await buildPersonalKey(db, theirs, '*')];
    assert.equal((await api.request('GET', path)).status, 401);
    for (const other of others) assert.equal((await api.request('GET', path, { key: other })).status, 403);
    writerOver(store).note(theirs.projectId, [refused]);
    await sleep(500);
    assert.equal((await list()).count, 0);
  });

  it('of several processes and minutes are added up, the last seen first, with the newest examples', async () => {
    const writers = [writerOver(store), writerOver(store)];
    for (const writer of writers) writer.note(ours.projectId, [dropped]);
    await Promise.all(writers.map((writer) => writer.drain()));
    await store.add([minute('a', 1, 3), minute('a', 2), minute('b', 3)]);
    await store.add([0, 1, 2, 3, 4, 5].map((at) => minute('a', at)));
    const { results } = await list();
    assert.deepEqual(
      results.map((one) => `${one.code} ${one.count}`),
      ['invalid_uuid 2', 'a 10', 'b 1'],
    );
    assert.deepEqual(
      results[1]!.examples.map((example) => (example as { detail: string }).detail),
      ['a at 5', 'a at 4', 'a at 3', 'a at 2', 'a at 2'],
    );
  });

  it('are listed by date, in pages', async () => {
    await store.add([minute('a', 1), minute('b', 2), minute('c', 3)]);
    assert.deepEqual(await codes('?date_from=2015-05-17T10:02:50Z'), ['c', 'b']);
    assert.deepEqual(await codes('?date_from=2015-05-17T10:02Z&date_to=2015-05-17T10:03Z'), ['b']);
    assert.deepEqual(await codes('?date_to=2015-05-17'), []);
    assert.deepEqual(await codes('?limit=1&offset=1'), ['b']);
    for (const query of ['date_from=soon', 'date_from=', 'date_to=']) {
      const path = `/api/projects/${ours.projectId}/ingestion_warnings/?${query}`;
      const { status, body } = await api.request('GET', path, { key });
      assert.deepEqual([status, (body as { attr: string }).attr], [400, query.split('=')[0]]);
    }
  });

  it('take no more memory than a few examples when they come in floods', async () => {
    const written: WarningMinute[][] = [];
    const writer = writerOver({ ...store, add: async (minutes) => void written.push([...minutes]) });
    const thousand = Array.from({ length: 1_000 }, () => dropped);
    for (let batch = 0; batch < 100; batch++) writer.note(1, thousand);
    for (let project = 2; project < 10_000; project++) writer.note(project, [dropped]);
    await writer.drain();
    const [minutes = []] = written;
    const flooded = minutes.filter(({ projectId }) => projectId === 1);
    assert.equal(
      flooded.reduce((sum, { count }) => sum + count, 0),
      100_000,
    );
    assert.ok(flooded.every(({ examples }) => examples.length <= 5));
    assert.equal(minutes.length, 5_000);
    assert.match(lines.join(''), /"dropped":(?:4999|5000)/);
  });

  it('wait for a database that is away, without an error for clients', async () => {
    let away = true;
    const add: WarningStore['add'] = (minutes) => (away ? Promise.reject(new Error('away')) : store.add(minutes));
    const writer = writerOver({ ...store, add });
    writer.note(ours.projectId, [dropped]);
    await writer.drain();
    writer.note(ours.projectId, [dropped]);
    away = false;
    await writer.drain();
    assert.equal((await store.list(ours.projectId, {}))[0]?.count, 2);
    assert.match(lines.join(''), /could not be written/);
  });

  it('are written whatever a distinct id is, and whichever projects are gone', async () => {
    const writer = writerOver(store);
    writer.note(2 ** 31 - 1, [dropped]);
    writer.note(ours.projectId, [{ ...dropped, distinctId: 'a\0\ud800' }]);
    await writer.drain();
    const [warning] = await store.list(ours.projectId, {});
    assert.equal(warning?.examples[0]?.distinct_id, 'a\ufffd\ufffd');
  });

  it('are forgotten after thirty days', async () => {
    await store.add([minute('a', 1)]);
    const writer = writerOver(store);
    writer.note(ours.projectId, [dropped]);
    await writer.drain();
    assert.deepEqual(
      (await store.list(ours.projectId, {})).map(({ code }) => code),
      ['invalid_uuid'],
    );
  });
});
