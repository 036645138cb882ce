/** Uploads as `staging.ts` says: whatever a frozen worker did or will do, an aborted one can no longer become visible. */
import assert from 'node:assert/strict';
import { azureContainer } from '../../../../src/exports/destinations/azure-blob/client.ts';
import { parseConnectionString } from '../../../../src/exports/destinations/azure-blob/connection-string.ts';
import { blockId } from '../../../../src/exports/destinations/azure-blob/staging.ts';
import { azureStore } from '../../../../src/exports/destinations/azure-blob/store.ts';
import {
  ObjectChanged,
  type ObjectStore,
  type Upload,
} from '../../../../src/exports/destinations/object-store/store.ts';
import { uploadName } from '../../../../src/exports/destinations/object-store/upload-names.ts';
import { contentOf, itStagesUploads, stageUpload } from '../../../support/exports/own-uploads.ts';
import {
  connectionString,
  createTestContainer,
  needsAzurite,
  type TestContainer,
} from '../../../support/servers/azurite.ts';
import { BlobSASPermissions } from '@azure/storage-blob';

describe('uploads to Azure', () => {
  let container: TestContainer;
  let store: ObjectStore;

  before(function () {
    needsAzurite(this);
  });
  beforeEach(async () => {
    container = await createTestContainer();
    store = open();
  });
  afterEach(() => store?.close());

  function open(more: { oneCallCopyBytes?: number } = {}): ObjectStore {
    const account = parseConnectionString(connectionString(container.endpoint));
    const { container: client, close } = azureContainer(account, container.client.containerName, ['127.0.0.1']);
    const permissions = BlobSASPermissions.parse('r');
    return azureStore({
      container: client,
      place: 'azure:place',
      copySource: (blob) => blob.generateSasUrl({ permissions, expiresOn: new Date(Date.now() + 60_000) }),
      isExpired: () => false,
      signal: new AbortController().signal,
      onClose: close,
      ...more,
    });
  }

  const blobOf = (upload: Upload) => container.client.getBlockBlobClient(uploadName(upload));

  itStagesUploads(() => ({
    store,
    otherTag: '"0x1"',
    async names() {
      const blobs = await Array.fromAsync(container.client.listBlobsFlat({ includeUncommitedBlobs: true }));
      return blobs.map(({ name }) => name);
    },
    async write(key, text) {
      await container.client.getBlockBlobClient(key).upload(text, text.length);
    },
    async beginAgain(upload) {
      await blobOf(upload).upload('', 0);
    },
    async storeBlindly(upload, text) {
      await blobOf(upload).stageBlock(blockId(1), text, text.length);
      return { number: 1, tag: blockId(1) };
    },
  }));

  it('are copied in the background where the store takes no longer call', async () => {
    store.close();
    store = open({ oneCallCopyBytes: 0 });
    await store.complete(await stageUpload(store, 'large'), 'absent');
    assert.equal(await contentOf(store), 'large');
    await assert.rejects(store.complete(await stageUpload(store, 'larger'), 'absent'), ObjectChanged);
    assert.equal(await contentOf(store), 'large');
  });
});
