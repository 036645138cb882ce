import assert from 'node:assert/strict';
import { createKnex, type Knex } from '../../../src/platform/db/connection.ts';
import { Throttled } from '../../../src/platform/errors.ts';
import { createGatekeeper } from '../../../src/people/access/gatekeeper.ts';
import { projectRoutes } from '../../../src/people/projects/projects.routes.ts';
import { createRequestLimit } from '../../../src/people/keys/request-limits.ts';
import { createSessions } from '../../../src/people/accounts/sessions.ts';
import { identityStores } from '../../../src/people/stores.ts';
import { PUBLIC_URL, startApi } from '../../support/api/api.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts';
import { buildPersonalKey, buildSession, buildTenant } from '../../support/api/identity.ts';

/** @returns after how many seconds it may come back; 0: it was let in */
function waitOf(ask: () => void): number {
  try {
    ask();
    return 0;
  } catch (error) {
    assert.ok(error instanceof Throttled);
    return error.retryAfterSeconds;
  }
}

describe('how often a key may ask', () => {
  let seconds = 0;
  beforeEach(() => void (seconds = 0));

  const limitOf = (perMinute: number, perHour: number) =>
    createRequestLimit({ perMinute, perHour }, () => seconds * 1000);

  it('is so often in any minute, wherever the minute begins', () => {
    const ask = limitOf(480, 4800);
    seconds = 30;
    for (let count = 0; count < 480; count += 1)
      assert.equal(
        waitOf(() => ask('a')),
        0,
      );
    assert.equal(
      waitOf(() => ask('a')),
      60,
    );
    seconds = 89.5;
    assert.equal(
      waitOf(() => ask('a')),
      1,
    );
    assert.equal(
      waitOf(() => ask('b')),
      0,
      'each key by itself',
    );
    seconds = 90;
    assert.equal(
      waitOf(() => ask('a')),
      0,
    );
  });

  it('is so often in any hour too, and what was refused does not count', () => {
    const ask = limitOf(480, 4800);
    for (seconds = 0; seconds < 4800 / 8; seconds += 1) for (let i = 0; i < 8; i += 1) ask('a');
    for (let i = 0; i < 100; i += 1)
      assert.equal(
        waitOf(() => ask('a')),
        3000,
      );
    seconds = 3600;
    for (let i = 0; i < 8; i += 1)
      assert.equal(
        waitOf(() => ask('a')),
        0,
      );
    assert.equal(
      waitOf(() => ask('a')),
      1,
    );
  });

  it('stays so after many hours', () => {
    const ask = limitOf(480, 4800);
    for (let hour = 0; hour < 6; hour += 1) {
      seconds = hour * 3600;
      for (let i = 0; i < 480; i += 1) ask('a');
      assert.equal(
        waitOf(() => ask('a')),
        60,
      );
    }
  });

  describe('over HTTP', () => {
    let database: TestDatabase;
    let db: Knex;

    before(async () => {
      database = await createTestDatabase();
      db = createKnex({ url: database.url, applicationName: 'test' });
    });
    after(async () => {
      await db.destroy();
      await database.drop();
    });

    it('is reported in whole seconds, after authentication and before validation; sessions are not counted', async () => {
      const identity = identityStores(db);
      const { callerOf } = createSessions({ ...identity, publicUrl: PUBLIC_URL });
      const gatekeeper = createGatekeeper({ ...identity, callerOf, requestLimit: limitOf(2, 100) });
      const api = await startApi({ routes: projectRoutes, collaborators: { identity, gatekeeper }, gatekeeper });
      const tenant = await buildTenant(db);
      const path = `/api/projects/${tenant.projectId}/`;
      const key = await buildPersonalKey(db, tenant, 'project:write');
      const statuses = async (count: number, body: unknown, headers = {}) => {
        const answers = [];
        for (let i = 0; i < count; i += 1) answers.push(await api.request('PATCH', path, { body, headers }));
        return answers.map(({ status }) => status);
      };
      const withKey = { Authorization: `Bearer ${key}` };
      assert.deepEqual(await statuses(3, { timezone: 7 }, withKey), [400, 400, 429]);
      const refused = await api.request('PATCH', path, { key, body: {} });
      assert.equal(refused.headers.get('retry-after'), '60');
      assert.deepEqual(refused.body, {
        type: 'throttled_error',
        code: 'throttled',
        detail: 'Request was throttled. Expected available in 60 seconds.',
        attr: null,
      });
      seconds = 59;
      const { body } = await api.request('PATCH', path, { key, body: {} });
      assert.equal((body as { detail: string }).detail, 'Request was throttled. Expected available in 1 second.');
      const reader = await buildPersonalKey(db, tenant, 'project:read');
      assert.deepEqual(await statuses(3, {}, { Authorization: `Bearer ${reader}` }), [403, 403, 403]);
      assert.deepEqual(new Set(await statuses(4, {}, await buildSession(db, tenant))), new Set([200]));
      await api.stop();
    });
  });
});
