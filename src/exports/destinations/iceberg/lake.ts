/** Reads and writes a table's objects by URL, in the store of its data files. */
import type { S3Store } from '../s3/store.ts';
import { icebergFault } from './faults.ts';
import { splitS3Url } from './table.ts';

export type Lake = {
  store: S3Store;
  bucket: string;
  read(url: string): Promise<Buffer>;
  /** Leaves no unfinished upload. The URL must be one that nothing else is written to. */
  write(url: string, bytes: Buffer): Promise<void>;
  /** Best effort. */
  remove(url: string): Promise<void>;
  keyOf(url: string): string;
};

export function lakeOf(store: S3Store, bucket: string): Lake {
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
    write: async (url, bytes) => store.put(keyOf(url), bytes),
    async remove(url) {
      await store.remove(keyOf(url)).catch(() => {});
    },
  };
}

/** A lake that reads each metadata file once, for as long as its caller keeps it. */
export function withReadCache(lake: Lake): Lake {
  const read = new Map<string, Promise<Buffer>>();
  return {
    ...lake,
    read(url) {
      const bytes = read.get(url) ?? lake.read(url);
      read.set(url, bytes);
      return bytes;
    },
  };
}
