/** The footer of a Parquet file: its schema, and where its column chunks are. */
import type { ColumnChunk, CompressionCodec, RowGroup, SchemaElement } from 'hyparquet';
import type { Column } from '../../../conditions/rows/columns.ts';
import type { Chunk } from './column.ts';
import { fileMetadata } from './headers.ts';
import type { Page } from './pack.ts';
import { thriftBytes, type Struct } from './thrift.ts';
import { PARQUET_TYPES } from './values.ts';

export const MAGIC = Buffer.from('PAR1');
/** Name of the writer, by which readers recognize files of writers with known bugs. */
const CREATED_BY = 'sluice version 1';

/** @param pages the pages of the chunk @param offset position of the first page in the file */
export function chunkMetadata(
  { name, type }: Column,
  chunk: Chunk,
  pages: readonly Page[],
  offset: number,
  codec: CompressionCodec,
): ColumnChunk {
  const total = (sizeOf: (page: Page) => number) => BigInt(pages.reduce((sum, page) => sum + sizeOf(page), 0));
  const dictionaryBytes = chunk.hasDictionary ? pages[0]!.bytes.length : 0;
  return {
    file_offset: 0n,
    meta_data: {
      type: PARQUET_TYPES[type].element.type!,
      encodings: chunk.encodings,
      path_in_schema: [name],
      codec,
      num_values: BigInt(chunk.values),
      total_uncompressed_size: total((page) => page.rawBytes),
      total_compressed_size: total((page) => page.bytes.length),
      data_page_offset: BigInt(offset + dictionaryBytes),
      ...(chunk.hasDictionary && { dictionary_page_offset: BigInt(offset) }),
      statistics: chunk.statistics,
    },
  };
}

export function rowGroupMetadata(columns: ColumnChunk[], rows: number): RowGroup {
  const total = (field: 'total_uncompressed_size' | 'total_compressed_size') =>
    columns.reduce((sum, column) => sum + column.meta_data![field], 0n);
  return {
    columns,
    num_rows: BigInt(rows),
    total_byte_size: total('total_uncompressed_size'),
    total_compressed_size: total('total_compressed_size'),
  };
}

/** The file's last bytes. @param columns the columns of the file @param fieldIds see `TableFields` */
export function footer(
  columns: readonly Column[],
  rowGroups: RowGroup[],
  fieldIds?: ReadonlyMap<string, number>,
): Uint8Array {
  const elements = columns.map(({ name, type }): SchemaElement => {
    const fieldId = fieldIds?.get(name);
    return {
      ...PARQUET_TYPES[type].element,
      name,
      repetition_type: 'OPTIONAL',
      ...(fieldId !== undefined && { field_id: fieldId }),
    };
  });
  return footerOf(
    fileMetadata({
      version: 2,
      created_by: CREATED_BY,
      schema: [{ name: 'schema', num_children: columns.length }, ...elements],
      num_rows: rowGroups.reduce((sum, group) => sum + group.num_rows, 0n),
      row_groups: rowGroups,
    }),
  );
}

/** The file's last bytes. @param metadata of the file, by the ids of its fields */
export function footerOf(metadata: Struct): Uint8Array {
  const bytes = thriftBytes(metadata);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(bytes.length);
  return Buffer.concat([bytes, length, MAGIC]);
}
