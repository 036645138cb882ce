/** Reads and writes a table's objects by URL, in the store of its data files. */
import type { WholeObjectStore } from '../object-store/store.ts';
import { icebergFault } from './faults.ts';
import { parseLocation, type Location } from './storage/location.ts';

export type Lake = {
  store: WholeObjectStore;
  read(url: string): Promise<Buffer>;
  /** Leaves no unfinished upload. The URL must be one that nothing else is written to. */
  write(url: string, bytes: Buffer): Promise<void>;
  /** Best effort. */
  remove(url: string): Promise<void>;
  /** @throws DestinationRejected for a URL of another bucket */
  keyOf(url: string): string;
  urlOf(key: string): string;
};

/** @param location of the table, or of any of its files */
export function lakeOf(store: WholeObjectStore, { id, root }: Pick<Location, 'id' | 'root'>): Lake {
  function keyOf(url: string): string {
    const found = parseLocation(url);
    if (found.id !== id) throw icebergFault('location_unsupported');
    return found.key;
  }
  return {
    store,
    keyOf,
    urlOf: (key) => `${root}/${key}`,
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
