/** History from the console's pages: by the session, where the public key may not. */
import assert from 'node:assert/strict';
import { buildSession, buildTenant, type Tenant } from '../../support/api/identity.ts';
import { startSluice, type Sluice } from '../../support/servers/sluice.ts';

const PAST = '2015-05-17T10:05:03.123456Z';

describe('history of a session', () => {
  let sluice: Sluice;
  let ours: Tenant;
  before(async () => {
    sluice = await startSluice();
    ours = await buildTenant(sluice.db);
  });
  after(() => sluice?.stop());
  beforeEach(() => sluice.pool.query('truncate events, event_ids'));

  const send = (headers: Record<string, string>, query = '', method = 'POST') => {
    const body = {
      api_key: ours.apiToken,
      historical_migration: true,
      batch: [{ event: 'e', distinct_id: 'd', timestamp: PAST }],
    };
    const data = method === 'GET' ? `?data=${encodeURIComponent(JSON.stringify(body))}` : query;
    return fetch(`${sluice.url}/batch/${data}`, {
      method,
      headers: { 'Content-Type': 'application/json', ...headers },
      ...(method !== 'GET' && { body: JSON.stringify(body) }),
    });
  };
  const placed = async () =>
    (
      await sluice.pool.query<{ interval_time: string; live: boolean }>(
        'select interval_time, interval_time = inserted_at as live from events',
      )
    ).rows.map((row) => (row.live ? 'live' : row.interval_time));

  it('is placed where it happened', async () => {
    const answer = await send(await buildSession(sluice.db, ours));
    assert.deepEqual([answer.status, await answer.json()], [200, { status: 1 }]);
    assert.deepEqual(await placed(), [PAST]);
  });

  it('is live without the token that only our pages know, also when it comes as a link', async () => {
    const { Cookie = '', 'X-CSRFToken': token = '' } = await buildSession(sluice.db, ours);
    assert.equal((await send({ Cookie })).status, 200);
    assert.equal((await send({ Cookie, 'X-CSRFToken': token }, '', 'GET')).status, 200);
    assert.deepEqual(new Set(await placed()), new Set(['live']));
  });

  it('is refused with a wrong token, and from a session of another project', async () => {
    const { Cookie = '' } = await buildSession(sluice.db, ours);
    const theirs = await buildTenant(sluice.db);
    assert.equal((await send({ Cookie, 'X-CSRFToken': 'wrong' })).status, 403);
    assert.equal((await send(await buildSession(sluice.db, theirs))).status, 403);
    assert.equal((await send({ 'X-CSRFToken': 'wrong' })).status, 401);
    assert.deepEqual(await placed(), []);
  });
});
