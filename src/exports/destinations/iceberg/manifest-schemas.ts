/** Avro schemas of manifests and manifest lists, format version 2: https://iceberg.apache.org/spec/#manifests */
import type { AvroSchema } from './avro.ts';

const requiredField = (name: string, id: number, type: AvroSchema) => ({ name, type, 'field-id': id });
const optionalField = (name: string, id: number, type: AvroSchema) => {
  return { name, type: ['null', type], default: null, 'field-id': id };
};

function mapOf(keyId: number, valueId: number, value: AvroSchema): AvroSchema {
  const fields = [requiredField('key', keyId, 'int'), requiredField('value', valueId, value)];
  return { type: 'array', items: { type: 'record', name: `k${keyId}_v${valueId}`, fields }, logicalType: 'map' };
}

const AVRO_TYPES: Readonly<Record<string, AvroSchema>> = {
  string: 'string',
  timestamptz: { type: 'long', logicalType: 'timestamp-micros', 'adjust-to-utc': true },
};

export type PartitionField = { name: string; 'field-id': number; type: string };

export function manifestSchema(partition: readonly PartitionField[]): AvroSchema {
  const partitionFields = partition.map((field) =>
    optionalField(field.name, field['field-id'], AVRO_TYPES[field.type]!),
  );
  const dataFile = {
    type: 'record',
    name: 'r2',
    fields: [
      requiredField('content', 134, 'int'),
      requiredField('file_path', 100, 'string'),
      requiredField('file_format', 101, 'string'),
      requiredField('partition', 102, { type: 'record', name: 'r102', fields: partitionFields }),
      requiredField('record_count', 103, 'long'),
      requiredField('file_size_in_bytes', 104, 'long'),
      optionalField('column_sizes', 108, mapOf(117, 118, 'long')),
      optionalField('value_counts', 109, mapOf(119, 120, 'long')),
      optionalField('null_value_counts', 110, mapOf(121, 122, 'long')),
      optionalField('nan_value_counts', 137, mapOf(138, 139, 'long')),
      optionalField('lower_bounds', 125, mapOf(126, 127, 'bytes')),
      optionalField('upper_bounds', 128, mapOf(129, 130, 'bytes')),
      optionalField('key_metadata', 131, 'bytes'),
      optionalField('split_offsets', 132, { type: 'array', items: 'long', 'element-id': 133 }),
      optionalField('equality_ids', 135, { type: 'array', items: 'int', 'element-id': 136 }),
      optionalField('sort_order_id', 140, 'int'),
    ],
  };
  return {
    type: 'record',
    name: 'manifest_entry',
    fields: [
      requiredField('status', 0, 'int'),
      optionalField('snapshot_id', 1, 'long'),
      optionalField('sequence_number', 3, 'long'),
      optionalField('file_sequence_number', 4, 'long'),
      requiredField('data_file', 2, dataFile),
    ],
  };
}

const fieldSummary = {
  type: 'record',
  name: 'r508',
  fields: [
    requiredField('contains_null', 509, 'boolean'),
    optionalField('contains_nan', 518, 'boolean'),
    optionalField('lower_bound', 510, 'bytes'),
    optionalField('upper_bound', 511, 'bytes'),
  ],
};

export const MANIFEST_LIST_SCHEMA: AvroSchema = {
  type: 'record',
  name: 'manifest_file',
  fields: [
    requiredField('manifest_path', 500, 'string'),
    requiredField('manifest_length', 501, 'long'),
    requiredField('partition_spec_id', 502, 'int'),
    requiredField('content', 517, 'int'),
    requiredField('sequence_number', 515, 'long'),
    requiredField('min_sequence_number', 516, 'long'),
    requiredField('added_snapshot_id', 503, 'long'),
    requiredField('added_files_count', 504, 'int'),
    requiredField('existing_files_count', 505, 'int'),
    requiredField('deleted_files_count', 506, 'int'),
    requiredField('added_rows_count', 512, 'long'),
    requiredField('existing_rows_count', 513, 'long'),
    requiredField('deleted_rows_count', 514, 'long'),
    optionalField('partitions', 507, { type: 'array', items: fieldSummary, 'element-id': 508 }),
    optionalField('key_metadata', 519, 'bytes'),
  ],
};

/** Names of fields by their ids, which alone identify a field: writers of other versions have called some `added_data_files_count`. */
export const FIELD_NAMES: ReadonlyMap<number, string> = new Map([
  ...namesIn(MANIFEST_LIST_SCHEMA),
  ...namesIn(manifestSchema([])),
]);

function* namesIn(schema: unknown): Generator<[number, string]> {
  if (typeof schema !== 'object' || schema === null) return;
  const { 'field-id': id, name } = schema as { 'field-id'?: number; name?: string };
  if (id !== undefined && name !== undefined) yield [id, name];
  for (const part of Object.values(schema)) yield* namesIn(part);
}

export type DataFile = {
  content: number;
  file_path: string;
  file_format: string;
  partition: Readonly<Record<string, string | bigint | null>>;
  record_count: bigint;
  file_size_in_bytes: bigint;
  [other: string]: unknown;
};

/** `status`: 0 existing, 1 added, 2 deleted. Numbers that are null are inherited from the manifest. */
export type ManifestEntry = {
  status: number;
  snapshot_id: bigint | null;
  sequence_number: bigint | null;
  file_sequence_number: bigint | null;
  data_file: DataFile;
};

type FieldSummary = {
  contains_null: boolean;
  contains_nan: boolean | null;
  lower_bound: Buffer | null;
  upper_bound: Buffer | null;
};

/** `content`: 0 data, 1 deletes. */
export type ManifestFile = {
  manifest_path: string;
  manifest_length: bigint;
  partition_spec_id: number;
  content: number;
  sequence_number: bigint;
  min_sequence_number: bigint;
  added_snapshot_id: bigint;
  added_files_count: number;
  existing_files_count: number;
  deleted_files_count: number;
  added_rows_count: bigint;
  existing_rows_count: bigint;
  deleted_rows_count: bigint;
  partitions: FieldSummary[] | null;
  key_metadata: Buffer | null;
};
