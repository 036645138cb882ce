/** States of persons that nothing refers to any more: those of erased persons, and those that only expired events saw. */
import assert from 'node:assert/strict';
import { eraseRows, type ErasingRowsEngine } from '../../activities/rounds/erase-persons.ts';
import { expireEvents } from '../../activities/rounds/expire-events.ts';
import { createIngest, INGEST_TIMEOUTS } from '../../src/events/ingest/ingest.ts';
import { erasureStore, type ErasureSubject } from '../../src/events/records/erasures.store.ts';
import { hideEvents } from '../../src/events/table/expiry.ts';
import { turnOnReferences } from '../../src/events/table/state-switch.ts';
import { createPool, type Pool } from '../../src/platform/db/connection.ts';
import { inTransaction } from '../../src/platform/db/transactions.ts';
import { createLogger } from '../../src/platform/telemetry/logger.ts';
import { createExportRows, type ExportRows } from '../support/database/export-rows.ts';
import { buildPersonEvent } from '../support/database/stored-persons.ts';
import { buildRows } from '../support/events/events.ts';
import { eventOf, identify, set, type Line } from '../support/events/person-lines.ts';

const DAY_MS = 86_400_000;

describe('states of persons that nothing refers to', () => {
  let rows: ExportRows;
  let pool: Pool;
  let engine: ErasingRowsEngine;
  before(async () => {
    rows = await createExportRows();
    pool = createPool({ url: rows.url, applicationName: 'test' });
    engine = { pool, stores: rows.stores, log: createLogger({ LOG_LEVEL: 'silent' }, 'test') };
    await turnOnReferences(pool);
  });
  after(async () => {
    await pool?.end();
    await rows?.close();
  });
  beforeEach(() =>
    pool.query(
      'truncate erasures, events, event_ids, persons, person_distinct_ids, person_versions, person_states cascade',
    ),
  );

  /** Stores lines as one group. @param daysAgo when capture is to have stored them */
  async function store(lines: readonly Line[], daysAgo = 0): Promise<void> {
    const ingestPool = createPool({ url: rows.url, applicationName: 'test', ...INGEST_TIMEOUTS });
    const at = new Date(Date.now() - daysAgo * DAY_MS).toISOString();
    if (daysAgo > 0) ingestPool.on('connect', (client) => void client.query(`set sluice.ingest_now to '${at}'`));
    const events = lines.map((line) => buildPersonEvent(eventOf(line)));
    await createIngest(ingestPool).store(rows.projectId, [buildRows(events, { projectId: rows.projectId })]);
    await ingestPool.end();
  }
  async function erase(subject: ErasureSubject): Promise<void> {
    await inTransaction(rows.db, async (tx) => erasureStore(tx).request(rows.projectId, subject));
    await eraseRows(engine, { beginWithinMs: 60_000, signal: new AbortController().signal });
    const { rows: erasures } = await pool.query('select state from erasures');
    assert.deepEqual(erasures, [{ state: 'redelivering' }]);
  }
  /** Properties of all states, then those that events and versions of persons have. */
  async function stored(): Promise<{ states: unknown[]; seen: unknown[] }> {
    const states = await pool.query<{ properties: unknown }>('select properties from person_states order by version');
    const seen = await pool.query<{ seen: unknown }>(
      `select distinct distinct_id, person_properties as seen from events_with_persons
       union select distinct_id, properties from person_versions_with_properties where not is_deleted order by 1, 2`,
    );
    return { states: states.rows.map(({ properties }) => properties), seen: seen.rows.map((row) => row.seen) };
  }

  it('go with an erased person, also those of the persons that were merged into it', async () => {
    await store([
      set('visitor', { email: 'ada@example.com' }),
      set('visitor', { seen: 1 }),
      set('ada', { n: 0 }),
      set('bob', { n: 1 }),
    ]);
    await store([identify('ada', 'visitor'), set('ada', { seen: 2 }), set('bob', { n: 2 })]);
    assert.equal((await stored()).states.length, 7);
    await erase({ distinctIds: ['ada'] });
    assert.deepEqual(await stored(), { states: [{ n: 1 }, { n: 2 }], seen: [{ n: 1 }, { n: 2 }] });
  });

  it('stay while events of another, who was once the same person, refer to them', async () => {
    await store([set('first', { n: 1 }), identify('first', 'second'), set('second', { n: 2 })]);
    await pool.query('select delete_persons($1, array(select id from persons))', [rows.projectId]);
    await store([set('ada', { n: 3 }), identify('ada', 'first')]);
    await erase({ distinctIds: ['ada'] });
    assert.deepEqual(await stored(), { states: [{ n: 1 }, { n: 2 }], seen: [{ n: 2 }] });
  });

  it('expire with the events that alone saw them', async () => {
    await store([set('a', { n: 1 }), set('a', { n: 2 })], 40);
    await store([set('a', { n: 3 }), set('a', { n: 4 })]);
    await hideEvents(pool, rows.projectId, new Date(Date.now() - 30 * DAY_MS).toISOString());
    const signal = new AbortController().signal;
    await expireEvents({ ...engine, retention: {} }, { beginWithinMs: 60_000, signal });
    assert.deepEqual((await stored()).states, [{ n: 2 }, { n: 3 }, { n: 4 }], 'the state of a version is kept');
  });
});
