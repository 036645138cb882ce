/** Every kind of names that is written outside of the process. */
import type { Kind } from './kind.ts';
import { DATABASE_KINDS } from './of-database.ts';
import { DESTINATION_KINDS } from './of-destinations.ts';
import { HTTP_KINDS } from './of-http.ts';
import { NOTICE_KIND } from './of-notices.ts';
import { PROCESS_KINDS } from './of-processes.ts';
import { SECRET_KINDS } from './of-secrets.ts';
import { STORED_KINDS } from './of-stored.ts';
import { TEMPORAL_KINDS } from './of-temporal.ts';

export const KINDS: readonly Kind[] = [
  ...TEMPORAL_KINDS,
  ...SECRET_KINDS,
  ...DATABASE_KINDS,
  ...STORED_KINDS,
  ...DESTINATION_KINDS,
  ...HTTP_KINDS,
  ...NOTICE_KIND,
  ...PROCESS_KINDS,
];
