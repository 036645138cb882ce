/** Opens the storage of a table's files. */
import type { WholeObjectStore } from '../../object-store/store.ts';
import { storageOf } from '../access/config.ts';
import { icebergFault } from '../faults.ts';
import { lakeOf, type Lake } from '../lake.ts';
import { openAzureStore } from './azure.ts';
import { openGcsStore } from './gcs.ts';
import { parseLocation, type Storage } from './location.ts';
import type { OpenedLocation, StorageOptions } from './options.ts';
import { openS3Store } from './s3.ts';
import { withFaultsOf } from './with-faults.ts';

const OPENERS: Record<Storage, (location: OpenedLocation, options: StorageOptions) => Promise<WholeObjectStore>> = {
  s3: openS3Store,
  gcs: async (location, options) => withFaultsOf('gcs', await openGcsStore(location, options)),
  azure: async (location, options) => withFaultsOf('azure', await openAzureStore(location, options)),
};

/** @param url location of the table, as the catalog gives it */
export async function openLake(url: string, options: StorageOptions): Promise<Lake> {
  const location = parseLocation(url);
  // Only servers that the configuration is for get its credentials.
  if (location.storage !== storageOf(options.config)) throw icebergFault('storage_differs');
  return lakeOf(await OPENERS[location.storage]({ ...location, url }, options), location);
}
