/** One column of a file: its values become pages, and the pages of each row group one column chunk. */
import type { Encoding, Statistics } from 'hyparquet';
import type { Column } from '../../../conditions/rows/columns.ts';
import { Dictionary } from './dictionary.ts';
import type { Page, PageKind } from './pack.ts';
import { PageBuilder, SparePages } from './page.ts';
import { PARQUET_TYPES, type ValueWriter } from './values.ts';

export type Chunk = {
  pages: Promise<Page>[];
  /** Whether the first page is the dictionary. */
  hasDictionary: boolean;
  encodings: Encoding[];
  values: number;
  statistics: Statistics;
};

export class ColumnWriter {
  readonly #pack: (body: Uint8Array, kind: PageKind) => Promise<Page>;
  readonly #values: ValueWriter;
  readonly #page: PageBuilder;
  #dictionary: Dictionary | undefined;
  /** Whether the next chunk begins with a dictionary. */
  #tryDictionary: boolean;
  #chunk = emptyChunk();

  /** @param pack begins to compress a body to a page */
  constructor({ type }: Column, pack: (body: Uint8Array, kind: PageKind) => Promise<Page>, spare: SparePages) {
    this.#pack = pack;
    this.#page = new PageBuilder(spare);
    this.#values = PARQUET_TYPES[type].writer();
    this.#tryDictionary = PARQUET_TYPES[type].usesDictionary;
    if (this.#tryDictionary) this.#dictionary = new Dictionary();
  }

  /** @param length -1 for null */
  add(source: Buffer, start: number, length: number): void {
    const page = this.#page;
    if (length < 0) return page.addNull();
    if (this.#dictionary) {
      if (this.#dictionary.add(source, start, length)) return page.addValue();
      this.#tryDictionary = this.#dictionary.isWorthwhile;
      this.#endDictionary();
    }
    this.#values.append(page, source, start, length);
    page.addValue();
    if (page.isFull()) this.#endPage('PLAIN');
  }

  /** Ends the chunk and begins the next. */
  endChunk(): Chunk {
    if (this.#dictionary) this.#endDictionary();
    else if (this.#page.count > 0) this.#endPage('PLAIN');
    if (this.#tryDictionary) this.#dictionary = new Dictionary();
    const { nulls, ...chunk } = this.#chunk;
    this.#chunk = emptyChunk();
    return { ...chunk, statistics: { null_count: BigInt(nulls), ...this.#values.bounds() } };
  }

  /** Ends the dictionary and the page of its numbers; later values of the chunk are plain. */
  #endDictionary(): void {
    const dictionary = this.#dictionary!;
    this.#dictionary = undefined;
    if (this.#page.count === 0) return;
    if (dictionary.size === 0) return this.#endPage('PLAIN');
    const values = new PageBuilder(new SparePages());
    dictionary.values((source, start, length) => this.#values.append(values, source, start, length));
    this.#chunk.hasDictionary = true;
    this.#chunk.encodings.push('PLAIN');
    this.#addPage(values.takeValues(), {
      type: 'DICTIONARY_PAGE',
      dictionary_page_header: { num_values: dictionary.size, encoding: 'PLAIN' },
    });
    for (const piece of dictionary.packedRows()) this.#page.append(piece);
    this.#endPage('RLE_DICTIONARY');
  }

  #endPage(encoding: Encoding): void {
    const { count, nulls } = this.#page;
    this.#chunk.values += count;
    this.#chunk.nulls += nulls;
    if (!this.#chunk.encodings.includes(encoding)) this.#chunk.encodings.push(encoding);
    this.#addPage(this.#page.take(), {
      type: 'DATA_PAGE',
      data_page_header: {
        num_values: count,
        encoding,
        definition_level_encoding: 'RLE',
        repetition_level_encoding: 'RLE',
      },
    });
  }

  #addPage(body: Uint8Array, kind: PageKind): void {
    this.#chunk.pages.push(this.#pack(body, kind));
  }
}

function emptyChunk(): Omit<Chunk, 'statistics'> & { nulls: number } {
  return { pages: [], hasDictionary: false, encodings: ['RLE'], values: 0, nulls: 0 };
}
