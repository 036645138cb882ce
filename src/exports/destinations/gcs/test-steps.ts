/** Test steps of buckets. */
import { testFile } from '../object-store/try-upload.ts';
import type { ObjectStore } from '../object-store/store.ts';
import type { TestContext, TestStep } from '../test-steps.ts';
import { gcsFault } from './faults.ts';

export type Bucket = { prefix: string; store: ObjectStore };

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
      name: 'Check GCS bucket exists',
      description: 'Ensure that the bucket exists and the service account may list it.',
      run: withBucket(async ({ store }) => {
        for await (const _ of store.list('')) break;
      }),
    },
    {
      name: 'Check files can be written',
      description: 'Ensure that a file can be uploaded, composed to its name, read and deleted. Nothing is left.',
      run: withBucket(({ store, prefix }, { model }) => testFile(store, prefix, { model, fault: gcsFault })),
    },
  ];
}
