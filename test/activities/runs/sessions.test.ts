/** Sessions, from events to a table. */
import assert from 'node:assert/strict';
import { createClient } from '../../../src/platform/db/connection.ts';
import type { NewEvent } from '../../../src/events/ingest/event-rows.ts';
import { NO_SETTINGS } from '../../../src/conditions/rows/content.ts';
import { createEmptyDatabase, type TestDatabase } from '../../support/database/database.ts';
import { buildEvent, microseconds } from '../../support/events/events.ts';
import {
  runsAfterBackfill,
  buildExport,
  buildExportWorld,
  type ExportWorld,
} from '../../support/exports/export-world.ts';

const SESSION = '01890a5d-ac96-774b-bcce-b302099a8057';

/** An event of a session on 17 May 2015. */
function at(time: string, event: string, properties: object, session: unknown = SESSION): NewEvent {
  return buildEvent({
    timestamp: microseconds(`2015-05-${time}Z`),
    event,
    distinctId: 'someone',
    properties: JSON.stringify({ $session_id: session, ...properties }),
  });
}

type Row = Record<string, unknown>;

describe('sessions', () => {
  let world: ExportWorld;
  let place: TestDatabase;
  let table: ReturnType<typeof createClient>;

  before(async () => {
    world = await buildExportWorld();
    await world.startWorker();
    place = await createEmptyDatabase();
    table = createClient({ url: place.url, applicationName: 'test' });
    await table.connect();
    await world.store([
      at('16T10:59:00', '$pageview', { $current_url: 'https://old.example/' }, 'yesterday’s'),
      at('17T09:50:00', '$pageview', {
        $current_url: 'https://shop.example/a?b=1',
        $pathname: '/a',
        $host: 'shop.example',
        utm_source: 'google',
        utm_medium: 'cpc',
        gclid: 'xyz',
        $referring_domain: 'www.google.com',
      }),
      at('17T10:10:00', '$autocapture', { $external_click_url: 'https://elsewhere.example/' }),
      at('17T10:20:00', '$pageview', { $current_url: 'https://shop.example/b', $pathname: '/b', utm_source: 'later' }),
      at('17T10:30:00', '$web_vitals', { $web_vitals_LCP_value: 1234.5 }),
      at('17T11:05:00.25', '$pageview', { $current_url: 'https://shop.example/c', $pathname: '/c' }),
      at('17T10:15:00', '$pageview', { $current_url: 'https://shop.example/x', $referring_domain: '$direct' }, 'short'),
      at('17T10:15:00', 'no session', {}, undefined),
      at('17T10:15:00', 'an empty one', {}, ''),
      at('17T10:15:00', 'a number', {}, 5),
    ]);
  });
  after(async () => {
    await table?.end();
    await world?.close();
    await place?.drop();
  });

  async function createExport(tableName: string, content = NO_SETTINGS): Promise<string> {
    const { hostname, port, username, password, pathname } = new URL(place.url);
    const config = {
      host: hostname,
      port: Number(port),
      user: username,
      password: decodeURIComponent(password),
      database: pathname.slice(1),
      table_name: tableName,
    };
    const destination = { type: 'Postgres', config };
    const wanted = buildExport({ model: 'sessions', interval: 'hour', paused: true, destination, content });
    return (await world.batchExports.create(world.projectId, wanted)).id;
  }

  async function deliver(id: string, startAt: string, endAt: string): Promise<void> {
    const backfill = await world.backfills.request(world.projectId, id, { startAt, endAt });
    for (const { status, latestError } of await runsAfterBackfill(world, id, backfill.id)) {
      assert.deepEqual({ status, latestError }, { status: 'Completed', latestError: null });
    }
  }
  const rowsOf = async (name: string, columns = '*') =>
    (await table.query<Row>(`select ${columns} from ${name} order by session_id`)).rows;

  it('are one row each, from all their events up to the interval’s end, and grow with the next interval', async () => {
    const id = await createExport('sessions');
    await deliver(id, '2015-05-17T10:00:00Z', '2015-05-17T11:00:00Z');
    const [session, number, short, ...others] = await rowsOf('sessions');
    assert.deepEqual(
      [session!['session_id'], number!['session_id'], short!['session_id'], others],
      [SESSION, '5', 'short', []],
    );
    assert.partialDeepStrictEqual(session, {
      session_id_v7: SESSION,
      team_id: String(world.projectId),
      distinct_id: 'someone',
      start_timestamp: '2015-05-17T09:50:00.000000Z',
      end_timestamp: '2015-05-17T10:30:00.000000Z',
      urls: ['https://shop.example/a?b=1', 'https://shop.example/b'],
      num_uniq_urls: '2',
      entry_current_url: 'https://shop.example/a?b=1',
      entry_pathname: '/a',
      entry_hostname: 'shop.example',
      end_current_url: 'https://shop.example/b',
      end_pathname: '/b',
      end_hostname: 'shop.example',
      exit_pathname: '/b',
      entry_utm_source: 'google',
      entry_utm_medium: 'cpc',
      entry_utm_term: null,
      entry_referring_domain: 'www.google.com',
      entry_gclid: 'xyz',
      entry_irclid: null,
      pageview_count: '2',
      autocapture_count: '1',
      screen_count: '0',
      channel_type: 'Paid Search',
      session_duration: '2400',
      duration: '2400',
      is_bounce: false,
      last_external_click_url: 'https://elsewhere.example/',
      page_screen_autocapture_count_up_to: '2',
      vitals_lcp: 1234.5,
    });
    assert.partialDeepStrictEqual(short, {
      session_id_v7: null,
      is_bounce: true,
      channel_type: 'Direct',
      session_duration: '0',
    });
    assert.partialDeepStrictEqual(number, { is_bounce: null, urls: [], entry_current_url: null, channel_type: null });

    await deliver(id, '2015-05-17T11:00:00Z', '2015-05-17T12:00:00Z');
    const grown = { pageview_count: '3', end_pathname: '/c', session_duration: '4500' };
    assert.partialDeepStrictEqual((await rowsOf('sessions'))[0], grown);
    await deliver(id, '2015-05-17T10:00:00Z', '2015-05-17T11:00:00Z');
    assert.partialDeepStrictEqual((await rowsOf('sessions'))[0], grown, 'an older interval changes nothing');
    assert.equal((await rowsOf('sessions')).length, 3);
  });

  it('are filtered by their own columns', async () => {
    const filters = [{ key: 'pageview_count', operator: 'gte', type: 'event' as const, value: 2 }];
    const id = await createExport('long_ones', { ...NO_SETTINGS, filters });
    await deliver(id, '2015-05-17T10:00:00Z', '2015-05-17T11:00:00Z');
    assert.deepEqual(await rowsOf('long_ones', 'session_id'), [{ session_id: SESSION }]);
  });

  it('take in events that came late, also when the session ends no later by them', async () => {
    const id = await createExport('late');
    await deliver(id, '2015-05-17T10:00:00Z', '2015-05-17T12:00:00Z');
    const [{ end_timestamp: end, pageview_count: count } = {}] = await rowsOf('late');
    await world.store([at('17T11:01:00', '$pageview', { $current_url: 'https://shop.example/late' })]);
    await deliver(id, '2015-05-17T11:00:00Z', '2015-05-17T12:00:00Z');
    assert.partialDeepStrictEqual((await rowsOf('late'))[0], {
      end_timestamp: end,
      pageview_count: String(Number(count) + 1),
    });
  });
});
