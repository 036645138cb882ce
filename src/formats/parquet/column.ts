/** One column of a file: its values become pages, and the pages of each row group one column chunk. */
import { createHash, type Hash } from 'node:crypto';
import type { Encoding, PageHeader, Statistics } from 'hyparquet';
import { ByteWriter } from 'hyparquet-writer/src/bytewriter.js';
import { writePageHeader } from 'hyparquet-writer/src/datapage.js';
import type { Column } from '../../destinations/contract.ts';
import { Dictionary } from './dictionary.ts';
import { PageBuilder } from './page.ts';
import { PARQUET_TYPES, type ValueWriter } from './values.ts';

/** A page as it stands in the file, and its size before compression; both with its header. */
export type Page = { rawBytes: number; bytes: Uint8Array };

export type Chunk = {
  pages: Promise<Page>[];
  /** Whether the first page is the dictionary. */
  dictionary: boolean;
  encodings: Encoding[];
  values: number;
  statistics: Statistics;
  /** Bytes and sha256 of the pages' bodies before compression. */
  rawBytes: number;
  hash: Buffer;
};

type PageKind = Pick<PageHeader, 'type' | 'data_page_header' | 'dictionary_page_header'>;

/** Compresses a page's body, or leaves it as it is. */
export type Pack = (body: Uint8Array) => Promise<Uint8Array> | Uint8Array;

export class ColumnWriter {
  readonly #pack: Pack;
  readonly #values: ValueWriter;
  readonly #page = new PageBuilder();
  #dictionary: Dictionary | undefined;
  /** Whether the next chunk begins with a dictionary. */
  #tryDictionary: boolean;
  #chunk = emptyChunk();

  constructor({ type }: Column, pack: Pack) {
    this.#pack = pack;
    this.#values = PARQUET_TYPES[type].writer();
    this.#tryDictionary = PARQUET_TYPES[type].dictionary;
    if (this.#tryDictionary) this.#dictionary = new Dictionary();
  }

  /** @param length -1: null */
  add(source: Buffer, start: number, length: number): void {
    const page = this.#page;
    if (length < 0) return page.addNull();
    if (this.#dictionary) {
      if (this.#dictionary.add(source, start, length)) return page.addValue();
      this.#tryDictionary = this.#dictionary.pays;
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
    const { hash, nulls, ...chunk } = this.#chunk;
    this.#chunk = emptyChunk();
    return {
      ...chunk,
      hash: hash.digest(),
      statistics: { null_count: BigInt(nulls), ...this.#values.bounds() },
    };
  }

  /** The dictionary and one page of numbers; what comes then is plain. */
  #endDictionary(): void {
    const dictionary = this.#dictionary!;
    this.#dictionary = undefined;
    if (this.#page.count === 0) return;
    if (dictionary.size === 0) return this.#endPage('PLAIN');
    const values = new PageBuilder();
    dictionary.values((source, start, length) => this.#values.append(values, source, start, length));
    this.#chunk.dictionary = true;
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
    this.#chunk.hash.update(body);
    this.#chunk.rawBytes += body.length;
    const page = packed(body, kind, this.#pack);
    // Awaited in order: a later page that fails first must not count as unhandled meanwhile.
    page.catch(() => {});
    this.#chunk.pages.push(page);
  }
}

function emptyChunk(): Omit<Chunk, 'hash' | 'statistics'> & { hash: Hash; nulls: number } {
  return {
    pages: [],
    dictionary: false,
    encodings: ['RLE'],
    values: 0,
    nulls: 0,
    rawBytes: 0,
    hash: createHash('sha256'),
  };
}

async function packed(body: Uint8Array, kind: PageKind, pack: Pack): Promise<Page> {
  const content = await pack(body);
  const writer = new ByteWriter(64);
  writePageHeader(writer, { ...kind, uncompressed_page_size: body.length, compressed_page_size: content.length });
  const head = writer.getBytes();
  return { rawBytes: head.length + body.length, bytes: Buffer.concat([head, content]) };
}
