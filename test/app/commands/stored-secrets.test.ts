/** Starts of the API and of a worker whose keys do not open what is stored. */
import assert from 'node:assert/strict';
import { apiRoutes } from '../../../src/app/api.ts';
import { createPool } from '../../../src/platform/db/connection.ts';
import { generateKeyRing } from '../../../src/platform/secrets/key-ring.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts';
import { buildPersonalKey, buildTenant, type Tenant } from '../../support/api/identity.ts';
import { startApiProcess } from '../../support/servers/api-process.ts';
import { startSluice, type Sluice } from '../../support/servers/sluice.ts';
import { testTemporal } from '../../support/servers/temporal.ts';
import { startWorkerProcess } from '../../support/servers/worker-process.ts';

const KEYS = { aws_access_key_id: 'canary-id', aws_secret_access_key: 'canary-key' };
const ENDPOINT = 'http://127.0.0.1:7070';
/** Every column that holds encrypted values. */
const COLUMNS = [
  'batch_exports.destination_secrets',
  'batch_exports.hash_key',
  'batch_exports.notification_secret',
  'batch_export_places.secrets',
  'integrations.secrets',
  'feature_flags.sealed_payloads',
];

const keyOf = (ring: string) => ring.slice(ring.indexOf(':') + 1);

/** Asserts that the document of the API has the conflict. */
function assertDeclared(method: string, path: string): void {
  const matching = apiRoutes.filter((one) => {
    const tail = one.path.replace(/^\/api\/\w+\/:\w+/, '').replaceAll(/:\w+/g, '[^/]+');
    return one.method === method.toLowerCase() && new RegExp(`^${tail}$`).test(path);
  });
  assert.ok(
    matching.some(({ errors }) => errors?.includes(409)),
    `${method} ${path}`,
  );
}

describe('keys that are to open stored secrets', () => {
  const [ring, other] = [generateKeyRing(), generateKeyRing()];
  let database: TestDatabase;
  let sluice: Sluice;
  let tenant: Tenant;

  before(async () => {
    database = await createTestDatabase();
    sluice = await startSluice({
      database,
      temporal: await testTemporal(),
      encryptionKeys: ring,
      allowedHosts: ['127.0.0.1'],
    });
    tenant = await buildTenant(sluice.db);
    await store();
  });
  after(() => sluice?.stop());

  /** Stores a value in every column, by the API. */
  async function store(): Promise<void> {
    const key = await buildPersonalKey(sluice.db, tenant, '*');
    const request = async (method: string, path: string, body: unknown) => {
      const answer = await fetch(`${sluice.url}/api/environments/${tenant.projectId}${path}`, {
        method,
        headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      });
      const text = await answer.text();
      assert.ok(answer.ok, `${path}: ${text}`);
      return JSON.parse(text) as { id: number | string };
    };
    await request('POST', '/integrations/', { kind: 's3-compatible', config: { ...KEYS, endpoint_url: ENDPOINT } });
    await request('POST', '/feature_flags/', {
      key: 'secret',
      is_remote_configuration: true,
      has_encrypted_payloads: true,
      filters: { payloads: { true: { password: 'canary' } } },
    });
    const config = { ...KEYS, endpoint_url: ENDPOINT, bucket_name: 'first', region: 'eu-central-1' };
    const { id } = await request('POST', '/batch_exports/', {
      name: 'n',
      interval: 'hour',
      paused: true,
      destination: { type: 'S3Compatible', config },
      transformations: [{ path: 'distinct_id', action: 'hash' }],
      notifications: {
        webhook: { url: 'http://127.0.0.1:18080/', secret: `whsec_${Buffer.alloc(24).toString('base64')}` },
      },
    });
    const moved = { ...config, bucket_name: 'second' };
    await request('PATCH', `/batch_exports/${id}/`, { destination: { type: 'S3Compatible', config: moved } });
  }

  /** @returns what the process said, and whether it went on */
  async function startApi(keys: string): Promise<{ isUp: boolean; said: string }> {
    const lines: string[] = [];
    const started = startApiProcess({
      databaseUrl: database.url,
      environment: { SLUICE_ENCRYPTION_KEYS: keys },
      onLog: (line) => lines.push(line),
    });
    const api = await started.catch(() => undefined);
    await api?.end('SIGTERM');
    return { isUp: api !== undefined, said: lines.join('\n') };
  }

  function assertHoldsNoKey(logText: string): void {
    for (const one of [ring, other]) assert.ok(!logText.includes(keyOf(one)), 'the log holds a key');
    assert.doesNotMatch(logText, /canary/);
  }

  it('stop the API if another key has the id, and say which and what to do', async () => {
    const { isUp, said } = await startApi(other);
    assert.equal(isUp, false);
    assert.match(said, /sluice: SLUICE_ENCRYPTION_KEYS has another key under the id "k1"/);
    for (const column of COLUMNS) assert.ok(said.includes(column), `${column} in:\n${said}`);
    assertHoldsNoKey(said);
  });

  it('stop a worker, too, also one whose ring lacks the key', async () => {
    for (const [keys, words] of [
      [other, /has another key under the id "k1"/],
      [other.replace('k1:', 'k2:'), /lacks the key "k1"/],
    ] as const) {
      const worker = startWorkerProcess({
        DATABASE_URL: database.url,
        TEMPORAL_ADDRESS: '127.0.0.1:1',
        SLUICE_ENCRYPTION_KEYS: keys,
      });
      assert.equal(await worker.exited, 1);
      const workerLog = worker.lines.join('\n');
      assert.match(workerLog, words);
      assertHoldsNoKey(workerLog);
    }
  });

  it('start it if they are the same, if a new one stands in front, and if the former one is declared lost', async () => {
    const renamed = other.replace('k1:', 'k2:');
    for (const keys of [ring, `${renamed},${ring}`, `${renamed},k1:lost`]) {
      const { isUp, said } = await startApi(keys);
      assert.ok(isUp, said);
      assert.doesNotMatch(said, /ENCRYPTION_KEYS/);
    }
  });

  it('are warned of if they open only some of it', async () => {
    const pool = createPool({ url: database.url, applicationName: 'test' });
    try {
      await pool.query(
        `insert into integrations (project_id, kind, config, secrets)
          select project_id, kind, config, secrets from integrations limit 1`,
      );
    } finally {
      await pool.end();
    }
    const { isUp, said } = await startApi(ring);
    assert.ok(isUp, said);
    assert.match(said, /The key \\"k1\\" .* opens 6 of 7 tried secrets, not all in integrations\.secrets/);
  });

  it('stop the API also if the database is there only later', async () => {
    await sluice.db.raw('alter table feature_flags rename to feature_flags_away');
    const lines: string[] = [];
    const started = startApiProcess({
      databaseUrl: database.url,
      environment: { SLUICE_ENCRYPTION_KEYS: other },
      onLog: (line) => lines.push(line),
    });
    try {
      await started;
    } finally {
      await sluice.db.raw('alter table feature_flags_away rename to feature_flags');
    }
    const api = await started;
    // The check is tried again after ten seconds.
    while (!lines.some((line) => line.startsWith('sluice: SLUICE_ENCRYPTION_KEYS has another key')))
      await new Promise((resolve) => setTimeout(resolve, 100));
    await api.end('SIGTERM');
  });

  it('let an export be deleted if the former key is lost, and changed with all of its secrets anew', async () => {
    const key = await buildPersonalKey(sluice.db, tenant, '*');
    const after = await startSluice({
      database: { ...database, drop: async () => {} },
      temporal: await testTemporal(),
      encryptionKeys: `${other.replace('k1:', 'k2:')},k1:lost`,
      allowedHosts: ['127.0.0.1'],
    });
    const request = async (method: string, path: string, body?: unknown) => {
      const answer = await fetch(`${after.url}/api/environments/${tenant.projectId}${path}`, {
        method,
        headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const text = await answer.text();
      if (answer.status === 409) assertDeclared(method, path);
      return { status: answer.status, body: (text ? JSON.parse(text) : {}) as Record<string, unknown> };
    };
    try {
      const { results } = (await request('GET', '/batch_exports/')).body as { results: { id: string }[] };
      const path = `/batch_exports/${results[0]!.id}/`;
      const patch = (config: object) => request('PATCH', path, { destination: { type: 'S3Compatible', config } });
      assert.equal((await request('PATCH', path, { name: 'renamed' })).status, 200);
      for (const [config, field] of [
        [{ bucket_name: 'third' }, 'aws_access_key_id'],
        [{ aws_access_key_id: 'canary-id' }, 'aws_secret_access_key'],
      ] as const) {
        const { status, body } = await patch(config);
        assert.deepEqual([status, body['attr']], [400, `destination__config__${field}`]);
      }
      const lost = await request('POST', `${path}run_test_step/`, { step: 0 });
      assert.deepEqual([lost.status, lost.body['code']], [400, 'required']);
      const integration = (await request('GET', '/integrations/')).body as { results: { id: number }[] };
      const [{ id }] = integration.results as [{ id: number }];
      const joined = await request('PATCH', path, {
        destination: { type: 'S3Compatible', config: {}, integration: id },
      });
      assert.equal(joined.status, 409);
      const joining = { type: 'S3Compatible', config: { bucket_name: 'new', region: 'eu-central-1' }, integration: id };
      const fresh = { name: 'fresh', interval: 'hour', destination: joining };
      const needing = { run_test_step_new: { ...fresh, step: 0 }, preview: fresh, [`${results[0]!.id}/preview`]: {} };
      for (const [name, body] of Object.entries(needing)) {
        const { status } = await request('POST', `/batch_exports/${name}/`, body);
        assert.equal(status, name.endsWith('/preview') ? 400 : 409, name);
      }
      assert.equal((await request('GET', '/feature_flags/secret/remote_config/')).status, 409);
      assert.match(String(joined.body['detail']), new RegExp(`secrets of integration ${id} is lost`));
      const change = { config: KEYS };
      assert.equal((await request('PATCH', `/integrations/${id}/`, change)).status, 200);
      assert.equal((await patch({ ...KEYS, bucket_name: 'third' })).status, 200);
      assert.equal((await patch({ bucket_name: 'fourth' })).status, 200);
      // The export hashes, and its key for that is the only secret that is still lost.
      const preview = () => request('POST', `${path}preview/`, {});
      const { status: refusal, body: refused } = await preview();
      assert.deepEqual([refusal, refused['attr']], [409, 'hash_key']);
      assert.equal((await request('PATCH', path, { hash_key: 'a key of sixteen or more' })).status, 200);
      assert.equal((await preview()).status, 200);
      // As if it had been saved before the key was lost.
      const { rows } = await sluice.pool.query<{ secrets: string }>('select secrets from batch_export_places limit 1');
      await sluice.pool.query('update batch_exports set destination_secrets = $1', [
        rows[0]!.secrets.replace(/\.k\d\./, '.k1.'),
      ]);
      assert.equal((await request('DELETE', path)).status, 204);
    } finally {
      await after.stop();
    }
  });
});
