import assert from 'node:assert/strict';
import { createRateLimit } from '../../../src/people/keys/rate-limits.ts';
import type { Throttled } from '../../../src/platform/errors.ts';
import { post, useCapture } from '../../support/events/capture.ts';
import { buildPersonalKey, buildTenant } from '../../support/api/identity.ts';

/** @returns the seconds to wait */
function refusedFor(take: () => void): number | undefined {
  let waitSeconds: number | undefined;
  assert.throws(take, (error: Throttled) => {
    waitSeconds = error.retryAfterSeconds;
    return error.name === 'Throttled';
  });
  return waitSeconds;
}

describe('a rate limit', () => {
  let seconds: number;
  const limitOf = (eventsPerSecond: number) => createRateLimit<string>(eventsPerSecond, () => seconds * 1000);
  beforeEach(() => (seconds = 0));

  it('grants ten seconds’ worth to a quiet client, then its rate', () => {
    const limit = limitOf(100);
    for (let i = 0; i < 10; i++) limit.charge('a', 100);
    assert.equal(
      refusedFor(() => limit.charge('a', 1)),
      1,
    );
    let granted = 0;
    for (let tick = 1; tick <= 500; tick++) {
      seconds = tick / 50;
      try {
        limit.charge('a', 1);
        granted += 1;
        limit.charge('a', 4);
        granted += 4;
      } catch {}
    }
    assert.ok(Math.abs(granted - 1_000) <= 10, `${granted} in ten seconds`);
    seconds += 1_000;
    limit.charge('a', 999);
    limit.charge('a', 1);
    refusedFor(() => limit.charge('a', 1));
  });

  it('lets a batch pass that is larger than all of it, and then makes its sender wait for so long', () => {
    const limit = limitOf(100);
    limit.charge('a', 5_000);
    assert.equal(
      refusedFor(() => limit.charge('a', 1)),
      40,
    );
    seconds = 40.1;
    limit.charge('a', 1);
  });

  it('counts nothing that it refused, and each sender alone', () => {
    const limit = limitOf(1);
    limit.charge('a', 11);
    for (let i = 0; i < 100; i++) refusedFor(() => limit.charge('a', 1_000));
    limit.charge('b', 1);
    seconds = 1.1;
    limit.charge('a', 1);
  });

  it('remembers no more than 10,000 senders', () => {
    const limit = limitOf(1);
    limit.charge('first', 11);
    for (let i = 0; i < 9_999; i++) limit.charge(`sender ${i}`, 1);
    refusedFor(() => limit.charge('first', 1));
    limit.charge('one more', 1);
    limit.charge('first', 1);
  });
});

describe('the rate limits of capture', () => {
  const world = useCapture({ server: { eventsPerSecond: { project: 1, key: 2 } } });

  const event = { event: 'e', distinct_id: 'd', timestamp: '2026-01-01T00:00:00Z' };
  const send = (api_key: string, count: number, more: { historical_migration?: boolean } = {}, key?: string) =>
    post(
      `${world.server.url}/batch/`,
      { api_key, batch: Array.from({ length: count }, () => event), ...more },
      key === undefined ? {} : { authorization: `Bearer ${key}` },
    );

  it('answer 429 and when to come again to a project that sends too many events, and to no other', async () => {
    const [busy, other] = [await buildTenant(world.server.db), await buildTenant(world.server.db)];
    assert.equal((await send(busy.apiToken, 15)).status, 200);
    const refused = await send(busy.apiToken, 1);
    assert.deepEqual([refused.status, refused.body['type']], [429, 'throttled_error']);
    assert.match(refused.headers.get('retry-after') ?? '', /^[1-5]$/);
    assert.equal((await send(other.apiToken, 1)).status, 200);
  });

  it('count history for the secret key that brings it', async () => {
    const [one, another] = [
      await buildPersonalKey(world.server.db, world.tenant, 'event:write'),
      await buildPersonalKey(world.server.db, world.tenant, 'event:write'),
    ];
    const history = { historical_migration: true };
    assert.equal((await send(world.tenant.apiToken, 30, history, one)).status, 200);
    assert.equal((await send(world.tenant.apiToken, 1, history, one)).status, 429);
    assert.equal((await send(world.tenant.apiToken, 1, history, another)).status, 200);
    assert.equal((await send(world.tenant.apiToken, 15)).status, 200);
    assert.equal((await send(world.tenant.apiToken, 1)).status, 429);
  });
});
