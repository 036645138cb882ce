/** Parses CSV (RFC 4180, with any line ending) row by row while it arrives. */
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { InvalidInput } from '../../platform/errors.ts';

/** Longer than any id. */
const MAX_CELL = 64 * 1024;
const MAX_CELLS = 1000;

/** @throws InvalidInput for anything but CSV in UTF-8 */
export async function* csvRows(blocks: AsyncIterable<Uint8Array>): AsyncGenerator<string[]> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let text = '';
  let cells: string[] = [];
  function* rowsOf(isEnd: boolean): Generator<string[]> {
    let position = 0;
    for (let cell = cellAt(text, position, isEnd); cell; cell = cellAt(text, position, isEnd)) {
      cells.push(cell.value);
      if (cells.length > MAX_CELLS) throw new InvalidInput(`A row has more than ${MAX_CELLS} cells.`, 'csv');
      position = cell.next;
      if (!cell.isLast) continue;
      yield cells;
      cells = [];
    }
    text = text.slice(position);
    // The text ends with a comma; the empty cell after it is left out.
    if (isEnd && cells.length > 0) yield cells;
    if (text.length > MAX_CELL) throw new InvalidInput(`A cell has more than ${MAX_CELL} characters.`, 'csv');
  }
  for await (const block of blocks) {
    text += decodeUtf8(() => decoder.decode(block, { stream: true }));
    yield* rowsOf(false);
    // Blocks that have arrived already are read without a turn of the event loop between them.
    await yieldToOthers();
  }
  text += decodeUtf8(() => decoder.decode());
  if (text !== '' || cells.length > 0) yield* rowsOf(true);
}

function decodeUtf8(decode: () => string): string {
  try {
    return decode();
  } catch {
    throw new InvalidInput('The file is not UTF-8.', 'csv');
  }
}

type Cell = { value: string; next: number; isLast: boolean };

/** @returns the cell at `start`; undefined when its end has not arrived yet, or the text has ended */
function cellAt(text: string, start: number, isEnd: boolean): Cell | undefined {
  const isQuoted = text[start] === '"';
  const end = isQuoted ? closingQuote(text, start) : separatorAfter(text, start);
  if (end < 0) return isEnd ? lastCell(text, start, isQuoted) : undefined;
  const value = isQuoted ? text.slice(start + 1, end).replaceAll('""', '"') : text.slice(start, end);
  const position = isQuoted ? end + 1 : end;
  // The next character decides whether a quote is doubled, and whether a line feed belongs to a carriage return.
  if (!isEnd && position >= text.length - 1 && text[position] !== ',' && text[position] !== '\n') return undefined;
  if (text[position] === ',') return { value, next: position + 1, isLast: false };
  if (text[position] === '\r' && text[position + 1] === '\n') return { value, next: position + 2, isLast: true };
  if (position >= text.length || text[position] === '\n' || text[position] === '\r')
    return { value, next: position + 1, isLast: true };
  throw new InvalidInput('There is text between the end of a quoted cell and the next separator.', 'csv');
}

function lastCell(text: string, start: number, isQuoted: boolean): Cell | undefined {
  if (isQuoted) throw new InvalidInput('A quoted cell has no closing quote.', 'csv');
  return start < text.length ? { value: text.slice(start), next: text.length, isLast: true } : undefined;
}

function closingQuote(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end >= 0 && text[end + 1] === '"') end = text.indexOf('"', end + 2);
  return end;
}

function separatorAfter(text: string, start: number): number {
  for (let index = start; index < text.length; index++) {
    const character = text[index];
    if (character === ',' || character === '\n' || character === '\r') return index;
  }
  return -1;
}
