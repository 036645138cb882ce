import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { post, startCapture, type CaptureServer } from '../support/capture.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { buildTenant } from '../support/identity.ts';

describe('an event that capture drops', () => {
  let database: TestDatabase;
  let server: CaptureServer;

  before(async () => {
    database = await createTestDatabase();
    server = await startCapture(database.url);
  });
  after(async () => {
    await server.stop();
    await database.drop();
  });

  it('is counted for its project, with examples by name', async () => {
    const [ours, theirs] = [await buildTenant(server.db), await buildTenant(server.db)];
    const uuid = randomUUID();
    const batch = [
      { event: 'fine', distinct_id: 'd' },
      { event: '', distinct_id: 'nameless\0', uuid: uuid.toUpperCase() },
      { event: 'e', distinct_id: 'd', uuid: 'broken' },
      { event: ' ', distinct_id: { a: 1 } },
      'no object',
    ];
    assert.equal((await post(`${server.url}/batch/`, { api_key: ours.apiToken, batch })).status, 200);
    const warnings = await server.warnings(ours.projectId);
    const counts = warnings.map(({ code, count }) => `${code} ${count}`).sort();
    assert.deepEqual(counts, ['invalid_input 1', 'invalid_uuid 1', 'missing_event_name 2']);
    const nameless = warnings.find(({ code }) => code === 'missing_event_name')!;
    const [{ seen_at: _, ...last }, { seen_at: seenAt, ...first }] = nameless.examples as [Example, Example];
    assert.deepEqual(last, { detail: 'An event needs a name that is not empty.' });
    assert.deepEqual(first, { detail: last.detail, distinct_id: 'nameless\ufffd', event_uuid: uuid });
    assert.ok(Math.abs(Date.parse(seenAt) - Date.now()) < 60_000);
    assert.deepEqual(await server.warnings(theirs.projectId), []);
  });

  it('is counted also when it is the only one, and the request is refused', async () => {
    const { apiToken, projectId } = await buildTenant(server.db);
    assert.equal((await post(`${server.url}/e/`, { api_key: apiToken, event: 'e' })).status, 400);
    const [{ code, count } = {}] = await server.warnings(projectId);
    assert.deepEqual([code, count], ['missing_distinct_id', 1]);
  });
});

describe('a timestamp that means nothing', () => {
  let database: TestDatabase;
  let server: CaptureServer;

  before(async () => {
    database = await createTestDatabase();
    server = await startCapture(database.url);
  });
  after(async () => {
    await server.stop();
    await database.drop();
  });

  it('is replaced by now, with a warning, once for an event that is sent again', async () => {
    const { apiToken, projectId } = await buildTenant(server.db);
    const batch = [
      { event: 'e', distinct_id: 'd', uuid: randomUUID(), timestamp: 'yesterday' },
      { event: 'e', distinct_id: 'd', uuid: randomUUID(), timestamp: '2999-01-01T00:00:00Z' },
      { event: 'e', distinct_id: 'd', uuid: randomUUID(), timestamp: '2025-06-02T09:00:00Z' },
      { event: 'e', distinct_id: 'd', uuid: randomUUID() },
    ];
    for (let time = 0; time < 2; time++) {
      const answer = await post(`${server.url}/batch/`, { api_key: apiToken, batch });
      assert.deepEqual(answer.body, { status: 1 });
    }
    const counts = (await server.warnings(projectId)).map(({ code, count }) => `${code} ${count}`).sort();
    assert.deepEqual(counts, ['event_timestamp_in_future 1', 'ignored_invalid_timestamp 1']);
    const { rows } = await server.pool.query(
      `select count(*)::int as n from events where project_id = $1 and abs(extract(epoch from now() - "timestamp")) < 60`,
      [projectId],
    );
    assert.deepEqual(rows, [{ n: 3 }]);
  });
});

type Example = { detail: string; seen_at: string };
