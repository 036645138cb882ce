/** Uploads as `store.ts` says: whatever a frozen worker did or will do, an aborted one can no longer become visible. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { gcsClient } from '../../../../src/exports/destinations/gcs/client.ts';
import { parseServiceAccountKey } from '../../../../src/exports/destinations/gcs/service-account.ts';
import { gcsStore } from '../../../../src/exports/destinations/gcs/store.ts';
import { ObjectChanged, type ObjectStore } from '../../../../src/exports/destinations/object-store/store.ts';
import { uploadName } from '../../../../src/exports/destinations/object-store/upload-names.ts';
import { contentOf, itStagesUploads, KEY } from '../../../support/exports/own-uploads.ts';
import { createGcsBucket, needsGcs, type GcsBucket } from '../../../support/servers/gcs/fake-gcs.ts';

describe('uploads to Google Cloud Storage', () => {
  let bucket: GcsBucket;
  let store: ObjectStore;

  before(async function () {
    await needsGcs(this);
  });
  beforeEach(async () => {
    bucket = await createGcsBucket();
    const { signal } = new AbortController();
    const account = parseServiceAccountKey(bucket.key);
    const client = gcsClient({ account, origin: bucket.gateway.origin, allowedHosts: ['127.0.0.1'], signal });
    store = gcsStore({ client, bucket: bucket.bucket, place: 'gcs:place', signal });
  });
  afterEach(() => store?.close());

  const names = async () => (await bucket.list()).map(({ name }) => name).sort();
  const generationOf = async (name: string) => (await bucket.list()).find((one) => one.name === name)!.generation;

  itStagesUploads(() => ({
    store,
    otherTag: '1',
    names,
    write: (key, text) => bucket.write(key, text),
    beginAgain: (upload) => bucket.write(uploadName(upload), ''),
    async storeBlindly(upload, text) {
      const name = `${uploadName(upload)}.1`;
      await bucket.write(name, text);
      return { number: 1, tag: await generationOf(name) };
    },
  }));

  it('of more pieces than one request composes have all of them in their order, also after an interruption', async () => {
    const upload = await store.begin(KEY, randomUUID());
    const texts = Array.from({ length: 70 }, (_, index) => `piece ${index}\n`);
    const parts = [];
    for (const [index, text] of texts.entries())
      parts.push(await store.putPiece(upload, { number: index + 1, offset: 0, bytes: Buffer.from(text) }));
    const sums = { bytes: texts.join('').length, sha256: 'a'.repeat(64), crc32: 0 };
    const staged = { ...upload, parts, ...sums, ...store.identify(upload, sums) };
    await bucket.write(KEY, 'taken');
    await assert.rejects(store.complete(staged, 'absent'), ObjectChanged);
    await bucket.remove(KEY);
    await store.complete(staged, 'absent');
    assert.equal(await contentOf(store), texts.join(''));
    assert.deepEqual(await names(), [KEY]);
  });

  it('leave no piece behind where the worker died while it removed them', async () => {
    const upload = await store.begin(KEY, randomUUID());
    await store.putPiece(upload, { number: 1, offset: 0, bytes: Buffer.from('left') });
    await bucket.remove(uploadName(upload));
    const found = await store.listUnfinishedUploads(KEY);
    assert.ok(found !== 'denied' && found.length === 1);
    await store.abort(found[0]!);
    assert.deepEqual(await names(), []);
  });
});
