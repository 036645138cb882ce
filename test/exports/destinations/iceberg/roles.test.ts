/**
 * A role in place of a key, for the files of a table and for the signatures that its catalog wants: a token service of the tests gives
 * temporary keys, which a server before the store and another before the catalog check.
 */
import assert from 'node:assert/strict';
import { awsRoles, externalIdOfProject } from '../../../../src/exports/destinations/s3/roles.ts';
import { validateConfig } from '../../../../src/exports/integrations/destination-config.ts';
import { InvalidInput } from '../../../../src/platform/errors.ts';
import { buildRows, testInterval } from '../../../support/exports/deliveries.ts';
import { makeIcebergPlace, type IcebergPlace } from '../../../support/exports/iceberg-place.ts';
import { faultIn } from '../../../support/exports/provoked-faults.ts';
import { LOOPBACK_ENVIRONMENT } from '../../../support/exports/test-place.ts';
import { startBefore, type ServerBefore } from '../../../support/servers/iceberg-catalog/before.ts';
import { startKeyedStore, type KeyedStore } from '../../../support/servers/iceberg-catalog/keyed-store.ts';
import { refusalOf } from '../../../support/servers/iceberg-catalog/signature.ts';
import { needsIcebergCatalog } from '../../../support/servers/iceberg-catalog.ts';
import { needsObjectStore } from '../../../support/servers/object-store.ts';
import { IDENTITY, startTokenService, type TokenService } from '../../../support/servers/s3/token-service.ts';

const ROLE = 'arn:aws:iam::123456789012:role/lake';
const OPEN_ROLE = 'arn:aws:iam::123456789012:role/open-to-all';
const EXTERNAL_ID = externalIdOfProject('ours');
const SIGNED = { catalog_auth: 'sigv4', signing_name: 'glue', signing_region: 'us-east-1' };
const NO_KEY = { aws_access_key_id: null, aws_secret_access_key: null, aws_role_arn: ROLE };

describe('a role of an Iceberg destination', () => {
  let place: IcebergPlace;
  let store: KeyedStore;
  let service: TokenService;
  let catalog: ServerBefore;
  let signedRequests: number;
  let lifetimeMs: number | undefined;

  before(async function () {
    needsIcebergCatalog(this);
    await needsObjectStore(this);
  });
  beforeEach(async () => {
    place = await makeIcebergPlace();
    store = await startKeyedStore(place.server.bucket.endpoint);
    const keys = new Map<string, ReturnType<KeyedStore['makeKey']>>();
    signedRequests = 0;
    lifetimeMs = undefined;
    service = await startTokenService({
      roles: { [ROLE]: EXTERNAL_ID, [OPEN_ROLE]: null },
      async makeKey() {
        const key = store.makeKey(lifetimeMs === undefined ? {} : { milliseconds: lifetimeMs });
        keys.set(key.accessKeyId, key);
        return key;
      },
    });
    catalog = await startBefore(place.server.uri, (request) => {
      const [, id = ''] = /Credential=([^/]+)\//.exec(request.headers.authorization ?? '') ?? [];
      const key = keys.get(id);
      const refusal = key
        ? refusalOf(request, { ...key, service: 'glue', region: 'us-east-1' })
        : 'The security token included in the request is invalid';
      if (refusal) return { status: 403, body: JSON.stringify({ message: refusal }) };
      signedRequests++;
      return undefined;
    });
  });
  afterEach(() => {
    for (const server of [catalog, service, store]) server?.close();
  });

  const environment = () => ({
    ...LOOPBACK_ENVIRONMENT,
    awsRoles: awsRoles({
      allowedHosts: LOOPBACK_ENVIRONMENT.allowedHosts,
      externalIdOf: async () => EXTERNAL_ID,
      identity: { endpoint: service.endpoint, credentials: IDENTITY },
    }),
  });
  const placeWith = (change: object = {}, roles: object = environment()) => ({
    ...place,
    config: { ...(place.config as object), endpoint_url: store.uri, ...NO_KEY, ...change },
    environment: { ...LOOPBACK_ENVIRONMENT, ...roles },
  });
  const signedPlace = (change: object = {}) => placeWith({ catalog_uri: catalog.uri, ...SIGNED, ...change });

  it('gives access to the files of a table', async () => {
    const rows = buildRows(2);
    const { run, receipt } = await testInterval(placeWith()).deliver([rows]);
    assert.deepEqual(await run.verify(receipt, true), []);
    assert.deepEqual(await place.read(), rows.map(({ uuid }) => uuid).sort());
    assert.deepEqual([store.refusals, service.granted.length, await place.leftovers()], [[], 1, 0]);
  });

  it('signs the requests to the catalog, too, and is assumed once for both', async () => {
    const { destination, config, environment: roles } = signedPlace();
    const rows = buildRows(2);
    const interval = testInterval({ destination, config, environment: roles });
    const { run, receipt } = await interval.deliver([rows]);
    assert.deepEqual(await run.verify(receipt, true), []);
    assert.deepEqual(await place.read(), rows.map(({ uuid }) => uuid).sort());
    const context = { projectId: 7, model: 'events', columns: [], merge: null, environment: roles };
    for (const step of destination.steps) await step.run(config, { ...context, signal: AbortSignal.timeout(10_000) });
    assert.equal((await interval.deliveries()).length, 1);
    assert.ok(signedRequests > 8, String(signedRequests));
    assert.deepEqual([store.refusals, service.granted.length], [[], 1]);
    assert.equal(service.granted[0]!.get('ExternalId'), EXTERNAL_ID);
  });

  it('signs with new credentials once the earlier ones are about to expire', async () => {
    // Credentials with a few minutes left count as expired.
    lifetimeMs = 5 * 60_000;
    await testInterval(signedPlace()).deliver([buildRows(1)]);
    assert.ok(service.granted.length > 2, String(service.granted.length));
    assert.deepEqual(store.refusals, []);
  });

  it('signs the requests to a catalog that vends credentials for the files', async () => {
    const config = { storage_credentials: 'vended' };
    const { destination, config: whole, environment: roles } = signedPlace(config);
    const context = { projectId: 7, model: 'events', columns: [], merge: null, environment: roles };
    for (const step of destination.steps.slice(0, 2))
      await step.run(whole, { ...context, signal: AbortSignal.timeout(10_000) });
    assert.deepEqual([signedRequests, service.granted.length], [3, 1]);
  });

  for (const [what, change, code] of [
    ['is not known', { aws_role_arn: `${ROLE}-of-nobody` }, 'role_denied'],
    ['needs no external id', { aws_role_arn: OPEN_ROLE }, 'role_without_external_id'],
  ] as const) {
    it(`gives no access if it ${what}, and the fault names it`, async () => {
      for (const wrong of [placeWith(change), signedPlace(change)]) {
        const fault = await faultIn('Iceberg', testInterval(wrong).deliver([buildRows(1)]));
        assert.deepEqual([fault.code, fault.field], [code, 'destination__config__aws_role_arn']);
      }
    });
  }

  it('gives no access if the installation no longer assumes roles', async () => {
    for (const signed of [{}, { catalog_uri: catalog.uri, ...SIGNED }]) {
      const off = placeWith(signed, { awsRoles: undefined });
      assert.equal((await faultIn('Iceberg', testInterval(off).deliver([buildRows(1)]))).code, 'roles_off');
    }
  });

  describe('is refused when saved', () => {
    const KEY = { aws_access_key_id: 'a', aws_secret_access_key: 's' };
    for (const [name, given, attr, offered] of [
      ['with a key', KEY, 'aws_role_arn', true],
      ['with a session token', { aws_session_token: 't' }, 'aws_role_arn', true],
      ['that has not the form of one', { aws_role_arn: 'lake' }, 'aws_role_arn', true],
      ['where the installation assumes none', {}, 'aws_role_arn', false],
      ['if it is empty and there is no key', { aws_role_arn: null }, 'aws_access_key_id', true],
      ['if it is empty and requests are signed', { ...SIGNED, aws_role_arn: '' }, 'aws_access_key_id', true],
    ] as const) {
      it(name, async () => {
        const { destination, config } = placeWith(given);
        const save = async () =>
          destination.validate(validateConfig(destination, config), offered ? environment() : LOOPBACK_ENVIRONMENT);
        await assert.rejects(save, (error) => error instanceof InvalidInput && error.attr!.endsWith(attr));
      });
    }

    it('but not in place of a key', async () => {
      for (const { destination, config } of [placeWith(), signedPlace()])
        await destination.validate(validateConfig(destination, config), environment());
    });
  });
});
