/**
 * Structs that Parquet writes with Thrift, by the ids of their fields: the header of a page, the metadata of a file. Only what our files use.
 * https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift
 */
import type { ColumnMetaData, FileMetaData, LogicalType, PageHeader, SchemaElement, Statistics } from 'hyparquet';
import { thriftBytes, type Struct } from './thrift.ts';

const TYPES = ['BOOLEAN', 'INT32', 'INT64', 'INT96', 'FLOAT', 'DOUBLE', 'BYTE_ARRAY'];
const CONVERTED_TYPES: Readonly<Record<string, number>> = { UTF8: 0, DATE: 6, TIMESTAMP_MICROS: 10 };
const ENCODINGS: Readonly<Record<string, number>> = { PLAIN: 0, RLE: 3, RLE_DICTIONARY: 8 };
const REPETITIONS = ['REQUIRED', 'OPTIONAL', 'REPEATED'];
const CODECS = ['UNCOMPRESSED', 'SNAPPY', 'GZIP', 'LZO', 'BROTLI', 'LZ4', 'ZSTD', 'LZ4_RAW'];
const PAGES = ['DATA_PAGE', 'INDEX_PAGE', 'DICTIONARY_PAGE'];

export function pageHeader(header: PageHeader): Uint8Array {
  const { data_page_header: data, dictionary_page_header: dictionary } = header;
  return thriftBytes({
    1: PAGES.indexOf(header.type),
    2: header.uncompressed_page_size,
    3: header.compressed_page_size,
    5: data && {
      1: data.num_values,
      2: ENCODINGS[data.encoding],
      3: ENCODINGS[data.definition_level_encoding],
      4: ENCODINGS[data.repetition_level_encoding],
    },
    7: dictionary && { 1: dictionary.num_values, 2: ENCODINGS[dictionary.encoding] },
  });
}

export function fileMetadata({
  version,
  schema,
  num_rows,
  row_groups,
  created_by,
}: Omit<FileMetaData, 'metadata_length'>): Struct {
  return {
    1: version,
    2: schema.map(schemaElement),
    3: num_rows,
    4: row_groups.map((group) => ({
      1: group.columns.map((chunk) => ({ 2: chunk.file_offset, 3: columnMetadata(chunk.meta_data!) })),
      2: group.total_byte_size,
      3: group.num_rows,
      6: group.total_compressed_size,
    })),
    6: created_by,
    // The order of each column's bounds is that of its type.
    7: schema.filter(({ type }) => type !== undefined).map(() => ({ 1: {} })),
  };
}

function schemaElement(element: SchemaElement): Struct {
  const { type, repetition_type, name, num_children, converted_type, field_id, logical_type } = element;
  return {
    1: type && TYPES.indexOf(type),
    3: repetition_type && REPETITIONS.indexOf(repetition_type),
    4: name,
    5: num_children,
    6: converted_type && CONVERTED_TYPES[converted_type],
    9: field_id,
    10: logical_type && logicalType(logical_type),
  };
}

function logicalType(logical: LogicalType): Struct {
  if (logical.type === 'STRING') return { 1: {} };
  if (logical.type === 'DATE') return { 6: {} };
  if (logical.type !== 'TIMESTAMP') throw new Error(`no column of ours is of the logical type ${logical.type}`);
  // Microseconds.
  return { 8: { 1: logical.isAdjustedToUTC, 2: { 2: {} } } };
}

function columnMetadata(column: ColumnMetaData): Struct {
  return {
    1: TYPES.indexOf(column.type),
    2: column.encodings.map((encoding) => ENCODINGS[encoding]!),
    3: column.path_in_schema,
    4: CODECS.indexOf(column.codec),
    5: column.num_values,
    6: column.total_uncompressed_size,
    7: column.total_compressed_size,
    9: column.data_page_offset,
    11: column.dictionary_page_offset,
    12: column.statistics && statistics(column.statistics),
  };
}

function statistics({ null_count, min_value, max_value }: Statistics): Struct {
  return { 3: null_count, 5: plainBound(max_value), 6: plainBound(min_value) };
}

/** Encodes a bound in the plain encoding: a number in 32 bits, a bigint in 64. */
function plainBound(bound: Statistics['min_value']): Uint8Array | undefined {
  if (bound === undefined) return undefined;
  const bytes = Buffer.alloc(typeof bound === 'bigint' ? 8 : 4);
  if (typeof bound === 'bigint') bytes.writeBigInt64LE(bound);
  else bytes.writeInt32LE(Number(bound));
  return bytes;
}
