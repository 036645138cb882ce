import assert from 'node:assert/strict';
import { createPool } from '../../../src/platform/db/connection.ts';
import { countPartitionedDaysAhead } from '../../../src/events/table/partitions.ts';
import { apiChecks } from '../../../src/platform/health/checks.ts';
import { createHealth, type Readiness } from '../../../src/platform/health/readiness.ts';
import { probeRoutes } from '../../../src/platform/health/routes.ts';
import type { Gatekeeper } from '../../../src/platform/http/access.ts';
import { startApi } from '../../support/api/api.ts';
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from '../../support/database/database.ts';

const nobody: Gatekeeper = {
  authenticate: () => Promise.reject(new Error('health asks nobody who they are')),
  current: () => Promise.reject(new Error('health has no project')),
  enter: () => Promise.reject(new Error('health has no project')),
  enterOrganization: () => Promise.reject(new Error('health has no organization')),
  allow: () => assert.fail('health asks nobody who they are'),
  throttle: () => assert.fail('health is always answered'),
  guard: () => Promise.reject(new Error('health has no objects')),
};

async function apiReadiness(database: TestDatabase): Promise<Readiness> {
  const pool = createPool({ url: database.url, applicationName: 'test', maxConnections: 1 });
  try {
    return await createHealth(
      apiChecks({
        pool,
        partitionedDaysAhead: async () => countPartitionedDaysAhead(pool),
        ensureTemporal: async () => {},
        deliveryBlockReason: async () => undefined,
      }),
    ).readiness();
  } finally {
    await pool.end();
    await database.drop();
  }
}

describe('readiness', () => {
  it('is 503 with the reason while a check fails, and 503 from the start of the shutdown', async () => {
    let reason: string | undefined = 'still warming up';
    const health = createHealth([
      { name: 'first', check: async () => reason },
      { name: 'second', check: async () => undefined },
    ]);
    const api = await startApi({ routes: probeRoutes, collaborators: { health }, gatekeeper: nobody });
    try {
      const warming = await api.request('get', '/_readyz');
      assert.equal(warming.status, 503);
      assert.deepEqual(warming.body, { ready: false, checks: { first: 'still warming up', second: 'ok' } });

      reason = undefined;
      assert.equal((await api.request('get', '/_readyz')).status, 200);
      health.drain();
      assert.equal((await api.request('get', '/_readyz')).status, 503);
      assert.equal((await api.request('get', '/_livez')).status, 200);
    } finally {
      await api.stop();
    }
  });

  it('does not wait for a check that hangs, and says nothing of what an error says', async () => {
    const health = createHealth(
      [
        { name: 'hangs', check: () => new Promise(() => {}) },
        { name: 'fails', check: () => Promise.reject(new Error('connect ECONNREFUSED 10.1.2.3:5432')) },
      ],
      50,
    );
    assert.deepEqual(await health.readiness(), {
      ready: false,
      checks: { hangs: 'no answer within 0.05 s', fails: 'not reachable' },
    });
  });

  it('of the API needs a migrated database', async () => {
    assert.equal((await apiReadiness(await createTestDatabase())).ready, true);
    const { ready, checks } = await apiReadiness(await createEmptyDatabase());
    assert.equal(ready, false);
    assert.match(checks['schema'] ?? '', /^\d+ migrations are missing: run `sluice migrate`$/);
  });
});
