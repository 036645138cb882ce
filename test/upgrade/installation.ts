/**
 * An installation in files: the rows of every table, the files of its LocalFile exports, and the rows of a database that it delivered
 * to. Small enough to be committed, and read back into whatever version of Sluice is under test.
 */
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import type pg from 'pg';
import { createClient } from '../../src/platform/db/connection.ts';

/** Rows as COPY's text format, by table, with the columns in that order. */
type Tables = Record<string, { columns: string[]; rows: string }>;
/** A database that was delivered to: the statements that make its tables, and their rows. */
type Delivered = { definitions: string[]; tables: Tables };

/** An interval whose run had not ended when the installation was copied: its worker stood still at `step`. */
export type Interrupted = { exportId: string; end: string; step: string };

export type Facts = {
  /** The newest migration of the version that made it. */
  schema: string;
  encryptionKeys: string;
  projectId: number;
  /** Ids of batch exports, by what is special about them. */
  exports: Record<string, string>;
  interrupted: Interrupted[];
};

/** Owns what the installation delivered to a database: its password is in the exports' encrypted configuration. */
export const DESTINATION_USER = { name: 'sluice_upgrade', password: 'fixture-of-an-upgrade' };

const FACTS = 'installation.json';
const DATABASE = 'database.json';
const DESTINATION = 'destination.json';
const FILES = 'exports';

/** Writes the installation to a folder. @param destinationUrl a database that exports of it deliver to */
export async function saveInstallation(
  folder: string,
  facts: Facts,
  from: { databaseUrl: string; destinationUrl: string; localRoot: string },
): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeJson(path.join(folder, FACTS), facts);
  await writeJson(path.join(folder, DATABASE), await tablesOf(from.databaseUrl));
  await writeJson(path.join(folder, DESTINATION), {
    definitions: await definitionsOf(from.destinationUrl),
    tables: await tablesOf(from.destinationUrl),
  });
  await cp(from.localRoot, path.join(folder, FILES), { recursive: true });
}

export async function readFacts(folder: string): Promise<Facts> {
  return (await readJson(path.join(folder, FACTS))) as Facts;
}

/** Makes the user that exports connect as, unless it is there, and lets it make tables in this database. */
export async function ensureDestinationUser(url: string): Promise<void> {
  const { name, password } = DESTINATION_USER;
  await withClient(url, async (client) => {
    const { rowCount } = await client.query('select from pg_roles where rolname = $1', [name]);
    if (rowCount === 0) await client.query(`create role ${name} login password '${password}'`);
    await client.query(`grant all on schema public to ${name}`);
  });
}

/**
 * Reads the installation back.
 * @param to `databaseUrl`: a database with the schema of the version that made the installation, whatever rows are in it;
 *   `destinationUrl`: one with the tables that the version made there
 */
export async function loadInstallation(
  folder: string,
  to: { databaseUrl: string; destinationUrl: string; localRoot: string },
): Promise<void> {
  const { definitions, tables } = (await readJson(path.join(folder, DESTINATION))) as Delivered;
  await ensureDestinationUser(to.destinationUrl);
  await withClient(to.destinationUrl, async (client) => {
    await client.query(`set role ${DESTINATION_USER.name}`);
    for (const sql of definitions) await client.query(sql);
  });
  await loadTables(to.destinationUrl, tables);
  await loadTables(to.databaseUrl, (await readJson(path.join(folder, DATABASE))) as Tables);
  await cp(path.join(folder, FILES), to.localRoot, { recursive: true });
}

async function readJson(file: string): Promise<unknown> {
  return JSON.parse(await readFile(file, 'utf8'));
}

async function writeJson(file: string, value: unknown): Promise<void> {
  await writeFile(file, `${JSON.stringify(value, null, 1)}\n`);
}

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = createClient({ url, applicationName: 'test-upgrade' });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Tables that hold rows of their own: partitions are read and written through their parents. */
const TABLES = `
  select quote_ident(relname) as name,
    (select array_agg(quote_ident(attname) order by attnum) from pg_attribute
     where attrelid = pg_class.oid and attnum > 0 and not attisdropped and attgenerated = '') as columns
  from pg_class
  where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
    and relname not like 'schema\\_migrations%'
  order by relname`;

async function tablesOf(url: string): Promise<Tables> {
  return withClient(url, async (client) => {
    const { rows: tables } = await client.query<{ name: string; columns: string[] }>(TABLES);
    const found: Tables = {};
    for (const { name, columns } of tables) {
      const rows = await text(client.query(copyTo(`copy (select ${columns.join(', ')} from ${name}) to stdout`)));
      if (rows !== '') found[name] = { columns, rows };
    }
    return found;
  });
}

/** Tables with their constraints, then indexes that no constraint brings. Enough for tables that Sluice makes at destinations. */
const DEFINITIONS = `
  select format('create table %I (%s)', relname, concat_ws(', ',
    (select string_agg(format('%I %s%s%s', attname, format_type(atttypid, atttypmod), case when attnotnull then ' not null' end,
        ' default ' || pg_get_expr(adbin, adrelid)), ', ' order by attnum)
      from pg_attribute left join pg_attrdef on adrelid = attrelid and adnum = attnum
      where attrelid = pg_class.oid and attnum > 0 and not attisdropped),
    (select string_agg(pg_get_constraintdef(oid), ', ') from pg_constraint
      where conrelid = pg_class.oid and contype in ('p', 'u', 'c')))) as sql
  from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'
  union all
  select pg_get_indexdef(indexrelid) from pg_index join pg_class on pg_class.oid = indrelid
  where relnamespace = 'public'::regnamespace and not exists (select from pg_constraint where conindid = indexrelid)`;

async function definitionsOf(url: string): Promise<string[]> {
  return withClient(url, async (client) => {
    const { rows } = await client.query<{ sql: string }>(DEFINITIONS);
    return rows.map(({ sql }) => sql);
  });
}

/** Sequences continue after the rows that were read. */
const SEQUENCES = `
  select format('select setval(%L, coalesce((select max(%I) from %s), 1))',
    pg_get_serial_sequence(quote_ident(relname), attname), attname, quote_ident(relname)) as sql
  from pg_class join pg_attribute on attrelid = pg_class.oid
  where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition and attnum > 0 and not attisdropped
    and pg_get_serial_sequence(quote_ident(relname), attname) is not null`;

async function loadTables(url: string, tables: Tables): Promise<void> {
  await withClient(url, async (client) => {
    const { rows: present } = await client.query<{ name: string }>(TABLES);
    // Foreign keys and triggers have seen these rows once.
    await client.query(`set session_replication_role = 'replica'`);
    if (present.length > 0) await client.query(`truncate ${present.map(({ name }) => name).join(', ')} cascade`);
    for (const [name, { columns, rows }] of Object.entries(tables))
      await pipeline(Readable.from([rows]), client.query(copyFrom(`copy ${name} (${columns.join(', ')}) from stdin`)));
    const { rows: sequences } = await client.query<{ sql: string }>(SEQUENCES);
    for (const { sql } of sequences) await client.query(sql);
  });
}
