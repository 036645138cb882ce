/** Reads and writes a table's objects by URL, in the store of its data files. */
import type { WholeObjectStore } from '../object-store/store.ts';
import { icebergFault } from './faults.ts';
import { parseLocation, type Location } from './storage/location.ts';

/** Limit of a manifest or a list of manifests. Engines begin another manifest after eight MiB. */
const MAX_MANIFEST_BYTES = 32 * 1024 * 1024;

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
      return readAll(content);
    },
    write: async (url, bytes) => store.put(keyOf(url), bytes),
    async remove(url) {
      await store.remove(keyOf(url)).catch(() => {});
    },
  };
}

/** @throws DestinationUnavailable for more than a manifest has: the store may be anybody's, and its answer endless */
async function readAll(content: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of content) {
    bytes += chunk.length;
    if (bytes > MAX_MANIFEST_BYTES) throw icebergFault('metadata_too_large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
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
