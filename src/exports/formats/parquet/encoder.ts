/**
 * Parquet from COPY BINARY: each value is copied once, into the page it belongs to, and never becomes a JavaScript value of its
 * own. A row group's pages wait, compressed, until the group is complete, because a column's pages are adjacent in the file.
 * Format: https://parquet.apache.org/docs/file-format/
 */
import type { RowGroup } from 'hyparquet';
import type { Compression } from '../file-encoding.ts';
import type { Column } from '../../../conditions/rows/columns.ts';
import type { CopyBinaryReader } from '../copy-binary.ts';
import type { Encoder } from '../encoder.ts';
import { CODECS } from './codecs.ts';
import { ColumnWriter, type Chunk } from './column.ts';
import { ContentHash } from './content.ts';
import { chunkMetadata, footer, MAGIC, rowGroupMetadata } from './footer.ts';
import { packPage, type Page, type PageKind } from './pack.ts';
import { SparePages } from './page.ts';

/**
 * A row group ends once its rows have this many bytes in the format of COPY, or this number. Its end depends on the rows alone, so the
 * same rows always make the same content.
 */
const GROUP_BYTES = 64 * 1024 * 1024;
const GROUP_ROWS = 1024 * 1024;
/** Pages being compressed at once; libuv's thread pool has four threads. */
const CONCURRENT_PAGES = 6;

/** Additions for a table's files: the ids by which the table knows its columns, and columns with one value. */
export type TableFields = {
  fieldIds: ReadonlyMap<string, number>;
  /** Values as in COPY BINARY. */
  constants: readonly { column: Column; value: Buffer }[];
};

type Group = { rows: number; chunks: Chunk[] };

const NO_TABLE: TableFields = { fieldIds: new Map(), constants: [] };

/** @param copiedColumns the columns that COPY delivers; hidden ones are left out */
export function parquetEncoder(
  copiedColumns: readonly Column[],
  compression: Compression | null,
  { fieldIds, constants }: TableFields = NO_TABLE,
): Encoder {
  const codec = compression === null ? 'UNCOMPRESSED' : CODECS[compression].name;
  const shownIndexes = copiedColumns.map((_, i) => i).filter((i) => !copiedColumns[i]!.hidden);
  const columns = [...shownIndexes.map((i) => copiedColumns[i]!), ...constants.map(({ column }) => column)];

  const spare = new SparePages();
  const inFlight: Promise<Page>[] = [];
  const pack = (body: Uint8Array, kind: PageKind) => {
    const page = packPage(body, kind, compression);
    // Pages are awaited in order; a later page that fails first must not count as unhandled meanwhile.
    page.then(
      () => spare.giveBack(body),
      () => {},
    );
    inFlight.push(page);
    return page;
  };
  const writers = columns.map((column) => new ColumnWriter(column, pack, spare));

  const hash = new ContentHash(columns);
  let contentBytes = 0;
  const rowGroups: RowGroup[] = [];
  let finished: Group[] = [];
  let [rows, bytes] = [0, 0];
  let offset = 0;

  function endGroup(): void {
    if (rows > 0) finished.push({ rows, chunks: writers.map((writer) => writer.endChunk()) });
    [rows, bytes] = [0, 0];
  }

  async function* groupBytes({ rows: groupRows, chunks }: Group) {
    const metadata = [];
    for (const [n, chunk] of chunks.entries()) {
      const pages = await Promise.all(chunk.pages);
      metadata.push(chunkMetadata(columns[n]!, chunk, pages, offset, codec));
      for (const page of pages) {
        hash.addPage(codec, page.hash);
        contentBytes += page.rawBytes;
        offset += page.bytes.length;
        yield page.bytes;
      }
    }
    rowGroups.push(rowGroupMetadata(metadata, groupRows));
  }

  async function* readyBlocks() {
    if (offset === 0) {
      offset = MAGIC.length;
      yield MAGIC;
    }
    const groups = finished;
    finished = [];
    for (const group of groups) yield* groupBytes(group);
    while (inFlight.length > CONCURRENT_PAGES) await inFlight.shift();
  }

  return {
    add({ bytes: source, starts, lengths }: CopyBinaryReader) {
      for (let n = 0; n < shownIndexes.length; n++) {
        const i = shownIndexes[n]!;
        const length = lengths[i]!;
        writers[n]!.add(source, starts[i]!, length);
        bytes += 4 + (length > 0 ? length : 0);
      }
      for (let n = 0; n < constants.length; n++) {
        const { value } = constants[n]!;
        writers[shownIndexes.length + n]!.add(value, 0, value.length);
      }
      rows++;
      if (bytes >= GROUP_BYTES || rows === GROUP_ROWS) endGroup();
    },
    readyBlocks,
    async *end() {
      endGroup();
      yield* readyBlocks();
      yield footer(columns, rowGroups, fieldIds);
    },
    content: () => ({ bytes: contentBytes, sha256: hash.digest() }),
  };
}
