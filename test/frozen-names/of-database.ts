/** Names in Sluice's own database, from the catalogues of a migrated one. */
import type pg from 'pg';
import ts from 'typescript';
import type { Kind, Sources } from './kind.ts';
import { callsOf, literalsOf, type Product } from './product.ts';

const DATABASES =
  'every installation’s database, and in the code of the version that runs beside this one during an upgrade';
/** Partitions are made by the month, so their names are no fixed list. */
const isOfPartition = (name: string) => /_\d{4}_?\d{2}/.test(name);

function fromCatalogues(name: string, least: number, sql: string): Kind {
  return {
    name,
    writtenTo: DATABASES,
    least,
    present: async ({ installation }) =>
      (await column((await installation()).own, sql)).filter((one) => !isOfPartition(one)),
  };
}

export async function column(client: pg.Client, sql: string): Promise<string[]> {
  const { rows } = await client.query<[string]>({ text: sql, rowMode: 'array' });
  return rows.map(([one]) => one);
}

const OURS = `'public'::regnamespace`;

export const DATABASE_KINDS: readonly Kind[] = [
  fromCatalogues('database/migrations', 40, 'select name from schema_migrations'),
  fromCatalogues(
    'database/tables',
    60,
    `select case relkind when 'v' then 'view ' when 'm' then 'view ' when 'S' then 'sequence ' else 'table ' end || relname
     from pg_class where relnamespace = ${OURS} and relkind in ('r', 'p', 'v', 'm', 'S')`,
  ),
  fromCatalogues(
    'database/columns',
    500,
    `select relname || '.' || attname from pg_attribute join pg_class on pg_class.oid = attrelid
     where relnamespace = ${OURS} and relkind in ('r', 'p', 'v', 'm') and attnum > 0 and not attisdropped`,
  ),
  fromCatalogues(
    'database/functions',
    20,
    `select proname || '(' || pg_get_function_identity_arguments(oid) || ')' from pg_proc where pronamespace = ${OURS}`,
  ),
  fromCatalogues(
    'database/triggers',
    1,
    `select relname || '.' || tgname from pg_trigger join pg_class on pg_class.oid = tgrelid
     where relnamespace = ${OURS} and not tgisinternal`,
  ),
  fromCatalogues(
    'database/indexes',
    60,
    `select relname from pg_class where relnamespace = ${OURS} and relkind in ('i', 'I')`,
  ),
  fromCatalogues(
    'database/constraints',
    60,
    `select relname || '.' || conname from pg_constraint join pg_class on pg_class.oid = conrelid where connamespace = ${OURS}
       and contype <> 'n'`,
  ),
  fromCatalogues(
    'database/values',
    20,
    `select distinct relname || '.' || conname || ' = ' || found[1]
     from pg_constraint join pg_class on pg_class.oid = conrelid,
       regexp_matches(pg_get_constraintdef(pg_constraint.oid), '''([^'']*)''::text', 'g') as found
     where connamespace = ${OURS} and contype = 'c'`,
  ),
  {
    name: 'database/notify-channels',
    writtenTo: 'the database’s functions and in the processes of other versions that listen',
    least: 1,
    async present({ product, installation }) {
      const notified = matches(await bodies({ installation }), /pg_notify\(\s*'(\w+)'/g);
      const listenedTo = [...callsOf(product(), ['listen'])].flatMap((call) => channelsOf(product(), call));
      return [...notified, ...listenedTo];
    },
  },
  {
    name: 'database/advisory-locks',
    writtenTo: 'the database’s functions and in the processes of other versions, which take the same locks',
    least: 12,
    async present({ product, installation }) {
      const sources = product()
        .files()
        .map(({ text }) => text.replace(/(?<=\d)_(?=\d)/g, ''));
      return matches([...(await bodies({ installation })), ...sources], /\b(7316\d{3})\b/g);
    },
  },
];

/** Sources of functions as the database has them. */
async function bodies({ installation }: Pick<Sources, 'installation'>): Promise<string[]> {
  return column((await installation()).own, `select prosrc from pg_proc where pronamespace = ${OURS}`);
}

function matches(texts: readonly string[], pattern: RegExp): string[] {
  return texts.flatMap((text) => [...text.matchAll(pattern)].map(([, name = '']) => name));
}

function channelsOf({ checker }: Product, call: ts.CallExpression | ts.NewExpression): string[] {
  const [options] = call.arguments ?? [];
  if (!options || !ts.isObjectLiteralExpression(options)) return [];
  return options.properties
    .filter((one) => ts.isPropertyAssignment(one) && one.name.getText() === 'channel')
    .flatMap((one) => literalsOf(checker.getTypeAtLocation((one as ts.PropertyAssignment).initializer)));
}
