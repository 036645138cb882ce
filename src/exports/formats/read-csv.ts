/**
 * Counts a CSV file's rows and adds up their digest, to verify a delivery. Only the structure is checked: a header, rows as wide as the
 * header, each with a uuid if a digest is wanted, and a line end after the last one.
 */
import type { RowsDigester } from '../../conditions/rows/rows-digest.ts';
import type { SoughtRows } from './sought-rows.ts';
import { UnreadableFile } from './unreadable.ts';
import { uuidBytes } from './uuid-text.ts';

/**
 * @param digest gets the `uuid` of each row; undefined if the file has no such column
 * @param sought gets the cells of each row, without the mark of cells that spreadsheets would compute; undefined if nothing is sought
 * @returns the number of rows, without the header
 * @throws UnreadableFile
 */
export async function readCsv(
  blocks: AsyncIterable<Uint8Array>,
  digest: RowsDigester | undefined,
  sought?: SoughtRows,
): Promise<number> {
  let header: string[] | undefined;
  let rows = 0;
  for await (const cells of csvRows(blocks)) {
    if (!header) {
      header = cells;
      continue;
    }
    rows++;
    if (cells.length !== header.length) throw new UnreadableFile(`row ${rows} has ${cells.length} cells`);
    sought?.addRow(withoutMarks(header, cells));
    if (!digest) continue;
    const uuid = uuidBytes(cells[header.indexOf('uuid')]);
    if (!uuid) throw new UnreadableFile(`row ${rows} has no uuid`);
    digest.add(uuid, 0);
  }
  if (!header) throw new UnreadableFile('it has no header');
  return rows;
}

/** The cells with their columns; one with a mark twice, because the mark may be part of its value. */
function* withoutMarks(
  header: readonly string[],
  cells: readonly string[],
): Generator<[column: string, value: string]> {
  for (const [index, cell] of cells.entries()) {
    yield [header[index]!, cell];
    if (cell.startsWith("'")) yield [header[index]!, cell.slice(1)];
  }
}

async function* csvRows(blocks: AsyncIterable<Uint8Array>): AsyncGenerator<string[]> {
  const decoder = new TextDecoder();
  let text = '';
  let cells: string[] = [];
  for await (const block of blocks) {
    text += decoder.decode(block, { stream: true });
    let position = 0;
    for (let cell = cellAt(text, position); cell; cell = cellAt(text, position)) {
      cells.push(cell.value);
      position = cell.next;
      if (!cell.isLast) continue;
      yield cells;
      cells = [];
    }
    text = text.slice(position);
  }
  if (text !== '' || cells.length > 0) throw new UnreadableFile('the last row has no end');
}

type Cell = { value: string; next: number; isLast: boolean };

/** The cell that starts at `start`. @returns undefined when the text ends before the cell's end is certain */
function cellAt(text: string, start: number): Cell | undefined {
  const isQuoted = text[start] === '"';
  const end = isQuoted ? closingQuote(text, start) : separatorAfter(text, start);
  if (end < 0) return undefined;
  const value = isQuoted ? text.slice(start + 1, end).replaceAll('""', '"') : text.slice(start, end);
  const at = isQuoted ? end + 1 : end;
  if (text[at] === ',') return { value, next: at + 1, isLast: false };
  if (at + 2 > text.length) return undefined;
  if (text.startsWith('\r\n', at)) return { value, next: at + 2, isLast: true };
  throw new UnreadableFile('a cell does not end where it should');
}

function closingQuote(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end >= 0 && text[end + 1] === '"') end = text.indexOf('"', end + 2);
  return end;
}

function separatorAfter(text: string, start: number): number {
  for (let index = start; index < text.length; index++) {
    const character = text[index];
    if (character === ',' || character === '\r' || character === '\n' || character === '"') return index;
  }
  return -1;
}
