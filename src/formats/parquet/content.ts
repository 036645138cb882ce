/** The content hash of a Parquet file, which its writer and its reader each make from what they know. */
import { createHash } from 'node:crypto';
import type { CompressionCodec } from 'hyparquet';

/**
 * Covers the names of the columns; then of each column chunk, in the order of the file, its codec (the file's name does not tell)
 * and the sha256 of its pages' bodies before compression.
 */
export class ContentHash {
  readonly #hash = createHash('sha256');

  constructor(columns: readonly { name: string }[]) {
    this.#hash.update(JSON.stringify(columns.map(({ name }) => name)));
  }

  addChunk(codec: CompressionCodec, pages: Uint8Array): void {
    this.#hash.update(codec).update(pages);
  }

  digest(): string {
    return this.#hash.copy().digest('hex');
  }
}
