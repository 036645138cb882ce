/** Opens the storage of a table's files. */
import { lakeOf, type Lake } from '../lake.ts';
import { parseLocation } from './location.ts';
import type { StorageOptions } from './options.ts';
import { openS3Store } from './s3.ts';

/** @param url location of the table, as the catalog gives it */
export async function openLake(url: string, options: StorageOptions): Promise<Lake> {
  const location = parseLocation(url);
  return lakeOf(await openS3Store({ ...location, url }, options), location);
}
