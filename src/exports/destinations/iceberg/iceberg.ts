/** Rows in an Apache Iceberg table, through a REST catalog; its files in S3, in a store that speaks its API, or at Google or Azure. */
import { hostRules } from '../../../platform/net/host-rules.ts';
import type { Subject } from '../contract.ts';
import { defineDestination } from '../define.ts';
import type { DestinationEnvironment } from '../environment.ts';
import { GOOGLE } from '../gcs/client.ts';
import { REPLACED_AT_ONCE } from '../promises.ts';
import { checkRole, credentialsOf } from '../s3/credentials.ts';
import { checkIcebergConfig, deriveIcebergFields, IcebergSchema, type IcebergConfig } from './access/config.ts';
import type { ClientAccess } from './access/oauth.ts';
import { signingNameOf, type SigningAccess } from './access/sigv4.ts';
import { MAX_ANSWER_BYTES, openCatalog, type Catalog } from './catalog.ts';
import { listDeliveriesIn } from './deliveries.ts';
import { throwAsOwn } from './faults.ts';
import type { Lake } from './lake.ts';
import { icebergSession } from './session.ts';
import { openLake } from './storage/open.ts';
import { originOf, type StorageOptions } from './storage/options.ts';
import { catalogSteps } from './test-steps.ts';

type Config = IcebergConfig;

function tableOf({ catalog_uri, warehouse, namespace, table_name }: Config): string {
  return `iceberg:${catalog_uri.replace(/\/$/, '')}#${warehouse ?? ''}/${namespace}.${table_name}`;
}

function storePlace(config: Config): string {
  const origin = originOf(config);
  if (config.storage === 'gcs') return `gcs ${origin ?? GOOGLE}`;
  return config.storage === 'azure' ? `azure ${config.blob_endpoint ?? ''}` : (origin ?? 'aws');
}

/** The place has the store and the authorization server too, because each gets credentials, and says which of the credentials are used. */
function tablePlace(config: Config): string {
  const server = config.oauth2_server_uri ? ` by ${config.oauth2_server_uri}` : '';
  const signed = config.catalog_auth === 'sigv4' ? ' signed' : '';
  const vended = config.storage_credentials === 'vended' ? ' vended' : '';
  return `${tableOf(config)} in ${storePlace(config)}${server}${signed}${vended}`;
}

export type IcebergTable = { catalog: Catalog; addColumns: boolean | null; openLake(location: string): Promise<Lake> };

function clientOf({ credential, catalog_uri, oauth2_server_uri, scope }: Config): ClientAccess | null {
  if (!credential) return null;
  const url = new URL(oauth2_server_uri || `${catalog_uri.replace(/\/$/, '')}/v1/oauth/tokens`);
  return { url, credential, scope: scope || null };
}

function signingOf(config: Config, awsCredentials: StorageOptions['awsCredentials']): SigningAccess | null {
  if (config.catalog_auth !== 'sigv4') return null;
  return {
    credentials: awsCredentials(),
    name: config.signing_name || signingNameOf(config.catalog_uri),
    region: config.signing_region || config.region || '',
  };
}

function openTable(
  config: Config,
  { projectId }: Pick<Subject, 'projectId'>,
  environment: DestinationEnvironment,
  signal: AbortSignal,
  maxAnswerBytes = MAX_ANSWER_BYTES.run,
): IcebergTable {
  const { allowedHosts } = environment;
  // One region for the catalog and the storage, so the role is assumed once.
  const region = config.region || config.signing_region || '';
  const awsCredentials = () => credentialsOf(config, { projectId, region }, environment);
  const catalog = openCatalog({
    uri: config.catalog_uri,
    warehouse: config.warehouse || null,
    token: config.token ?? null,
    client: clientOf(config),
    signing: signingOf(config, awsCredentials),
    delegates: config.storage_credentials === 'vended',
    namespace: config.namespace,
    table: config.table_name,
    rules: hostRules(allowedHosts),
    maxAnswerBytes,
    signal,
  });
  return {
    catalog,
    addColumns: config.add_columns ?? null,
    openLake: async (location) =>
      openLake(location, { config, catalog, awsCredentials, place: tablePlace(config), allowedHosts, signal }),
  };
}

const label = ({ namespace, table_name }: Config) => `${namespace}.${table_name}`;

export const iceberg = defineDestination<Config>({
  type: 'Iceberg',
  title: 'Apache Iceberg',
  promises: [{ when: {}, ...REPLACED_AT_ONCE }],
  takes: 'rows',
  refusesVersions: true,
  config: IcebergSchema,
  integration: {
    kind: 'iceberg',
    // Servers go with the credentials that they get. Which of the credentials are used is the export's own choice.
    fields: [
      'catalog_uri',
      'token',
      'credential',
      'oauth2_server_uri',
      'aws_access_key_id',
      'aws_secret_access_key',
      'aws_session_token',
      'aws_role_arn',
      'service_account_key',
      'connection_string',
      'endpoint_url',
      'blob_endpoint',
    ],
  },
  secretsGoTo: ['catalog_uri', 'oauth2_server_uri', 'endpoint_url', 'blob_endpoint', 'catalog_auth', 'storage'],
  checkCredentials: checkRole,
  derive: deriveIcebergFields,
  validate: checkIcebergConfig,
  place: tablePlace,
  // Exports share a table: each has partitions of its own.
  keySpace: (config, { exportId }) => `${tableOf(config)}#${exportId}`,
  label,
  steps: catalogSteps((config, { projectId, environment, signal }) =>
    openTable(config, { projectId }, environment, signal, MAX_ANSWER_BYTES.test),
  ),
  names: (config) => [label(config)],
  async *listDeliveries(config, { projectId, exportId }, environment, signal) {
    const { catalog, openLake } = openTable(config, { projectId }, environment, signal);
    try {
      const metadata = await catalog.load();
      if (!metadata) return;
      yield* listDeliveriesIn(metadata, exportId, () => openLake(metadata.location));
    } catch (error) {
      throwAsOwn(error);
    } finally {
      catalog.close();
    }
  },
  async open(config, delivery, context, environment) {
    const table = openTable(config, delivery, environment, context.signal);
    return icebergSession({ ...table, delivery, context, location: label(config), compact: config.compact ?? false });
  },
});
