/** Credentials that the catalog vends: a server of the test gives them before Apache's catalog, and another checks them before the store. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { InvalidInput } from '../../../../src/platform/errors.ts';
import { buildRows, testInterval } from '../../../support/exports/deliveries.ts';
import { makeIcebergPlace, type IcebergPlace } from '../../../support/exports/iceberg-place.ts';
import { faultIn } from '../../../support/exports/provoked-faults.ts';
import { startBefore, withFields, type ServerBefore } from '../../../support/servers/iceberg-catalog/before.ts';
import { startKeyedStore, type KeyedStore } from '../../../support/servers/iceberg-catalog/keyed-store.ts';
import { needsIcebergCatalog } from '../../../support/servers/iceberg-catalog.ts';
import { needsObjectStore } from '../../../support/servers/object-store.ts';

type Vended = { config?: object; 'storage-credentials'?: { prefix: string; config: object }[] };

const WITH_ADDRESS = 'GET /v1/{prefix}/namespaces/{namespace}/tables/{table}/credentials';

describe('a catalog that vends credentials', () => {
  let place: IcebergPlace;
  let catalog: ServerBefore;
  let store: KeyedStore;
  /** Makes what the catalog vends next. */
  let vend: () => Vended;
  let hasAddress = false;
  const given = { tables: 0, credentials: 0 };

  before(async function () {
    needsIcebergCatalog(this);
    await needsObjectStore(this);
  });
  beforeEach(async () => {
    place = await makeIcebergPlace();
    store = await startKeyedStore(place.server.bucket.endpoint);
    vend = () => ({ config: { ...whereabouts(), ...keyConfig() } });
    hasAddress = false;
    Object.assign(given, { tables: 0, credentials: 0 });
    catalog = await startBefore(place.server.uri, ({ method, path, headers }) => {
      if (headers['x-iceberg-access-delegation'] !== 'vended-credentials') return undefined;
      if (path.startsWith('/v1/config') && hasAddress)
        return { status: 200, body: JSON.stringify({ defaults: {}, overrides: {}, endpoints: [WITH_ADDRESS] }) };
      if (path.endsWith('/credentials')) {
        given.credentials++;
        return { status: 200, body: JSON.stringify(vend()) };
      }
      if (method !== 'GET' || !path.endsWith('/tables/events')) return undefined;
      given.tables++;
      return { edit: (answer) => withFields(answer, vend()) };
    });
  });
  afterEach(() => {
    catalog?.close();
    store?.close();
  });

  const whereabouts = () => ({
    's3.endpoint': store.uri,
    's3.region': 'us-east-1',
    's3.path-style-access': 'true',
  });
  function keyConfig(limits?: { milliseconds?: number; requests?: number }, isAnnounced = true) {
    const { accessKeyId, secretAccessKey, sessionToken, until } = store.makeKey(limits);
    return {
      's3.access-key-id': accessKeyId,
      's3.secret-access-key': secretAccessKey,
      's3.session-token': sessionToken,
      ...(isAnnounced && { 's3.session-token-expires-at-ms': String(until) }),
    };
  }
  const vendedConfig = (change: object = {}) => ({
    ...(place.config as object),
    catalog_uri: catalog.uri,
    storage_credentials: 'vended',
    aws_access_key_id: null,
    aws_secret_access_key: null,
    endpoint_url: null,
    ...change,
  });
  const at = (change?: object) => testInterval({ ...place, config: vendedConfig(change) });

  it('is written to without keys of the storage in the configuration', async () => {
    const rows = buildRows(2);
    const { run, receipt } = await at().deliver([rows]);
    assert.deepEqual(await run.verify(receipt, true), []);
    assert.deepEqual(await place.read(), rows.map(({ uuid }) => uuid).sort());
    assert.deepEqual(store.refusals, []);
    assert.equal(await place.leftovers(), 0);
  });

  it('may vend several, of which the one with the longest prefix is used', async () => {
    const { bucket } = place.server.bucket;
    const wrong = { 's3.access-key-id': 'wrong', 's3.secret-access-key': 'wrong', 's3.session-token': 'wrong' };
    vend = () => ({
      config: { ...whereabouts(), ...wrong },
      'storage-credentials': [
        { prefix: `s3://${bucket}/`, config: wrong },
        { prefix: `s3://${bucket}/lake/${place.server.namespace}/`, config: keyConfig() },
        { prefix: `s3://${bucket}/lake/${place.server.namespace}/other-table/and-more`, config: wrong },
      ],
    });
    await at().deliver([buildRows(2)]);
    assert.deepEqual(store.refusals, []);
  });

  it('gives new ones before they expire', async () => {
    hasAddress = true;
    vend = () => ({ config: { ...whereabouts(), ...keyConfig({ milliseconds: 6000 }) } });
    const run = at().plan([buildRows(1)]);
    // More than half of the time, after the upload was opened.
    const staged = await run.write(async (step) => void (step === 'part-0-begin' && (await sleep(3100))));
    assert.deepEqual([given.tables, given.credentials], [2, 1]);
    assert.deepEqual(await run.verify(await run.commit(staged), true), []);
    assert.deepEqual(store.refusals, []);
  });

  for (const address of [true, false]) {
    it(`gives new ones half-way through a long upload, ${address ? 'at an address of their own' : 'with the table'}`, async () => {
      hasAddress = address;
      // Each is good for three requests, and does not say so.
      vend = () => ({
        config: whereabouts(),
        'storage-credentials': [{ prefix: 's3://', config: keyConfig({ requests: 3 }, false) }],
      });
      const rows = buildRows(5).map((row) => ({ ...row, event: randomBytes(4 << 20).toString('base64') }));
      const { run, receipt } = await at().deliver([rows]);
      assert.ok(receipt.bytes > 20_000_000);
      assert.deepEqual(await run.verify(receipt, true), []);
      assert.deepEqual(await place.read(), rows.map(({ uuid }) => uuid).sort());
      assert.ok(store.refusals.length >= 2);
      assert.deepEqual([...new Set(store.refusals)], ['ExpiredToken']);
      assert.equal(given.credentials > 0, address);
      assert.equal(await place.leftovers(), 0);
    });
  }

  for (const [what, vended, code] of [
    ['nothing', {}, 'credentials_not_vended'],
    ['a key without its secret', { config: { 's3.access-key-id': 'canary' } }, 'credentials_not_vended'],
    ['a token of two lines', { 's3.session-token': 'canary\ncanary' }, 'credentials_not_vended'],
    ['no texts', { config: { 's3.access-key-id': 1 }, 'storage-credentials': [null] }, 'credentials_not_vended'],
    ['a private address', { 's3.endpoint': 'http://10.0.0.1' }, 'vended_host_not_allowed'],
    ['the address of a metadata server', { 's3.endpoint': 'http://169.254.169.254' }, 'vended_host_not_allowed'],
    ['a user with an address', { 's3.endpoint': 'https://canary@example.com' }, 'vended_host_not_allowed'],
    ['what is no address', { 's3.endpoint': 'file:///etc/passwd' }, 'vended_host_not_allowed'],
    ['a region that is part of a host', { 's3.region': 'x.example.com/' }, 'vended_region_invalid'],
    ['a key that the store does not know', { 's3.access-key-id': 'canary' }, 'access_key_not_found'],
  ] as const) {
    it(`is not relied on when it vends ${what}`, async () => {
      const change = vended as { config?: object };
      const isWhole = what === 'nothing' || 'config' in change;
      vend = () => (isWhole ? change : { config: { ...whereabouts(), ...keyConfig(), ...change } });
      assert.equal((await faultIn('Iceberg', at().deliver([buildRows(1)]))).code, code);
    });
  }

  it('is not asked to by a configuration with keys of its own', async () => {
    const config = { ...(place.config as object), catalog_uri: catalog.uri };
    await testInterval({ ...place, config }).deliver([buildRows(1)]);
    assert.equal(given.tables, 0);
  });

  it('needs no keys in the configuration, unless requests are signed', async () => {
    await place.destination.validate(vendedConfig(), place.environment);
    for (const change of [{ catalog_auth: 'sigv4' }, { storage_credentials: 'configured' }])
      await assert.rejects(
        place.destination.validate(vendedConfig(change), place.environment),
        (error: InvalidInput) => error.attr === 'aws_access_key_id' && error.code === 'required',
      );
  });

  it('lets a test step write a file', async () => {
    await at().deliver([buildRows(1)]);
    const context = { projectId: 1, model: 'events', columns: [], merge: null, environment: place.environment };
    const step = place.destination.steps.at(-1)!;
    assert.equal(await step.run(vendedConfig(), { ...context, signal: AbortSignal.timeout(10_000) }), undefined);
    assert.deepEqual(store.refusals, []);
  });
});
