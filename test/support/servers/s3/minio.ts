/**
 * One real MinIO for the whole test process, with a bucket for each caller: a second store beside versitygw that has what that one
 * lacks, namely buckets in host names, temporary credentials, encryption with keys of a KMS, and Object Lock.
 */
import type { CreateBucketCommandInput } from '@aws-sdk/client-s3';
import { s3Server, type StoredBucket } from './s3-server.ts';

/** MinIO has tags that Go does not read as versions, so the commit of one stands here and in `.ci/run`. */
const VERSION = 'v0.0.0-20260212201848-7aac2a2c5b7c';

export const MINIO_KEYS = { accessKeyId: 'SLUICEMINIOKEY', secretAccessKey: 'canary-secret-of-minio' };

/** Domain under which buckets are host names, such as `lake.minio.example`. */
export const MINIO_DOMAIN = 'minio.example';

/** Name of the one key of MinIO's own KMS. */
export const MINIO_KMS_KEY = 'lake-key';

const server = s3Server({
  program: 'minio',
  package: `github.com/minio/minio@${VERSION}`,
  args: (port, directory) => ['server', '--quiet', '--address', `127.0.0.1:${port}`, directory],
  env: {
    HOME: '/nonexistent',
    MINIO_ROOT_USER: MINIO_KEYS.accessKeyId,
    MINIO_ROOT_PASSWORD: MINIO_KEYS.secretAccessKey,
    MINIO_DOMAIN,
    MINIO_KMS_SECRET_KEY: `${MINIO_KMS_KEY}:${Buffer.alloc(32, 'canary').toString('base64')}`,
    MINIO_BROWSER: 'off',
    MINIO_UPDATE: 'off',
    // A drive that is the root file system is refused otherwise.
    MINIO_CI_CD: 'on',
  },
  keys: MINIO_KEYS,
});

/** Call it in a `before` hook, passing the hook's `this`. */
export const needsMinio = server.needs;

/** A fresh bucket at a server that is started when the first test asks. */
export const createMinioBucket = async (input: Omit<CreateBucketCommandInput, 'Bucket'> = {}): Promise<StoredBucket> =>
  server.createBucket(input);

/** Stops the server; the mocha hooks call it after the last test. */
export const stopTestMinio = server.stop;
