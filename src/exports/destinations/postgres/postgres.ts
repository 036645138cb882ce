/** Rows in a table of the user's own PostgreSQL. */
import { InvalidInput } from '../../../platform/errors.ts';
import { checkHost } from '../../../platform/net/connect.ts';
import { hostRules } from '../../../platform/net/host-rules.ts';
import { Type, type Static } from '../../../platform/schema.ts';
import { checkHostOf, type DestinationEnvironment } from '../environment.ts';
import { defineDestination, addGroup } from '../define.ts';
import { REPLACED_AT_ONCE } from '../promises.ts';
import { secret } from '../secret.ts';
import { withClient, type PostgresAccess } from './client.ts';
import { checkIdentifier } from './identifiers.ts';
import { listDeliveries } from './ledger.ts';
import { tableSession } from './session.ts';
import { tableNames } from './tables.ts';
import { databaseSteps } from './test-steps.ts';

const PostgresConfig = Type.Object(
  {
    ...addGroup('connection', {
      host: Type.String({
        minLength: 1,
        maxLength: 253,
        title: 'Host',
        examples: ['db.example.com'],
        description:
          'The host name or address of the server, without user, port or path. The connection is encrypted; only ' +
          'hosts allowed by the operator may be used without TLS.',
      }),
      port: Type.Integer({ minimum: 1, maximum: 65_535, default: 5432, title: 'Port' }),
      user: secret('User', { isReadable: true }),
      password: secret('Password'),
      database: Type.String({ minLength: 1, title: 'Database', examples: ['warehouse'] }),
    }),
    ...addGroup('place', {
      schema: Type.String({
        default: 'public',
        title: 'Schema',
        description: 'The schema of the table; it must exist.',
      }),
      table_name: Type.String({
        default: 'events',
        title: 'Table',
        description:
          'The table that receives the rows; created if it does not exist, with the columns of the export and two ' +
          'internal columns.',
      }),
    }),
    ...addGroup('advanced', {
      has_self_signed_cert: Type.Boolean({
        default: false,
        title: 'Self-signed certificate',
        description: 'Encrypt the connection without verifying the server’s certificate.',
      }),
    }),
  },
  { additionalProperties: false },
);

type PostgresConfig = Static<typeof PostgresConfig>;

/** Lower ports belong to services of the system, so they are never a database. */
const FIRST_USER_PORT = 1024;

function databasePlace({ host, port, database, schema }: PostgresConfig): string {
  return `postgres:${host.toLowerCase()}:${port}/${database}/${schema}`;
}

function accessOf(
  config: PostgresConfig,
  { allowedHosts }: DestinationEnvironment,
  signal: AbortSignal,
): PostgresAccess {
  const { host, port, user, password, database, has_self_signed_cert: trustAnyCertificate } = config;
  return { host, port, rules: hostRules(allowedHosts), trustAnyCertificate, signal, user, password, database };
}

export const postgres = defineDestination<PostgresConfig>({
  type: 'Postgres',
  title: 'PostgreSQL',
  promises: [{ when: {}, ...REPLACED_AT_ONCE }],
  takes: 'rows',
  config: PostgresConfig,
  integration: { kind: 'postgresql', fields: ['host', 'port', 'user', 'password', 'has_self_signed_cert'] },
  secretsGoTo: ['host', 'port', 'has_self_signed_cert'],
  async validate(config, environment) {
    for (const field of ['database', 'schema', 'table_name'] as const) checkIdentifier(config[field], field);
    if (config.schema.startsWith('pg_') || config.schema === 'information_schema') {
      throw new InvalidInput('Is the server’s own schema.', 'schema');
    }
    if (config.port < FIRST_USER_PORT) throw new InvalidInput(`Must be at least ${FIRST_USER_PORT}.`, 'port');
    await checkHostOf('host', environment, async (rules) => checkHost(config.host, rules));
  },
  place: databasePlace,
  keySpace: (config) => `${databasePlace(config)}.${config.table_name}`,
  label: ({ schema, table_name }) => `${schema}.${table_name}`,
  steps: databaseSteps((config, { environment, signal }) => ({
    access: accessOf(config, environment, signal),
    names: tableNames(config.schema, config.table_name),
  })),
  names: ({ schema, table_name }) => [`${schema}.${table_name}`],
  async *listDeliveries(config, { exportId }, environment, signal) {
    const names = tableNames(config.schema, config.table_name);
    yield* await withClient(accessOf(config, environment, signal), (client) => listDeliveries(client, names, exportId));
  },
  async open(config, delivery, context, environment) {
    return tableSession({
      access: accessOf(config, environment, context.signal),
      place: databasePlace(config),
      names: tableNames(config.schema, config.table_name),
      delivery,
      context,
    });
  },
});
