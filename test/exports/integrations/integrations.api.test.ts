import assert from 'node:assert/strict';
import { buildPersonalKey } from '../../support/api/identity.ts';
import { serviceAccountKey } from '../../support/servers/gcs/fake-gcs.ts';
import { buildStoredExport, memberKey, startExportsApi, type ExportsApi } from '../../support/api/exports-api.ts';

type Integration = { id: number; kind: string; config: Record<string, unknown> };
type Problem = { code: string; attr: string | null; detail: string };
type Export = {
  id: string;
  destination: { type: string; integration: number | null; config: Record<string, unknown> };
};

const KEYS = { aws_access_key_id: 'canary-id', aws_secret_access_key: 'canary-key' };
const STORE = { ...KEYS, endpoint_url: 'http://127.0.0.1:7070' };
const bucket = () => ({ bucket_name: 'warehouse', region: 'eu-central-1', prefix: crypto.randomUUID() });

const connectionString = (account: string, key: string) =>
  `AccountName=${account};AccountKey=${Buffer.from(key).toString('base64')};BlobEndpoint=http://127.0.0.1:7070/${account}`;

const wanted = (destination: Record<string, unknown>) => ({ name: 'n', interval: 'hour', paused: true, destination });

describe('integrations over HTTP', () => {
  let exports: ExportsApi;
  const request: ExportsApi['request'] = (...args) => exports.request(...args);

  const integrate = async (kind = 's3-compatible', config: Record<string, unknown> = STORE) => {
    const { status, body } = await request('POST', '/integrations/', { kind, config });
    assert.equal(status, 201, JSON.stringify(body));
    return body as Integration;
  };
  const create = (destination: Record<string, unknown>) => request('POST', '/batch_exports/', wanted(destination));
  const created = async (destination: Record<string, unknown>) => {
    const { status, body } = await create(destination);
    assert.equal(status, 201, JSON.stringify(body));
    return body as Export;
  };
  /** The configuration that the engine connects with. */
  const opened = async (id: string) =>
    exports.world.batchExports.decryptConfig(await exports.world.batchExports.get(exports.world.projectId, id));

  const patch = async (id: string, destination: Record<string, unknown>) => {
    const { status, body } = await request('PATCH', `/batch_exports/${id}/`, { destination });
    return { status, body: body as Export & Problem };
  };

  before(async () => {
    exports = await startExportsApi();
  });
  after(() => exports.close());

  it('are made, listed and read without their secrets', async () => {
    const made = await integrate();
    assert.deepEqual(made.config, { endpoint_url: STORE.endpoint_url });
    assert.deepEqual((await request('GET', `/integrations/${made.id}/`)).body, made);
    const { body } = await request('GET', '/integrations/?limit=1000');
    assert.ok((body as { results: Integration[] }).results.some(({ id }) => id === made.id));
    assert.ok(!JSON.stringify(body).includes('canary'));
    assert.ok(!JSON.stringify(await exports.db('integrations').select()).includes('canary'));
  });

  describe('with a role in place of a key', () => {
    const ROLE = { aws_role_arn: 'arn:aws:iam::123456789012:role/exports' };

    it('show the role, and bring it in place of an export’s own key', async () => {
      const { id, config } = await integrate('aws-s3', ROLE);
      assert.deepEqual(config, ROLE);
      const one = await created({ type: 'AwsS3', config: { ...bucket(), ...KEYS } });
      assert.equal((await patch(one.id, { type: 'AwsS3', config: {}, integration: id })).status, 200);
      const after = await opened(one.id);
      assert.deepEqual(
        [after['aws_role_arn'], after['aws_access_key_id'], after['aws_secret_access_key']],
        [ROLE.aws_role_arn, undefined, undefined],
      );
    });

    it('are refused with a key as well, and without either', async () => {
      for (const [config, attr] of [
        [{ ...ROLE, ...KEYS }, 'config__aws_role_arn'],
        [{}, 'config__aws_access_key_id'],
        [{ aws_role_arn: 'admin' }, 'config__aws_role_arn'],
      ] as const) {
        const { status, body } = await request('POST', '/integrations/', { kind: 'aws-s3', config });
        assert.deepEqual([status, (body as Problem).attr], [400, attr]);
      }
    });

    it('are beside exports whose own role is named in their configuration, and is asked for again with another endpoint', async () => {
      const one = await created({ type: 'S3', config: { ...bucket(), ...ROLE } });
      assert.equal(one.destination.config['aws_role_arn'], ROLE.aws_role_arn);
      const moved = { endpoint_url: 'http://127.0.0.1:7071' };
      const { status, body } = await patch(one.id, { type: 'S3', config: moved });
      assert.deepEqual([status, body.attr], [400, 'destination__config__aws_role_arn']);
      assert.equal((await patch(one.id, { type: 'S3', config: { ...moved, ...ROLE } })).status, 200);
      const withKey = { aws_role_arn: null, ...KEYS };
      assert.equal((await patch(one.id, { type: 'S3', config: withKey })).status, 200);
    });
  });

  it('bring their part of the configuration to every export that names them', async () => {
    const { id } = await integrate();
    const first = await created({ type: 'S3Compatible', config: bucket(), integration: id });
    const second = await created({ type: 'S3Compatible', config: bucket(), integration_id: id });
    for (const one of [first, second]) {
      assert.equal(one.destination.integration, id);
      assert.equal(one.destination.config['endpoint_url'], undefined);
      const whole = await opened(one.id);
      assert.deepEqual([whole['endpoint_url'], whole['aws_secret_access_key']], [STORE.endpoint_url, 'canary-key']);
    }
    const changed = await request('PATCH', `/integrations/${id}/`, { config: { aws_secret_access_key: 'canary-new' } });
    assert.equal(changed.status, 200, JSON.stringify(changed.body));
    assert.equal((await opened(first.id))['aws_secret_access_key'], 'canary-new');
    assert.equal((await opened(first.id))['aws_access_key_id'], 'canary-id');
  });

  it('take the place of what an export had of its own, and give it back', async () => {
    const { id } = await integrate();
    const own = await created({ type: 'S3Compatible', config: { ...bucket(), ...STORE } });
    const path = `/batch_exports/${own.id}/`;
    const patch = (destination: Record<string, unknown>) =>
      request('PATCH', path, { destination: { type: 'S3Compatible', ...destination } });
    const named = await patch({ config: {}, integration: id });
    assert.equal(named.status, 200, JSON.stringify(named.body));
    assert.equal((named.body as Export).destination.config['endpoint_url'], undefined);
    const kept = await patch({ config: { bucket_name: 'other' } });
    assert.equal((kept.body as Export).destination.integration, id);
    const without = await patch({ config: {}, integration: null });
    assert.equal(without.status, 400);
    const back = await patch({ config: STORE, integration: null });
    assert.equal(back.status, 200, JSON.stringify(back.body));
    assert.equal((back.body as Export).destination.integration, null);
  });

  it('of a service account take whole keys only, and bring the endpoint too', async () => {
    const key = serviceAccountKey('https://8.8.8.8/token');
    for (const wrong of ['canary', '{}', key.replace('BEGIN PRIVATE KEY', 'BEGIN CANARY')]) {
      const answer = await request('POST', '/integrations/', {
        kind: 'google-cloud-storage',
        config: { service_account_key: wrong },
      });
      assert.deepEqual([answer.status, (answer.body as Problem).attr], [400, 'config__service_account_key']);
      assert.doesNotMatch(JSON.stringify(answer.body), /canary/i);
    }
    const made = await integrate('google-cloud-storage', { service_account_key: key });
    assert.doesNotMatch(JSON.stringify(made), /PRIVATE KEY/);
    const config = { bucket_name: 'lake', prefix: crypto.randomUUID() };
    const one = await created({ type: 'GCS', config, integration: made.id });
    const { service_account_key: used, endpoint_url: endpoint } = await opened(one.id);
    assert.deepEqual([used, endpoint], [key, null]);
    const own = { ...config, endpoint_url: 'http://127.0.0.1:7070' };
    assert.equal((await create({ type: 'GCS', config: own, integration: made.id })).status, 400);
  });

  it('of a storage account keep to it, whatever their connection string', async () => {
    const lake = connectionString('lake', 'canary-1');
    const made = await integrate('azure-blob', { connection_string: lake });
    assert.deepEqual(made.config, { blob_endpoint: 'http://127.0.0.1:7070/lake' });
    const container = { container_name: 'exports', prefix: crypto.randomUUID() };
    const one = await created({ type: 'AzureBlob', config: container, integration: made.id });
    assert.equal((await opened(one.id))['blob_endpoint'], made.config['blob_endpoint']);
    assert.equal((await create({ type: 'AzureBlob', config: { ...container, connection_string: lake } })).status, 409);

    const change = (text: string) =>
      request('PATCH', `/integrations/${made.id}/`, { config: { connection_string: text } });
    const next = connectionString('lake', 'canary-2');
    assert.equal((await change(next)).status, 200);
    assert.equal((await opened(one.id))['connection_string'], next);
    for (const [text, attr] of [
      [connectionString('other', 'canary-3'), 'config'],
      ['UseDevelopmentStorage=true', 'config__connection_string'],
    ] as const) {
      const { status, body } = await change(text);
      assert.deepEqual([status, (body as Problem).attr], [400, attr]);
      assert.ok(!JSON.stringify(body).includes('127.0.0.1'));
    }
    assert.equal((await opened(one.id))['connection_string'], next);
  });

  it('of a catalog bring its servers along with the credentials, and leave the choice between those to the export', async () => {
    const keys = { aws_access_key_id: 'canary-id', aws_secret_access_key: 'canary-key' };
    const servers = { catalog_uri: 'https://8.8.8.8/iceberg', endpoint_url: 'https://8.8.4.4' };
    const made = await integrate('iceberg', { ...servers, ...keys });
    assert.doesNotMatch(JSON.stringify(made), /canary/);
    const table = { namespace: 'analytics', table_name: 'clicks', region: 'eu-west-3', catalog_auth: 'sigv4' };
    const one = await created({ type: 'Iceberg', config: table, integration: made.id });
    const whole = await opened(one.id);
    for (const [field, value] of Object.entries({ ...servers, ...keys, ...table })) assert.equal(whole[field], value);
    const elsewhere = { ...table, catalog_uri: 'https://1.1.1.1/iceberg' };
    assert.equal((await create({ type: 'Iceberg', config: elsewhere, integration: made.id })).status, 400);
  });

  it('do not share a place either', async () => {
    const { id } = await integrate();
    const config = bucket();
    await created({ type: 'S3Compatible', config: { ...config, ...STORE } });
    assert.equal((await create({ type: 'S3Compatible', config, integration: id })).status, 409);
  });

  it('stay while an export uses them', async () => {
    const { id } = await integrate();
    const one = await created({ type: 'S3Compatible', config: bucket(), integration: id });
    assert.equal((await request('DELETE', `/integrations/${id}/`)).status, 409);
    await request('DELETE', `/batch_exports/${one.id}/`);
    assert.equal((await request('DELETE', `/integrations/${id}/`)).status, 204);
    assert.equal((await request('GET', `/integrations/${id}/`)).status, 404);
  });

  it('are let alone by who deletes another project’s', async () => {
    const rows = await exports
      .db('integrations')
      .insert({ project_id: exports.theirs.projectId, kind: 'aws-s3', config: {} })
      .returning<{ id: number }[]>('id');
    const { id } = rows[0]!;
    const theirs = await buildStoredExport(exports, exports.theirs.projectId);
    const row = exports.db('batch_exports').where({ id: theirs.id });
    await row.clone().update({ integration_id: id, deleted_at: exports.db.fn.now() });
    assert.equal((await request('DELETE', `/integrations/${id}/`)).status, 404);
    assert.equal(((await row.first()) as { integration_id: number }).integration_id, id);
  });

  it('keep both of two changes at once', async () => {
    const { id } = await integrate();
    const one = await created({ type: 'S3Compatible', config: bucket(), integration: id });
    const change = (config: object) => request('PATCH', `/integrations/${id}/`, { config });
    await Promise.all([change({ aws_access_key_id: 'a' }), change({ aws_secret_access_key: 'b' })]);
    const whole = await opened(one.id);
    assert.deepEqual([whole['aws_access_key_id'], whole['aws_secret_access_key']], ['a', 'b']);
  });

  it('end with new secrets what the old ones did not permit, for all exports that they deliver or delivered for', async () => {
    const [{ id }, other] = [await integrate(), await integrate()];
    const { health } = exports.world.engine.stores;
    const present = await created({ type: 'S3Compatible', config: bucket(), integration: id });
    const left = await created({ type: 'S3Compatible', config: bucket(), integration: id });
    const config = bucket();
    const moved = await request('PATCH', `/batch_exports/${left.id}/`, {
      destination: { type: 'S3Compatible', config, integration: other.id },
    });
    assert.equal(moved.status, 200, JSON.stringify(moved.body));
    const stranger = await created({ type: 'S3Compatible', config: bucket(), integration: other.id });
    for (const one of [present, left, stranger]) await health.begin(one.id, 'keeping_files');
    await request('PATCH', `/integrations/${id}/`, { config: { aws_secret_access_key: 'canary-new' } });
    assert.deepEqual(await health.listExportsWith('keeping_files'), [stranger.id]);
  });

  it('are refused where they do not fit', async () => {
    const { id } = await integrate('aws-s3', KEYS);
    const theirs = await exports
      .db('integrations')
      .insert({ project_id: exports.theirs.projectId, kind: 'aws-s3', config: {} })
      .returning<{ id: number }[]>('id');
    const cases: [Record<string, unknown>, number, Partial<Problem>][] = [
      [
        { type: 'S3Compatible', config: bucket(), integration: id },
        400,
        { code: 'invalid_input', attr: 'destination__integration' },
      ],
      [
        { type: 'AwsS3', config: bucket(), integration: theirs[0]!.id },
        400,
        { code: 'does_not_exist', attr: 'destination__integration' },
      ],
      [
        { type: 'AwsS3', config: bucket(), integration: 2 ** 40 },
        400,
        { code: 'max_value', attr: 'destination__integration' },
      ],
      [
        { type: 'AwsS3', config: { ...bucket(), ...KEYS }, integration: id },
        400,
        { attr: 'destination__config__aws_access_key_id' },
      ],
      [{ type: 'LocalFile', config: { directory: 'd' }, integration: id }, 400, { attr: 'destination__integration' }],
      [{ type: 'AwsS3', config: bucket(), integration: 'x' }, 400, { attr: 'destination__integration' }],
    ];
    for (const [destination, status, problem] of cases) {
      const answer = await create(destination);
      const { code, attr } = answer.body as Problem;
      assert.deepEqual(
        [answer.status, { code, attr }],
        [status, { code, attr, ...problem }],
        JSON.stringify(answer.body),
      );
    }
  });

  it('are made of what their kind knows, and change in their secrets alone', async () => {
    const { id } = await integrate();
    const cases: [string, string, Record<string, unknown>, string][] = [
      ['POST', '/integrations/', { kind: 'slack', config: {} }, 'kind'],
      ['POST', '/integrations/', { config: {} }, 'kind'],
      ['POST', '/integrations/', { kind: 'aws-s3', config: { ...KEYS, region: 'x' } }, 'config'],
      ['POST', '/integrations/', { kind: 'aws-s3', config: {} }, 'config__aws_access_key_id'],
      ['PATCH', `/integrations/${id}/`, { config: { endpoint_url: 'http://127.0.0.1:1' } }, 'config__endpoint_url'],
    ];
    for (const [method, path, body, attr] of cases) {
      const answer = await request(method, path, body);
      assert.deepEqual([answer.status, (answer.body as Problem).attr], [400, attr], JSON.stringify(answer.body));
    }
  });

  it('are closed to other projects', async () => {
    const { id } = await integrate();
    const path = `/api/projects/${exports.world.projectId}/integrations/${id}/`;
    const ask = async (key?: string) =>
      (await exports.api.request('GET', path, key === undefined ? {} : { key })).status;
    assert.equal(await ask(), 401);
    assert.equal(await ask(await buildPersonalKey(exports.db, exports.theirs, '*')), 403);
    assert.equal(await ask(await memberKey(exports.db, exports.world.projectId, 'batch_export:write')), 403);
    assert.equal(await ask(await memberKey(exports.db, exports.world.projectId, 'integration:read')), 200);
  });
});
