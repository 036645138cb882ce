/** Event streams of flags: who may open one, what it announces, and how it ends. */
import assert from 'node:assert/strict';
import { createKnex, createPool } from '../../../src/platform/db/connection.ts';
import { Throttled } from '../../../src/platform/errors.ts';
import { createDecider } from '../../../src/flags/decide/decider.ts';
import { DECIDE_POOL } from '../../../src/flags/decide/facts.ts';
import { createLiveDefinitions } from '../../../src/flags/definitions/live-definitions.ts';
import { createAdmission } from '../../../src/flags/ofrep/admission.ts';
import { createEventStreams } from '../../../src/flags/ofrep/event-streams.ts';
import { createOfrep } from '../../../src/flags/ofrep/ofrep.ts';
import { createStreamTokens } from '../../../src/flags/ofrep/stream-tokens.ts';
import { startHttpServer } from '../../../src/platform/http/server.ts';
import { createGatekeeper } from '../../../src/people/access/gatekeeper.ts';
import { identityStores } from '../../../src/people/stores.ts';
import { createKeyRing, generateKeyRing } from '../../../src/platform/secrets/key-ring.ts';
import { createLogger } from '../../../src/platform/telemetry/logger.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts';
import { buildFlag, waitUntilServerUsesRows } from '../../support/database/flag-rows.ts';
import { buildTenant, type Tenant } from '../../support/api/identity.ts';
import { openEventSource, type EventSource } from '../../support/api/event-source.ts';
import { startSluice, type Sluice } from '../../support/servers/sluice.ts';
import { leastMs } from '../../support/durations.ts';
import { sleepInTurns, until } from '../../support/until.ts';

/** Period of the tokens of streams. */
const PERIOD_MS = 900_000;

describe('event streams of flags', () => {
  let database: TestDatabase;
  let sluice: Sluice;
  let tenant: Tenant;
  const open: EventSource[] = [];
  before(async () => {
    database = await createTestDatabase();
    sluice = await startSluice({ database });
  });
  after(() => sluice.stop());
  beforeEach(async () => void (tenant = await buildTenant(sluice.db)));
  afterEach(() => open.splice(0).forEach((stream) => stream.stop()));

  async function evaluate(
    query = '',
    url = sluice.url,
  ): Promise<{ flags: { key: string }[]; stream: Record<string, unknown> }> {
    const answer = await fetch(`${url}/ofrep/v1/evaluate/flags${query}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${tenant.apiToken}` },
      body: JSON.stringify({ context: { targetingKey: 'ada' } }),
    });
    const { flags, eventStreams } = (await answer.json()) as {
      flags: { key: string }[];
      eventStreams: Record<string, unknown>[];
    };
    return { flags, stream: eventStreams[0]! };
  }

  async function follow(url: unknown, headers: Record<string, string> = {}): Promise<EventSource> {
    const stream = await openEventSource(url as string, headers);
    open.push(stream);
    return stream;
  }

  it('are offered with the flags, at an address that holds no key', async () => {
    const { stream } = await evaluate();
    assert.deepEqual(Object.keys(stream), ['type', 'url', 'inactivityDelaySec']);
    assert.equal(stream['type'], 'sse');
    assert.ok((stream['inactivityDelaySec'] as number) >= 1);
    const url = stream['url'] as string;
    assert.ok(url.startsWith(`${sluice.url}/ofrep/v1/event-stream?token=`));
    assert.ok(!url.includes(tenant.apiToken) && !url.includes('phc_'));
    assert.equal((await evaluate()).stream['url'], url, 'a new address would have providers connect again');
  });

  it('are refused without a token of this installation', async () => {
    const { stream } = await evaluate();
    const url = new URL(stream['url'] as string);
    const other = createStreamTokens(createKeyRing(generateKeyRing())).issue(tenant.projectId);
    for (const token of ['', 'x', tenant.apiToken, other, (url.searchParams.get('token') ?? '').replace(/^\d+/, '1')]) {
      url.searchParams.set('token', token);
      const answer = await fetch(url);
      assert.equal(answer.status, 401, token);
      assert.deepEqual(Object.keys((await answer.json()) as object), ['errorDetails']);
    }
    assert.equal((await fetch(url, { method: 'POST' })).status, 405);
  });

  it('announce a change within a second of it', async () => {
    const { stream } = await evaluate();
    const { status, headers, next } = await follow(stream['url'], { Origin: 'https://shop.example' });
    assert.equal(status, 200);
    assert.equal(headers.get('content-type'), 'text/event-stream');
    assert.equal(headers.get('access-control-allow-origin'), 'https://shop.example');
    const [opening] = await next(1);
    assert.deepEqual([opening?.id, opening?.data], ['0', undefined]);
    assert.match(opening?.retry ?? '', /^\d{4}$/);

    const took = await leastMs(1_000, async (time) => {
      const changedAtMs = Date.now();
      await buildFlag(sluice.db, tenant.projectId, { key: time === 0 ? 'new' : `new-${time}` });
      const received = await next(2 + time);
      assert.equal(received.length, 2 + time);
      const { id, data, atMs } = received[1 + time]!;
      assert.equal(id, String(1 + time));
      assert.deepEqual([data?.['type'], data?.['etag']], ['refetchEvaluation', `"${1 + time}"`]);
      assert.ok(Math.abs((data?.['lastModified'] as number) - changedAtMs / 1000) < 60);
      return atMs - changedAtMs;
    });
    assert.ok(took < 1_000, `announced after ${took} ms`);
    const { flags } = await evaluate(`?flagConfigEtag=${encodeURIComponent('"1"')}&flagConfigLastModified=1`);
    assert.equal(flags[0]?.key, 'new');
  });

  it('announce missed changes once to clients that come late or come back', async () => {
    const { stream } = await evaluate();
    await buildFlag(sluice.db, tenant.projectId, { key: 'a' });
    await buildFlag(sluice.db, tenant.projectId, { key: 'b' });
    await waitUntilServerUsesRows(sluice, tenant);
    for (const [lastEventId, expectedIds] of [
      [undefined, ['2', '2']],
      ['1', ['2', '2']],
      ['2', ['2']],
    ] as const) {
      const { received, next } = await follow(
        stream['url'],
        lastEventId === undefined ? {} : { 'Last-Event-ID': lastEventId },
      );
      await next(expectedIds.length);
      await sleepInTurns(100);
      assert.deepEqual(
        received.map(({ id }) => id),
        expectedIds,
      );
    }
  });

  it('announce nothing of other projects', async () => {
    const { stream } = await evaluate();
    const { received, next } = await follow(stream['url']);
    await next(1);
    const other = await buildTenant(sluice.db);
    await buildFlag(sluice.db, other.projectId, { key: 'new' });
    await sleepInTurns(200);
    assert.equal(received.length, 1);
  });

  it('announce a change only when every process knows it', async () => {
    const other = await startSluice({ database: { url: database.url, drop: async () => {} } });
    const { stream } = await evaluate();
    const { next } = await follow(stream['url']);
    for (let version = 1; version <= 5; version++) {
      await buildFlag(sluice.db, tenant.projectId, { key: `flag-${version}` });
      await next(version + 1);
      const { flags } = await evaluate(`?flagConfigEtag=${encodeURIComponent(`"${version}"`)}`, other.url);
      assert.equal(flags.length, version);
    }
    await other.stop();
  });

  it('are refused above the limit that a process has for each project', async () => {
    const log = createLogger({ LOG_LEVEL: 'error' }, 'test');
    const definitions = createLiveDefinitions({ databaseUrl: database.url, log });
    const tokens = createStreamTokens(createKeyRing(generateKeyRing()));
    const streams = createEventStreams({ definitions, tokens, publicUrl: 'http://sluice', maxStreams: 2 });
    const server = await startHttpServer(
      {
        listener: (request, response) =>
          streams.open(request, response).catch((error: Error) => {
            response.writeHead(error instanceof Throttled ? 429 : 500).end();
          }),
      },
      { host: '127.0.0.1', port: 0 },
    );
    const { search } = new URL(streams.createStreamUrl({ projectId: tenant.projectId, version: '0' }).stream.url);
    const first = await follow(server.url + search);
    for (const status of [200, 429]) assert.equal((await follow(server.url + search)).status, status);
    first.stop();
    await until('room for another', async () => (await follow(server.url + search)).status === 200);
    streams.close();
    await server.stop(1_000);
    await definitions.close();
  });

  it('end when the server stops', async () => {
    const own = await startSluice();
    const { apiToken } = await buildTenant(own.db);
    const answer = await fetch(`${own.url}/ofrep/v1/evaluate/flags`, {
      method: 'POST',
      headers: { 'X-API-Key': apiToken },
      body: JSON.stringify({ context: { targetingKey: 'ada' } }),
    });
    const { eventStreams } = (await answer.json()) as { eventStreams: { url: string }[] };
    await follow(eventStreams[0]!.url);
    const stoppedAtMs = Date.now();
    await own.stop(120_000);
    assert.ok(Date.now() - stoppedAtMs < 60_000);
  });
});

describe('the address of an event stream', () => {
  let database: TestDatabase;
  before(async () => void (database = await createTestDatabase()));
  after(() => database.drop());

  it('changes before its token expires, even if the flags are the same', async () => {
    let now = 10 * PERIOD_MS;
    const log = createLogger({ LOG_LEVEL: 'error' }, 'test');
    const db = createKnex({ url: database.url, applicationName: 'test' });
    const pool = createPool({ url: database.url, ...DECIDE_POOL });
    const definitions = createLiveDefinitions({ databaseUrl: database.url, log });
    const tokens = createStreamTokens(createKeyRing(generateKeyRing()), () => now);
    const streams = createEventStreams({ definitions, tokens, publicUrl: 'http://sluice' });
    const gatekeeper = createGatekeeper(identityStores(db));
    const ofrep = createOfrep({
      definitions,
      decider: createDecider({ pool }),
      visitors: { identifyVisitor: (_, request) => request },
      streams,
      admit: createAdmission({ definitions, gatekeeper }),
      metering: { count: () => {}, isOverQuota: () => false },
      requestsPerSecond: 100,
      locate: undefined,
      log,
    });
    const server = await startHttpServer(
      { listener: async (request, response) => void ofrep.handle(request, response) },
      { host: '127.0.0.1', port: 0 },
    );
    const { apiToken } = await buildTenant(db);
    const ask = (tag: string) =>
      fetch(`${server.url}/ofrep/v1/evaluate/flags`, {
        method: 'POST',
        headers: { 'X-API-Key': apiToken, 'If-None-Match': tag },
        body: JSON.stringify({ context: { targetingKey: 'ada' } }),
      });
    const first = await ask('');
    const tag = first.headers.get('etag') ?? '';
    now += PERIOD_MS - 1;
    assert.equal((await ask(tag)).status, 304);
    now += 1;
    const later = await ask(tag);
    assert.equal(later.status, 200);
    assert.notDeepEqual(await later.json(), await first.json());
    streams.close();
    await server.stop(1_000);
    await definitions.close();
    await Promise.all([db.destroy(), pool.end()]);
  });
});

describe('a token of an event stream', () => {
  const ring = createKeyRing(generateKeyRing());

  it('is the same in one period, and holds until the end of the next', () => {
    let now = 10 * PERIOD_MS;
    const tokens = createStreamTokens(ring, () => now);
    const token = tokens.issue(7);
    now += PERIOD_MS - 1;
    assert.equal(tokens.issue(7), token);
    now += 1;
    assert.notEqual(tokens.issue(7), token);
    assert.equal(tokens.read(token), 7);
    now += PERIOD_MS;
    assert.equal(tokens.read(token), undefined);
  });
});
