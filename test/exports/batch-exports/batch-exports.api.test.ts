import assert from 'node:assert/strict';
import { buildStoredExport, memberKey, startExportsApi, type ExportsApi } from '../../support/api/exports-api.ts';

type Body = Record<string, unknown> & { id: string; destination: { type: string; config: Record<string, unknown> } };

const wanted = (overrides: Record<string, unknown> = {}) => ({
  name: 'Nightly',
  destination: { type: 'LocalFile', config: { directory: crypto.randomUUID() } },
  interval: 'hour',
  paused: true,
  ...overrides,
});

const bucket = () => ({
  type: 'S3',
  config: {
    bucket_name: 'warehouse',
    region: 'eu-central-1',
    prefix: crypto.randomUUID(),
    endpoint_url: 'http://127.0.0.1:7070',
    aws_access_key_id: 'canary-id',
    aws_secret_access_key: 'canary-key',
  },
});

describe('batch exports over HTTP', () => {
  let exports: ExportsApi;
  const request: ExportsApi['request'] = (...args) => exports.request(...args);
  const create = async (overrides: Record<string, unknown> = {}) => {
    const { status, body } = await request('POST', '/batch_exports/', wanted(overrides));
    assert.equal(status, 201, JSON.stringify(body));
    return body as Body;
  };

  before(async () => {
    exports = await startExportsApi();
  });
  after(() => exports.close());

  it('are created with every field of the contract', async () => {
    const directory = crypto.randomUUID();
    const created = await create({
      destination: { type: 'LocalFile', config: { directory } },
      start_at: '2015-05-17T12:00:00+02:00',
      end_at: null,
      id: crypto.randomUUID(),
      team_id: 999,
      created_at: '2001-01-01T00:00:00Z',
      version: 7,
      deleted_at: '2001-01-01T00:00:00Z',
    });
    const { id, created_at, last_updated_at, destination, pause, ...rest } = created;
    assert.match(id, /^[0-9a-f-]{36}$/);
    for (const at of [created_at, last_updated_at]) {
      assert.match(String(at), /^20[2-9]\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
    }
    assert.equal(destination.config['directory'], directory);
    assert.deepEqual(
      { ...(pause as object), at: null },
      { by: { kind: 'project_key', user: null }, at: null, reason: null, resume_at: null },
    );
    assert.deepEqual(rest, {
      team_id: exports.world.projectId,
      name: 'Nightly',
      model: 'events',
      promises: { first: 'exactly_once', redelivery: 'replaces', readers: 'never_half' },
      interval: 'hour',
      timezone: 'UTC',
      offset_day: null,
      offset_hour: null,
      jitter_seconds: 0,
      max_concurrent_runs: 10,
      paused: true,
      last_paused_at: null,
      paused_reason: null,
      complete_until: null,
      lag_seconds: 0,
      redeliver_stale: false,
      interval_troubles: { stale: 0, unsettled: 0, gave_up: 0 },
      error: null,
      freshness_target_seconds: null,
      notifications: null,
      start_at: '2015-05-17T10:00:00.000000Z',
      end_at: null,
      latest_runs: [],
      hogql_query: null,
      schema: null,
      filters: null,
      include_columns: null,
      exclude_columns: [],
      transformations: [],
      user_access_level: 'editor',
    });
    assert.deepEqual((await request('GET', `/batch_exports/${id}/`)).body, created);
  });

  for (const interval of ['hour', 'day', 'week', 'every 5 minutes', 'every 1440 minutes']) {
    it(`take the interval ${interval}`, async () => assert.equal((await create({ interval }))['interval'], interval));
  }

  it('do not share a place', async () => {
    const destination = { type: 'LocalFile', config: { directory: 'taken' } };
    await create({ destination });
    const { status, body } = await request('POST', '/batch_exports/', wanted({ destination }));
    assert.deepEqual([status, (body as { code: string }).code], [409, 'conflict']);
  });

  it('never give their secrets back, and keep those that a change does not name', async () => {
    const answers = [];
    const created = await request('POST', '/batch_exports/', wanted({ destination: bucket() }));
    assert.equal(created.status, 201, JSON.stringify(created.body));
    const { id } = created.body as Body;
    const path = `/batch_exports/${id}/`;
    answers.push(created, await request('GET', path), await request('GET', '/batch_exports/'));
    const change = { destination: { type: 'S3', config: { bucket_name: 'other' } } };
    const changed = await request('PATCH', path, change);
    answers.push(changed, await request('POST', `${path}pause/`, undefined, { Prefer: 'return=representation' }));
    answers.push(
      await request('PATCH', path, { destination: { type: 'S3', config: { aws_secret_access_key: 5, no: 1 } } }),
    );

    assert.equal((changed.body as Body).destination.config['bucket_name'], 'other');
    assert.equal((changed.body as Body).destination.config['region'], 'eu-central-1');
    for (const { status, body } of answers) {
      assert.ok(!JSON.stringify(body).includes('canary'), `${status}: ${JSON.stringify(body)}`);
    }
    const stored = await exports.world.batchExports.get(exports.world.projectId, id);
    assert.equal(exports.world.batchExports.decryptConfig(stored)['aws_secret_access_key'], 'canary-key');
    const row = JSON.stringify(await exports.db('batch_exports').where({ id }).first());
    assert.ok(!row.includes('canary'));
    assert.ok(!exports.api.logText().includes('canary'));
  });

  it('do not send kept secrets to another server', async () => {
    const created = await request('POST', '/batch_exports/', wanted({ destination: bucket() }));
    const path = `/batch_exports/${(created.body as Body).id}/`;
    const config = { endpoint_url: 'http://127.0.0.1:19999' };
    const moved = await request('PATCH', path, { destination: { type: 'S3', config } });
    assert.deepEqual(
      [moved.status, (moved.body as { attr: string }).attr],
      [400, 'destination__config__aws_access_key_id'],
      JSON.stringify(moved.body),
    );
    const credentials = { aws_access_key_id: 'canary-id', aws_secret_access_key: 'canary-again' };
    const whole = await request('PATCH', path, { destination: { type: 'S3', config: { ...config, ...credentials } } });
    assert.equal(whole.status, 200, JSON.stringify(whole.body));
    const template = {
      type: 'HTTP',
      config: { url: 'http://127.0.0.1:19998/', token: 'canary', body_format: 'template' },
    };
    const sent = await request('POST', '/batch_exports/', wanted({ destination: template }));
    const change = (config: object) =>
      request('PATCH', `/batch_exports/${(sent.body as Body).id}/`, { destination: { type: 'HTTP', config } });
    const kept = await change({ url: 'http://127.0.0.1:19999/' });
    assert.match((kept.body as { detail: string }).detail, /give 'token' again, or null to drop it\.$/);
    assert.equal((await change({ url: 'http://127.0.0.1:19999/', token: null })).status, 200);
    // A dropped secret need not be given again.
    assert.equal((await change({ url: 'http://127.0.0.1:19998/' })).status, 200);
  });

  it('are listed newest first, in pages, without deleted ones', async () => {
    const ids = [];
    for (let n = 0; n < 3; n += 1) ids.unshift((await create()).id);
    assert.equal((await request('DELETE', `/batch_exports/${ids[1]}/`)).status, 204);
    const first = (await request('GET', '/batch_exports/?limit=1')).body as {
      count: number;
      next: string;
      results: Body[];
    };
    assert.equal(first.results[0]?.id, ids[0]);
    assert.match(first.next, /^https:\/\/sluice\.example\/api\/environments\/\d+\/batch_exports\/\?limit=1&offset=1$/);
    const { pathname, search } = new URL(first.next);
    const second = (await exports.api.request('GET', pathname + search, { key: exports.key })).body as typeof first;
    assert.equal(second.results[0]?.id, ids[2]);
    for (const query of ['limit=-1', 'limit=0', 'limit=1&limit=2', 'offset=-1'])
      assert.equal((await request('GET', `/batch_exports/?${query}`)).status, 400, query);
    // Values that are no numbers count as not given.
    for (const query of ['limit=1000000', 'limit=many', 'offset=1e9'])
      assert.equal((await request('GET', `/batch_exports/?${query}`)).status, 200, query);
  });

  it('change in what a PATCH names and in nothing else', async () => {
    const before = await create({ start_at: '2015-05-17T10:00:00Z' });
    const path = `/batch_exports/${before.id}/`;
    const { status, body } = await request('PATCH', path, { name: 'New', end_at: '2016-01-01', team_id: 7, id: 'x' });
    assert.equal(status, 200);
    const { last_updated_at: _, ...rest } = body as Body;
    const { last_updated_at: __, ...expected } = before;
    assert.deepEqual(rest, { ...expected, name: 'New', end_at: '2016-01-01T00:00:00.000000Z' });
    const cleared = (await request('PATCH', path, { start_at: null })).body as Body;
    assert.deepEqual([cleared['start_at'], cleared['end_at']], [null, '2016-01-01T00:00:00.000000Z']);
  });

  it('cannot become another model or another destination type', async () => {
    const { id } = await create();
    const model = await request('PATCH', `/batch_exports/${id}/`, { model: 'persons' });
    assert.deepEqual([model.status, (model.body as { attr: string }).attr], [400, 'model']);
    const type = await request('PATCH', `/batch_exports/${id}/`, { destination: bucket() });
    assert.match((type.body as { detail: string }).detail, /^Cannot change destination type from 'LocalFile' to 'S3'/);
  });

  it('refuse a change of something older than what is there', async () => {
    const { id } = await create();
    const path = `/batch_exports/${id}/`;
    const tag = (await request('GET', path)).headers.get('etag') ?? '';
    assert.equal((await request('PATCH', path, { name: 'a' }, { 'If-Match': tag })).status, 200);
    assert.equal((await request('PATCH', path, { name: 'b' }, { 'If-Match': tag })).status, 412);
    assert.equal((await request('PATCH', path, { name: 'c' }, { 'If-Match': 'W/"1"' })).status, 412);
    assert.equal((await request('PATCH', path, { name: 'd' }, { 'If-Match': '*' })).status, 200);
  });

  it('are gone after a DELETE, which answers 204 without a body', async () => {
    const { id } = await create();
    const deleted = await request('DELETE', `/batch_exports/${id}/`);
    assert.deepEqual([deleted.status, deleted.body], [204, '']);
    for (const [method, path] of [
      ['GET', ''],
      ['DELETE', ''],
      ['POST', 'pause/'],
      ['GET', 'runs/'],
      ['GET', 'logs/'],
    ] as const) {
      assert.equal((await request(method, `/batch_exports/${id}/${path}`)).status, 404, path);
    }
  });

  it('are paused and unpaused with an empty answer, whatever the body, twice like once', async () => {
    const { id } = await create({ paused: false });
    const path = `/batch_exports/${id}/`;
    for (const [verb, paused] of [
      ['pause', true],
      ['pause', true],
      ['unpause', false],
      ['unpause', false],
    ] as const) {
      const answer = await request('POST', `${path}${verb}/`, { name: 'x', interval: 5, paused: 'maybe' });
      assert.deepEqual([answer.status, answer.body], [200, '']);
      const present = (await request('GET', path)).body as Body;
      assert.equal(present['paused'], paused);
      assert.match(String(present['last_paused_at']), /Z$/);
    }
  });

  it('come back as an object when that is preferred', async () => {
    const { id } = await buildStoredExport(exports);
    const { status, body, headers } = await request('POST', `/batch_exports/${id}/unpause/`, undefined, {
      Prefer: 'respond-async, return=representation',
    });
    assert.equal(status, 200);
    assert.equal(headers.get('preference-applied'), 'return=representation');
    assert.deepEqual(body, (await request('GET', `/batch_exports/${id}/`)).body);
  });

  it('may be read with a key that may write', async () => {
    const key = await memberKey(exports.db, exports.world.projectId, 'batch_export:write');
    const path = `/api/projects/${exports.world.projectId}/batch_exports`;
    assert.equal((await exports.api.request('GET', path, { key })).status, 200);
  });
});
