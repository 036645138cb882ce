/** A log of 10,000 real requests from May 2015, which we may not distribute: its tests run only where the file exists. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const REAL_LOG = fileURLToPath(new URL('../../../../shared/data/access.log.gz', import.meta.url));

/** Prints a line if the file is missing. */
export function hasRealLog(): boolean {
  if (existsSync(REAL_LOG)) return true;
  console.log('  without the tests of 10,000 real requests: ../shared/data/access.log.gz is not here');
  return false;
}
