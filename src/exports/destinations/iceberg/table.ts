/** Creates the table, with the export's columns and partitioned by export and interval, or checks that an existing table is so. */
import { createHash } from 'node:crypto';
import type { Column, ColumnType } from '../../../conditions/rows/columns.ts';
import type { Delivery } from '../delivery.ts';
import type { Catalog, PartitionSpec, Schema, Snapshot, TableMetadata } from './catalog.ts';
import { icebergFault } from './faults.ts';
import type { PartitionField } from './manifest-schemas.ts';
import { parseLocation } from './storage/location.ts';

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
/** Attempts to add columns while others change the table's schema. */
const SCHEMA_ATTEMPTS = 5;
/** Property that tells tables which Sluice made from those of others. */
const CREATED = 'sluice.created';
/** Properties of tables that Sluice makes. A snapshot stays for one day after the next one has replaced it. */
const PROPERTIES = { 'format-version': '2', [CREATED]: 'true', 'history.expire.max-snapshot-age-ms': '86400000' };

/** `addColumns`: whether the table gets columns that it lacks; null: only if Sluice made it. */
export type Needed = Pick<Delivery, 'columns' | 'merge'> & { addColumns: boolean | null };

const visible = (columns: readonly Column[]) => columns.filter(({ hidden }) => !hidden);

/**
 * @returns the table, made if there was none, and with the columns of the export
 * @throws DestinationRejected when the export cannot be delivered there
 */
export async function prepareTable(catalog: Catalog, needed: Needed): Promise<TableMetadata> {
  if (needed.merge) throw icebergFault('versions_unsupported');
  for (let attempt = 0; attempt < SCHEMA_ATTEMPTS; attempt++) {
    const found = (await catalog.load()) ?? (await createTable(catalog, needed.columns));
    checkTable(found, needed);
    const missing = missingColumns(found, needed.columns);
    if (missing.length === 0) return found;
    await catalog.commit(additionOf(found, missing));
  }
  throw icebergFault('concurrent_commits');
}

/** The change that adds the columns, unless another writer changes the schema first. */
function additionOf(metadata: TableMetadata, missing: readonly Column[]) {
  const schema = schemaOf(metadata);
  const last = metadata['last-column-id'];
  const added = missing.map(({ name, type }, index) => {
    return { id: last + 1 + index, name, type: TYPES[type], required: false };
  });
  return {
    requirements: [
      { type: 'assert-table-uuid', uuid: metadata['table-uuid'] },
      { type: 'assert-current-schema-id', 'current-schema-id': metadata['current-schema-id'] },
      { type: 'assert-last-assigned-field-id', 'last-assigned-field-id': last },
    ],
    updates: [
      {
        action: 'add-schema',
        schema: { ...schema, fields: [...schema.fields, ...added] },
        'last-column-id': last + added.length,
      },
      // The one that was added.
      { action: 'set-current-schema', 'schema-id': -1 },
    ],
  };
}

function missingColumns(metadata: TableMetadata, columns: readonly Column[]): Column[] {
  const names = new Set(schemaOf(metadata).fields.map(({ name }) => name));
  return [...visible(columns), ...OUR_COLUMNS].filter(({ name }) => !names.has(name));
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
    properties: PROPERTIES,
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

/** Accepts a table that lacks columns if they may be added. */
export function checkTable(metadata: TableMetadata, { columns, addColumns }: Omit<Needed, 'merge'>): void {
  if (metadata['format-version'] !== 2) throw icebergFault('format_unsupported');
  parseLocation(metadata.location);
  const { fields } = schemaOf(metadata);
  const wanted = [...visible(columns), ...OUR_COLUMNS];
  const missing = missingColumns(metadata, columns);
  const mayAdd = addColumns ?? metadata.properties?.[CREATED] === 'true';
  // Columns by which the table is to be partitioned cannot be added.
  if (missing.length > 0 && !(mayAdd && missing.every((column) => !OUR_COLUMNS.includes(column)))) {
    const list = missing.map(({ name, type }) => `${name} ${TYPES[type]}`).join(', ');
    throw icebergFault('column_missing', {
      sentence: `The table lacks columns of the export. Add them, or let Sluice do so by add_columns: ${list}.`,
    });
  }
  for (const { name, type } of wanted) {
    const found = fields.find((field) => field.name === name)?.type;
    if (found === undefined || found === TYPES[type] || (type === 'int4' && found === 'long')) continue;
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

/** Identifies the ids of the export's columns in the table: readers find the values in a file by them, not by names. */
export function digestOfIds(metadata: TableMetadata, columns: readonly Column[]): string {
  const ids = [...visible(columns), ...OUR_COLUMNS].map(({ name }) => [name, idIn(schemaOf(metadata), name)]);
  return createHash('sha256').update(JSON.stringify(ids)).digest('hex');
}

/** Names of the export's columns that were dropped and added again after a snapshot: readers find no values of them in its files. */
export function replacedColumns(metadata: TableMetadata, snapshot: Snapshot, columns: readonly Column[]): string[] {
  const then = metadata.schemas.find((schema) => schema['schema-id'] === snapshot['schema-id']);
  const now = schemaOf(metadata);
  const names = [...visible(columns), ...OUR_COLUMNS].map(({ name }) => name);
  return names.filter((name) => {
    const [before, after] = [then && idIn(then, name), idIn(now, name)];
    return before !== undefined && after !== undefined && before !== after;
  });
}

const idIn = ({ fields }: Schema, name: string) => fields.find((field) => field.name === name)?.id;

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
