import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import { LIMITS } from '../../../src/events/capture/limits.ts';
import { post, useCapture } from '../../support/events/capture.ts';
import { buildTenant, type Tenant } from '../../support/api/identity.ts';

const snapshot = (token: string) => [
  { event: '$snapshot', properties: { $snapshot_data: [{ type: 2 }], distinct_id: 'someone', token } },
];

describe('session replay', () => {
  const world = useCapture({ tenantEach: true });

  const codes = async ({ projectId }: Tenant) =>
    (await world.server.warnings(projectId)).map(({ code, count }) => `${code} ${count}`);

  it('is accepted and not kept, with one warning a day for its project', async () => {
    const other = await buildTenant(world.server.db);
    for (const path of ['/s', '/s/', '/s/?ip=1&compression=gzip-js']) {
      const answer = await post(world.server.url + path, gzipSync(JSON.stringify(snapshot(world.tenant.apiToken))));
      assert.deepEqual([answer.status, answer.body], [200, { status: 1 }], path);
      assert.deepEqual(await codes(world.tenant), ['session_replay_not_kept 1']);
    }
    await world.server.pool.query(`update ingestion_warnings set minute = minute - interval '1 day'`);
    await post(`${world.server.url}/s/`, snapshot(world.tenant.apiToken));
    assert.deepEqual(await codes(world.tenant), ['session_replay_not_kept 2']);
    assert.deepEqual(await codes(other), []);
    assert.equal((await world.server.pool.query('select from events')).rowCount, 0);
  });

  describe('that is sent as events', () => {
    const paths = ['/batch/', '/e/', '/capture/', '/track/', '/engage/', '/i/v0/e/', '/i/v0/ai/batch/'];
    for (const path of paths) {
      it(`to ${path} is accepted and not kept, with one warning a day for its project`, async () => {
        for (const name of ['$snapshot', '$snapshot_items', '$performance_event']) {
          const body = { api_key: world.tenant.apiToken, batch: [{ event: name }, { event: name, distinct_id: 'd' }] };
          const answer = await post(world.server.url + path, body);
          assert.deepEqual([answer.status, answer.body['status']], [200, 1], name);
          const rejected = answer.body['rejected'] as { index: number; code: string }[];
          assert.deepEqual(
            rejected.map(({ index, code }) => `${index} ${code}`),
            ['0 session_replay_not_kept', '1 session_replay_not_kept'],
          );
        }
        assert.deepEqual(await codes(world.tenant), ['session_replay_not_kept 1']);
        assert.equal((await world.server.pool.query('select from events')).rowCount, 0);
      });
    }

    it('costs no other event of its request', async () => {
      const batch = [{ event: '$snapshot' }, { event: 'bought', distinct_id: 'd' }];
      const answer = await post(`${world.server.url}/batch/`, { api_key: world.tenant.apiToken, batch });
      assert.equal(answer.status, 200);
      const { rows } = await world.server.pool.query('select event from events where project_id = $1', [
        world.tenant.projectId,
      ]);
      assert.deepEqual(rows, [{ event: 'bought' }]);
    });

    it('is dropped where each event is answered for', async () => {
      const uuid = '01a1fb4f-740a-709c-bc99-d4a204c30c55';
      const batch = [{ event: '$snapshot', uuid, distinct_id: 'd', properties: {} }];
      const headers = { Authorization: `Bearer ${world.tenant.apiToken}` };
      const answer = await post(`${world.server.url}/i/v1/analytics/events`, { batch }, headers);
      const results = { [uuid]: { result: 'drop', details: 'session_replay_not_kept' } };
      assert.deepEqual([answer.status, answer.body], [200, { results }]);
      assert.deepEqual(await codes(world.tenant), ['session_replay_not_kept 1']);
    });
  });

  it('of an unknown visitor is accepted too', async () => {
    for (const body of [snapshot('phc_nobody'), [], '{']) {
      assert.equal((await post(`${world.server.url}/s/`, body)).status, 200);
    }
  });

  it('is refused when it is too large', async () => {
    assert.equal((await post(`${world.server.url}/s/`, ' '.repeat(LIMITS.bodyBytes + 1))).status, 413);
  });
});
