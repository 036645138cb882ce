/** Roles in place of keys, at a token service of the tests, with temporary credentials of MinIO. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { destinationOf } from '../../../../src/exports/destinations/index.ts';
import { awsRoles, externalIdOfProject, type AwsRoles } from '../../../../src/exports/destinations/s3/roles.ts';
import { validateConfig } from '../../../../src/exports/integrations/destination-config.ts';
import { InvalidInput } from '../../../../src/platform/errors.ts';
import { buildRows, testInterval, uuidsOf } from '../../../support/exports/deliveries.ts';
import { faultIn } from '../../../support/exports/provoked-faults.ts';
import { makeMinioPlace } from '../../../support/exports/s3/minio-place.ts';
import { LOOPBACK_ENVIRONMENT } from '../../../support/exports/test-place.ts';
import { behind } from '../../../support/servers/behind.ts';
import { needsMinio } from '../../../support/servers/s3/minio.ts';
import { IDENTITY, startMinioTokenService, type TokenService } from '../../../support/servers/s3/token-service.ts';

const ROLE = 'arn:aws:iam::123456789012:role/exports';
const OPEN_ROLE = 'arn:aws:iam::123456789012:role/open-to-all';
const SHARED_ROLE = 'arn:aws:iam::123456789012:role/open-to-every-project';
/** The project of deliveries in tests. */
const PROJECT = 7;
const EXTERNAL_IDS: Readonly<Record<number, string>> = {
  [PROJECT]: externalIdOfProject('ours'),
  8: externalIdOfProject('theirs'),
};

function rolesAt(endpoint: string, credentials = IDENTITY): AwsRoles {
  return awsRoles({
    allowedHosts: LOOPBACK_ENVIRONMENT.allowedHosts,
    externalIdOf: async (projectId) => EXTERNAL_IDS[projectId]!,
    identity: { endpoint, credentials },
  });
}

type ServiceOptions = { lifetimeMs?: number; partMs?: number };

/** A place that a role gives access to, and the service that knows the role. */
async function makeRolePlace(options: ServiceOptions = {}, roles?: (service: TokenService) => AwsRoles) {
  const place = await makeMinioPlace();
  const known = { [ROLE]: EXTERNAL_IDS[PROJECT]!, [OPEN_ROLE]: null, [SHARED_ROLE]: /^sluice-/ };
  const service = await startMinioTokenService({ store: place.bucket.endpoint, roles: known, ...options });
  const { aws_access_key_id: _, aws_secret_access_key: _secret, ...config } = place.config as Record<string, unknown>;
  return {
    ...place,
    service,
    config: { ...config, endpoint_url: service.store, aws_role_arn: ROLE } as Record<string, unknown>,
    environment: { ...LOOPBACK_ENVIRONMENT, awsRoles: roles ? roles(service) : rolesAt(service.endpoint) },
  };
}

/** Three pieces of an upload. */
const buildLargeRows = () =>
  buildRows(18).map((row) => ({ ...row, properties: { noise: randomBytes(1 << 20).toString('base64') } }));

describe('a role', () => {
  before(function () {
    return needsMinio(this);
  });

  it('gives access in place of a key, once for all sessions', async () => {
    const place = await makeRolePlace();
    const rows = [buildRows(2), buildRows(1)];
    const { run, receipt } = await testInterval(place).deliver(rows);
    assert.deepEqual(await run.verify(receipt, true), []);
    assert.deepEqual(await place.read(), uuidsOf(rows));
    for (const { run: step } of place.destination.steps) {
      const { environment } = place;
      const subject = { projectId: PROJECT, model: 'events' as const, columns: [], merge: null };
      await step(place.config, { ...subject, environment, signal: AbortSignal.timeout(10_000) });
    }
    const [asked, ...more] = place.service.granted;
    assert.deepEqual(more, []);
    assert.deepEqual(
      ['RoleArn', 'ExternalId', 'RoleSessionName', 'DurationSeconds'].map((name) => asked!.get(name)),
      [ROLE, 'sluice-ours', 'sluice-project-7', '3600'],
    );
    // Attempts without an external id and with another one, which the role must refuse.
    const [none, other] = place.service.refused.map((form) => form.get('ExternalId'));
    assert.equal(none, null);
    assert.match(other!, /^sluice-[0-9a-f-]{36}$/);
    assert.equal(place.service.refused.length, 2);
    place.service.close();
  });

  it('is assumed again when its credentials expire in the middle of an upload', async () => {
    const place = await makeRolePlace({ lifetimeMs: 1_500, partMs: 1_000 });
    const rows = buildLargeRows();
    const { run, receipt } = await testInterval(place, { compression: null }).deliver([rows]);
    assert.deepEqual(await run.verify(receipt), []);
    assert.deepEqual(await place.read(), rows.map(({ uuid }) => uuid).sort());
    assert.ok(place.service.granted.length > 2, String(place.service.granted.length));
    place.service.close();
  });

  it('would not do without that', async () => {
    const place = await makeRolePlace({ lifetimeMs: 1_500, partMs: 1_000 }, ({ endpoint }) => {
      const roles = rolesAt(endpoint);
      let first: ReturnType<AwsRoles['credentialsOf']> | undefined;
      return { ...roles, credentialsOf: async (access) => (first ??= roles.credentialsOf(access)) };
    });
    const failing = testInterval(place, { compression: null }).deliver([buildLargeRows()]);
    assert.equal((await faultIn('S3', failing)).code, 'credentials_expired');
    place.service.close();
  });

  it('of another project is refused, because the external id is another', async () => {
    const place = await makeRolePlace();
    const { awsRoles: roles } = place.environment;
    await roles.credentialsOf({ roleArn: ROLE, projectId: PROJECT, region: 'us-east-1' });
    await assert.rejects(roles.credentialsOf({ roleArn: ROLE, projectId: 8, region: 'us-east-1' }), {
      message: /cannot be assumed.* The external ID of this project is sluice-theirs\.$/s,
    });
    place.service.close();
  });

  describe('says why it gives no access, without the identity', () => {
    type Place = Awaited<ReturnType<typeof makeRolePlace>>;
    const codeAt = async (place: Place, config: object, environment: object = {}) => {
      const wrong = {
        ...place,
        config: { ...place.config, ...config },
        environment: { ...place.environment, ...environment },
      };
      return (await faultIn('S3', testInterval(wrong).deliver([buildRows(1)]))).code;
    };
    let place: Place;
    before(async () => {
      place = await makeRolePlace();
    });
    after(() => place.service.close());

    it('if it is not known', async () => {
      assert.equal(await codeAt(place, { aws_role_arn: `${ROLE}-of-nobody` }), 'role_denied');
    });

    it('if it needs no external id, because then every project could use it', async () => {
      assert.equal(await codeAt(place, { aws_role_arn: OPEN_ROLE }), 'role_without_external_id');
    });

    it('if it takes the external id of any project', async () => {
      assert.equal(await codeAt(place, { aws_role_arn: SHARED_ROLE }), 'role_without_external_id');
    });

    it('if the identity of the installation is refused', async () => {
      const other = rolesAt(place.service.endpoint, { accessKeyId: 'OTHER', secretAccessKey: 'canary' });
      assert.equal(await codeAt(place, {}, { awsRoles: other }), 'identity_unusable');
    });

    it('if the service cannot be reached', async () => {
      assert.equal(await codeAt(place, {}, { awsRoles: rolesAt('http://127.0.0.1:1') }), 'role_service_unavailable');
    });

    it('if the service is at a private address that the operator does not list', async () => {
      const closed = awsRoles({
        allowedHosts: [],
        externalIdOf: async () => 'sluice-ours',
        identity: { endpoint: place.service.endpoint, credentials: IDENTITY },
      });
      const granted = place.service.granted.length;
      assert.equal(await codeAt(place, {}, { awsRoles: closed }), 'role_service_unavailable');
      assert.equal(place.service.granted.length, granted);
    });

    it('if the service is off in the region', async () => {
      const body = '<ErrorResponse><Error><Code>RegionDisabledException</Code></Error></ErrorResponse>';
      const off = createServer((_, response) => response.writeHead(403, { 'content-type': 'text/xml' }).end(body));
      const code = await behind(off, 'http', async (endpoint) => {
        const found = await codeAt(place, {}, { awsRoles: rolesAt(endpoint) });
        off.closeAllConnections();
        return found;
      });
      assert.equal(code, 'role_region_disabled');
    });

    it('if the installation no longer assumes roles', async () => {
      assert.equal(await codeAt(place, {}, { awsRoles: undefined }), 'roles_off');
    });
  });

  describe('is refused when saved', () => {
    const environment = { ...LOOPBACK_ENVIRONMENT, awsRoles: rolesAt('http://127.0.0.1:1') };
    const key = { aws_access_key_id: 'a', aws_secret_access_key: 's' };
    for (const [name, given, attr, offered] of [
      ['with a key', { ...key, aws_role_arn: ROLE }, 'aws_role_arn', true],
      ['that has not the form of one', { aws_role_arn: 'exports' }, 'aws_role_arn', true],
      ['of another service', { aws_role_arn: 'arn:aws:iam::123456789012:user/x' }, 'aws_role_arn', true],
      ['where the installation assumes none', { aws_role_arn: ROLE }, 'aws_role_arn', false],
      ['if it is empty and there is no key', { aws_role_arn: null }, 'aws_access_key_id', true],
      ['if half of a key is there', { aws_access_key_id: 'a' }, 'aws_secret_access_key', true],
    ] as const) {
      it(name, async () => {
        for (const type of ['S3', 'AwsS3']) {
          const destination = destinationOf(type, environment);
          const save = async () =>
            destination.validate(
              validateConfig(destination, { bucket_name: 'lake', region: 'us-east-1', ...given }),
              offered ? environment : LOOPBACK_ENVIRONMENT,
            );
          await assert.rejects(save, (error) => error instanceof InvalidInput && error.attr!.endsWith(attr));
        }
      });
    }
  });
});
