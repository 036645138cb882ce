/** Faults of catalogs, tables and storages: each names the field of the one that is wrong. */
import assert from 'node:assert/strict';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { DeleteObjectCommand } from '@aws-sdk/client-s3';
import { MAX_ANSWER_BYTES } from '../../../../src/exports/destinations/iceberg/catalog.ts';
import { currentSnapshot } from '../../../../src/exports/destinations/iceberg/present.ts';
import { buildRows, testInterval } from '../../../support/exports/deliveries.ts';
import { makeIcebergPlace, type IcebergPlace } from '../../../support/exports/iceberg-place.ts';
import { createTable } from '../../../support/exports/iceberg-writer.ts';
import { faultIn } from '../../../support/exports/provoked-faults.ts';
import { behind } from '../../../support/servers/behind.ts';
import { selfSignedCertificate } from '../../../support/servers/certificate.ts';
import { needsIcebergCatalog } from '../../../support/servers/iceberg-catalog.ts';
import { needsObjectStore } from '../../../support/servers/object-store.ts';

const CLOSED = 'http://127.0.0.1:1';

const deliverTo = async (place: IcebergPlace, change: object = {}) => {
  const config = { ...(place.config as object), ...change };
  return faultIn('Iceberg', testInterval({ ...place, config }).deliver([buildRows(2)]));
};

const answering = (status: number, body = '{}', headers: Record<string, string> = {}): RequestListener => {
  return (request, response) => {
    request.resume();
    response.writeHead(status, { Connection: 'close', ...headers }).end(body);
  };
};

describe('a fault of Iceberg', () => {
  let place: IcebergPlace;
  before(async function () {
    needsIcebergCatalog(this);
    await needsObjectStore(this);
    place = await makeIcebergPlace();
  });

  for (const [what, change, code, field] of [
    ['a closed port of the catalog', { catalog_uri: CLOSED }, 'catalog_connection_refused', 'catalog_uri'],
    ['a closed port of the storage', { endpoint_url: CLOSED }, 'connection_refused', 'endpoint_url'],
    ['a namespace that does not exist', { namespace: 'nowhere' }, 'namespace_not_found', 'namespace'],
    ['a wrong secret of the storage', { aws_secret_access_key: 'canary' }, 'wrong_secret_key', 'aws_secret_access_key'],
    ['an unknown key of the storage', { aws_access_key_id: 'canary' }, 'bucket_or_key_unknown', 'aws_access_key_id'],
  ] as const) {
    it(`names ${what}`, async () => {
      const fault = await deliverTo(place, change);
      assert.deepEqual([fault.code, fault.field], [code, field === undefined ? null : `destination__config__${field}`]);
    });
  }

  for (const [status, change, code, body] of [
    [401, {}, 'catalog_denied', undefined],
    [403, {}, 'catalog_denied', undefined],
    [404, {}, 'catalog_not_found', undefined],
    [404, { warehouse: 'unknown' }, 'warehouse_not_found', undefined],
    [200, {}, 'catalog_not_found', '<html>'],
    [200, {}, 'catalog_not_found', '{"metadata":{"location":"s3://lake/events","schemas":[],"current-schema-id":0}}'],
    [302, {}, 'catalog_redirects', undefined],
    [418, {}, 'catalog_refused', undefined],
    [503, {}, 'catalog_unavailable', undefined],
  ] as const) {
    it(`of a catalog that answers ${status}${body ?? ''}${JSON.stringify(change)} is ${code}`, async () => {
      const fault = await behind(createServer(answering(status, body, { location: CLOSED })), 'http', (catalog_uri) =>
        deliverTo(place, { catalog_uri, ...change }),
      );
      assert.equal(fault.code, code);
    });
  }

  it('of a table with too many snapshots lets a test step be skipped', async () => {
    const metadata = `{"metadata":{"location":"s3://lake/events","snapshots":["${'x'.repeat(MAX_ANSWER_BYTES.test)}"]}}`;
    const server = createServer((request, response) =>
      response.end(request.url!.includes('/tables/') ? metadata : '{}'),
    );
    const environment = { localRoot: undefined, allowedHosts: ['127.0.0.0/8'] };
    const context = { projectId: 1, model: 'events', columns: [], merge: null, environment };
    const outcome = await behind(server, 'http', (catalog_uri) => {
      const config = { ...(place.config as object), catalog_uri };
      return place.destination.steps[2]!.run(config, { ...context, signal: AbortSignal.timeout(10_000) });
    });
    assert.match(outcome!.skipped, /too many snapshots for a test/);
  });

  it('of a catalog whose answer would take seconds to parse comes before it is parsed', async () => {
    const metadata = `{"metadata":{"location":"s3://lake/events","x":[${'[],'.repeat(MAX_ANSWER_BYTES.run / 4)}0]}}`;
    const server = createServer((request, response) =>
      response.end(request.url!.includes('/tables/') ? metadata : '{}'),
    );
    const fault = await behind(server, 'http', (catalog_uri) => deliverTo(place, { catalog_uri }));
    assert.equal(fault.code, 'metadata_too_large');
  });

  for (const [what, server, scheme, code] of [
    ['ends connections', () => createServer((request) => request.socket.destroy()), 'http', 'connection_lost'],
    ['has no TLS', () => createServer(answering(200)), 'https', 'tls_failed'],
    [
      'has a certificate that nobody signed',
      () => createTlsServer(selfSignedCertificate('lake.example.com'), answering(200)),
      'https',
      'certificate_untrusted',
    ],
  ] as const) {
    it(`of a catalog or a storage that ${what} names the one or the other`, async () => {
      const found = await behind(server(), scheme, async (address) => [
        await deliverTo(place, { catalog_uri: address }),
        await deliverTo(place, { endpoint_url: address }),
      ]);
      assert.deepEqual(
        found.map((fault) => fault.code),
        [`catalog_${code}`, code],
      );
    });
  }

  it('of a catalog that does not accept the token comes after the token was sent', async () => {
    const sent: (string | undefined)[] = [];
    const server = createServer((request, response) => {
      sent.push(request.headers.authorization);
      answering(401)(request, response);
    });
    await behind(server, 'http', async (catalog_uri) => {
      for (const token of ['canary', null]) await deliverTo(place, { catalog_uri, token });
    });
    assert.deepEqual(sent, ['Bearer canary', undefined]);
  });

  it('of a storage without the table’s bucket names the endpoint, which leads to the storage', async () => {
    const server = createServer(answering(404, '<Error><Code>NoSuchBucket</Code></Error>'));
    const fault = await behind(server, 'http', (endpoint_url) => deliverTo(place, { endpoint_url }));
    assert.deepEqual([fault.code, fault.field], ['bucket_not_found', 'destination__config__endpoint_url']);
  });

  it('of a host that the operator does not list names the one of the two', async () => {
    const catalog_uri = place.server.uri.replace('127.0.0.1', 'localhost');
    for (const [allowedHosts, code, field] of [
      [[], 'catalog_host_not_allowed', 'catalog_uri'],
      [['localhost'], 'host_not_allowed', 'endpoint_url'],
    ] as const) {
      const fault = await deliverTo({ ...place, environment: { localRoot: undefined, allowedHosts } }, { catalog_uri });
      assert.deepEqual([fault.code, fault.field], [code, `destination__config__${field}`]);
    }
  });

  it('of a table whose format is not supported, or whose metadata is lost, is final only if it stays so', async () => {
    const other = await makeIcebergPlace();
    await createTable(other, ['uuid', 'event', 'properties'], [], '1');
    assert.equal((await deliverTo(other)).code, 'format_unsupported');

    const lost = await makeIcebergPlace();
    await testInterval(lost).deliver([buildRows(1)]);
    const { client, bucket: Bucket } = lost.server.bucket;
    const { pathname } = new URL(currentSnapshot((await lost.metadata())!)!['manifest-list']);
    await client.send(new DeleteObjectCommand({ Bucket, Key: pathname.slice(1) }));
    assert.equal((await deliverTo(lost)).code, 'metadata_missing');
  });
});
