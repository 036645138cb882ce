/** Reads JSON lines back with the runtime's own parser. */
import type { RowsDigester } from '../../conditions/rows/rows-digest.ts';
import type { SoughtRows } from './sought-rows.ts';
import { UnreadableFile } from './unreadable.ts';
import { uuidBytes } from './uuid-text.ts';

const LINE_FEED = 10;

/**
 * @param digest receives every row's `uuid`; undefined if rows have none
 * @param sought receives every row's values; undefined if nothing is sought
 * @returns the number of rows
 * @throws UnreadableFile
 */
export async function readJsonLines(
  blocks: AsyncIterable<Uint8Array>,
  digest: RowsDigester | undefined,
  sought?: SoughtRows,
): Promise<number> {
  let rows = 0;
  let pending: Uint8Array[] = [];
  for await (const block of blocks) {
    let from = 0;
    for (let index = block.indexOf(LINE_FEED); index >= 0; index = block.indexOf(LINE_FEED, from)) {
      const line = Buffer.concat([...pending, block.subarray(from, index)]);
      const row = readLine(line.toString(), ++rows, digest);
      sought?.addRow(Object.entries(row));
      pending = [];
      from = index + 1;
    }
    if (from < block.length) pending.push(block.subarray(from));
  }
  if (pending.length > 0) throw new UnreadableFile(`line ${rows + 1} is not terminated`);
  return rows;
}

function readLine(line: string, number: number, digest: RowsDigester | undefined): object {
  const row = parse(line);
  const uuid = digest && uuidBytes(row?.uuid);
  if (!row || (digest && !uuid)) throw new UnreadableFile(`line ${number} is not a valid row`);
  if (uuid) digest.add(uuid, 0);
  return row;
}

function parse(line: string): { uuid?: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
