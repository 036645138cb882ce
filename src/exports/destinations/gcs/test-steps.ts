/** Test steps of buckets. */
import { bucketStep, type OpenBucket } from '../object-store/bucket.ts';
import { testFile } from '../object-store/try-upload.ts';
import type { TestStep } from '../test-steps.ts';
import { gcsFault } from './faults.ts';

export function bucketSteps<Config>(open: Parameters<typeof bucketStep<Config, OpenBucket>>[0]): TestStep<Config>[] {
  const withBucket = bucketStep(open);
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
