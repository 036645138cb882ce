/** Tests whether files can be written where a delivery would write them, with an upload that is begun, filled and aborted, but never visible. */
import { randomUUID } from 'node:crypto';
import { folderOf } from './keys.ts';
import type { ObjectStore } from './store.ts';

/** @param prefix as `checkPrefix` returned it */
export async function testUpload(store: ObjectStore, prefix: string, model: string): Promise<void> {
  const now = new Date().toISOString();
  const folder = folderOf(prefix, { start: now, end: now, model });
  const upload = await store.begin(`${folder === '' ? '' : `${folder}/`}sluice-test`, randomUUID());
  try {
    await store.putPiece(upload, {
      number: 1,
      offset: 0,
      bytes: Buffer.from('Sluice tests whether it may write here.\n'),
    });
  } finally {
    await store.abort(upload);
  }
}
