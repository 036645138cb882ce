/** Longer lines are not events: the server would refuse them, and holding them would cost memory. */
const MAX_LINE_BYTES = 4 * 1024 * 1024;

export type Line = {
  /** Line number, from 1. */
  number: number;
  /** Without its ending (`\n` or `\r\n`); undefined when it is longer than 4 MiB. */
  bytes: Buffer | undefined;
};

/** Splits bytes into lines; the last one needs no ending. */
export async function* lines(blocks: AsyncIterable<Buffer>): AsyncGenerator<Line> {
  let number = 0;
  let heldBlocks: Buffer[] = [];
  let heldBytes = 0;

  const finish = (): Line => {
    number += 1;
    const bytes = heldBytes <= MAX_LINE_BYTES ? withoutReturn(Buffer.concat(heldBlocks)) : undefined;
    heldBlocks = [];
    heldBytes = 0;
    return { number, bytes };
  };
  const hold = (part: Buffer) => {
    heldBytes += part.length;
    if (heldBytes > MAX_LINE_BYTES) heldBlocks = [];
    else heldBlocks.push(part);
  };

  for await (const block of blocks) {
    let start = 0;
    for (let end = block.indexOf(10); end >= 0; end = block.indexOf(10, start)) {
      hold(block.subarray(start, end));
      yield finish();
      start = end + 1;
    }
    if (start < block.length) hold(block.subarray(start));
  }
  if (heldBytes > 0) yield finish();
}

function withoutReturn(line: Buffer): Buffer {
  return line.at(-1) === 13 ? line.subarray(0, -1) : line;
}
