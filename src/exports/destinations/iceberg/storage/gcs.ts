/** Opens a table's files in Google Cloud Storage, with the key of a service account or with access tokens that the catalog vends. */
import { gcsClient, GOOGLE, type AccessTokens } from '../../gcs/client.ts';
import { parseServiceAccountKey } from '../../gcs/service-account.ts';
import { gcsStore } from '../../gcs/store.ts';
import type { WholeObjectStore } from '../../object-store/store.ts';
import { checkVended, grantSource, neededValue } from './grants.ts';
import { originOf, type OpenedLocation, type StorageOptions } from './options.ts';

const TOKEN = 'gcs.oauth2.token';

export async function openGcsStore(
  { url, bucket }: OpenedLocation,
  options: StorageOptions,
): Promise<WholeObjectStore> {
  const { config, place, allowedHosts, signal } = options;
  const access =
    config.storage_credentials === 'vended'
      ? await vendedAccess(url, options)
      : { account: parseServiceAccountKey(config.service_account_key ?? ''), origin: originOf(config) ?? GOOGLE };
  const client = gcsClient({ ...access, allowedHosts, signal });
  return gcsStore({ client, bucket, place, signal });
}

async function vendedAccess(
  url: string,
  { config, catalog, allowedHosts }: StorageOptions,
): Promise<{ account: AccessTokens; origin: string }> {
  const { current, renew } = grantSource(catalog, url, ['gcs.oauth2.token-expires-at']);
  const first = await current();
  neededValue(first, TOKEN);
  const named = first['gcs.service.host'];
  return {
    account: async (renews) => neededValue(await (renews ? renew() : current()), TOKEN),
    origin: named === undefined ? (originOf(config) ?? GOOGLE) : await checkVended(named, allowedHosts),
  };
}
