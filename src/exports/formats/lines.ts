/** Formats that are text, row after row: their content is the file itself before compression. */
import { createHash } from 'node:crypto';
import { BlockWriter } from './block-writer.ts';
import type { CopyBinaryReader } from './copy-binary.ts';
import type { Encoder } from './encoder.ts';

/** @param start writes what comes before the rows, and returns the function that writes the reader's present row */
export function lineEncoder(start: (out: BlockWriter) => (row: CopyBinaryReader) => void): Encoder {
  const out = new BlockWriter();
  const add = start(out);
  const hash = createHash('sha256');
  let bytes = 0;

  async function* readyBlocks() {
    for (const block of out.take()) {
      hash.update(block);
      bytes += block.length;
      yield block;
    }
  }
  return {
    add,
    readyBlocks,
    end() {
      out.end();
      return readyBlocks();
    },
    content: () => ({ bytes, sha256: hash.copy().digest('hex') }),
  };
}
