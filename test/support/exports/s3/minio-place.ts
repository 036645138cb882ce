/** A prefix of a bucket at MinIO, for the tests of a destination's promises. */
import type { CreateBucketCommandInput } from '@aws-sdk/client-s3';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { createMinioBucket, MINIO_KEYS } from '../../servers/s3/minio.ts';
import { s3PlaceIn, type S3Place } from './s3-place.ts';

export async function makeMinioPlace(
  config: Parameters<typeof s3PlaceIn>[2] = {},
  bucketOptions: Omit<CreateBucketCommandInput, 'Bucket'> = {},
): Promise<S3Place> {
  const bucket = await createMinioBucket(bucketOptions);
  const before = await countUploads(bucket.directory);
  return {
    ...s3PlaceIn(bucket, MINIO_KEYS, config),
    leftovers: async () => (await countUploads(bucket.directory)) - before,
  };
}

/** Unfinished uploads of all buckets, from MinIO's folder: its API lists only those of one key. */
async function countUploads(directory: string): Promise<number> {
  const root = path.join(directory, '.minio.sys/multipart');
  const keys = await readdir(root).catch(() => []);
  const uploads = await Promise.all(keys.map((key) => readdir(path.join(root, key)).catch(() => [])));
  return uploads.flat().length;
}
