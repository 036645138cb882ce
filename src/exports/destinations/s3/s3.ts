/** Files in S3 and in stores that speak its API. The type `S3` is for all of them, `AwsS3` for Amazon alone, `S3Compatible` for other stores. */
import type { ServerSideEncryption } from '@aws-sdk/client-s3';
import { InvalidInput } from '../../../platform/errors.ts';
import { checkEndpoint } from '../../../platform/net/endpoint.ts';
import { nullable, stringEnum, Type, type Static } from '../../../platform/schema.ts';
import type { Destination, SessionContext, Subject } from '../contract.ts';
import { checkHostOf, type DestinationEnvironment } from '../environment.ts';
import { defineDestination, addGroup } from '../define.ts';
import {
  checkFileFormat,
  FILE_PROMISES,
  folderPattern,
  FORMER_FILE_CONFIG,
  fileProperties,
  withDefault,
} from '../object-store/config.ts';
import { withModel } from '../key-space.ts';
import { bucketDeliveries } from '../object-store/bucket.ts';
import { checkPrefix } from '../object-store/keys.ts';
import { optionalSecret, secret } from '../secret.ts';
import { s3Client } from './client.ts';
import { checkRole, checkRolesOffered, credentialsOf, roleProperties } from './credentials.ts';
import { checkRegion, isBucketName, WRONG_BUCKET_NAME } from './names.ts';
import { s3Store } from './store.ts';
import { bucketSteps, type Bucket } from './test-steps.ts';

const bucketProperties = {
  ...addGroup('connection', {
    bucket_name: Type.String({
      minLength: 1,
      title: 'Bucket',
      description: 'The name of the bucket; it must exist.',
      examples: ['lake'],
    }),
    region: Type.String({
      minLength: 1,
      title: 'Region',
      description: 'The region of the bucket, such as us-east-1; S3-compatible stores other than AWS accept any value.',
      examples: ['us-east-1'],
    }),
  }),
  ...fileProperties,
};

const keyProperties = addGroup('connection', {
  aws_access_key_id: secret('Access key ID', { isReadable: true }),
  aws_secret_access_key: secret('Secret access key'),
});

/** A key or a role. */
const accessProperties = {
  aws_access_key_id: optionalSecret('Access key ID', 'The ID of an access key; empty if a role is used.', {
    isReadable: true,
  }),
  aws_secret_access_key: optionalSecret('Secret access key', 'The secret of that access key.'),
  ...roleProperties,
};

const encryptionProperties = addGroup('advanced', {
  encryption: withDefault(
    nullable(
      stringEnum(['AES256', 'aws:kms'], {
        description: 'The server-side encryption of the objects; empty for the default of the bucket.',
      }),
      { title: 'Server-side encryption' },
    ),
    null,
  ),
  kms_key_id: withDefault(
    nullable(Type.String({ description: 'The ID of the key for aws:kms; empty for the key managed by AWS.' }), {
      title: 'KMS key',
    }),
    null,
  ),
});

const Endpoint = Type.String({
  title: 'Endpoint',
  examples: ['https://storage.example.com'],
  description:
    'The URL of the store without a path, such as https://storage.example.com. http is accepted only for hosts ' +
    'that the operator allows.',
});

const virtualStyle = Type.Boolean({
  default: false,
  title: 'Virtual-host addressing',
  description: 'Address the bucket as part of the host name rather than the path.',
});

const NO_OTHER_FIELDS = { additionalProperties: false };
const AwsS3Config = Type.Object({ ...bucketProperties, ...accessProperties, ...encryptionProperties }, NO_OTHER_FIELDS);
const S3CompatibleConfig = Type.Object(
  {
    ...bucketProperties,
    ...keyProperties,
    // An empty text would send the keys to Amazon.
    ...addGroup('connection', { endpoint_url: { ...Endpoint, minLength: 1 } }),
    ...addGroup('advanced', { use_virtual_style_addressing: virtualStyle }),
  },
  NO_OTHER_FIELDS,
);
const S3Config = Type.Object(
  {
    ...bucketProperties,
    ...accessProperties,
    ...encryptionProperties,
    ...addGroup('connection', { endpoint_url: withDefault(nullable(Endpoint, { title: 'Endpoint' }), null) }),
    ...addGroup('advanced', { use_virtual_style_addressing: virtualStyle }),
  },
  NO_OTHER_FIELDS,
);

/** Fields that the narrower type lacks count as empty. */
type AnyConfig = Static<typeof AwsS3Config> & Partial<Static<typeof S3Config>>;

/** A key, or a role in its place. @throws InvalidInput naming the field */
function checkCredentials(config: Readonly<Record<string, unknown>>): void {
  const { aws_access_key_id: id, aws_secret_access_key: key, aws_role_arn: role } = config as Partial<AnyConfig>;
  checkRole(config);
  if (role) return;
  if (!id) throw new InvalidInput('This field is required, unless a role is used.', 'aws_access_key_id', 'required');
  if (!key)
    throw new InvalidInput('This field is required, unless a role is used.', 'aws_secret_access_key', 'required');
}

async function validate(config: AnyConfig, environment: DestinationEnvironment): Promise<void> {
  if (!isBucketName(config.bucket_name)) throw new InvalidInput(WRONG_BUCKET_NAME, 'bucket_name');
  checkRegion(config.region);
  checkPrefix(config.prefix);
  if (config.kms_key_id && config.encryption !== 'aws:kms') {
    throw new InvalidInput('Needs the encryption "aws:kms".', 'kms_key_id');
  }
  checkRolesOffered(config, environment);
  const { endpoint_url: endpoint } = config;
  if (endpoint) await checkHostOf('endpoint_url', environment, async (rules) => checkEndpoint(endpoint, rules));
}

function storeOf(config: AnyConfig): string {
  const store = config.endpoint_url ? new URL(config.endpoint_url).origin : 'aws';
  return `s3:${store}/${config.bucket_name}`;
}

/** The place is the bucket and the folder, because credentials are often limited to one prefix of a bucket. */
function bucketPlace(config: AnyConfig, { model }: Pick<Subject, 'model'>): string {
  return `${storeOf(config)}/${withModel(folderPattern(config), model)}`;
}

function s3Destination(
  type: string,
  title: string,
  schema: Destination['config'],
  integration?: Destination['integration'],
): Destination {
  return defineDestination<AnyConfig>({
    type,
    title,
    promises: FILE_PROMISES,
    takes: 'files',
    config: schema,
    checkBeforeSchema: checkFileFormat,
    checkCredentials,
    legacyDefaults: FORMER_FILE_CONFIG,
    ...(integration && { integration }),
    secretsGoTo: ['endpoint_url'],
    validate,
    place: bucketPlace,
    keySpace: bucketPlace,
    label: ({ bucket_name, prefix }) => `s3://${[bucket_name, prefix].filter(Boolean).join('/')}`.replace(/\/$/, ''),
    steps: bucketSteps(openBucket),
    ...bucketDeliveries(openBucket),
  });
}

function openBucket(
  config: AnyConfig,
  { projectId, model }: Subject,
  environment: DestinationEnvironment,
  signal: AbortSignal,
  onRequest?: SessionContext['onRequest'],
): Bucket {
  const { client, close } = s3Client({
    region: config.region,
    credentials: credentialsOf(config, { projectId, region: config.region }, environment),
    endpoint: config.endpoint_url ? new URL(config.endpoint_url).origin : null,
    virtualHosts: config.use_virtual_style_addressing ?? false,
    allowedHosts: environment.allowedHosts,
    onRequest,
  });
  const store = s3Store({
    client,
    place: bucketPlace(config, { model }),
    legacyPlace: storeOf(config),
    bucket: config.bucket_name,
    encryption: (config.encryption ?? null) as ServerSideEncryption | null,
    kmsKeyId: config.kms_key_id ?? null,
    signal,
    onClose: close,
  });
  return { client, bucket: config.bucket_name, prefix: folderPattern(config), store };
}

export const s3 = s3Destination('S3', 'S3', S3Config);
export const awsS3 = s3Destination('AwsS3', 'Amazon S3', AwsS3Config, {
  kind: 'aws-s3',
  fields: ['aws_access_key_id', 'aws_secret_access_key', 'aws_role_arn'],
});
export const s3Compatible = s3Destination('S3Compatible', 'S3-compatible store', S3CompatibleConfig, {
  kind: 's3-compatible',
  fields: ['aws_access_key_id', 'aws_secret_access_key', 'endpoint_url'],
});
