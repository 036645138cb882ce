/** Divides one stream of rows into the streams of its parts, which are read one after another. */
import { CopyBinaryReader, HEADER, TRAILER } from './copy-binary.ts';

/** Rows are passed on in blocks of this size, or of the longest row. */
const BLOCK_BYTES = 256 * 1024;
/** In front of each row: the number of its fields. */
const COUNT_BYTES = 2;
/** In front of each field. */
const LENGTH_BYTES = 4;

export type MarkedParts = {
  /**
   * The rows of a part as a COPY BINARY stream with header and trailer, to be read once and to its end. A stream waits for the ones of the parts
   * before it, so all may be begun at once. Chunks are overwritten once the next is asked for.
   */
  rowsOf(part: number): AsyncIterable<Uint8Array>;
  /** Ends the source. Streams that wait throw the error. */
  stop(error: unknown): Promise<void>;
};

/**
 * @param source COPY BINARY with a field in front of the columns, which is null in rows. Each part begins with a row in which it is the number
 *   of the part, and which is no row of the part
 * @param parts numbers of the parts that are read, in the order of the source; others are passed over
 */
export function markedParts(source: AsyncIterable<Uint8Array>, columns: number, parts: readonly number[]): MarkedParts {
  const blocks = blocksOf(source, columns);
  const order = new Map(parts.map((part, index) => [part, index]));
  const turns = [...parts, undefined].map(() => Promise.withResolvers<void>());
  turns[0]!.resolve();
  // A turn that no stream waits for may be refused, too.
  for (const { promise } of turns) promise.catch(() => {});
  /** The first block of a later part, which the stream of an earlier one has met. */
  let ahead: Block | undefined;
  let stopped: { error: unknown } | undefined;

  async function nextBlockOf(part: number): Promise<Uint8Array | undefined> {
    for (;;) {
      const block = ahead ?? (await blocks.next()).value;
      ahead = undefined;
      if (stopped) throw stopped.error;
      if (block === undefined || block.part === part) return block?.rows;
      if ((order.get(block.part) ?? -1) < order.get(part)!) continue;
      ahead = block;
      return undefined;
    }
  }

  return {
    async *rowsOf(part) {
      const index = order.get(part)!;
      await turns[index]!.promise;
      yield HEADER;
      for (let rows = await nextBlockOf(part); rows; rows = await nextBlockOf(part)) yield rows;
      turns[index + 1]!.resolve();
      yield TRAILER;
    },
    async stop(error) {
      stopped ??= { error };
      for (const turn of turns) turn.reject(error);
      await blocks.return(undefined);
    },
  };
}

/** Rows of one part. */
type Block = { part: number; rows: Uint8Array };

async function* blocksOf(source: AsyncIterable<Uint8Array>, columns: number): AsyncGenerator<Block, undefined> {
  const reader = new CopyBinaryReader(columns + 1);
  let part: number | undefined;
  let block = Buffer.allocUnsafeSlow(BLOCK_BYTES);
  let filled = 0;
  for await (const chunk of source) {
    reader.push(chunk);
    while (reader.next()) {
      const { bytes, starts, lengths } = reader;
      const isMark = lengths[0] !== -1;
      const [start, end] = [starts[1]! - LENGTH_BYTES, starts[columns]! + Math.max(0, lengths[columns]!)];
      const isFull = filled + COUNT_BYTES + end - start > block.length;
      if (part !== undefined && filled > 0 && (isMark || isFull)) {
        yield { part, rows: block.subarray(0, filled) };
        filled = 0;
      }
      if (isMark) {
        part = bytes.readInt32BE(starts[0]);
        continue;
      }
      if (part === undefined) throw new Error('a row is before the first part');
      if (COUNT_BYTES + end - start > block.length) block = Buffer.allocUnsafeSlow(COUNT_BYTES + end - start);
      filled = block.writeInt16BE(columns, filled);
      filled += bytes.copy(block, filled, start, end);
    }
  }
  reader.finish();
  if (part !== undefined && filled > 0) yield { part, rows: block.subarray(0, filled) };
}
