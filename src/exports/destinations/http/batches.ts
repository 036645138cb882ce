/** Splits a part into batches, which are the same for every attempt of its plan. */

export type BatchLimits = { rows: number; bytes: number };

const LINE_END = 0x0a;

/**
 * Yields lists of lines without their ends. At most one batch and one block of the source are held.
 * @param blocks JSON lines; a line longer than the limit is a batch of its own
 */
export async function* batchesOf(blocks: AsyncIterable<Uint8Array>, limits: BatchLimits): AsyncGenerator<Buffer[]> {
  let batch: Buffer[] = [];
  let bytes = 0;
  for await (const line of linesOf(blocks)) {
    if (batch.length > 0 && (batch.length >= limits.rows || bytes + line.length > limits.bytes)) {
      yield batch;
      [batch, bytes] = [[], 0];
    }
    batch.push(line);
    bytes += line.length;
  }
  if (batch.length > 0) yield batch;
}

async function* linesOf(blocks: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let begun: Buffer[] = [];
  for await (const chunk of blocks) {
    const block = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    let start = 0;
    for (let end = block.indexOf(LINE_END); end >= 0; end = block.indexOf(LINE_END, start)) {
      yield Buffer.concat([...begun, block.subarray(start, end)]);
      begun = [];
      start = end + 1;
    }
    if (start < block.length) begun.push(Buffer.from(block.subarray(start)));
  }
  if (begun.length > 0) yield Buffer.concat(begun);
}
