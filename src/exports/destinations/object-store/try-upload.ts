/** Tests whether files can be written where a delivery would write them. */
import { randomUUID } from 'node:crypto';
import { folderOf } from './keys.ts';
import type { ObjectStore } from './store.ts';
import { fillUpload } from './upload.ts';

const CONTENT = Buffer.from('Sluice tests whether it may write here.\n');

/** A key beside the files of a delivery. @param prefix as `checkPrefix` returned it */
function testKey(prefix: string, model: string, name: string): string {
  const now = new Date().toISOString();
  const folder = folderOf(prefix, { start: now, end: now, model });
  return `${folder === '' ? '' : `${folder}/`}${name}`;
}

/** Begins, fills and aborts an upload, which is never visible. @param prefix as `checkPrefix` returned it */
export async function testUpload(store: ObjectStore, prefix: string, model: string): Promise<void> {
  const upload = await store.begin(testKey(prefix, model, 'sluice-test'), randomUUID());
  try {
    await store.putPiece(upload, { number: 1, offset: 0, bytes: CONTENT });
  } finally {
    await store.abort(upload);
  }
}

/**
 * Writes a file, reads and deletes it, at stores where an upload is a visible object, so that deliveries need the right to delete.
 * @param prefix as `checkPrefix` returned it
 */
export async function testFile(
  store: ObjectStore,
  prefix: string,
  { model, fault }: { model: string; fault(code: 'answer_incomplete' | 'delete_denied'): Error },
): Promise<void> {
  const key = testKey(prefix, model, `_sluice-test-${randomUUID()}`);
  const upload = await store.begin(key, randomUUID());
  try {
    await store.complete(await fillUpload(store, upload, content()), 'absent');
    if ((await store.head(key))?.identity !== upload.token) throw fault('answer_incomplete');
  } finally {
    await store.abort(upload);
  }
  if ((await store.remove(key)) === 'denied') throw fault('delete_denied');
}

async function* content() {
  yield CONTENT;
}
