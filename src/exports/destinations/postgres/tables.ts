/** The tables that a delivery needs in the user's schema: the target, and the ledger of what was delivered. */
import { SQL_STATE, sqlState } from '../../../platform/db/sql-states.ts';
import { ADVISORY_LOCKS } from '../../../platform/db/advisory-locks.ts';
import type { Delivery } from '../delivery.ts';
import type { Column, RowVersions } from '../../../conditions/rows/columns.ts';
import type { PostgresClient } from './client.ts';
import { postgresFault } from './faults.ts';
import { columnDefinitions, quoteName } from './identifiers.ts';

/** Errors when a table is created twice at once; the violated unique index is one of Postgres's catalogue. */
const CREATED_MEANWHILE = new Set<string>([
  SQL_STATE.duplicateTable,
  SQL_STATE.duplicateObject,
  SQL_STATE.uniqueViolation,
]);

/** Columns that say which export a row belongs to, and the start of the data interval that delivered it. */
export const EXPORT_COLUMN = '_sluice_export';
export const INTERVAL_COLUMN = '_sluice_interval_time';
const OUR_COLUMNS = `${EXPORT_COLUMN} uuid, ${INTERVAL_COLUMN} timestamptz`;
const LEDGER = '_sluice_ledger';

export type TableNames = {
  schema: string;
  table: string;
  /** Qualified and quoted. */
  target: string;
  ledger: string;
};

export function tableNames(schema: string, table: string): TableNames {
  return {
    schema,
    table,
    target: `${quoteName(schema)}.${quoteName(table)}`,
    ledger: `${quoteName(schema)}.${LEDGER}`,
  };
}

/**
 * Creates the tables that do not exist. A target that the user created must have every column of the export, and a unique key if rows
 * have versions.
 * @throws DestinationRejected with the statements that add what a table lacks; DestinationUnavailable while the schema is missing, as
 *   during a restore; the driver's errors
 */
export async function prepareTables(
  client: PostgresClient,
  names: TableNames,
  { columns, merge }: Pick<Delivery, 'columns' | 'merge'>,
): Promise<void> {
  const found = await findTables(client, names);
  if (!found.schema)
    throw postgresFault('schema_not_found', { sentence: `The schema ${quoteName(names.schema)} does not exist.` });
  if (!found.ledger || found.target === 'none') await createTables(client, names, columns, merge);
  await checkTarget(client, names, found, { columns, merge });
}

/** Makes the checks of `prepareTables`, but creates nothing; a target that does not exist yet passes. */
export async function checkTables(
  client: PostgresClient,
  names: TableNames,
  needed: Pick<Delivery, 'columns' | 'merge'>,
): Promise<void> {
  const found = await findTables(client, names);
  if (found.target !== 'none') await checkTarget(client, names, found, needed);
}

async function checkTarget(
  client: PostgresClient,
  names: TableNames,
  found: ExistingTables,
  { columns, merge }: Pick<Delivery, 'columns' | 'merge'>,
): Promise<void> {
  if (found.target === 'other') {
    throw postgresFault('not_a_table', { sentence: `${names.target} is not a table. Choose another table.` });
  }
  await checkColumns(client, names, columns);
  if (merge) await checkKey(client, names, merge);
}

export async function tableExists(client: PostgresClient, qualified: string): Promise<boolean> {
  const { rows } = await client.query<{ found: boolean }>('select to_regclass($1) is not null as found', [qualified]);
  return rows[0]!.found;
}

type ExistingTables = { schema: boolean; ledger: boolean; target: 'table' | 'other' | 'none' };

async function findTables(client: PostgresClient, { schema, table }: TableNames): Promise<ExistingTables> {
  const { rows } = await client.query<{ relname: string | null; relkind: string | null }>(
    `select class.relname, class.relkind
       from pg_namespace namespace
       left join pg_class class on class.relnamespace = namespace.oid and class.relname in ($2, $3)
      where namespace.nspname = $1`,
    [schema, table, LEDGER],
  );
  const target = rows.find(({ relname }) => relname === table);
  const isTable = target?.relkind === 'r' || target?.relkind === 'p';
  return {
    schema: rows.length > 0,
    ledger: rows.some(({ relname }) => relname === LEDGER),
    target: target ? (isTable ? 'table' : 'other') : 'none',
  };
}

/** Creates tables under a lock per schema, because concurrent `if not exists` statements fail. */
async function createTables(
  client: PostgresClient,
  { schema, table, target, ledger }: TableNames,
  columns: readonly Column[],
  merge: RowVersions | null,
): Promise<void> {
  const key = merge ? `, primary key (${merge.key.map(quoteName).join(', ')})` : '';
  // Hidden columns, and then our own, come after the columns that the user reads.
  const ordered = [...columns.filter(({ hidden }) => !hidden), ...columns.filter(({ hidden }) => hidden)];
  await client.query('begin');
  try {
    await client.query('select pg_advisory_xact_lock($1, hashtext($2))', [ADVISORY_LOCKS.destinationTables, schema]);
    const { target: present } = await findTables(client, tableNames(schema, table));
    await client.query(`
      create table if not exists ${ledger} (
        export uuid,
        interval_start timestamptz,
        interval_end timestamptz,
        epoch bigint not null,
        run uuid not null,
        table_name text not null,
        cutoff timestamptz not null,
        rows bigint not null,
        digest text not null,
        bytes bigint not null,
        delivered_at timestamptz not null default now(),
        timeline uuid,
        primary key (export, interval_start, interval_end)
      )`);
    if (present === 'none') {
      await client.query(`create table ${target} (${columnDefinitions(ordered)}, ${OUR_COLUMNS}${key})`);
      await client.query(`create index on ${target} (${EXPORT_COLUMN}, ${INTERVAL_COLUMN})`);
    }
    await client.query('commit');
  } catch (error) {
    await client.query('rollback').catch(() => {});
    // Others may make the tables without our lock: the user, or a worker of a version that had another key.
    if (CREATED_MEANWHILE.has(sqlState(error) ?? '')) {
      throw postgresFault('tables_made_meanwhile', { cause: error });
    }
    throw error;
  }
}

async function checkColumns(
  client: PostgresClient,
  { schema, table, target }: TableNames,
  columns: readonly Column[],
): Promise<void> {
  const { rows } = await client.query<{ name: string; type: string }>(
    `select attname as name, format_type(atttypid, null) as type
       from pg_attribute
       join pg_class class on class.oid = attrelid
       join pg_namespace namespace on namespace.oid = class.relnamespace
      where namespace.nspname = $1 and class.relname = $2 and attnum > 0 and not attisdropped`,
    [schema, table],
  );
  const types = new Map(rows.map(({ name, type }) => [name, type]));
  const missing = columns.filter(({ name }) => !types.has(name));
  const ours = OUR_COLUMNS.split(', ').filter((definition) => !types.has(definition.split(' ')[0]!));
  if (missing.length > 0 || ours.length > 0) {
    const additions = [...(missing.length > 0 ? columnDefinitions(missing).split(', ') : []), ...ours];
    const index = ours.length > 0 ? ` CREATE INDEX ON ${target} (${EXPORT_COLUMN}, ${INTERVAL_COLUMN});` : '';
    const sentence =
      `The table ${target} lacks columns of the export. Add them, or choose another table_name: ` +
      `ALTER TABLE ${target} ${additions.map((addition) => `ADD COLUMN ${addition}`).join(', ')};${index}`;
    throw postgresFault('column_missing', { sentence });
  }
  if (types.get(EXPORT_COLUMN) !== 'uuid' || types.get(INTERVAL_COLUMN) !== 'timestamp with time zone') {
    const sentence = `In the table ${target}, ${OUR_COLUMNS.replace(', ', ' and ')} are needed.`;
    throw postgresFault('column_type_mismatch', { sentence });
  }
}

/** Checks for a unique key, because versions of a row can only be matched by one. */
async function checkKey(
  client: PostgresClient,
  { schema, table, target }: TableNames,
  { key }: RowVersions,
): Promise<void> {
  const { rows } = await client.query<{ found: boolean }>(
    `select exists (
       select from pg_index
         join pg_class class on class.oid = indrelid
         join pg_namespace namespace on namespace.oid = class.relnamespace
        where namespace.nspname = $1 and class.relname = $2
          and indisunique and indisvalid and indimmediate and indpred is null and indexprs is null
          and (select array_agg(attname::text order by attname) from pg_attribute
                where attrelid = indrelid and attnum = any (indkey[0:indnkeyatts - 1]))
            = (select array_agg(name order by name) from unnest($3::text[]) as name)
     ) as found`,
    [schema, table, key],
  );
  if (rows[0]!.found) return;
  const names = key.map(quoteName).join(', ');
  const sentence =
    `The table ${target} has no unique key by which versions of a row find each other. Add it, or choose another ` +
    `table_name: ALTER TABLE ${target} ADD UNIQUE (${names});`;
  throw postgresFault('unique_key_missing', { sentence });
}
