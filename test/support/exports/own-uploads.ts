/** Promises of stores where an upload is an object of its own until it gets its file's name. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import {
  ObjectChanged,
  UploadGone,
  type ObjectStore,
  type StagedUpload,
  type StoredPiece,
  type Upload,
} from '../../../src/exports/destinations/object-store/store.ts';
import { fillUpload } from '../../../src/exports/destinations/object-store/upload.ts';

export const KEY = 'web/file.jsonl';

export type UploadPlace = {
  store: ObjectStore;
  /** A tag that no object has. */
  otherTag: string;
  /** Names of everything that is there, uploads included. */
  names(): Promise<string[]>;
  /** Writes an object that is not of an upload. */
  write(key: string, text: string): Promise<void>;
  /** Repeats the request that began the upload. */
  beginAgain(upload: Upload): Promise<void>;
  /** Stores a piece as a frozen worker would that had looked for its upload before the abort. */
  storeBlindly(upload: Upload, text: string): Promise<StoredPiece>;
};

export async function* textOf(text: string) {
  yield Buffer.from(text);
}

export async function contentOf(store: ObjectStore, key = KEY): Promise<string | undefined> {
  const content = await store.get(key);
  return content && Buffer.concat(await Array.fromAsync(content)).toString();
}

/** Stages an upload whose pieces are stored. */
export async function stageUpload(store: ObjectStore, text: string): Promise<StagedUpload> {
  return fillUpload(store, await store.begin(KEY, randomUUID()), textOf(text));
}

export function itStagesUploads(place: () => UploadPlace): void {
  const store = () => place().store;
  const begin = async () => store().begin(KEY, randomUUID());
  const stage = async (text: string) => stageUpload(store(), text);

  async function stageBlindly(upload: Upload, text: string): Promise<StagedUpload> {
    const sums = { bytes: text.length, sha256: 'a'.repeat(64), crc32: 0 };
    const parts = [await place().storeBlindly(upload, text)];
    return { ...upload, parts, ...sums, ...store().identify(upload, sums) };
  }

  async function assertInvisible(staged: StagedUpload): Promise<void> {
    await assert.rejects(store().complete(staged, 'absent'), UploadGone);
    assert.equal(await store().head(KEY), undefined);
  }

  it('do not mix, though they are for one name', async () => {
    const [first, second] = [await stage('first'), await stage('second')];
    await store().complete(first, 'absent');
    assert.equal(await contentOf(store()), 'first');
    const head = await store().head(KEY);
    await store().complete(second, { tag: head!.tag! });
    assert.equal(await contentOf(store()), 'second');
    assert.deepEqual(await place().names(), [KEY]);
  });

  it('replace only what they may', async () => {
    const tag = place().otherTag;
    const staged = [await stage('1'), await stage('2'), await stage('3'), await stage('4')] as const;
    await assert.rejects(store().complete(staged[0], { tag }), ObjectChanged);
    await store().complete(staged[1], 'absent');
    await assert.rejects(store().complete(staged[2], 'absent'), ObjectChanged);
    await assert.rejects(store().complete(staged[3], { tag }), ObjectChanged);
    assert.equal(await contentOf(store()), '2');
  });

  it('never become visible after an abort, if they were staged before', async () => {
    const staged = await stage('late');
    await store().abort(staged);
    await assertInvisible(staged);
  });

  it('never become visible after an abort, if they are staged later by a worker that does not look', async () => {
    const upload = await begin();
    await store().abort(upload);
    await assertInvisible(await stageBlindly(upload, 'late'));
  });

  it('never become visible after an abort, even if the request that began them arrives again', async () => {
    const upload = await begin();
    await store().abort(upload);
    await place().beginAgain(upload);
    await assertInvisible(await stageBlindly(upload, 'late'));
  });

  it('are not filled after an abort', async () => {
    const upload = await begin();
    await store().abort(upload);
    await assert.rejects(fillUpload(store(), upload, textOf('late')), UploadGone);
    assert.deepEqual(await place().names(), []);
  });

  it('continue where a completion was interrupted, unless they were aborted there', async () => {
    for (const isAborted of [false, true]) {
      const staged = await stage(String(isAborted));
      // A name that is taken stops the completion.
      await place().write(KEY, 'taken');
      await assert.rejects(store().complete(staged, 'absent'), ObjectChanged);
      assert.deepEqual(await store().listUnfinishedUploads(KEY), [{ key: KEY, id: staged.id }]);
      await store().remove(KEY);
      if (isAborted) {
        await store().abort(staged);
        await assert.rejects(store().complete(staged, 'absent'), UploadGone);
      } else {
        await store().complete(staged, 'absent');
        assert.equal((await store().head(KEY))?.identity, staged.identity);
        await store().remove(KEY);
      }
    }
    assert.deepEqual(await place().names(), []);
  });

  it('are found by their name only', async () => {
    const uploads = [await begin(), await begin()];
    await store().begin(`${KEY}.gz`, randomUUID());
    await store().begin('file.jsonl', randomUUID());
    const found = await store().listUnfinishedUploads(KEY);
    assert.ok(found !== 'denied');
    assert.deepEqual(found.map(({ id }) => id).sort(), uploads.map(({ id }) => id).sort());
  });

  it('may be empty', async () => {
    await store().complete(await stage(''), 'absent');
    assert.equal(await contentOf(store()), '');
  });
}
