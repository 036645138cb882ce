/** A prefix of a bucket at a real store, for the tests of a destination's promises. */
import { randomBytes } from 'node:crypto';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  NoSuchKey,
  PutObjectCommand,
} from '@aws-sdk/client-s3';
import { destinationOf } from '../../../../src/exports/destinations/index.ts';
import type { TestBucket } from '../../servers/s3/s3-server.ts';
import { readInterval, snapshotOf, type Objects } from '../file-reader.ts';
import { LOOPBACK_ENVIRONMENT, type TestPlace } from '../test-place.ts';

type Config = { layout?: 'stable' | 'versioned' } & Record<string, unknown>;
type Keys = { accessKeyId: string; secretAccessKey: string };

export type S3Place = TestPlace & { bucket: TestBucket };

/** @param config fields that differ from a place of gzip files with stable names, by path style */
export function s3PlaceIn(bucket: TestBucket, keys: Keys, config: Config = {}): S3Place {
  const { client } = bucket;
  const Bucket = bucket.bucket;

  async function listed(isWanted: (key: string) => boolean): Promise<Objects> {
    const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket }));
    const entries = await Promise.all(
      Contents.map(({ Key }) => Key!)
        .filter(isWanted)
        .map(async (Key) => {
          const { Body } = await client.send(new GetObjectCommand({ Bucket, Key }));
          return [Key, Buffer.from(await Body!.transformToByteArray())] as const;
        }),
    );
    return new Map(entries);
  }
  /** S3 replaces an object in one moment; versitygw removes it first. */
  async function objects(isWanted = (_key: string) => true): Promise<Objects> {
    return listed(isWanted).catch((error: unknown) => {
      if (error instanceof NoSuchKey) return objects(isWanted);
      throw error;
    });
  }
  async function dataKey(): Promise<string> {
    return [...(await objects()).keys()].find((key) => key.includes('-0.jsonl'))!;
  }
  return {
    bucket,
    destination: destinationOf('S3', LOOPBACK_ENVIRONMENT),
    config: {
      bucket_name: Bucket,
      region: bucket.region,
      prefix: 'web/{year}',
      file_format: 'JSONLines',
      compression: 'gzip',
      max_file_size_mb: null,
      aws_access_key_id: keys.accessKeyId,
      aws_secret_access_key: keys.secretAccessKey,
      endpoint_url: bucket.endpoint,
      use_virtual_style_addressing: false,
      encryption: null,
      kms_key_id: null,
      ...config,
    },
    environment: LOOPBACK_ENVIRONMENT,
    snapshot: async () => snapshotOf(await objects()),
    read: () => readInterval(objects, config.layout),
    async leftovers() {
      const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket }));
      return Uploads.length;
    },
    damages: [
      {
        name: 'missing file',
        inflict: async () => void (await client.send(new DeleteObjectCommand({ Bucket, Key: await dataKey() }))),
      },
      {
        name: 'changed file',
        inflict: async () =>
          void (await client.send(new PutObjectCommand({ Bucket, Key: await dataKey(), Body: randomBytes(100) }))),
      },
    ],
    async stop() {},
  };
}
