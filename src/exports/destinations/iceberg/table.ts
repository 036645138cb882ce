/** Creates the table, with the export's columns and partitioned by export and interval, or checks that an existing table is so. */
import type { Column, ColumnType } from '../../../conditions/rows/columns.ts';
import type { Delivery } from '../delivery.ts';
import { isBucketName } from '../s3/names.ts';
import type { Catalog, PartitionSpec, Schema, TableMetadata } from './catalog.ts';
import { icebergFault } from './faults.ts';
import type { PartitionField } from './manifest-schemas.ts';

export const EXPORT_COLUMN: Column = { name: '_sluice_export', type: 'uuid' };
export const INTERVAL_COLUMN: Column = { name: '_sluice_interval_time', type: 'timestamptz' };
const OUR_COLUMNS = [EXPORT_COLUMN, INTERVAL_COLUMN];

/** Types as Parquet files have them: uuid and jsonb are strings there. */
const TYPES: Record<ColumnType, string> = {
  uuid: 'string',
  text: 'string',
  jsonb: 'string',
  timestamptz: 'timestamptz',
  date: 'date',
  int4: 'int',
  int8: 'long',
  float8: 'double',
  bool: 'boolean',
};

const FIRST_PARTITION_ID = 1000;

export type Needed = Pick<Delivery, 'columns' | 'merge'>;

const visible = (columns: readonly Column[]) => columns.filter(({ hidden }) => !hidden);

/** @returns the table, made if there was none @throws DestinationRejected when the export cannot be delivered there */
export async function prepareTable(catalog: Catalog, needed: Needed): Promise<TableMetadata> {
  if (needed.merge) throw icebergFault('versions_unsupported');
  const found = (await catalog.load()) ?? (await createTable(catalog, needed.columns));
  checkTable(found, needed.columns);
  return found;
}

async function createTable(catalog: Catalog, columns: readonly Column[]): Promise<TableMetadata> {
  // Some catalogs would make the namespace, too.
  if (!(await catalog.namespaceExists())) throw icebergFault('namespace_not_found');
  const all = [...visible(columns), ...OUR_COLUMNS];
  const fields = all.map(({ name, type }, index) => ({ id: index + 1, name, type: TYPES[type], required: false }));
  const partitions = OUR_COLUMNS.map(({ name }, index) => ({
    name,
    transform: 'identity',
    'source-id': fields.find((field) => field.name === name)!.id,
    'field-id': FIRST_PARTITION_ID + index,
  }));
  const answer = catalog.create({
    schema: { 'schema-id': 0, type: 'struct', fields },
    'partition-spec': { 'spec-id': 0, fields: partitions },
    properties: { 'format-version': '2' },
  });
  // Catalogs answer differently to a writer that creates a table while another one does, so only the table itself shows the result.
  const failure = await answer.then(
    () => undefined,
    (error: unknown) => error,
  );
  const made = await catalog.load();
  if (!made) throw failure ?? icebergFault('catalog_unavailable');
  return made;
}

export function checkTable(metadata: TableMetadata, columns: readonly Column[]): void {
  if (metadata['format-version'] !== 2) throw icebergFault('format_unsupported');
  splitS3Url(metadata.location);
  const { fields } = schemaOf(metadata);
  const wanted = [...visible(columns), ...OUR_COLUMNS];
  const missing = wanted.filter(({ name }) => !fields.some((field) => field.name === name));
  if (missing.length > 0) {
    const list = missing.map(({ name, type }) => `${name} ${TYPES[type]}`).join(', ');
    throw icebergFault('column_missing', { sentence: `The table lacks columns of the export. Add them: ${list}.` });
  }
  for (const { name, type } of wanted) {
    const found = fields.find((field) => field.name === name)!.type;
    if (found === TYPES[type] || (type === 'int4' && found === 'long')) continue;
    const sentence = `The column ${name} of the table must have the type ${TYPES[type]}.`;
    throw icebergFault('column_type_mismatch', { sentence });
  }
  const extra = fields.find(({ name, required }) => required && !wanted.some((column) => column.name === name));
  if (extra) {
    const sentence = `The column ${extra.name} of the table is required, and the export does not have it.`;
    throw icebergFault('column_type_mismatch', { sentence });
  }
  for (const spec of metadata['partition-specs']) partitionFields(metadata, spec['spec-id']);
}

export function schemaOf(metadata: TableMetadata): Schema {
  return metadata.schemas.find((schema) => schema['schema-id'] === metadata['current-schema-id'])!;
}

export function specOf(metadata: TableMetadata, id: number): PartitionSpec {
  return metadata['partition-specs'].find((spec) => spec['spec-id'] === id)!;
}

/** The fields of a partition spec in their order. @throws DestinationRejected for a spec whose files cannot be told apart by interval */
export function partitionFields(metadata: TableMetadata, specId: number): PartitionField[] {
  const columns = schemaOf(metadata).fields;
  const fields = specOf(metadata, specId).fields.map((field) => {
    const source = columns.find(({ id }) => id === field['source-id']);
    return { ...field, column: source?.name, type: String(source?.type) };
  });
  const isOurs = OUR_COLUMNS.every(({ name }) =>
    fields.some((field) => field.column === name && field.name === name && field.transform === 'identity'),
  );
  if (!isOurs || fields.length !== OUR_COLUMNS.length) throw icebergFault('partitions_mismatch');
  return fields.map((field) => ({ name: field.name, 'field-id': field['field-id'], type: field.type }));
}

/** Splits `s3://bucket/key`. The catalog chooses the bucket, whose name may become part of a host name. */
export function splitS3Url(url: string): { bucket: string; key: string } {
  const match = /^s3[an]?:\/\/([^/]+)\/(.*?)\/?$/.exec(url);
  if (!match || !isBucketName(match[1]!)) throw icebergFault('location_unsupported');
  return { bucket: match[1]!, key: match[2]! };
}
