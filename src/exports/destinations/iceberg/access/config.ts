/** Configuration of an Iceberg destination. */
import { InvalidInput } from '../../../../platform/errors.ts';
import { checkEndpoint, checkUrl } from '../../../../platform/net/endpoint.ts';
import { nullable, stringEnum, Type, type Static, type TSchema } from '../../../../platform/schema.ts';
import { addGroup, shownWhen } from '../../define.ts';
import { blobEndpointField, parseConnectionString } from '../../azure-blob/connection-string.ts';
import { checkHostOf, type DestinationEnvironment } from '../../environment.ts';
import { parseServiceAccountKey } from '../../gcs/service-account.ts';
import { withDefault } from '../../object-store/config.ts';
import { checkRolesOffered, roleProperties } from '../../s3/credentials.ts';
import { checkRegion } from '../../s3/names.ts';
import { optionalSecret } from '../../secret.ts';

const BY_TOKEN = { catalog_auth: ['bearer'] };
const BY_SIGNATURE = { catalog_auth: ['sigv4'] };
const keysOf = (storage: string) => ({ storage: [storage], storage_credentials: ['configured'] });

type Hints = { 'x-group'?: string; 'x-when'?: object; 'x-required-when'?: object };

/** Adds hints for forms to a field that may be absent, which it stays. */
const withHints = <S extends TSchema>(hints: Hints, schema: S) => Type.Optional({ ...schema, ...hints });

const optionalText = (title: string, description: string, limits: { maxLength?: number; pattern?: string } = {}) =>
  withDefault(nullable(Type.String({ description, ...limits }), { title }), null);

export const IcebergSchema = Type.Object(
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
      catalog_auth: stringEnum(['bearer', 'sigv4'], {
        default: 'bearer',
        title: 'Access to the catalog',
        description:
          'bearer: by a token or a credential, if the catalog asks for one. sigv4: by requests that are signed with the access key, as AWS Glue and S3 Tables need them.',
      }),
    }),
    token: Type.Optional(
      shownWhen(
        BY_TOKEN,
        optionalSecret('Token', 'The bearer token of the catalog; empty for a catalog without authentication.'),
      ),
    ),
    credential: Type.Optional(
      shownWhen(
        BY_TOKEN,
        optionalSecret(
          'Credential',
          'The id and the secret of a client, with a colon between them, for catalogs that give tokens by OAuth 2; in place of a token.',
        ),
      ),
    ),
    ...addGroup('connection', {
      oauth2_server_uri: shownWhen(
        BY_TOKEN,
        optionalText(
          'Authorization server',
          'The token endpoint for the credential; empty for the one of the catalog itself.',
          { maxLength: 2048 },
        ),
      ),
      scope: shownWhen(
        BY_TOKEN,
        optionalText('Scope', 'The scope of the tokens, such as PRINCIPAL_ROLE:ALL.', { maxLength: 2048 }),
      ),
      signing_name: shownWhen(
        BY_SIGNATURE,
        optionalText(
          'Signed service',
          'The service that requests are signed for, in lower-case letters, digits and hyphens; empty for glue or s3tables at the hosts of those, and execute-api at others.',
          { pattern: '^[a-z0-9-]{1,64}$' },
        ),
      ),
      signing_region: shownWhen(
        BY_SIGNATURE,
        optionalText('Signed region', 'The region that requests are signed for; empty for the one of the bucket.'),
      ),
      storage: stringEnum(['s3', 'gcs', 'azure'], {
        default: 's3',
        title: 'Storage',
        description:
          'The storage of the table’s files. s3: Amazon S3 and stores that speak its API. gcs: Google Cloud Storage. azure: Azure Blob Storage, Data Lake Storage included.',
      }),
      storage_credentials: stringEnum(['configured', 'vended'], {
        default: 'configured',
        title: 'Credentials of the storage',
        description:
          'configured: those below. vended: the catalog gives temporary ones for the files of the table, and new ones before they expire.',
      }),
    }),
    region: withHints(
      { 'x-group': 'connection', 'x-required-when': { storage: ['s3'] } },
      nullable(
        Type.String({
          minLength: 1,
          description:
            'The region of the table’s bucket in S3, such as us-east-1; S3-compatible stores other than AWS accept any value.',
          examples: ['us-east-1'],
        }),
        { title: 'Region' },
      ),
    ),
    aws_access_key_id: optionalSecret(
      'Access key ID',
      'The ID of an access key of a storage in S3, and of a catalog that wants signatures; empty if neither does, or a role is used.',
      { isReadable: true },
    ),
    aws_secret_access_key: optionalSecret('Secret access key', 'The secret of that access key.'),
    aws_session_token: optionalSecret(
      'Session token',
      'The token that belongs to the access key, if that is a temporary one.',
    ),
    ...roleProperties,
    service_account_key: withHints(
      { 'x-when': keysOf('gcs'), 'x-required-when': keysOf('gcs') },
      optionalSecret('Service account key', 'The JSON key of a service account that may write the files.'),
    ),
    connection_string: withHints(
      { 'x-when': keysOf('azure'), 'x-required-when': keysOf('azure') },
      optionalSecret('Connection string', 'The connection string of the storage account of the files.'),
    ),
    ...addGroup('connection', {
      endpoint_url: shownWhen(
        { storage: ['s3', 'gcs'] },
        optionalText(
          'Endpoint',
          'The URL of the S3-compatible store of the table’s files, without a path, or of an emulator of Google’s; empty for Amazon’s and Google’s own.',
        ),
      ),
      ...blobEndpointField,
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
      compact: Type.Boolean({
        default: false,
        title: 'Compact',
        description: 'Merge the files of each data interval, and many small manifests, after a delivery.',
      }),
      use_virtual_style_addressing: Type.Boolean({
        default: false,
        title: 'Virtual-host addressing',
        description: 'Address the bucket as part of the host name rather than the path.',
      }),
    }),
  },
  { additionalProperties: false },
);
export type IcebergConfig = Static<typeof IcebergSchema>;

/** Plans from before other storages name none. */
export const storageOf = ({ storage }: Partial<Pick<IcebergConfig, 'storage'>>) => storage ?? 's3';

const HEADER_TEXT = /^[\x21-\x7e]*$/;
const NAME_RULE = 'letters, digits, underscores, hyphens and spaces, with a letter, a digit or an underscore first';
const NAME = /^[\p{L}\p{N}_][\p{L}\p{N}_ -]*$/u;

/** @throws InvalidInput naming the field */
export async function checkIcebergConfig(config: IcebergConfig, environment: DestinationEnvironment): Promise<void> {
  if (!config.namespace.split('.').every((level) => NAME.test(level)))
    throw new InvalidInput(`Must be levels with dots between them, each of ${NAME_RULE}.`, 'namespace');
  if (!NAME.test(config.table_name)) throw new InvalidInput(`Must consist of ${NAME_RULE}.`, 'table_name');
  requireFields(config);
  checkRolesOffered(config, environment);
  if (config.region) checkRegion(config.region);
  checkCatalogAuth(config);
  await checkStorageHosts(config, environment);
  const { catalog_uri: uri, oauth2_server_uri: server, endpoint_url: endpoint } = config;
  if (uri.includes('?')) throw new InvalidInput('May not have a query.', 'catalog_uri');
  if (server) await checkHostOf('oauth2_server_uri', environment, async (rules) => checkUrl(server, rules));
  await checkHostOf('catalog_uri', environment, async (rules) => checkUrl(uri, rules));
  if (endpoint) await checkHostOf('endpoint_url', environment, async (rules) => checkEndpoint(endpoint, rules));
}

const KEYS = ['aws_access_key_id', 'aws_secret_access_key'] as const;
const CREDENTIALS = { s3: KEYS, gcs: ['service_account_key'], azure: ['connection_string'] } as const;

function requireFields(config: IcebergConfig): void {
  const { storage_credentials, catalog_auth } = config;
  const storage = storageOf(config);
  const needed = new Set<keyof IcebergConfig>(storage_credentials === 'vended' ? [] : CREDENTIALS[storage]);
  if (storage === 's3') needed.add('region');
  if (catalog_auth === 'sigv4') for (const field of KEYS) needed.add(field);
  if (config.aws_role_arn) for (const field of KEYS) needed.delete(field);
  for (const field of needed) if (!config[field]) throw new InvalidInput('This field is required.', field, 'required');
  if (catalog_auth === 'sigv4' && !config.signing_region && !config.region)
    throw new InvalidInput('This field is required without the region of a bucket.', 'signing_region', 'required');
}

/** Checks the hosts that the credentials of the storage name. */
async function checkStorageHosts(config: IcebergConfig, environment: DestinationEnvironment): Promise<void> {
  const { service_account_key: key, connection_string: text } = config;
  if (key) {
    const { tokenUri } = parseServiceAccountKey(key);
    await checkHostOf('service_account_key', environment, async (rules) => checkUrl(tokenUri, rules));
  }
  if (!text) return;
  const { origin } = new URL(parseConnectionString(text).endpoint);
  await checkHostOf('connection_string', environment, async (rules) => checkEndpoint(origin, rules));
}

/** Derives the server of a connection string, and refuses a broken key or string at once, in an integration too. */
export function deriveIcebergFields({
  service_account_key: key,
  connection_string: text,
}: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  if (typeof key === 'string') parseServiceAccountKey(key);
  return typeof text === 'string' ? { blob_endpoint: parseConnectionString(text).endpoint } : {};
}

function checkCatalogAuth(config: IcebergConfig): void {
  const { token, credential } = config;
  for (const field of ['token', 'aws_session_token'] as const)
    if (!HEADER_TEXT.test(config[field] ?? ''))
      throw new InvalidInput('Must be letters, digits and signs of ASCII without spaces.', field);
  if (config.signing_region) checkRegion(config.signing_region, 'signing_region');
  if (config.catalog_auth === 'sigv4') {
    const extra = token ? 'token' : 'credential';
    if (config[extra])
      throw new InvalidInput('Signed requests have neither a token nor a credential: leave it out.', extra);
  }
  if (credential && token) throw new InvalidInput('Give a token or a credential, not both.', 'credential');
  if (credential && !/^[^:]+:./.test(credential))
    throw new InvalidInput('The credential is an id and a secret, with a colon between them.', 'credential');
}
