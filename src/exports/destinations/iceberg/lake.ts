/** Reads and writes a table's objects by URL, in the store of its data files. */
import { randomBytes } from 'node:crypto';
import { fillUpload } from '../object-store/upload.ts';
import type { ObjectStore } from '../object-store/store.ts';
import { icebergFault } from './faults.ts';
import { splitS3Url } from './table.ts';

export type Lake = {
  store: ObjectStore;
  bucket: string;
  read(url: string): Promise<Buffer>;
  write(url: string, bytes: Buffer): Promise<void>;
  /** Best effort. */
  remove(url: string): Promise<void>;
  keyOf(url: string): string;
};

export function lakeOf(store: ObjectStore, bucket: string): Lake {
  function keyOf(url: string): string {
    const found = splitS3Url(url);
    if (found.bucket !== bucket) throw icebergFault('location_unsupported');
    return found.key;
  }
  return {
    store,
    bucket,
    keyOf,
    async read(url) {
      const content = await store.get(keyOf(url));
      if (!content) throw icebergFault('metadata_missing');
      return Buffer.concat(await Array.fromAsync(content));
    },
    async write(url, bytes) {
      const upload = await store.begin(keyOf(url), randomBytes(16).toString('hex'));
      async function* content() {
        yield bytes;
      }
      try {
        await store.complete(await fillUpload(store, upload, content()));
      } catch (error) {
        await store.abort(upload).catch(() => {});
        throw error;
      }
    },
    async remove(url) {
      await store.remove(keyOf(url)).catch(() => {});
    },
  };
}
