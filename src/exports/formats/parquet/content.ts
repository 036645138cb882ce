/** The content hash of a Parquet file, which writer and reader compute independently. */
import { createHash, webcrypto } from 'node:crypto';
import type { CompressionCodec } from 'hyparquet';

/**
 * Covers the names of the columns and then, for each page in the order of the file, its codec (which the file's name does not tell) and
 * the sha256 of its body before compression.
 */
export class ContentHash {
  readonly #hash = createHash('sha256');

  constructor(columns: readonly { name: string }[]) {
    this.#hash.update(JSON.stringify(columns.map(({ name }) => name)));
  }

  /** @param bodyHash result of `hashOf` */
  addPage(codec: CompressionCodec, bodyHash: Uint8Array): void {
    this.#hash.update(codec).update(bodyHash);
  }

  digest(): string {
    return this.#hash.copy().digest('hex');
  }
}

/** The sha256 of a page's body, made on the thread pool, because it costs as much as the encoding. */
export async function hashOf(body: Uint8Array): Promise<Uint8Array> {
  return new Uint8Array(await webcrypto.subtle.digest('SHA-256', body as Uint8Array<ArrayBuffer>));
}
