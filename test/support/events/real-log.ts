/** 10,000 real requests of May 2015, which are not ours to ship: a test of them exists where the file does. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const REAL_LOG = fileURLToPath(new URL('../../../../shared/data/access.log.gz', import.meta.url));

/** Says so where it is not. */
export function hasRealLog(): boolean {
  if (existsSync(REAL_LOG)) return true;
  console.log('  without the tests of 10,000 real requests: ../shared/data/access.log.gz is not here');
  return false;
}
