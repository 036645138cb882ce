/** Files in a container of Azure Blob Storage. */
import { InvalidInput } from '../../../platform/errors.ts';
import { checkEndpoint } from '../../../platform/net/endpoint.ts';
import { Type, type Static } from '../../../platform/schema.ts';
import type { SessionContext, Subject } from '../contract.ts';
import { addGroup, defineDestination } from '../define.ts';
import { checkHostOf, type DestinationEnvironment } from '../environment.ts';
import { withModel } from '../key-space.ts';
import { checkFileFormat, FILE_PROMISES, fileProperties, folderPattern } from '../object-store/config.ts';
import { bucketDeliveries } from '../object-store/bucket.ts';
import { checkPrefix } from '../object-store/keys.ts';
import { secret } from '../secret.ts';
import { blobEndpointField, isExpired, parseConnectionString } from './connection-string.ts';
import { azureStore } from './store.ts';
import { containerSteps, type Container } from './test-steps.ts';

const Config = Type.Object(
  {
    ...addGroup('connection', {
      container_name: Type.String({
        minLength: 1,
        title: 'Container',
        description: 'The name of the container; it must exist.',
        examples: ['exports'],
      }),
      connection_string: secret('Connection string'),
      ...blobEndpointField,
    }),
    ...fileProperties,
  },
  { additionalProperties: false },
);
type Config = Static<typeof Config>;

/** Azure's rule; `$root` and `$web` are other kinds of containers. */
const CONTAINER = /^(?!.*--)[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$/;

async function validate(config: Config, environment: DestinationEnvironment): Promise<void> {
  if (!CONTAINER.test(config.container_name))
    throw new InvalidInput(
      'Must be the name of a container: 3 to 63 lower-case letters, digits and single hyphens, such as exports.',
      'container_name',
    );
  checkPrefix(config.prefix);
  const { endpoint } = parseConnectionString(config.connection_string);
  await checkHostOf('connection_string', environment, async (rules) => checkEndpoint(new URL(endpoint).origin, rules));
}

/** The place is the container and the folder, because credentials are often limited to one container. */
function containerPlace(config: Config, { model }: Pick<Subject, 'model'>): string {
  const folder = withModel(folderPattern(config), model);
  return `azure:${config.blob_endpoint ?? ''}#${config.container_name}/${folder}`;
}

async function openContainer(
  config: Config,
  subject: Subject,
  { allowedHosts }: DestinationEnvironment,
  signal: AbortSignal,
  onRequest?: SessionContext['onRequest'],
): Promise<Container> {
  // The SDK takes a second and 40 MB, also of processes that never use it.
  const { azureContainer, copySourceUrl } = await import('./client.ts');
  const account = parseConnectionString(config.connection_string);
  const { container, close } = azureContainer(account, config.container_name, allowedHosts, onRequest);
  const hasExpired = () => isExpired(account);
  const store = azureStore({
    container,
    place: containerPlace(config, subject),
    copySource: (blob) => copySourceUrl(blob, account),
    isExpired: hasExpired,
    signal,
    onClose: close,
  });
  return { container, prefix: folderPattern(config), isExpired: hasExpired, store };
}

export const azureBlob = defineDestination<Config>({
  type: 'AzureBlob',
  title: 'Azure Blob Storage',
  promises: FILE_PROMISES,
  takes: 'files',
  config: Config,
  checkBeforeSchema: checkFileFormat,
  integration: { kind: 'azure-blob', fields: ['connection_string', 'blob_endpoint'] },
  secretsGoTo: ['blob_endpoint'],
  derive: ({ connection_string: text }) =>
    typeof text === 'string' ? { blob_endpoint: parseConnectionString(text).endpoint } : {},
  validate,
  place: containerPlace,
  keySpace: containerPlace,
  label: ({ container_name, prefix }) =>
    `azure://${[container_name, prefix].filter(Boolean).join('/')}`.replace(/\/$/, ''),
  steps: containerSteps(openContainer),
  ...bucketDeliveries(openContainer),
});
