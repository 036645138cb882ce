/** Uploads as `staging.ts` says: whatever a frozen worker did or will do, an aborted one can no longer become visible. */
import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { azureContainer } from '../../../../src/exports/destinations/azure-blob/client.ts';
import { parseConnectionString } from '../../../../src/exports/destinations/azure-blob/connection-string.ts';
import { blockId, uploadName } from '../../../../src/exports/destinations/azure-blob/staging.ts';
import { azureStore } from '../../../../src/exports/destinations/azure-blob/store.ts';
import {
  ObjectChanged,
  UploadGone,
  type ObjectStore,
  type StagedUpload,
} from '../../../../src/exports/destinations/object-store/store.ts';
import { fillUpload } from '../../../../src/exports/destinations/object-store/upload.ts';
import {
  connectionString,
  createTestContainer,
  needsAzurite,
  type TestContainer,
} from '../../../support/servers/azurite.ts';
import { BlobSASPermissions } from '@azure/storage-blob';

const KEY = 'web/file.jsonl';

async function* textOf(text: string) {
  yield Buffer.from(text);
}

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

  const begin = async () => store.begin(KEY, randomUUID());
  const stage = async (text: string) => fillUpload(store, await begin(), textOf(text));
  const contentOf = async (key: string) => {
    const content = await store.get(key);
    return content && Buffer.concat(await Array.fromAsync(content)).toString();
  };
  const names = async () =>
    (await Array.fromAsync(container.client.listBlobsFlat({ includeUncommitedBlobs: true }))).map(({ name }) => name);
  /** Stages as a frozen worker would that had looked for its upload before the abort. */
  async function stageBlindly(upload: Awaited<ReturnType<typeof begin>>, text: string): Promise<StagedUpload> {
    await container.client.getBlockBlobClient(uploadName(upload)).stageBlock(blockId(1), text, text.length);
    const sha256 = createHash('sha256').update(text).digest('hex');
    const sums = { bytes: text.length, sha256, crc32: 0 };
    const parts = [{ number: 1, tag: blockId(1) }];
    return { ...upload, parts, bytes: text.length, sha256, ...store.identify(upload, sums) };
  }

  it('do not mix, though they are for one name', async () => {
    const [first, second] = [await stage('first'), await stage('second')];
    await store.complete(first, 'absent');
    assert.equal(await contentOf(KEY), 'first');
    const head = await store.head(KEY);
    await store.complete(second, { tag: head!.tag! });
    assert.equal(await contentOf(KEY), 'second');
    assert.deepEqual(await names(), [KEY]);
  });

  it('replace only what they may', async () => {
    const staged = [await stage('1'), await stage('2'), await stage('3'), await stage('4')] as const;
    await assert.rejects(store.complete(staged[0], { tag: '"0x1"' }), ObjectChanged);
    await store.complete(staged[1], 'absent');
    await assert.rejects(store.complete(staged[2], 'absent'), ObjectChanged);
    await assert.rejects(store.complete(staged[3], { tag: '"0x1"' }), ObjectChanged);
    assert.equal(await contentOf(KEY), '2');
  });

  async function assertInvisible(staged: StagedUpload): Promise<void> {
    await assert.rejects(store.complete(staged, 'absent'), UploadGone);
    assert.equal(await store.head(KEY), undefined);
  }

  it('never become visible after an abort, if they were staged before', async () => {
    const staged = await stage('late');
    await store.abort(staged);
    await assertInvisible(staged);
  });

  it('never become visible after an abort, if they are staged later by a worker that does not look', async () => {
    const upload = await begin();
    await store.abort(upload);
    await assertInvisible(await stageBlindly(upload, 'late'));
  });

  it('never become visible after an abort, even if the request that began them arrives again', async () => {
    const upload = await begin();
    await store.abort(upload);
    await container.client.getBlockBlobClient(uploadName(upload)).upload('', 0);
    await assertInvisible(await stageBlindly(upload, 'late'));
  });

  it('are not filled after an abort', async () => {
    const upload = await begin();
    await store.abort(upload);
    await assert.rejects(fillUpload(store, upload, textOf('late')), UploadGone);
    assert.deepEqual(await names(), []);
  });

  it('go on where a completion was interrupted, unless they were aborted there', async () => {
    for (const isAborted of [false, true]) {
      const staged = await stage(String(isAborted));
      // A name that is taken stops the completion between content and copy.
      await container.client.getBlockBlobClient(KEY).upload('taken', 5);
      await assert.rejects(store.complete(staged, 'absent'), ObjectChanged);
      assert.deepEqual(await store.listUnfinishedUploads(KEY), [{ key: KEY, id: staged.id }]);
      await store.remove(KEY);
      if (isAborted) {
        await store.abort(staged);
        await assert.rejects(store.complete(staged, 'absent'), UploadGone);
      } else {
        await store.complete(staged, 'absent');
        assert.equal((await store.head(KEY))?.identity, staged.identity);
        await store.remove(KEY);
      }
    }
    assert.deepEqual(await names(), []);
  });

  it('are found by their name only', async () => {
    const uploads = [await begin(), await begin()];
    await store.begin(`${KEY}.gz`, randomUUID());
    await store.begin('file.jsonl', randomUUID());
    const found = await store.listUnfinishedUploads(KEY);
    assert.ok(found !== 'denied');
    assert.deepEqual(found.map(({ id }) => id).sort(), uploads.map(({ id }) => id).sort());
  });

  it('are copied in the background where the store takes no longer call', async () => {
    store.close();
    store = open({ oneCallCopyBytes: 0 });
    await store.complete(await stage('large'), 'absent');
    assert.equal(await contentOf(KEY), 'large');
    await assert.rejects(store.complete(await stage('larger'), 'absent'), ObjectChanged);
    assert.equal(await contentOf(KEY), 'large');
  });

  it('may be empty', async () => {
    await store.complete(await fillUpload(store, await begin(), textOf('')), 'absent');
    assert.equal(await contentOf(KEY), '');
  });
});
