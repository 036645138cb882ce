/** Counts rows that have one of the sought texts as the value of a column, such as a distinct id of an erased person. */
import type { Column } from '../../conditions/rows/columns.ts';
import { CopyBinaryReader } from './copy-binary.ts';

export class SoughtRows {
  /** Rows found so far. */
  found = 0;
  readonly #texts: ReadonlySet<string>;
  readonly #names: ReadonlySet<string>;

  /** @param columns of the rows; only those of type text are searched */
  constructor(texts: Iterable<string>, columns: readonly Column[]) {
    this.#texts = new Set(texts);
    this.#names = new Set(columns.flatMap(({ name, type }) => (type === 'text' ? [name] : [])));
  }

  isSought(column: string, value: unknown): boolean {
    return typeof value === 'string' && this.#names.has(column) && this.#texts.has(value);
  }

  addRow(row: Iterable<readonly [column: string, value: unknown]>): void {
    for (const [column, value] of row)
      if (this.isSought(column, value)) {
        this.found++;
        return;
      }
  }
}

/** Counts the rows of a COPY BINARY stream that have one of the texts in a column of type text. */
export async function countSought(
  source: AsyncIterable<Uint8Array>,
  columns: readonly Column[],
  texts: readonly string[],
): Promise<number> {
  const sought = new SoughtRows(texts, columns);
  const longest = texts.reduce((most, text) => Math.max(most, Buffer.byteLength(text)), 0);
  const reader = new CopyBinaryReader(columns.length);
  const valueAt = (index: number) => {
    const [start, length] = [reader.starts[index]!, reader.lengths[index]!];
    return length < 0 || length > longest ? null : reader.bytes.toString('utf8', start, start + length);
  };
  for await (const chunk of source) {
    reader.push(chunk);
    while (reader.next()) sought.addRow(columns.map(({ name }, index) => [name, valueAt(index)]));
  }
  reader.finish();
  return sought.found;
}
