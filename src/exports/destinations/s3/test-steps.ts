/** Test steps of buckets. */
import { HeadBucketCommand, type S3Client } from '@aws-sdk/client-s3';
import { testUpload } from '../object-store/try-upload.ts';
import type { ObjectStore } from '../object-store/store.ts';
import type { TestContext, TestStep } from '../test-steps.ts';
import { statusOf, translate } from './errors.ts';
import { s3Fault } from './faults.ts';
import { explainFailedHead } from './refused-region.ts';

export type Bucket = { client: S3Client; bucket: string; prefix: string; store: ObjectStore };

/** @param open connects to the configured bucket; the store closes with its `close` */
export function bucketSteps<Config>(open: (config: Config, context: TestContext) => Bucket): TestStep<Config>[] {
  const withBucket = (work: (bucket: Bucket, context: TestContext) => Promise<void>) => {
    return async (config: Config, context: TestContext): Promise<void> => {
      const bucket = open(config, context);
      try {
        await work(bucket, context);
      } finally {
        bucket.store.close();
      }
    };
  };
  return [
    {
      name: 'Check S3 bucket exists',
      description: 'Ensure that the bucket exists and the credentials give access to it.',
      run: withBucket(async ({ client, bucket }, { signal }) => {
        const asked = { client, bucket, abortSignal: signal };
        await client
          .send(new HeadBucketCommand({ Bucket: bucket }), { abortSignal: signal })
          .catch(async (error: unknown) => explain(await explainFailedHead(error, asked)));
      }),
    },
    {
      name: 'Check files can be written',
      description: 'Ensure that an upload can be started, written and aborted. No object becomes visible.',
      run: withBucket(({ store, prefix }, { model }) => testUpload(store, prefix, model)),
    },
  ];
}

/** Explains a failed HEAD, whose answer has no body with the reason. */
function explain(error: unknown): never {
  if (statusOf(error) === 404) throw s3Fault('bucket_not_found', { cause: error });
  return translate(error);
}
