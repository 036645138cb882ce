/** Files in a bucket of Google Cloud Storage. */
import { InvalidInput } from '../../../platform/errors.ts';
import { checkEndpoint, checkUrl } from '../../../platform/net/endpoint.ts';
import { nullable, Type, type Static } from '../../../platform/schema.ts';
import type { SessionContext, Subject } from '../contract.ts';
import { addGroup, defineDestination } from '../define.ts';
import { checkHostOf, type DestinationEnvironment } from '../environment.ts';
import { withModel } from '../key-space.ts';
import { checkFileFormat, FILE_PROMISES, fileProperties, folderPattern, withDefault } from '../object-store/config.ts';
import { bucketDeliveries, type OpenBucket } from '../object-store/bucket.ts';
import { checkPrefix } from '../object-store/keys.ts';
import { secret } from '../secret.ts';
import { gcsClient, GOOGLE } from './client.ts';
import { parseServiceAccountKey } from './service-account.ts';
import { gcsStore } from './store.ts';
import { bucketSteps } from './test-steps.ts';

const Config = Type.Object(
  {
    ...addGroup('connection', {
      bucket_name: Type.String({
        minLength: 1,
        title: 'Bucket',
        description: 'The name of the bucket; it must exist.',
        examples: ['lake'],
      }),
      service_account_key: secret('Service account key'),
    }),
    ...fileProperties,
    ...addGroup('advanced', {
      endpoint_url: withDefault(
        nullable(
          Type.String({
            description: 'The URL of an emulator, without a path; empty for Google’s own store.',
            examples: ['https://storage.example.com'],
          }),
          { title: 'Endpoint' },
        ),
        null,
      ),
    }),
  },
  { additionalProperties: false },
);
type Config = Static<typeof Config>;

const BUCKET =
  /^(?!\d+\.\d+\.\d+\.\d+$)(?=.{3,222}$)[a-z0-9](?:[a-z0-9_-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9_-]{0,61}[a-z0-9])?)*$/;

async function validate(config: Config, environment: DestinationEnvironment): Promise<void> {
  if (!BUCKET.test(config.bucket_name))
    throw new InvalidInput(
      'Must be the name of a bucket, without gs://: at least 3 lower-case letters, digits, hyphens, underscores and dots.',
      'bucket_name',
    );
  checkPrefix(config.prefix);
  const { tokenUri } = parseServiceAccountKey(config.service_account_key);
  await checkHostOf('service_account_key', environment, async (rules) => checkUrl(tokenUri, rules));
  const { endpoint_url: endpoint } = config;
  if (endpoint) await checkHostOf('endpoint_url', environment, async (rules) => checkEndpoint(endpoint, rules));
}

function originOf({ endpoint_url: endpoint }: Config): string {
  return endpoint ? new URL(endpoint).origin : GOOGLE;
}

/** The place is the bucket and the folder, because service accounts are often limited to folders of one bucket. */
function bucketPlace(config: Config, { model }: Pick<Subject, 'model'>): string {
  return `gcs:${originOf(config)}#${config.bucket_name}/${withModel(folderPattern(config), model)}`;
}

function openBucket(
  config: Config,
  subject: Subject,
  { allowedHosts }: DestinationEnvironment,
  signal: AbortSignal,
  onRequest?: SessionContext['onRequest'],
): OpenBucket {
  const account = parseServiceAccountKey(config.service_account_key);
  const client = gcsClient({ account, origin: originOf(config), allowedHosts, signal, onRequest });
  const store = gcsStore({ client, bucket: config.bucket_name, place: bucketPlace(config, subject), signal });
  return { prefix: folderPattern(config), store };
}

export const gcs = defineDestination<Config>({
  type: 'GCS',
  title: 'Google Cloud Storage',
  promises: FILE_PROMISES,
  takes: 'files',
  config: Config,
  checkBeforeSchema: checkFileFormat,
  integration: { kind: 'google-cloud-storage', fields: ['service_account_key', 'endpoint_url'] },
  secretsGoTo: ['endpoint_url'],
  // Derives no field, but refuses a broken key at once, in an integration too.
  derive({ service_account_key: key }) {
    if (typeof key === 'string') parseServiceAccountKey(key);
    return {};
  },
  validate,
  place: bucketPlace,
  keySpace: bucketPlace,
  label: ({ bucket_name, prefix }) => `gs://${[bucket_name, prefix].filter(Boolean).join('/')}`.replace(/\/$/, ''),
  steps: bucketSteps(openBucket),
  ...bucketDeliveries(openBucket),
});
