/** Opens a table's files in Azure Blob Storage, with a connection string or with shared access signatures that the catalog vends. */
import { azureStore } from '../../azure-blob/store.ts';
import { isExpired, parseConnectionString, type AzureAccount } from '../../azure-blob/connection-string.ts';
import type { WholeObjectStore } from '../../object-store/store.ts';
import { icebergFault } from '../faults.ts';
import { checkVended, grantSource, neededValue } from './grants.ts';
import type { OpenedLocation, StorageOptions } from './options.ts';
import { valueOf, type StorageConfig } from './vended.ts';

export async function openAzureStore(location: OpenedLocation, options: StorageOptions): Promise<WholeObjectStore> {
  // The SDK takes a second and 40 MB, also of processes that never use it.
  const { azureContainer, copySourceUrl } = await import('../../azure-blob/client.ts');
  const { config, place, allowedHosts, signal } = options;
  const account =
    config.storage_credentials === 'vended'
      ? await vendedAccount(location, options)
      : configuredAccount(location, config.connection_string ?? '');
  const { container, close } = azureContainer(account, location.bucket, allowedHosts);
  return azureStore({
    container,
    place,
    copySource: async (blob) => copySourceUrl(blob, account),
    isExpired: () => isExpired(account),
    signal,
    onClose: close,
  });
}

/** @throws DestinationUnavailable for the credentials of another account than the table's */
function configuredAccount({ host }: OpenedLocation, text: string): AzureAccount {
  const account = parseConnectionString(text);
  const [name] = host.split('.');
  if ('accountName' in account.credential && account.credential.accountName !== name)
    throw icebergFault('storage_account_differs');
  return account;
}

async function vendedAccount(
  { url, host }: OpenedLocation,
  { catalog, allowedHosts }: StorageOptions,
): Promise<AzureAccount> {
  // Catalogs name the account with or without the rest of its host, and not always all properties in the same way.
  const [account] = host.split('.');
  const namesOf = (property: string) => [`adls.${property}.${host}`, `adls.${property}.${account}`];
  const { current, renew } = grantSource(catalog, url, namesOf('sas-token-expires-at-ms'));
  const sasIn = (config: StorageConfig) => neededValue(config, ...namesOf('sas-token')).replace(/^\?/, '');
  const first = await current();
  sasIn(first);
  const named = valueOf(first, namesOf('connection-string'));
  // Of the Data Lake service, whose files the Blob service has too.
  const endpoint = (named ?? `https://${host}`).replace('.dfs.', '.blob.');
  const { origin, pathname } = URL.parse(endpoint) ?? { origin: '', pathname: '' };
  return {
    endpoint: `${await checkVended(origin, allowedHosts)}${pathname.replace(/\/$/, '')}`,
    credential: { currentSas: async (renews) => sasIn(await (renews ? renew() : current())) },
  };
}
