/** Rows in an Apache Iceberg table, through a REST catalog; its files in S3 or a store that speaks its API. */
import { InvalidInput } from '../../../platform/errors.ts';
import { checkEndpoint, checkUrl } from '../../../platform/net/endpoint.ts';
import { hostRules } from '../../../platform/net/host-rules.ts';
import { nullable, Type, type Static } from '../../../platform/schema.ts';
import { addGroup, defineDestination } from '../define.ts';
import { checkHostOf, type DestinationEnvironment } from '../environment.ts';
import { withDefault } from '../object-store/config.ts';
import { REPLACED_AT_ONCE } from '../promises.ts';
import { s3Client } from '../s3/client.ts';
import { checkRegion } from '../s3/names.ts';
import { s3Store } from '../s3/store.ts';
import { secret } from '../secret.ts';
import { MAX_ANSWER_BYTES, openCatalog, type Catalog } from './catalog.ts';
import type { ClientAccess } from './oauth.ts';
import { listDeliveriesIn } from './deliveries.ts';
import { throwAsOwn } from './faults.ts';
import { lakeOf, type Lake } from './lake.ts';
import { icebergSession } from './session.ts';
import { splitS3Url } from './table.ts';
import { catalogSteps } from './test-steps.ts';

const Config = Type.Object(
  {
    ...addGroup('connection', {
      catalog_uri: Type.String({
        minLength: 1,
        maxLength: 2048,
        title: 'Catalog URI',
        examples: ['https://catalog.example.com/iceberg'],
        description:
          'The address of the REST catalog, without /v1. http is accepted only for hosts that the operator allows.',
      }),
      warehouse: withDefault(
        nullable(Type.String({ description: 'The warehouse, for catalogs that have several.' }), {
          title: 'Warehouse',
        }),
        null,
      ),
    }),
    token: Type.Optional({
      ...nullable(secret('Token'), {
        title: 'Token',
        description: 'The bearer token of the catalog; empty for a catalog without authentication.',
      }),
      writeOnly: true,
      format: 'password',
      'x-group': 'connection',
    }),
    credential: Type.Optional({
      ...nullable(secret('Credential'), {
        title: 'Credential',
        description:
          'The id and the secret of a client, with a colon between them, for catalogs that give tokens by OAuth 2; in place of a token.',
      }),
      writeOnly: true,
      format: 'password',
      'x-group': 'connection',
    }),
    ...addGroup('connection', {
      oauth2_server_uri: withDefault(
        nullable(
          Type.String({
            maxLength: 2048,
            description: 'The token endpoint for the credential; empty for the one of the catalog itself.',
          }),
          { title: 'Authorization server' },
        ),
        null,
      ),
      scope: withDefault(
        nullable(
          Type.String({ maxLength: 2048, description: 'The scope of the tokens, such as PRINCIPAL_ROLE:ALL.' }),
          { title: 'Scope' },
        ),
        null,
      ),
      region: Type.String({
        minLength: 1,
        title: 'Region',
        description:
          'The region of the table’s bucket, such as us-east-1; S3-compatible stores other than AWS accept any value.',
        examples: ['us-east-1'],
      }),
      aws_access_key_id: {
        ...secret('Access key ID', { isReadable: true }),
        description: 'The ID of an access key of the storage.',
      },
      aws_secret_access_key: { ...secret('Secret access key'), description: 'The secret of that access key.' },
      endpoint_url: withDefault(
        nullable(
          Type.String({
            description:
              'The URL of the S3-compatible store of the table’s files, without a path; empty for Amazon S3.',
          }),
          { title: 'Endpoint' },
        ),
        null,
      ),
    }),
    ...addGroup('place', {
      namespace: Type.String({
        minLength: 1,
        maxLength: 255,
        title: 'Namespace',
        description: 'The namespace of the table, with dots between levels; it must exist.',
        examples: ['analytics'],
      }),
      table_name: Type.String({
        minLength: 1,
        maxLength: 255,
        default: 'events',
        title: 'Table',
        description: 'The table that receives the rows; created if it does not exist.',
      }),
    }),
    ...addGroup('advanced', {
      add_columns: withDefault(
        nullable(
          Type.Boolean({
            description:
              'Add columns that the export has and the table lacks. If empty, only to tables that Sluice created.',
          }),
          { title: 'Add columns' },
        ),
        null,
      ),
      use_virtual_style_addressing: Type.Boolean({
        default: false,
        title: 'Virtual-host addressing',
        description: 'Address the bucket as part of the host name rather than the path.',
      }),
    }),
  },
  { additionalProperties: false },
);
type Config = Static<typeof Config>;

const HEADER_TEXT = /^[\x21-\x7e]*$/;
const NAME = /^[\p{L}\p{N}_][\p{L}\p{N}_ -]*$/u;

async function validate(config: Config, environment: DestinationEnvironment): Promise<void> {
  if (!config.namespace.split('.').every((level) => NAME.test(level)))
    throw new InvalidInput('Not a valid namespace.', 'namespace');
  if (!NAME.test(config.table_name)) throw new InvalidInput('Not a valid table name.', 'table_name');
  if (!HEADER_TEXT.test(config.token ?? '')) throw new InvalidInput('Not a valid token.', 'token');
  checkRegion(config.region);
  if (config.catalog_uri.includes('?')) throw new InvalidInput('May not have a query.', 'catalog_uri');
  const { credential, oauth2_server_uri: server } = config;
  if (credential && config.token) throw new InvalidInput('Give a token or a credential, not both.', 'credential');
  if (credential && !/^[^:]+:./.test(credential))
    throw new InvalidInput('The credential is an id and a secret, with a colon between them.', 'credential');
  if (server) await checkHostOf('oauth2_server_uri', environment, async (rules) => checkUrl(server, rules));
  await checkHostOf('catalog_uri', environment, async (rules) => checkUrl(config.catalog_uri, rules));
  const { endpoint_url: endpoint } = config;
  if (endpoint) await checkHostOf('endpoint_url', environment, async (rules) => checkEndpoint(endpoint, rules));
}

function tableOf({ catalog_uri, warehouse, namespace, table_name }: Config): string {
  return `iceberg:${catalog_uri.replace(/\/$/, '')}#${warehouse ?? ''}/${namespace}.${table_name}`;
}

/** The origin of the store that the user names; null for Amazon's. */
const storeOf = ({ endpoint_url }: Config) => (endpoint_url ? new URL(endpoint_url).origin : null);

/** The place has the store and the authorization server too, because each gets credentials. */
function tablePlace(config: Config): string {
  const server = config.oauth2_server_uri ? ` by ${config.oauth2_server_uri}` : '';
  return `${tableOf(config)} in ${storeOf(config) ?? 'aws'}${server}`;
}

export type IcebergTable = { catalog: Catalog; addColumns: boolean | null; openLake(bucket: string): Lake };

function clientOf({ credential, catalog_uri, oauth2_server_uri, scope }: Config): ClientAccess | null {
  if (!credential) return null;
  const url = new URL(oauth2_server_uri || `${catalog_uri.replace(/\/$/, '')}/v1/oauth/tokens`);
  return { url, credential, scope: scope || null };
}

function openTable(
  config: Config,
  { allowedHosts }: DestinationEnvironment,
  signal: AbortSignal,
  maxAnswerBytes = MAX_ANSWER_BYTES.run,
): IcebergTable {
  const catalog = openCatalog({
    uri: config.catalog_uri,
    warehouse: config.warehouse || null,
    token: config.token ?? null,
    client: clientOf(config),
    namespace: config.namespace,
    table: config.table_name,
    rules: hostRules(allowedHosts),
    maxAnswerBytes,
    signal,
  });
  return {
    catalog,
    addColumns: config.add_columns ?? null,
    openLake(bucket) {
      const { client, close } = s3Client({
        region: config.region,
        accessKeyId: config.aws_access_key_id,
        secretAccessKey: config.aws_secret_access_key,
        // Only the user's endpoint, which is checked, is used: never one that the catalog names.
        endpoint: storeOf(config),
        virtualHosts: config.use_virtual_style_addressing,
        allowedHosts,
      });
      const place = tablePlace(config);
      const store = s3Store({
        client,
        place,
        legacyPlace: place,
        bucket,
        encryption: null,
        kmsKeyId: null,
        signal,
        onClose: close,
      });
      return lakeOf(store, bucket);
    },
  };
}

const label = ({ namespace, table_name }: Config) => `${namespace}.${table_name}`;

export const iceberg = defineDestination<Config>({
  type: 'Iceberg',
  title: 'Apache Iceberg',
  promises: [{ when: {}, ...REPLACED_AT_ONCE }],
  takes: 'rows',
  refusesVersions: true,
  config: Config,
  secretsGoTo: ['catalog_uri', 'oauth2_server_uri', 'endpoint_url'],
  validate,
  place: tablePlace,
  // Exports share a table: each has partitions of its own.
  keySpace: (config, { exportId }) => `${tableOf(config)}#${exportId}`,
  label,
  steps: catalogSteps((config, { environment, signal }) =>
    openTable(config, environment, signal, MAX_ANSWER_BYTES.test),
  ),
  names: (config) => [label(config)],
  async *listDeliveries(config, { exportId }, environment, signal) {
    const { catalog, openLake } = openTable(config, environment, signal);
    try {
      const metadata = await catalog.load();
      if (!metadata) return;
      yield* listDeliveriesIn(metadata, exportId, () => openLake(splitS3Url(metadata.location).bucket));
    } catch (error) {
      throwAsOwn(error);
    } finally {
      catalog.close();
    }
  },
  async open(config, delivery, context, environment) {
    const table = openTable(config, environment, context.signal);
    return icebergSession({ ...table, delivery, context, location: label(config) });
  },
});
