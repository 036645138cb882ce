/** Test steps of containers. */
import type { ContainerClient } from '@azure/storage-blob';
import { randomUUID } from 'node:crypto';
import { folderOf } from '../object-store/keys.ts';
import type { ObjectStore } from '../object-store/store.ts';
import { fillUpload } from '../object-store/upload.ts';
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
      run: withContainer(({ store, prefix }, { model }) => testFile(store, prefix, model)),
    },
  ];
}

async function testFile(store: ObjectStore, prefix: string, model: string): Promise<void> {
  const now = new Date().toISOString();
  const folder = folderOf(prefix, { start: now, end: now, model });
  const key = `${folder === '' ? '' : `${folder}/`}_sluice-test-${randomUUID()}`;
  const upload = await store.begin(key, randomUUID());
  try {
    await store.complete(await fillUpload(store, upload, content()), 'absent');
    if ((await store.head(key))?.identity !== upload.token) throw azureFault('answer_incomplete');
  } finally {
    await store.abort(upload);
  }
  if ((await store.remove(key)) === 'denied') throw azureFault('delete_denied');
}

async function* content() {
  yield Buffer.from('Sluice tests whether it may write here.\n');
}
