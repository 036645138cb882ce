import assert from 'node:assert/strict';
import { post, startCapture, type CaptureServer } from '../../support/events/capture.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts';
import { buildPersonalKey, buildProjectSecretKey, buildTenant, type Tenant } from '../../support/api/identity.ts';

const event = (more: object = {}) => ({ event: 'e', distinct_id: 'd', ...more });

describe('the keys of capture', () => {
  let database: TestDatabase;
  let server: CaptureServer;
  let ours: Tenant;
  let theirs: Tenant;

  before(async () => {
    database = await createTestDatabase();
    server = await startCapture(database.url);
    ours = await buildTenant(server.db);
    theirs = await buildTenant(server.db);
  });
  after(async () => {
    await server.stop();
    await database.drop();
  });
  beforeEach(() => server.pool.query('truncate events, event_ids'));

  const send = (body: unknown, headers?: Record<string, string>) => post(`${server.url}/batch/`, body, headers);
  const projects = async () =>
    (await server.pool.query<{ id: number }>('select project_id as id from events order by 1')).rows.map(
      (row) => row.id,
    );

  it('name the project, under any of their names, around the events or in each of them', async () => {
    const { apiToken, projectId } = ours;
    const bodies = [
      { api_key: apiToken, ...event() },
      { token: apiToken, ...event() },
      { $token: ` ${apiToken} `, ...event() },
      { api_key: apiToken, batch: [event({ api_key: theirs.apiToken })] },
      { batch: [event({ token: apiToken })] },
      [event({ properties: { token: apiToken } })],
    ];
    for (const body of bodies) assert.equal((await send(body)).status, 200, JSON.stringify(body));
    assert.deepEqual(
      await projects(),
      bodies.map(() => projectId),
    );
  });

  it('count in this order: around the events, in them, in the query; whatever a header says', async () => {
    const [mine, other] = [ours.apiToken, theirs.apiToken];
    const personal = await buildPersonalKey(server.db, theirs, '*');
    const requests: [string, unknown][] = [
      ['', { api_key: mine, token: other, ...event() }],
      ['', { token: mine, $token: other, ...event() }],
      ['', { $token: mine, ...event({ properties: { token: other } }) }],
      ['', { api_key: null, batch: [event({ token: mine })] }],
      ['', [event({ api_key: mine, properties: { token: other } }), event({ $token: mine }), event()]],
      [`?token=${other}`, { api_key: mine, ...event() }],
      [`?token=${other}`, event({ properties: { token: mine } })],
      [`?token=${other}&api_key=${mine}`, event()],
      [`?token=${mine}`, { batch: [event()] }],
    ];
    for (const [query, body] of requests) {
      const answer = await post(`${server.url}/e/${query}`, body, { Authorization: `Bearer ${personal}` });
      assert.equal(answer.status, 200, query + JSON.stringify(body));
    }
    assert.deepEqual([...new Set(await projects())], [ours.projectId]);
  });

  it('that name no project are refused with 401', async () => {
    const personal = await buildPersonalKey(server.db, ours, '*');
    const tokens = [
      undefined,
      null,
      '',
      '  ',
      5,
      {},
      personal,
      'phs_x',
      'phc_unknown',
      'é',
      'a\0b',
      'x'.repeat(1_000_000),
    ];
    for (const api_key of tokens) {
      const { status, body } = await send({ api_key, batch: [event()] });
      assert.deepEqual([status, body['type']], [401, 'authentication_error'], JSON.stringify(api_key)?.slice(0, 20));
      assert.ok(!JSON.stringify(body).includes(personal));
    }
    const two = await send([event({ api_key: ours.apiToken }), event({ api_key: theirs.apiToken })]);
    assert.equal(two.status, 401);
    assert.deepEqual(await projects(), []);
  });

  it('that are secret are refused as what they are', async () => {
    const details = await Promise.all(
      ['phx_x', 'phs_x'].map(async (api_key) => (await send({ api_key, batch: [event()] })).body['detail']),
    );
    const wanted = 'Send the public key of the project, which begins with phc_.';
    assert.deepEqual(details, [
      `The API key is not valid: it is a personal API key. ${wanted}`,
      `The API key is not valid: it is a secret key of a project. ${wanted}`,
    ]);
  });

  it('that no project can have are refused in plain words', async () => {
    const reasons = { 'it is not text': 5, 'it is empty': ' ', 'it is longer than 64 characters': 'x'.repeat(65) };
    for (const [reason, api_key] of Object.entries(reasons)) {
      const { status, body } = await send({ api_key, batch: [event()] });
      assert.deepEqual([status, body['detail']], [401, `The API key is not valid: ${reason}.`]);
    }
  });

  const placed = async () =>
    (
      await server.pool.query<{ interval_time: string; live: boolean }>(
        'select interval_time, interval_time = inserted_at as live from events',
      )
    ).rows.map((row) => (row.live ? 'live' : row.interval_time));

  describe('for history', () => {
    const past = '2015-05-17T10:05:03.123456Z';
    const history = (tenant: Tenant) => ({
      api_key: tenant.apiToken,
      historical_migration: true,
      batch: [event({ timestamp: past })],
      sent_at: '2015-06-01T00:00:00Z',
    });
    it('are a personal or project secret key with event:write', async () => {
      for (const key of [
        await buildPersonalKey(server.db, ours, 'event:write'),
        await buildProjectSecretKey(server.db, ours, 'event:write'),
      ]) {
        const answer = await send(history(ours), { Authorization: `Bearer ${key}` });
        assert.deepEqual(answer.body, { status: 1 });
      }
      assert.deepEqual(await placed(), [past, past]);
    });

    it('are not the public key alone: the events are live ones then, and the answer says so', async () => {
      const { status, body } = await send(history(ours));
      const [warning] = body['warnings'] as { code: string }[];
      assert.deepEqual([status, warning!.code], [200, 'historical_placement_not_allowed']);
      assert.deepEqual(await placed(), ['live']);
      const [{ code, count } = {}] = await server.warnings(ours.projectId);
      assert.deepEqual([code, count], ['historical_placement_not_allowed', 1]);
    });

    it('are the public key where the project says so', async () => {
      const open = await buildTenant(server.db, { historicalFromProjectKey: true });
      assert.deepEqual((await send(history(open))).body, { status: 1 });
      assert.deepEqual(await placed(), [past]);
    });

    it('place no event where the project keeps none any more: it becomes a warning', async () => {
      const open = await buildTenant(server.db, { historicalFromProjectKey: true });
      await server.pool.query('insert into event_retention (project_id, retained_from) values ($1, $2)', [
        open.projectId,
        '2015-05-17T11:00:00Z',
      ]);
      const batch = [past, '2015-05-17T11:00:00Z'].map((timestamp) => event({ timestamp }));
      const { status, body } = await send({ ...history(open), batch });
      const [{ index, code }] = body['rejected'] as [{ index: number; code: string }];
      assert.deepEqual([status, body['status'], index, code], [200, 1, 0, 'older_than_retention']);
      assert.deepEqual(await placed(), ['2015-05-17T11:00:00.000000Z']);
      const [warning] = await server.warnings(open.projectId);
      assert.deepEqual([warning?.code, warning?.count], ['older_than_retention', 1]);
      assert.deepEqual((await send({ ...history(open), batch, historical_migration: false })).body, { status: 1 });
    });

    it('are refused when they are wrong, lack the scope or open another project', async () => {
      const cases: [number, string][] = [
        [401, 'phx_wrong'],
        [403, await buildPersonalKey(server.db, ours, 'event:read')],
        [403, await buildPersonalKey(server.db, theirs, 'event:write')],
        [403, await buildProjectSecretKey(server.db, theirs, 'event:write')],
      ];
      for (const [status, key] of cases) {
        const answer = await send(history(ours), { Authorization: `Bearer ${key}` });
        assert.equal(answer.status, status);
      }
      assert.deepEqual(await placed(), []);
    });

    it('place only events that say when they happened', async () => {
      const key = await buildPersonalKey(server.db, ours, 'event:write');
      const batch = [event({ timestamp: past }), event(), event({ timestamp: 'then' })];
      const { body } = await send({ ...history(ours), batch }, { Authorization: `Bearer ${key}` });
      const rejected = body['rejected'] as { index: number; code: string }[];
      assert.deepEqual(
        rejected.map(({ index, code }) => [index, code]),
        [
          [1, 'invalid_timestamp'],
          [2, 'invalid_timestamp'],
        ],
      );
      assert.deepEqual(await placed(), [past]);
    });
  });
});
