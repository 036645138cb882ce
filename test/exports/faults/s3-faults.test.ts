/** Faults of buckets: those of a real store, and those that only Amazon's has, by what it answers. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { destinationOf } from '../../../src/exports/destinations/index.ts';
import { buildRows, testInterval } from '../../support/exports/deliveries.ts';
import { faultIn } from '../../support/exports/provoked-faults.ts';
import { behind } from '../../support/servers/behind.ts';
import { selfSignedCertificate } from '../../support/servers/certificate.ts';
import { startFaultyProxy } from '../../support/servers/faulty-proxy.ts';
import {
  createTestBucket,
  needsObjectStore,
  OBJECT_STORE_KEYS,
  type TestBucket,
} from '../../support/servers/object-store.ts';
import { LOOPBACK_ENVIRONMENT } from '../../support/exports/test-place.ts';

const destination = destinationOf('S3', LOOPBACK_ENVIRONMENT);

type Request = { method: string; url: string };

const SUBJECT = { projectId: 7, model: 'events' };

const answering = (status: number, code: string): RequestListener => {
  return (request, response) => {
    request.resume();
    response.writeHead(status, { Connection: 'close' }).end(`<Error><Code>${code}</Code></Error>`);
  };
};

describe('a fault of a bucket', () => {
  let bucket: TestBucket;
  before(async function () {
    await needsObjectStore(this);
    bucket = await createTestBucket();
  });

  const configWith = (change: object) => ({
    bucket_name: bucket.bucket,
    region: bucket.region,
    prefix: 'web',
    layout: 'versioned',
    aws_access_key_id: OBJECT_STORE_KEYS.accessKeyId,
    aws_secret_access_key: OBJECT_STORE_KEYS.secretAccessKey,
    endpoint_url: bucket.endpoint,
    ...change,
  });
  const intervalAt = (change: object, environment = LOOPBACK_ENVIRONMENT) =>
    testInterval({ destination, config: configWith(change), environment });
  const codeOf = async (change: object, environment = LOOPBACK_ENVIRONMENT) =>
    (await faultIn('S3', intervalAt(change, environment).deliver([buildRows(2)]))).code;

  describe('of a real store', () => {
    for (const [name, change, code] of [
      ['a bucket that does not exist', { bucket_name: 'no-such-bucket' }, 'bucket_not_found'],
      ['a wrong secret', { aws_secret_access_key: 'canary' }, 'wrong_secret_key'],
      // Amazon's store says which of the two it does not know.
      ['an unknown key', { aws_access_key_id: 'canary' }, 'bucket_or_key_unknown'],
      ['a closed port', { endpoint_url: 'http://127.0.0.1:1' }, 'connection_refused'],
    ] as const) {
      it(`is reported for ${name}`, async () => assert.equal(await codeOf(change), code));
    }

    it('is reported for a host that the operator does not list', async () => {
      assert.equal(await codeOf({}, { localRoot: undefined, allowedHosts: [] }), 'host_not_allowed');
    });
  });

  /** The fault of the work at the store, which denies the requests that the test names. */
  async function codeWhere(
    isDenied: (request: Request) => boolean,
    work: (endpoint: string) => Promise<unknown>,
  ): Promise<string> {
    const proxy = await startFaultyProxy(bucket.endpoint, (request) => (isDenied(request) ? 'denied' : undefined));
    try {
      return (await faultIn('S3', work(proxy.origin))).code;
    } finally {
      proxy.close();
    }
  }
  const deliver = (endpoint_url: string) => intervalAt({ endpoint_url, prefix: 'rights' }).deliver([buildRows(2)]);
  async function discard(endpoint_url: string): Promise<void> {
    const run = intervalAt({ endpoint_url, prefix: 'rights' }).plan([buildRows(2)]);
    await run.write();
    await run.discard();
  }
  async function list(endpoint_url: string): Promise<void> {
    const { signal } = new AbortController();
    const found = destination.listDeliveries(
      configWith({ endpoint_url }),
      { ...SUBJECT, exportId: randomUUID() },
      LOOPBACK_ENVIRONMENT,
      signal,
    );
    for await (const _ of found) assert.fail();
  }

  describe('of rights', () => {
    for (const [name, isDenied, work, code] of [
      ['writing', ({ method }: Request) => method === 'POST' || method === 'PUT', deliver, 'write_denied'],
      ['reading', ({ method }: Request) => method === 'HEAD' || method === 'GET', deliver, 'read_denied'],
      ['listing', () => true, list, 'list_denied'],
      ['aborting an upload', ({ method }: Request) => method === 'DELETE', discard, 'abort_denied'],
    ] as const) {
      it(`is reported for ${name}`, async () => assert.equal(await codeWhere(isDenied, work), code));
    }
  });

  describe('of a store that answers', () => {
    for (const [status, answer, code] of [
      [301, 'PermanentRedirect', 'wrong_region'],
      [400, 'AuthorizationHeaderMalformed', 'wrong_region'],
      [301, 'Moved', 'endpoint_redirects'],
      [302, 'Found', 'endpoint_redirects'],
      [308, 'Moved', 'endpoint_redirects'],
      [307, 'TemporaryRedirect', 'bucket_being_made'],
      [400, 'ExpiredToken', 'credentials_expired'],
      [400, 'InvalidToken', 'credentials_invalid'],
      [403, 'RequestTimeTooSkewed', 'clock_skewed'],
      [400, 'KMS.NotFoundException', 'kms_key_not_found'],
      [400, 'KMS.DisabledException', 'kms_key_disabled'],
      [400, 'KMS.KMSInvalidStateException', 'kms_key_unusable'],
      [507, 'XMinioStorageFull', 'storage_quota_exceeded'],
      [503, 'SlowDown', 'slow_down'],
      [400, 'RequestTimeout', 'upload_timed_out'],
      [400, 'IncompleteBody', 'content_incomplete'],
      [400, 'BadDigest', 'content_damaged'],
      [400, 'EntityTooLarge', 'file_too_large'],
      [400, 'KeyTooLongError', 'name_too_long'],
      [403, 'InvalidAccessKeyId', 'access_key_not_found'],
      [405, 'MethodNotAllowed', 'multipart_unsupported'],
      [501, 'NotImplemented', 'checksums_unsupported'],
      [404, 'Canary', 'bucket_or_key_unknown'],
      [500, 'InternalError', 'store_unavailable'],
      [400, 'InvalidRequest', 'request_refused'],
    ] as const) {
      it(`${status} ${answer} is ${code}`, async () => {
        const server = createServer(answering(status, answer));
        const found = await behind(server, 'http', (endpoint_url) => codeOf({ endpoint_url }));
        assert.equal(found, code);
      });
    }
  });

  /** An interval without rows uploads nothing before the commit: the first question is a HEAD, whose answer has no body. */
  const deliverEmpty = (change: object) => faultIn('S3', intervalAt({ prefix: 'region', ...change }).deliver([]));

  describe('of a region', () => {
    const WRONG = { code: 'wrong_region', owner: 'you', field: 'destination__config__region' };

    it('of a real store is reported for an interval without rows', async () => {
      assert.deepEqual(await deliverEmpty({ region: 'eu-central-1' }), WRONG);
    });

    it('is named if the store names it in a header, as S3 does', async () => {
      const server = createServer((request, response) => {
        request.resume();
        response.writeHead(400, { Connection: 'close', 'x-amz-bucket-region': 'eu-west-3' }).end();
      });
      await behind(server, 'http', async (endpoint_url) => {
        assert.deepEqual(await deliverEmpty({ endpoint_url }), WRONG);
        const [exists] = destination.steps;
        const tried = exists!.run(configWith({ endpoint_url }), {
          ...SUBJECT,
          columns: [],
          merge: null,
          environment: LOOPBACK_ENVIRONMENT,
          signal: new AbortController().signal,
        });
        await assert.rejects(tried, { message: 'The bucket is in another region: eu-west-3.' });
      });
    });
  });

  const codeOfTls = (tls: { key: string; cert: string }) =>
    behind(createTlsServer(tls), 'https', (endpoint_url) => codeOf({ endpoint_url }));

  describe('of the connection', () => {
    const TRUSTED = getCACertificates('default');
    afterEach(() => setDefaultCACertificates(TRUSTED));
    it('is reported for a self-signed certificate', async () => {
      assert.equal(await codeOfTls(selfSignedCertificate('s3.example.com')), 'certificate_untrusted');
    });

    it('is reported for a certificate that has expired', async () => {
      const expired = selfSignedCertificate('s3.example.com', { until: 21 });
      setDefaultCACertificates([...TRUSTED, expired.cert]);
      assert.equal(await codeOfTls(expired), 'certificate_expired');
    });

    it('is reported for a certificate of another host', async () => {
      const other = selfSignedCertificate('s3.example.com', { address: Buffer.from([127, 0, 0, 9]) });
      setDefaultCACertificates([...TRUSTED, other.cert]);
      assert.equal(await codeOfTls(other), 'certificate_wrong_host');
    });

    it('is reported for a store without TLS', async () => {
      const server = createServer((_, response) => response.end());
      assert.equal(await behind(server, 'https', (endpoint_url) => codeOf({ endpoint_url })), 'tls_failed');
    });

    it('is reported for a connection that breaks', async () => {
      const server = createServer((request) => request.socket.destroy());
      assert.equal(await behind(server, 'http', (endpoint_url) => codeOf({ endpoint_url })), 'connection_lost');
    });
  });
});
