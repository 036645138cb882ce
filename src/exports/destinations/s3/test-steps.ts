/** Test steps of buckets. */
import { HeadBucketCommand, type S3Client } from '@aws-sdk/client-s3';
import { bucketStep, type OpenBucket } from '../object-store/bucket.ts';
import { testUpload } from '../object-store/try-upload.ts';
import type { TestStep } from '../test-steps.ts';
import { statusOf, translate } from './errors.ts';
import { s3Fault } from './faults.ts';
import { explainFailedHead } from './refused-region.ts';

export type Bucket = OpenBucket & { client: S3Client; bucket: string };

export function bucketSteps<Config>(open: Parameters<typeof bucketStep<Config, Bucket>>[0]): TestStep<Config>[] {
  const withBucket = bucketStep(open);
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
