/** Test steps of containers. */
import type { ContainerClient } from '@azure/storage-blob';
import type { ObjectStore } from '../object-store/store.ts';
import { testFile } from '../object-store/try-upload.ts';
import type { TestContext, TestStep } from '../test-steps.ts';
import { translate } from './errors.ts';
import { azureFault } from './faults.ts';

export type Container = { container: ContainerClient; prefix: string; isExpired(): boolean; store: ObjectStore };

/** @param open connects to the configured container; the store closes with its `close` */
export function containerSteps<Config>(
  open: (config: Config, context: TestContext) => Promise<Container>,
): TestStep<Config>[] {
  const withContainer = (work: (container: Container, context: TestContext) => Promise<void>) => {
    return async (config: Config, context: TestContext): Promise<void> => {
      const container = await open(config, context);
      try {
        await work(container, context);
      } finally {
        container.store.close();
      }
    };
  };
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
