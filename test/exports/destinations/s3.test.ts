import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  CreateMultipartUploadCommand,
  ListMultipartUploadsCommand,
  HeadObjectCommand,
  PutObjectCommand,
} from '@aws-sdk/client-s3';
import { destinationOf } from '../../../src/exports/destinations/index.ts';
import { s3Client } from '../../../src/exports/destinations/s3/client.ts';
import { s3Store } from '../../../src/exports/destinations/s3/store.ts';
import { DestinationRejected, DestinationUnavailable, InvalidInput } from '../../../src/platform/errors.ts';
import { buildRows, freezeAt, testInterval, type TestRow, uuidsOf } from '../../support/exports/deliveries.ts';
import { REPLACED_AT_ONCE } from '../../../src/exports/destinations/promises.ts';
import { itKeepsTheContract } from '../../support/exports/destination-contract.ts';
import { s3PlaceIn, type S3Place } from '../../support/exports/s3/s3-place.ts';
import { LOOPBACK_ENVIRONMENT } from '../../support/exports/test-place.ts';
import { behind } from '../../support/servers/behind.ts';
import { startFaultyProxy, type InjectedFault } from '../../support/servers/faulty-proxy.ts';
import { createTestBucket, needsObjectStore, OBJECT_STORE_KEYS } from '../../support/servers/object-store.ts';

async function makePlace(config: Parameters<typeof s3PlaceIn>[2] = {}): Promise<S3Place> {
  return s3PlaceIn(await createTestBucket(), OBJECT_STORE_KEYS, config);
}

/** Rows whose content does not compress: many pieces of an upload. */
function buildLargeRows(mebibytes: number): TestRow[] {
  return buildRows(mebibytes).map((row) => ({
    ...row,
    properties: { noise: randomBytes(1 << 20).toString('base64') },
  }));
}

/** Delivers through a network with faults, and finds it delivered. */
async function deliverThrough(fault: (request: { method: string; url: string }) => InjectedFault) {
  const direct = await makePlace();
  const proxy = await startFaultyProxy(direct.bucket.endpoint, fault);
  const place = { ...direct, config: { ...(direct.config as object), endpoint_url: proxy.origin } };
  const parts = [buildRows(2), buildRows(2)];
  const { run, receipt } = await testInterval(place).deliver(parts);
  proxy.close();
  assert.deepEqual(await place.read(), uuidsOf(parts));
  assert.equal(await place.leftovers(), 0);
  return { proxy, direct, run, receipt };
}

const isBegin = ({ method, url }: { method: string; url: string }) => method === 'POST' && /[?&]uploads\b/.test(url);

const listedUpload = (key: string, id: string) => `<Upload><Key>${key}</Key><UploadId>${id}</UploadId></Upload>`;

/** Of the one file of a delivery. */
const KEY = 'web/2015/20150517T100000Z-20150517T110000Z.jsonl.gz';

/** A run whose worker was killed when it had begun an upload, and uploads of other keys. */
async function buildKilled(endpoint_url?: string) {
  const place = await makePlace(endpoint_url === undefined ? {} : { endpoint_url });
  const interval = testInterval(place);
  const run = interval.plan([buildRows(1)]);
  const killed = freezeAt('upload-begun');
  void run.write(killed.steps);
  await killed.reached;
  const { client, bucket: Bucket } = place.bucket;
  const open = async () =>
    ((await client.send(new ListMultipartUploadsCommand({ Bucket }))).Uploads ?? []).map(({ Key }) => Key!);
  const begin = async (Key: string) => client.send(new CreateMultipartUploadCommand({ Bucket, Key }));
  return { interval, run, open, begin };
}

async function failureOf(work: Promise<unknown>): Promise<Error> {
  return work.then(
    () => assert.fail('it should have failed'),
    (error: Error) => error,
  );
}

describe('S3', () => {
  before(function () {
    return needsObjectStore(this);
  });
  itKeepsTheContract({ ...REPLACED_AT_ONCE, readers: 'half_while_replaced' }, makePlace);
  describe('with versioned names in partition folders', () =>
    itKeepsTheContract(REPLACED_AT_ONCE, () =>
      makePlace({ layout: 'versioned', path_style: 'hive', prefix: 'web/event={event}' }),
    ));

  it('marks each object with its upload and lets the store keep a checksum', async () => {
    const place = await makePlace({ compression: null });
    const { receipt } = await testInterval(place, { compression: null }).deliver([buildRows(1)]);
    const [file] = receipt.files!;
    assert.equal(file!.key, 'web/2015/20150517T100000Z-20150517T110000Z.jsonl');
    assert.equal(receipt.location, `s3://${place.bucket.bucket}/web/2015/`);
    const head = await place.bucket.client.send(
      new HeadObjectCommand({ Bucket: place.bucket.bucket, Key: file!.key, ChecksumMode: 'ENABLED' }),
    );
    assert.equal(head.Metadata?.['sluice-upload'], file!.identity);
    assert.equal(`crc32:${head.ChecksumCRC32}`, file!.checksum);
    assert.equal(head.ContentLength, file!.bytes);
  });

  it('sends a large file in several pieces', async () => {
    const place = await makePlace();
    const rows = buildLargeRows(18);
    const { run, receipt } = await testInterval(place, { compression: null }).deliver([rows]);
    assert.ok(receipt.bytes > 24 << 20);
    assert.deepEqual(await run.verify(receipt, true), []);
    assert.deepEqual(await place.read(), rows.map(({ uuid }) => uuid).sort());
  });

  describe('of unrecorded uploads', () => {
    it('ends those of its own names only', async () => {
      const { run, interval, open, begin } = await buildKilled();
      const foreign = [`${KEY}.bak`, KEY.replace('.gz', ''), 'other'];
      for (const key of foreign) await begin(key);
      assert.deepEqual(new Set(await open()), new Set([...foreign, KEY]));
      await run.discard();
      assert.deepEqual(new Set(await open()), new Set(foreign));
      assert.equal(interval.recorded(), 0);
    });

    it('finds them on every page of the list, and requests no page after them', async () => {
      const markers: (string | null)[] = [];
      const server = http.createServer((request, response) => {
        const after = new URL(request.url!, 'http://store').searchParams.get('upload-id-marker');
        markers.push(after);
        const uploads = after === null ? listedUpload('a', '1') : listedUpload('a', '2') + listedUpload('ab', '3');
        const next =
          '<IsTruncated>true</IsTruncated><NextKeyMarker>a</NextKeyMarker><NextUploadIdMarker>1</NextUploadIdMarker>';
        response.end(`<ListMultipartUploadsResult>${next}${uploads}</ListMultipartUploadsResult>`);
      });
      await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
      const { port } = server.address() as AddressInfo;
      const { client, close } = s3Client({
        region: 'us-east-1',
        credentials: OBJECT_STORE_KEYS,
        endpoint: `http://127.0.0.1:${port}`,
        virtualHosts: false,
        allowedHosts: LOOPBACK_ENVIRONMENT.allowedHosts,
      });
      const place = { place: 's3', legacyPlace: 's3', bucket: 'bucket', encryption: null, kmsKeyId: null };
      const store = s3Store({ client, ...place, signal: new AbortController().signal, onClose: close });
      const found = await store.listUnfinishedUploads('a');
      store.close();
      server.close();
      assert.deepEqual(found, [
        { key: 'a', id: '1' },
        { key: 'a', id: '2' },
      ]);
      assert.deepEqual(markers, [null, '1']);
    });

    it('continues where they may not be listed, and reports so once', async () => {
      const { endpoint } = await createTestBucket();
      const proxy = await startFaultyProxy(endpoint, ({ method, url }) =>
        method === 'GET' && /[?&]uploads\b/.test(url) ? 'denied' : undefined,
      );
      const { interval, open } = await buildKilled(proxy.origin);
      await interval.deliver([buildRows(1)]);
      proxy.close();
      assert.ok(proxy.faults > 0);
      assert.deepEqual(await open(), [KEY]);
      assert.equal(interval.recorded(), 0);
      assert.equal(interval.warnings().length, 1);
      assert.match(interval.warnings()[0]!, /s3:ListBucketMultipartUploads/);
    });
  });

  it('reports that a lock denies deletion, whatever the store calls it', async () => {
    for (const [status, code] of [
      [400, 'InvalidRequest'],
      [403, 'ObjectLockedByBucketPolicy'],
      [403, 'AccessDenied'],
    ] as const) {
      const server = http.createServer((_, response) =>
        response.writeHead(status).end(`<Error><Code>${code}</Code></Error>`),
      );
      const answer = await behind(server, 'http', async (endpoint) => {
        const { client, close } = s3Client({
          region: 'us-east-1',
          credentials: OBJECT_STORE_KEYS,
          endpoint,
          virtualHosts: false,
          allowedHosts: LOOPBACK_ENVIRONMENT.allowedHosts,
        });
        const place = { place: 's3', legacyPlace: 's3', bucket: 'bucket', encryption: null, kmsKeyId: null };
        const store = s3Store({ client, ...place, signal: new AbortController().signal, onClose: close });
        const removed = await store.remove('a');
        store.close();
        return removed;
      });
      assert.equal(answer, 'denied', code);
    }
  });

  it('refuses the place of another export, and of something that is no export', async () => {
    const place = await makePlace();
    await testInterval(place).deliver([buildRows(1)]);
    const before = await place.snapshot();
    await assert.rejects(testInterval(place).deliver([buildRows(1)]), DestinationRejected);
    assert.deepEqual(await place.snapshot(), before);

    const Key = 'web/2015/20150517T100000Z-20150517T110000Z_manifest.json';
    await place.bucket.client.send(new PutObjectCommand({ Bucket: place.bucket.bucket, Key, Body: 'mine' }));
    await assert.rejects(testInterval(place).deliver([buildRows(1)]), DestinationRejected);
  });

  describe('behind a network that fails', () => {
    it('recognises that an unanswered complete was done', async () => {
      const seen = new Set<string>();
      const { proxy } = await deliverThrough(({ method, url }) => {
        const completes = method === 'POST' && url.includes('uploadId=') && !seen.has(url);
        seen.add(url);
        return completes ? 'drop' : undefined;
      });
      assert.equal(proxy.faults, 3);
    });

    it('leaves no upload whose beginning was not answered', async () => {
      const seen = new Set<string>();
      const { proxy } = await deliverThrough((request) => {
        const begins = isBegin(request) && !seen.has(request.url);
        seen.add(request.url);
        return begins ? 'drop' : undefined;
      });
      assert.equal(proxy.faults, 3);
    });

    it('keeps on record that an upload may have begun, until the run is discarded', async () => {
      const direct = await makePlace();
      let answers = false;
      const proxy = await startFaultyProxy(direct.bucket.endpoint, (request) =>
        !answers && isBegin(request) ? 'drop' : undefined,
      );
      const interval = testInterval({
        ...direct,
        config: { ...(direct.config as object), endpoint_url: proxy.origin },
      });
      const run = interval.plan([buildRows(1)]);
      assert.ok((await failureOf(run.write())) instanceof DestinationUnavailable);
      assert.ok((await direct.leftovers()) > 0);
      assert.equal(interval.recorded(), 1);
      answers = true;
      await run.discard();
      proxy.close();
      assert.deepEqual([await direct.leftovers(), interval.recorded()], [0, 0]);
    });

    it('keeps nothing on record where no upload can have begun', async () => {
      const closed = await makePlace({ endpoint_url: 'http://127.0.0.1:1' });
      const wrong = await makePlace({ aws_secret_access_key: 'canary-wrong-secret' });
      for (const place of [closed, wrong]) {
        const interval = testInterval(place);
        await failureOf(interval.plan([buildRows(1)]).write());
        assert.equal(interval.recorded(), 0);
      }
    });

    it('continues after "slow down"', async () => {
      let requests = 0;
      const { proxy } = await deliverThrough(() => (requests++ % 4 === 0 ? '503' : undefined));
      assert.ok(proxy.faults > 3);
    });
  });

  describe('says why it cannot deliver, without hosts or secrets', () => {
    const canary = 'canary-wrong-secret';
    for (const [name, config, kind, message] of [
      [
        'a bucket that does not exist',
        { bucket_name: 'no-such-bucket' },
        DestinationUnavailable,
        /bucket does not exist/,
      ],
      ['a wrong secret', { aws_secret_access_key: canary }, DestinationUnavailable, /secret access key/],
      ['an unknown key', { aws_access_key_id: canary }, DestinationUnavailable, /access key/],
      ['a closed port', { endpoint_url: 'http://127.0.0.1:1' }, DestinationUnavailable, /cannot be reached/],
    ] as const) {
      it(name, async () => {
        const place = await makePlace(config);
        const error = await failureOf(testInterval(place).deliver([buildRows(1)]));
        assert.ok(error instanceof kind, error.message);
        assert.match(error.message, message);
        assert.doesNotMatch(error.message, /127\.0\.0\.1|canary/);
      });
    }

    it('a store that answers without end', async () => {
      const endless = http.createServer((_, response) => {
        // No more than the client reads: the rest would be memory of this process.
        const timer = setInterval(() => response.writableNeedDrain || response.write('x'.repeat(1 << 20)), 1);
        response.on('close', () => clearInterval(timer));
      });
      await new Promise<void>((listening) => endless.listen(0, '127.0.0.1', listening));
      const { port } = endless.address() as AddressInfo;
      const place = await makePlace({ endpoint_url: `http://127.0.0.1:${port}` });
      const before = process.memoryUsage().rss;
      const error = await failureOf(
        testInterval(place)
          .plan([buildRows(1)])
          .write(),
      );
      endless.close();
      endless.closeAllConnections();
      assert.ok(error instanceof DestinationUnavailable, error.message);
      assert.ok(process.memoryUsage().rss - before < 200 << 20);
    });

    it('a private host that the operator does not list', async () => {
      const place = { ...(await makePlace()), environment: { localRoot: undefined, allowedHosts: [] } };
      const error = await failureOf(testInterval(place).deliver([buildRows(1)]));
      assert.ok(error instanceof DestinationUnavailable, error.message);
      assert.match(error.message, /host cannot be used/);
    });
  });

  for (const [field, value] of [
    ['bucket_name', '../other'],
    ['bucket_name', 'UPPER_case'],
    ['bucket_name', '10.0.0.1'],
    ['bucket_name', 'arn:aws:s3:us-east-1:1:accesspoint/x'],
    ['region', 'evil.example.com/#'],
    ['prefix', '../x'],
    ['prefix', '{nothing}'],
    ['kms_key_id', 'k'],
    ['endpoint_url', 'file:///etc/passwd'],
    ['endpoint_url', 'http://8.8.8.8'],
    ['endpoint_url', 'https://127.0.0.1'],
    ['endpoint_url', 'https://user:pw@8.8.8.8'],
    ['endpoint_url', 'https://8.8.8.8/path'],
    ['endpoint_url', 'https://8.8.8.8:22'],
    ['endpoint_url', 'https://8.8.8.8:6379'],
    ['endpoint_url', 'https://2130706433'],
  ] as const) {
    it(`refuses the ${field} ${value}`, async () => {
      const destination = destinationOf('S3', LOOPBACK_ENVIRONMENT);
      const config = { bucket_name: 'bucket', region: 'us-east-1', prefix: '', encryption: null, [field]: value };
      await assert.rejects(
        destination.validate(config, { localRoot: undefined, allowedHosts: [] }),
        (error) => error instanceof InvalidInput && error.attr === field,
      );
    });
  }
});
