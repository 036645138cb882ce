import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import { LIMITS } from '../../src/capture/limits.ts';
import { post, startCapture, type CaptureServer } from '../support/capture.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { buildTenant, type Tenant } from '../support/identity.ts';

const snapshot = (token: string) => [
  { event: '$snapshot', properties: { $snapshot_data: [{ type: 2 }], distinct_id: 'someone', token } },
];

describe('session replay', () => {
  let database: TestDatabase;
  let server: CaptureServer;
  let tenant: Tenant;

  before(async () => {
    database = await createTestDatabase();
    server = await startCapture(database.url);
  });
  after(async () => {
    await server.stop();
    await database.drop();
  });
  beforeEach(async () => void (tenant = await buildTenant(server.db)));

  const codes = async ({ projectId }: Tenant) =>
    (await server.warnings(projectId)).map(({ code, count }) => `${code} ${count}`);

  it('is taken and not kept, and its project is told once a day', async () => {
    const other = await buildTenant(server.db);
    for (const path of ['/s', '/s/', '/s/?ip=1&compression=gzip-js']) {
      const answer = await post(server.url + path, gzipSync(JSON.stringify(snapshot(tenant.apiToken))));
      assert.deepEqual([answer.status, answer.body], [200, { status: 1 }], path);
      assert.deepEqual(await codes(tenant), ['session_replay_not_kept 1']);
    }
    await server.pool.query(`update ingestion_warnings set minute = minute - interval '1 day'`);
    await post(`${server.url}/s/`, snapshot(tenant.apiToken));
    assert.deepEqual(await codes(tenant), ['session_replay_not_kept 2']);
    assert.deepEqual(await codes(other), []);
    assert.equal((await server.pool.query('select from events')).rowCount, 0);
  });

  it('of nobody who is known is taken too', async () => {
    for (const body of [snapshot('phc_nobody'), [], '{']) {
      assert.equal((await post(`${server.url}/s/`, body)).status, 200);
    }
  });

  it('is refused when it is too large', async () => {
    assert.equal((await post(`${server.url}/s/`, ' '.repeat(LIMITS.bodyBytes + 1))).status, 413);
  });
});
