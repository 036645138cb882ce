/** SDKs that cannot be run here: each of their requests, as it was recorded, is answered as its SDK needs. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import zlib from 'node:zlib';
import { buildFlag } from '../support/database/flag-rows.ts';
import { buildProjectSecretKey, buildTenant, type Tenant } from '../support/api/identity.ts';
import { readEvents, type ReportedEvent } from '../support/sdks/sdk-story.ts';
import { startSluice, type Sluice } from '../support/servers/sluice.ts';

type Recorded = {
  sdk: string;
  method: string;
  url: string;
  /** The calls that the program had made to the SDK. */
  calls: string[];
  content_type?: string;
  content_encoding_header?: string;
  body_bytes_are: 'plain' | 'gzip' | 'deflate' | 'br' | 'zstd';
  authorization?: string;
  x_api_key?: string;
  if_none_match?: string;
  user_agent: string;
  posthog_sdk_info?: string;
  posthog_attempt?: string;
  posthog_request_id?: string;
  posthog_request_timestamp?: string;
  json?: { batch?: Sent[]; flag_keys_to_evaluate?: string[]; distinct_id?: string; context?: unknown };
};
type Sent = Omit<ReportedEvent, 'distinct_id'> & { distinct_id?: string; properties: Record<string, unknown> };

const { cases } = JSON.parse(readFileSync(new URL('recorded-requests.json', import.meta.url), 'utf8')) as {
  cases: Recorded[];
};

const ENCODE = {
  plain: (bytes: Buffer) => bytes,
  gzip: zlib.gzipSync,
  deflate: zlib.deflateSync,
  br: zlib.brotliCompressSync,
  zstd: zlib.zstdCompressSync,
};

const everybody = { groups: [{ properties: [], rollout_percentage: 100 }] };
const multivariate = { variants: [{ key: 'test', rollout_percentage: 100 }] };

describe('a recorded request', () => {
  let sluice: Sluice;
  let tenant: Tenant;
  let secretKey: string;

  before(async () => {
    sluice = await startSluice();
  });
  after(() => sluice.stop());
  beforeEach(async () => {
    const { db } = sluice;
    // Customers who move over send events of long ago.
    tenant = await buildTenant(db, { historicalFromProjectKey: true });
    const { projectId } = tenant;
    secretKey = await buildProjectSecretKey(db, tenant, 'feature_flag:read');
    await buildFlag(db, projectId, { key: 'bool-on', filters: everybody });
    await buildFlag(db, projectId, {
      key: 'mv',
      evaluation_runtime: 'server',
      filters: { ...everybody, multivariate, payloads: { test: '{"t": 2}' } },
    });
    await buildFlag(db, projectId, { key: 'of-pages', evaluation_runtime: 'client' });
    await buildFlag(db, projectId, {
      key: 'remote',
      is_remote_configuration: true,
      filters: { ...everybody, payloads: { true: '{"a": 1}' } },
    });
  });

  const own = (text: string) => text.replaceAll('phc_x', tenant.apiToken).replaceAll('phs_secret', secretKey);

  function replayRequest(recorded: Recorded, entityTag?: string): Promise<Response> {
    const { method, url, json, body_bytes_are: encoding } = recorded;
    const given = {
      'Content-Type': recorded.content_type,
      'Content-Encoding': recorded.content_encoding_header,
      Authorization: recorded.authorization,
      'X-API-Key': recorded.x_api_key,
      'If-None-Match': entityTag,
      'User-Agent': recorded.user_agent,
      'PostHog-Sdk-Info': recorded.posthog_sdk_info,
      'PostHog-Attempt': recorded.posthog_attempt,
      'PostHog-Request-Id': recorded.posthog_request_id,
      'PostHog-Request-Timestamp': recorded.posthog_request_timestamp,
    };
    const headers = Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [[name, own(value)]]));
    return fetch(own(sluice.url + url), {
      method,
      headers: headers as [string, string][],
      ...(json && { body: ENCODE[encoding](Buffer.from(own(JSON.stringify(json)))) as Uint8Array<ArrayBuffer> }),
    });
  }

  /** The SDK's needs, by the path. */
  const answered: [path: string, what: string, check: (recorded: Recorded) => Promise<void>][] = [
    ['/batch/', 'is stored', (recorded) => assertStored(recorded, { status: 1 })],
    ['/i/v1/analytics/events', 'is stored, event by event', assertStoredEach],
    ['/flags/?', 'is told of flags', assertFlags],
    ['/flags/definitions', 'gets the feed', assertFeed],
    ['/api/feature_flag/local_evaluation', 'gets the feed', assertFeed],
    ['/api/projects/@current/feature_flags/remote/remote_config', 'gets the payload', assertPayload],
    ['/ofrep/v1/evaluate/flags/', 'is told of a flag', assertOpenFeature],
  ];
  for (const [index, recorded] of cases.entries()) {
    const [, what, check] = answered.find(([path]) => recorded.url.startsWith(path))!;
    it(`${what}: ${index}, ${recorded.sdk}, ${recorded.calls.join(', ')}`, () => check(recorded));
  }

  async function assertStoredEach(recorded: Recorded): Promise<void> {
    const each = recorded.json!.batch!.map(({ uuid }) => [uuid, { result: 'ok' }]);
    await assertStored(recorded, { results: Object.fromEntries(each) as unknown });
    const [row] = await readEvents(sluice, tenant);
    const { $lib, $lib_version } = row!.properties;
    assert.equal(`${String($lib)}/${String($lib_version)}`, recorded.posthog_sdk_info);
  }

  async function assertStored(recorded: Recorded, expectedAnswer: object): Promise<void> {
    const answer = await replayRequest(recorded);
    assert.deepEqual([answer.status, await answer.json()], [200, expectedAnswer]);
    const sent = recorded.json!.batch!;
    const rows = await readEvents(sluice, tenant);
    assert.equal(rows.length, sent.length);
    for (const { event, uuid, properties, distinct_id } of sent) {
      const row = rows.find((one) => (uuid ? one.uuid === uuid : one.event === event))!;
      assert.equal(row.event, event);
      assert.equal(row.distinct_id, distinct_id ?? properties['distinct_id']);
      for (const [name, value] of Object.entries(properties)) assert.deepEqual(row.properties[name], value, name);
    }
    await assertPersons(sent);
  }

  /** Checks that every visitor who may have a profile has one, with what was set. */
  async function assertPersons(sent: Sent[]): Promise<void> {
    const { rows } = await sluice.pool.query<{ distinct_id: string; properties: Record<string, unknown> }>(
      `select distinct_id, persons.properties from person_distinct_ids
       join persons on persons.project_id = person_distinct_ids.project_id and id = person_id
       where persons.project_id = $1`,
      [tenant.projectId],
    );
    const known = new Map(rows.map((row) => [row.distinct_id, row.properties]));
    for (const { event, properties, distinct_id, ...event_ } of sent) {
      const id = distinct_id ?? (properties['distinct_id'] as string);
      assert.equal(known.has(id), properties['$process_person_profile'] !== false, id);
      if (event === '$create_alias') assert.ok(known.has(properties['alias'] as string));
      const set = (properties['$set'] ?? (event_ as { $set?: unknown }).$set ?? {}) as Record<string, unknown>;
      for (const [name, value] of Object.entries(set)) {
        if (known.has(id)) assert.deepEqual(known.get(id)![name], value);
      }
    }
  }

  async function assertFlags(recorded: Recorded): Promise<void> {
    const answer = await replayRequest(recorded);
    assert.equal(answer.status, 200);
    const body = (await answer.json()) as { flags: Record<string, Record<string, unknown>> } & Record<string, unknown>;
    assert.equal(body['errorsWhileComputingFlags'], false);
    assert.match(String(body['requestId']), /^[\da-f-]{36}$/);
    assert.equal(typeof body['evaluatedAt'], 'number');
    const keys = recorded.json!.flag_keys_to_evaluate ?? ['bool-on', 'mv', 'remote'];
    assert.deepEqual(
      Object.keys(body.flags),
      keys.filter((key) => key !== 'nope'),
    );
    const { mv } = body.flags;
    if (!mv) return;
    assert.deepEqual([mv['enabled'], mv['variant']], [true, 'test']);
    assert.equal((mv['metadata'] as { payload: string }).payload, '{"t": 2}');
    assert.deepEqual(mv['reason'], {
      code: 'condition_match',
      condition_index: 0,
      description: 'Matched condition set 1',
    });
  }

  async function assertFeed(recorded: Recorded): Promise<void> {
    const { if_none_match: _, ...first } = recorded;
    const answer = await replayRequest(first);
    assert.equal(answer.status, 200);
    const feed = (await answer.json()) as { flags: { key: string }[] } & Record<string, unknown>;
    assert.deepEqual(
      feed.flags.map(({ key }) => key),
      ['bool-on', 'mv', 'of-pages', 'remote'],
    );
    assert.deepEqual([feed['group_type_mapping'], feed['cohorts']], [{}, {}]);
    if (recorded.if_none_match === undefined) return;
    const again = await replayRequest(recorded, answer.headers.get('etag')!);
    assert.deepEqual([again.status, await again.text()], [304, '']);
  }

  async function assertPayload(recorded: Recorded): Promise<void> {
    const answer = await replayRequest(recorded);
    assert.deepEqual([answer.status, await answer.json()], [200, '{"a": 1}']);
  }

  async function assertOpenFeature(recorded: Recorded): Promise<void> {
    const [call] = recorded.calls as [string];
    const answer = await replayRequest(recorded);
    const body = (await answer.json()) as Record<string, unknown>;
    const refused = REFUSED[call];
    if (refused) return assert.deepEqual([answer.status, body['errorCode']], refused);
    assert.equal(answer.status, 200, JSON.stringify(body));
    assert.equal(body['value'], call === 'string' ? 'test' : true);
  }
});

/** There are no flags that are numbers or objects, and no such keys. */
const REFUSED: Record<string, [status: number, code: string | undefined]> = {
  integer: [404, 'FLAG_NOT_FOUND'],
  float: [404, 'FLAG_NOT_FOUND'],
  object: [404, 'FLAG_NOT_FOUND'],
  missing: [404, 'FLAG_NOT_FOUND'],
  // Keys have no slash: this is another path, and SDKs take any 404 so.
  'key-to-escape': [404, undefined],
  'no-targeting-key': [400, 'TARGETING_KEY_MISSING'],
  'no-context': [400, 'TARGETING_KEY_MISSING'],
  'no-authorization': [401, undefined],
};
