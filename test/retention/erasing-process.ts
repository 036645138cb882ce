/** Deletes the rows of all erasures in a process of its own, which a test kills. Its argument is the database's URL. */
import { eraseRows } from '../../activities/rounds/erase-persons.ts';
import { exportStores } from '../../src/exports/stores.ts';
import { createKnex, createPool } from '../../src/platform/db/connection.ts';
import { createLogger } from '../../src/platform/telemetry/logger.ts';

const [, , url = ''] = process.argv;
const db = createKnex({ url, applicationName: 'test-erasing' });
const pool = createPool({ url, applicationName: 'test-erasing' });
const engine = { pool, stores: exportStores(db), log: createLogger({ LOG_LEVEL: 'fatal' }, 'test') };
await eraseRows(engine, { beginWithinMs: 60_000, signal: new AbortController().signal });
await Promise.all([db.destroy(), pool.end()]);
