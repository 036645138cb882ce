/** MinIO, a second real store: the contract, and what versitygw does not have. */
import assert from 'node:assert/strict';
import {
  HeadObjectCommand,
  ListObjectsV2Command,
  ListObjectVersionsCommand,
  PutObjectLockConfigurationCommand,
} from '@aws-sdk/client-s3';
import { REPLACED_AT_ONCE } from '../../../../src/exports/destinations/promises.ts';
import { buildRows, testInterval, uuidsOf } from '../../../support/exports/deliveries.ts';
import { itKeepsTheContract } from '../../../support/exports/destination-contract.ts';
import { repeat } from '../../../support/exports/step-pairs.ts';
import { makeMinioPlace } from '../../../support/exports/s3/minio-place.ts';
import type { S3Place } from '../../../support/exports/s3/s3-place.ts';
import { answerNames } from '../../../support/names.ts';
import { MINIO_DOMAIN, MINIO_KMS_KEY, needsMinio } from '../../../support/servers/s3/minio.ts';

/** Steps of each commit that are tried here, to save time; versitygw is stopped at more of them. */
const STEPS = 1;

async function keysIn({ bucket: { client, bucket: Bucket } }: S3Place): Promise<string[]> {
  const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket }));
  return Contents.map(({ Key }) => Key!);
}

async function lockedPlace(Mode: 'GOVERNANCE' | 'COMPLIANCE', layout: 'versioned' | 'stable'): Promise<S3Place> {
  const place = await makeMinioPlace({ layout }, { ObjectLockEnabledForBucket: true });
  const { client, bucket: Bucket } = place.bucket;
  const rule = { ObjectLockEnabled: 'Enabled', Rule: { DefaultRetention: { Mode, Days: 1 } } } as const;
  await client.send(new PutObjectLockConfigurationCommand({ Bucket, ObjectLockConfiguration: rule }));
  return place;
}

describe('MinIO', () => {
  before(function () {
    return needsMinio(this);
  });

  describe(`at some steps (${repeat})`, () =>
    itKeepsTheContract(REPLACED_AT_ONCE, () => makeMinioPlace({ layout: 'versioned', path_style: 'hive' }), STEPS));

  describe('with buckets in host names', () => {
    let names: Set<string>;
    let endAnswers: () => void;
    before(() => {
      names = new Set();
      endAnswers = answerNames((name) => {
        if (!name.endsWith(MINIO_DOMAIN)) return undefined;
        names.add(name);
        return ['127.0.0.1'];
      });
    });
    after(() => endAnswers());

    for (const isVirtual of [true, false]) {
      it(isVirtual ? 'is addressed by them' : 'is addressed by paths', async () => {
        const direct = await makeMinioPlace();
        const { port } = new URL(direct.bucket.endpoint);
        const place = {
          ...direct,
          config: {
            ...(direct.config as object),
            endpoint_url: `http://${MINIO_DOMAIN}:${port}`,
            use_virtual_style_addressing: isVirtual,
          },
        };
        names.clear();
        const rows = buildRows(3);
        const { run, receipt } = await testInterval(place).deliver([rows]);
        assert.deepEqual(await run.verify(receipt, true), []);
        assert.deepEqual(await place.read(), rows.map(({ uuid }) => uuid).sort());
        assert.deepEqual([...names], [isVirtual ? `${direct.bucket.bucket}.${MINIO_DOMAIN}` : MINIO_DOMAIN]);
      });
    }
  });

  describe('with Object Lock', () => {
    for (const [mode, layout] of [
      ['GOVERNANCE', 'versioned'],
      ['COMPLIANCE', 'stable'],
    ] as const) {
      it(`keeps every version of names ${layout} under ${mode}, and shows the last delivery`, async () => {
        const place = await lockedPlace(mode, layout);
        const { client, bucket: Bucket } = place.bucket;
        const interval = testInterval(place);
        const deliveries = [[buildRows(2), buildRows(1)], [buildRows(1)], []];
        for (const parts of deliveries) {
          const { run, receipt } = await interval.deliver(parts);
          assert.deepEqual(await run.verify(receipt, true), []);
          assert.deepEqual(await place.read(), uuidsOf(parts));
        }
        assert.equal(await place.leftovers(), 0);
        const before = (await client.send(new ListObjectVersionsCommand({ Bucket }))).Versions!;
        const superseded = [...interval.superseded()];
        assert.equal(superseded.length, layout === 'versioned' ? 3 : 0);
        const { run, receipt } = await interval.deliver([]);
        // The store hides a locked object by a marker, and keeps the version.
        assert.deepEqual(await run.deleteSuperseded(superseded), { goneKeys: superseded, isDenied: false });
        const { Versions: kept, DeleteMarkers: markers = [] } = await client.send(
          new ListObjectVersionsCommand({ Bucket }),
        );
        const ids = new Set(kept!.map(({ VersionId }) => VersionId));
        assert.ok(before.every(({ VersionId }) => ids.has(VersionId)));
        assert.equal(markers.length, superseded.length);
        const head = await client.send(
          new HeadObjectCommand({ Bucket, Key: before[0]!.Key, VersionId: before[0]!.VersionId }),
        );
        assert.equal(head.ObjectLockMode, mode);
        assert.deepEqual(await run.verify(receipt, true), []);
        assert.deepEqual(await place.read(), []);
      });
    }
  });

  describe('with encryption by the store', () => {
    for (const [name, config, encryption, keyId] of [
      ['its own keys', { encryption: 'AES256' }, 'AES256', undefined],
      ['a key of the KMS', { encryption: 'aws:kms', kms_key_id: MINIO_KMS_KEY }, 'aws:kms', MINIO_KMS_KEY],
      ['the default key of the KMS', { encryption: 'aws:kms' }, 'aws:kms', MINIO_KMS_KEY],
    ] as const) {
      for (const layout of ['versioned', 'stable'] as const) {
        it(`has every object encrypted with ${name}, names ${layout}`, async () => {
          // An hour in its folder, so there is a mark `_SUCCESS` of versioned names.
          const place = await makeMinioPlace({ layout, path_style: 'hive', ...config });
          const interval = testInterval(place);
          await interval.deliver([buildRows(2), buildRows(1), buildRows(1)]);
          const rows = buildRows(2);
          const { run, receipt } = await interval.deliver([rows]);
          const keys = await keysIn(place);
          assert.ok(keys.some((key) => key.endsWith('_manifest.json')) && keys.length >= 4, String(keys));
          for (const Key of keys) {
            const head = await place.bucket.client.send(new HeadObjectCommand({ Bucket: place.bucket.bucket, Key }));
            assert.equal(head.ServerSideEncryption, encryption, Key);
            assert.equal(head.SSEKMSKeyId?.replace('arn:aws:kms:', ''), keyId, Key);
          }
          assert.deepEqual(await run.verify(receipt, true), []);
          assert.deepEqual(await place.read(), rows.map(({ uuid }) => uuid).sort());
        });
      }
    }
  });
});
