/** The interface of a format's encoder, which takes rows one by one and returns blocks of the file. */
import type { CopyBinaryReader } from './copy-binary.ts';

export type Encoder = {
  /** Encodes the reader's present row. */
  add(row: CopyBinaryReader): void;
  /** Blocks that became ready since the last call; called after each chunk of rows, so few blocks wait. */
  readyBlocks(): AsyncIterable<Uint8Array>;
  /** Blocks that are left once all rows were added. */
  end(): AsyncIterable<Uint8Array>;
  /** Size and sha256 (hex) of the content before compression, once the end was read. */
  content(): { bytes: number; sha256: string };
};
