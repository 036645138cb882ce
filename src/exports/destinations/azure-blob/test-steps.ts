/** Test steps of containers. */
import type { ContainerClient } from '@azure/storage-blob';
import { bucketStep, type OpenBucket } from '../object-store/bucket.ts';
import { testFile } from '../object-store/try-upload.ts';
import type { TestStep } from '../test-steps.ts';
import { translate } from './errors.ts';
import { azureFault } from './faults.ts';

export type Container = OpenBucket & { container: ContainerClient; isExpired(): boolean };

export function containerSteps<Config>(open: Parameters<typeof bucketStep<Config, Container>>[0]): TestStep<Config>[] {
  const withContainer = bucketStep(open);
  return [
    {
      name: 'Check Azure container exists',
      description: 'Ensure that the container exists and the credentials may list it.',
      run: withContainer(async ({ container, isExpired }, { signal }) => {
        try {
          await container.listBlobsFlat({ abortSignal: signal }).byPage({ maxPageSize: 1 }).next();
        } catch (error) {
          translate(error, { action: 'list', isExpired: isExpired() });
        }
      }),
    },
    {
      name: 'Check files can be written',
      description: 'Ensure that a file can be uploaded, copied to its name, read and deleted. Nothing is left.',
      run: withContainer(({ store, prefix }, { model }) => testFile(store, prefix, { model, fault: azureFault })),
    },
  ];
}
