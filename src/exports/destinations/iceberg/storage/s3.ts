/** Opens a table's files in S3, or in a store that speaks its API, with keys that are configured or vended. */
import type { WholeObjectStore } from '../../object-store/store.ts';
import { s3Client, type S3Access } from '../../s3/client.ts';
import { isRegion } from '../../s3/names.ts';
import { s3Store } from '../../s3/store.ts';
import { icebergFault } from '../faults.ts';
import { checkVended, grantSource, neededValue } from './grants.ts';
import { originOf, type OpenedLocation, type StorageOptions } from './options.ts';
import type { StorageConfig } from './vended.ts';

export async function openS3Store({ url, bucket }: OpenedLocation, options: StorageOptions): Promise<WholeObjectStore> {
  const { config, place, allowedHosts, signal } = options;
  const access = config.storage_credentials === 'vended' ? await vendedAccess(url, options) : configuredAccess(options);
  const { client, close } = s3Client({ ...access, allowedHosts });
  return s3Store({
    client,
    place,
    legacyPlace: place,
    bucket,
    encryption: null,
    kmsKeyId: null,
    signal,
    onClose: close,
  });
}

type KeyedAccess = Omit<S3Access, 'allowedHosts'>;

function configuredAccess({ config, awsCredentials }: StorageOptions): KeyedAccess {
  return {
    region: config.region ?? '',
    credentials: awsCredentials(),
    // Only the user's endpoint, which is checked, is used: never one that the catalog names.
    endpoint: originOf(config),
    virtualHosts: config.use_virtual_style_addressing,
  };
}

/** The catalog may name the store along with the keys. Later keys are for the same store. */
async function vendedAccess(location: string, { config, catalog, allowedHosts }: StorageOptions): Promise<KeyedAccess> {
  const { current, renew } = grantSource(catalog, location, ['s3.session-token-expires-at-ms']);
  const first = await current();
  keysIn(first);
  const region = first['s3.region'] ?? first['client.region'] ?? config.region ?? '';
  if (!isRegion(region)) throw icebergFault('vended_region_invalid');
  const named = first['s3.endpoint'];
  const pathStyle = first['s3.path-style-access'];
  return {
    region,
    // The SDK keeps keys until they expire, and asks each time for those that have.
    credentials: async () => ({ ...keysIn(await current()), expiration: new Date(0) }),
    renewCredentials: renew,
    endpoint: named === undefined ? originOf(config) : await checkVended(named, allowedHosts),
    virtualHosts: pathStyle === undefined ? config.use_virtual_style_addressing : pathStyle !== 'true',
  };
}

function keysIn(config: StorageConfig) {
  const sessionToken = config['s3.session-token'] && neededValue(config, 's3.session-token');
  return {
    accessKeyId: neededValue(config, 's3.access-key-id'),
    secretAccessKey: neededValue(config, 's3.secret-access-key'),
    ...(sessionToken && { sessionToken }),
  };
}
