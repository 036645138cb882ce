import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { post, useCapture } from '../../support/events/capture.ts';
import { buildPersonalKey, buildTenant } from '../../support/api/identity.ts';

type Row = {
  uuid: string;
  event: string;
  distinct_id: string;
  timestamp: string;
  created_at: string;
  properties: object;
};
type Results = Record<string, { result: string; details?: string }>;

const ago = (ms: number) => new Date(Date.now() - ms).toISOString();
const event = (more: object = {}) => ({
  event: 'bought',
  uuid: randomUUID(),
  distinct_id: 'someone',
  timestamp: ago(5_000),
  options: {},
  properties: { cups: 2 },
  ...more,
});

const identify = (id: string, other: string) =>
  event({ event: '$identify', distinct_id: id, properties: { $anon_distinct_id: other } });

describe('a batch sent to /i/v1/analytics/events', () => {
  const world = useCapture({ tenant: { anonymizeIps: true }, emptied: true });

  const headers = (more: Record<string, string> = {}, token = world.tenant.apiToken) => ({
    Authorization: `Bearer ${token}`,
    'PostHog-Sdk-Info': 'posthog-node/5.70.0',
    'PostHog-Attempt': '1',
    'PostHog-Request-Id': randomUUID(),
    'PostHog-Request-Timestamp': new Date().toISOString(),
    ...more,
  });
  const url = () => `${world.server.url}/i/v1/analytics/events`;
  const send = (batch: unknown, more: object = {}, given = headers()) =>
    post(url(), { created_at: new Date().toISOString(), batch, ...more }, given);
  const stored = async () => (await world.server.pool.query<Row>('select * from events order by event')).rows;

  it('is stored, and each of its events is answered for by its uuid', async () => {
    const batch = [event({ event: 'a' }), event({ event: 'b', uuid: randomUUID().toUpperCase() })];
    for (const path of [url(), `${url()}/`]) {
      const { status, body } = await post(path, { batch }, headers());
      const results = Object.fromEntries(batch.map(({ uuid }) => [uuid, { result: 'ok' }]));
      assert.deepEqual([status, body], [200, { results }]);
    }
    const rows = await stored();
    assert.deepEqual(
      rows.map((row) => [row.uuid, row.event, row.distinct_id]),
      batch.map(({ uuid, event: name }) => [uuid.toLowerCase(), name, 'someone']),
    );
  });

  it('has among the properties what stands beside them, and the SDK that its head names', async () => {
    const options = {
      process_person_profile: false,
      disable_skew_correction: 'true',
      product_tour_id: 7,
      cookieless_mode: null,
    };
    await send([
      event({
        distinct_id: 'nobody',
        session_id: 's',
        window_id: 'w',
        options,
        properties: { $lib: 'own', $set: { a: 1 } },
      }),
    ]);
    assert.deepEqual((await stored())[0]!.properties, {
      $lib: 'posthog-node',
      $lib_version: '5.70.0',
      $set: { a: 1 },
      $session_id: 's',
      $window_id: 'w',
      $process_person_profile: false,
      $ignore_sent_at: true,
      $product_tour_id: '7',
    });
    const { rows } = await world.server.pool.query(`select from person_distinct_ids where distinct_id = 'nobody'`);
    assert.equal(rows.length, 0);
  });

  it('names no SDK where its head does not, or at length', async () => {
    for (const sdk of ['', 'posthog-node', '/1', 'x/', `${'x'.repeat(200)}/1`]) {
      await world.server.pool.query('truncate events, event_ids');
      await send([event()], {}, headers({ 'PostHog-Sdk-Info': sdk }));
      assert.deepEqual((await stored())[0]!.properties, { cups: 2 }, sdk);
    }
  });

  it('is corrected by how wrong the client’s clock is, unless an event says otherwise', async () => {
    const timestamp = ago(3_605_000);
    const batch = [
      event({ event: 'a', timestamp }),
      event({ event: 'b', timestamp, options: { disable_skew_correction: true } }),
    ];
    await send(batch, {}, headers({ 'PostHog-Request-Timestamp': ago(3_600_000) }));
    const seconds = (await stored()).map((row) => (Date.parse(row.timestamp) - Date.parse(row.created_at)) / 1000);
    assert.ok(Math.abs(seconds[0]! + 5) < 3 && Math.abs(seconds[1]! + 3605) < 3, seconds.join());
  });

  it('is taken in part: what is not stored is dropped, with the reason', async () => {
    const bad: [object, string][] = [
      [{ distinct_id: '' }, 'missing_distinct_id'],
      [{ event: ' ' }, 'missing_event_name'],
      [{ properties: [] }, 'invalid_input'],
      [{ options: [] }, 'invalid_options'],
      [{ options: { process_person_profile: 'maybe' } }, 'invalid_options'],
      [{ session_id: {} }, 'invalid_options'],
    ];
    const batch = [event(), ...bad.map(([more]) => event(more))];
    const { status, body } = await send(batch);
    const results = batch.map(({ uuid }) => (body['results'] as Results)[uuid]!);
    assert.deepEqual(
      [status, results],
      [200, [{ result: 'ok' }, ...bad.map(([, details]) => ({ result: 'drop', details }))]],
    );
    assert.equal((await stored()).length, 1);
    const { status: alone } = await send(batch.slice(1));
    assert.equal(alone, 200);
  });

  it('is dropped with a warning that names the option and the event', async () => {
    const { apiToken, projectId } = await buildTenant(world.server.db);
    const bad: [object, string][] = [
      [{ options: 5 }, "The event's options must be an object."],
      [
        { options: { process_person_profile: 'maybe' } },
        "The event's options.process_person_profile must be true or false.",
      ],
      [{ session_id: {} }, "The event's session_id must be text or a number."],
    ];
    const batch = bad.map(([more]) => event(more));
    await send(batch, {}, headers({}, apiToken));
    const [{ code, examples } = { code: '', examples: [] }] = await world.server.warnings(projectId);
    const warned = examples.map((example) => [example.event_uuid, example.detail]);
    assert.equal(code, 'invalid_options');
    const expectedWarnings = bad.map(([, detail], index) => [batch[index]!.uuid, detail]);
    assert.deepEqual(warned.toReversed(), expectedWarnings);
  });

  it('says of each event that is stored otherwise than it was sent, why', async () => {
    const warned: [object, string][] = [
      [{ timestamp: 'yesterday' }, 'ignored_invalid_timestamp'],
      [{ timestamp: '2999-01-01T00:00:00Z' }, 'event_timestamp_in_future'],
      [{ event: 'e'.repeat(201) }, 'event_name_truncated'],
      [{ distinct_id: 'd'.repeat(201) }, 'distinct_id_truncated'],
      [{ event: '$create_alias', properties: { alias: 'a'.repeat(201) } }, 'distinct_id_truncated'],
      [{ properties: { $groups: { company: 'c'.repeat(401) } } }, 'group_key_truncated'],
      [{ event: '$identify', properties: { $anon_distinct_id: 'null' } }, 'cannot_merge_with_illegal_distinct_id'],
      [{ event: '$identify', options: { process_person_profile: false }, properties: { $anon_distinct_id: 'a' } }, 'invalid_event_when_process_person_profile_is_false'],
    ]; // prettier-ignore
    const batch = [event(), ...warned.map(([more]) => event(more))];
    const { status, body } = await send(batch);
    const results = batch.map(({ uuid }) => (body['results'] as Results)[uuid]!);
    assert.deepEqual(
      [status, results],
      [200, [{ result: 'ok' }, ...warned.map(([, details]) => ({ result: 'warning', details }))]],
    );
    assert.equal((await stored()).length, batch.length);
  });

  it('says nothing of a merge that only its persons refuse: that is an ingestion warning', async () => {
    for (const one of [identify('known', 'visitor'), event({ distinct_id: 'other' }), identify('other', 'known')]) {
      const { body } = await send([one]);
      assert.deepEqual(body, { results: { [one.uuid]: { result: 'ok' } } });
    }
    const codes = (await world.server.warnings(world.tenant.projectId)).map(({ code }) => code);
    assert.ok(codes.includes('cannot_merge_already_identified'), codes.join());
  });

  it('arrives in each packing that released SDKs use', async () => {
    const packings: [string, (json: string) => Buffer][] = [
      ['gzip', gzipSync],
      ['deflate', deflateSync],
      ['br', brotliCompressSync],
      ['zstd', zstdCompressSync],
    ];
    for (const [encoding, pack] of packings) {
      const body = pack(JSON.stringify({ batch: [event()] }));
      assert.equal((await post(url(), body, headers({ 'Content-Encoding': encoding }))).status, 200, encoding);
    }
    assert.equal((await stored()).length, packings.length);
  });

  it('places history where the project permits it to its public key, and answers with a warning where it does not', async () => {
    const timestamp = '2025-06-02T09:00:00Z';
    const one = event({ timestamp });
    const { body } = await send([one], { historical_migration: true });
    const live = { result: 'warning', details: 'historical_placement_not_allowed' };
    assert.deepEqual(body, { results: { [one.uuid]: live } });
    const open = await buildTenant(world.server.db, { historicalFromProjectKey: true });
    const other = event({ timestamp });
    const placed = await send([other], { historical_migration: true }, headers({}, open.apiToken));
    assert.deepEqual(placed.body, { results: { [other.uuid]: { result: 'ok' } } });
  });

  it('is what a page of any origin may send', async () => {
    const requestedHeaders = 'authorization,content-type,posthog-attempt,posthog-sdk-info';
    const preflight = await fetch(url(), {
      method: 'OPTIONS',
      headers: { Origin: 'https://shop.example', 'Access-Control-Request-Headers': requestedHeaders },
    });
    assert.equal(preflight.headers.get('access-control-allow-headers'), requestedHeaders);
    assert.equal(preflight.headers.get('access-control-allow-origin'), 'https://shop.example');
  });

  describe('is refused', () => {
    const cases: [string, number, string, () => unknown, () => Record<string, string>][] = [
      ['without a key', 401, 'not_authenticated', () => ({ batch: [event()] }), () => ({})],
      ['with its key in the body only', 401, 'not_authenticated', () => ({ api_key: world.tenant.apiToken, batch: [event()] }), () => ({})],
      ['with a key of no project', 401, 'not_authenticated', () => ({ batch: [event()] }), () => headers({}, 'phc_nobody')],
      ['with a key under another scheme', 401, 'not_authenticated', () => ({ batch: [event()] }), () => headers({ Authorization: `Basic ${world.tenant.apiToken}` })],
      ['as an array', 400, 'invalid_input', () => [event()], headers],
      ['as one event', 400, 'invalid_input', () => event(), headers],
      ['with an event without a uuid', 400, 'invalid_uuid', () => ({ batch: [event(), event({ uuid: undefined })] }), headers],
      ['with an event that is none', 400, 'invalid_uuid', () => ({ batch: [event(), 7] }), headers],
      ['with one uuid twice', 400, 'duplicate_uuid', () => ({ batch: [event({ uuid: UUID }), event({ uuid: UUID.toUpperCase() })] }), headers],
      ['without an event', 400, 'empty_batch', () => ({ batch: [] }), headers],
      ['with too many events', 413, 'payload_too_large', () => ({ batch: Array.from({ length: 10_001 }, () => 0) }), headers],
    ]; // prettier-ignore
    for (const [words, status, code, body, given] of cases) {
      it(words, async () => {
        const answer = await post(url(), body(), given());
        assert.deepEqual([answer.status, answer.body['code']], [status, code]);
        assert.deepEqual(await stored(), []);
      });
    }

    it('with a secret key', async () => {
      const secret = await buildPersonalKey(world.server.db, world.tenant, 'event:write');
      assert.equal((await send([event()], {}, headers({}, secret))).status, 401);
    });

    it('by another method', async () => {
      const answer = await fetch(url());
      assert.deepEqual([answer.status, answer.headers.get('allow')], [405, 'POST, OPTIONS']);
    });
  });
});

const UUID = '01a1fb4f-740a-709c-bc99-d4a204c30c55';
