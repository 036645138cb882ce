/** Test steps of a Postgres database. */
import type { TestContext, TestStep } from '../test-steps.ts';
import { openClient, type PostgresAccess, type PostgresClient } from './client.ts';
import { translate } from './errors.ts';
import { postgresFault } from './faults.ts';
import { quoteName } from './identifiers.ts';
import { checkTables, type TableNames } from './tables.ts';

type Target = { access: PostgresAccess; names: TableNames };

/** @param targetOf returns the database and the table of a configuration */
export function databaseSteps<Config>(targetOf: (config: Config, context: TestContext) => Target): TestStep<Config>[] {
  const withTable = (work: (client: PostgresClient, names: TableNames, context: TestContext) => Promise<void>) => {
    return async (config: Config, context: TestContext): Promise<void> => {
      const { access, names } = targetOf(config, context);
      const client = await openClient(access);
      try {
        await work(client, names, context).catch(translate);
      } finally {
        await client.end().catch(() => {});
      }
    };
  };
  return [
    {
      name: 'Connect to the database',
      description:
        'Ensure that the server can be reached over an encrypted connection and accepts the user and password.',
      run: withTable(async (client) => {
        await client.query('select 1');
      }),
    },
    {
      name: 'Check the schema',
      description: 'Ensure that the schema exists and the user may create tables in it.',
      run: withTable(checkSchema),
    },
    {
      name: 'Check the table',
      description:
        'Ensure that the table has the columns of the export and accepts rows, or does not exist and can be created.',
      run: withTable(checkTable),
    },
  ];
}

async function checkSchema(client: PostgresClient, { schema }: TableNames): Promise<void> {
  const { rows } = await client.query<{ allowed: boolean }>(
    `select has_schema_privilege(oid, 'CREATE') and has_schema_privilege(oid, 'USAGE') as allowed
       from pg_namespace where nspname = $1`,
    [schema],
  );
  if (!rows[0])
    throw postgresFault('schema_not_found', { sentence: `The schema ${quoteName(schema)} does not exist.` });
  if (!rows[0].allowed) {
    const sentence = `The user lacks a privilege on the schema ${quoteName(schema)}: CREATE and USAGE are needed.`;
    throw postgresFault('privilege_missing', { sentence });
  }
}

async function checkTable(client: PostgresClient, names: TableNames, context: TestContext): Promise<void> {
  await checkTables(client, names, context);
  const { rows } = await client.query<{ lacking: string | null }>(
    `select string_agg(needed, ', ') as lacking
       from unnest($3::text[]) as needed, pg_class class
       join pg_namespace namespace on namespace.oid = class.relnamespace
      where namespace.nspname = $1 and class.relname = $2 and not has_table_privilege(class.oid, needed)`,
    [names.schema, names.table, ['SELECT', 'INSERT', 'DELETE', ...(context.merge ? ['UPDATE'] : [])]],
  );
  const lacking = rows[0]?.lacking;
  if (lacking) {
    const sentence = `The user lacks a privilege on the table ${names.target}: ${lacking}.`;
    throw postgresFault('privilege_missing', { sentence });
  }
}
